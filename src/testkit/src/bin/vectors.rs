//! Runs golden vector files: `vectors DIR [FILE…]` prints `FILE passed/total` a line, then the first differences.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use flybridge_testkit::vectors::{run_file, runner};

/// Differences shown of every file.
const SHOWN: usize = 10;

fn main() -> anyhow::Result<ExitCode> {
    let mut args = std::env::args().skip(1);
    let directory = PathBuf::from(args.next().context("usage: vectors DIR [FILE…]")?);
    let mut families: Vec<String> = args
        .map(|name| name.trim_end_matches(".jsonl").to_owned())
        .collect();
    if families.is_empty() {
        for entry in std::fs::read_dir(&directory)? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
                && let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
            {
                families.push(stem.to_owned());
            }
        }
        families.sort();
    }
    let mut out = std::io::stdout().lock();
    let mut differences = Vec::new();
    let mut failed = 0;
    for family in families {
        let Some(run) = runner(&family) else {
            writeln!(out, "{family} skipped: no runner yet")?;
            continue;
        };
        let report = run_file(&directory.join(format!("{family}.jsonl")), run)?;
        write!(out, "{family} {}/{}", report.passed, report.total())?;
        if report.deliberate > 0 {
            write!(out, " ({} differ on purpose)", report.deliberate)?;
        }
        if report.skipped > 0 {
            write!(out, " ({} outside of this build)", report.skipped)?;
        }
        writeln!(out)?;
        failed += report.failures.len();
        differences.extend(report.failures.into_iter().take(SHOWN));
    }
    for (id, difference) in differences {
        writeln!(out, "\n{id}\n    {difference}")?;
    }
    if failed == 0 {
        Ok(ExitCode::SUCCESS)
    } else {
        writeln!(out, "\n{failed} cases differ")?;
        Ok(ExitCode::FAILURE)
    }
}
