//! Measures durable commits, and prints them beside the reference stack's.
//!
//! `cargo run --release -p flybridge-store --example bench [directory]`
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use flybridge_store::{Expect, Key, Op, Options, Store, Value};

const VALUE_BYTES: usize = 1200;
const SEQUENTIAL: usize = 2_000;
const CONCURRENT: usize = 16;
const CONCURRENT_EACH: usize = 1_000;
const SCANNED: usize = 10_000;

/// Creations a second of kube-apiserver 1.36.2 over etcd 3.6.8, same object size, on a 2-core
/// machine: one client, and 16.
const REFERENCE_SINGLE: f64 = 400.0;
const REFERENCE_CONCURRENT: f64 = 830.0;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn create(name: String) -> Op {
    let value = Value::with_revision("x".repeat(VALUE_BYTES / 2), "y".repeat(VALUE_BYTES / 2));
    Op::Put {
        key: Key::new("configmaps", name),
        expect: Expect::Absent,
        value,
    }
}

/// Commits one by one; returns how long each took, in order of length.
async fn sequential(store: &Store, prefix: &str, count: usize) -> Outcome<Vec<Duration>> {
    let mut taken = Vec::with_capacity(count);
    for n in 0..count {
        let start = Instant::now();
        store.commit(vec![create(format!("{prefix}/{n}"))]).await?;
        taken.push(start.elapsed());
    }
    taken.sort_unstable();
    Ok(taken)
}

/// A part of 1 in sorted durations.
fn quantile(sorted: &[Duration], percent: usize) -> Duration {
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}

fn rate(count: usize, total: Duration) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / total.as_secs_f64()
}

fn report(what: &str, rate: f64, sorted: &[Duration], reference: f64) {
    println!(
        "{what:<24}{rate:>8.0}/s  p50 {:>9.3?}  p99 {:>9.3?}  {:>5.1} x the reference stack ({reference:.0}/s)",
        quantile(sorted, 50),
        quantile(sorted, 99),
        rate / reference,
    );
}

async fn measure(path: PathBuf) -> Outcome<()> {
    let store = Store::open_redb(&path, Options::default())?;
    let start = Instant::now();
    let taken = sequential(&store, "one", SEQUENTIAL).await?;
    let single = rate(SEQUENTIAL, start.elapsed());
    report("1 client", single, &taken, REFERENCE_SINGLE);

    let start = Instant::now();
    let prefixes: Vec<String> = (0..CONCURRENT)
        .map(|client| format!("many-{client}"))
        .collect();
    let clients = prefixes
        .iter()
        .map(|prefix| sequential(&store, prefix, CONCURRENT_EACH));
    let mut taken: Vec<Duration> = futures::future::try_join_all(clients).await?.concat();
    let many = rate(CONCURRENT * CONCURRENT_EACH, start.elapsed());
    taken.sort_unstable();
    report("16 clients", many, &taken, REFERENCE_CONCURRENT);

    let start = Instant::now();
    let snapshot = store.snapshot();
    let bytes: usize = snapshot
        .range("configmaps", "", None)
        .take(SCANNED)
        .map(|(_, record)| record.value.len())
        .sum();
    println!(
        "scan of {SCANNED:<16}{:>9.3?} for {bytes} bytes",
        start.elapsed()
    );
    let stats = store.stats();
    store.close().await;
    let start = Instant::now();
    let store = Store::open_redb(&path, Options::default())?;
    println!(
        "reopening {:<14}{:>9.3?} for {} MiB on disk",
        store.snapshot().count("configmaps", ""),
        start.elapsed(),
        stats.file_bytes >> 20,
    );
    println!("(reference stack: kube-apiserver and etcd over HTTPS, on a 2-core machine)");
    Ok(())
}

fn main() -> Outcome<()> {
    let parent = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("."), PathBuf::from);
    let directory = tempfile::tempdir_in(parent)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(measure(directory.path().join("bench.redb")))
}
