//! Measures scheduling runs: `bench DIR` reads `sched-*.json` and prints runs a second beside the reference's best.

use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flybridge_apis::{Cluster, ResourceBindingSpec};
use flybridge_scheduler::{
    Answers, Estimate, Options, Outcome, Peers, Request, Snapshot, schedule, schedule_traced,
};
use serde::Deserialize;
use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Best runs a second of the reference, by file.
const REFERENCE: [(&str, f64); 4] = [
    ("sched-a-duplicated", 1442.0),
    ("sched-b-dynamic", 1140.0),
    ("sched-c-region-spread", 150.0),
    ("sched-d-large-dynamic", 22.0),
];
const SLICE: Duration = Duration::from_secs(1);
const REPETITIONS: usize = 3;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    clusters: Vec<Cluster>,
    binding_spec: ResourceBindingSpec,
    estimators: Answers,
}

fn main() -> Result<()> {
    let directory = std::env::args().nth(1).ok_or("usage: bench DIR")?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| stem(path).starts_with("sched-"))
        .collect();
    files.sort();
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{:<26} {:>10} {:>10} {:>10} {:>8}",
        "input", "ops/s", "traced/s", "us/op", "ratio"
    )?;
    for path in files {
        measure(&path, &mut out)?;
    }
    Ok(())
}

fn stem(path: &Path) -> &str {
    path.file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default()
}

fn measure(path: &Path, out: &mut impl Write) -> Result<()> {
    let case: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let input = Input::deserialize(&case["input"])?;
    let clusters: Vec<std::sync::Arc<Cluster>> = input
        .clusters
        .into_iter()
        .map(std::sync::Arc::new)
        .collect();
    let estimates = [Estimate {
        estimator: "stub".to_owned(),
        answers: Ok(input.estimators),
    }];
    let peers = Peers::default();
    let request = Request {
        spec: &input.binding_spec,
        affinity_name: "",
        fresh: false,
        estimates: &estimates,
        peers: &peers,
        options: Options {
            general_estimator: false,
            ..Options::default()
        },
    };
    // As in the reference, every run starts from the list of clusters as it is at the time.
    let run = || schedule(&request, &Snapshot::new(clusters.iter().cloned()));
    check(&run(), &case["output"])?;
    let best = best(|| black_box(run()).is_ok());
    let traced = best_of_one(|| {
        black_box(schedule_traced(
            &request,
            &Snapshot::new(clusters.iter().cloned()),
        ))
        .0
        .is_ok()
    });
    let ratio = REFERENCE
        .iter()
        .find(|(name, _)| *name == stem(path))
        .map_or(f64::NAN, |(_, reference)| best / reference);
    writeln!(
        out,
        "{:<26} {best:>10.0} {traced:>10.0} {:>10.1} {ratio:>7.1}x",
        stem(path),
        1e6 / best
    )?;
    Ok(())
}

/// The result has to be the recorded one, else the speed means nothing.
fn check(outcome: &Outcome, output: &Value) -> Result<()> {
    let targets = outcome.as_ref().map_err(|failure| failure.to_string())?;
    let wanted = output["clusters"]
        .as_array()
        .ok_or("no recorded clusters")?;
    let same = targets.len() == wanted.len()
        && targets.iter().zip(wanted).all(|(got, wanted)| {
            wanted["name"] == got.name.as_str() && wanted["replicas"] == got.replicas
        });
    if same {
        Ok(())
    } else {
        Err("the result differs from the recorded one".into())
    }
}

fn best(mut run: impl FnMut() -> bool) -> f64 {
    (0..REPETITIONS)
        .map(|_| best_of_one(&mut run))
        .fold(0.0, f64::max)
}

fn best_of_one(mut run: impl FnMut() -> bool) -> f64 {
    let start = Instant::now();
    let mut runs = 0_u32;
    while start.elapsed() < SLICE {
        if !run() {
            return 0.0;
        }
        runs += 1;
    }
    f64::from(runs) / start.elapsed().as_secs_f64()
}
