//! `cargo run --release -p flybridge-testkit --bin bench -- [COUNT…]`: the whole way through, measured.
//!
//! Starts the release binary as its own process (so its memory is its own), creates Deployments
//! over HTTPS as any client would, and watches them arrive in every member.
#![expect(clippy::print_stdout, reason = "a command that prints figures")]

mod figures;
mod load;
mod memory;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use flybridge_testkit::process::HeadlessPlane;

use crate::figures::Reference;

const MEMBERS: usize = 3;

fn main() -> Result<()> {
    let counts: Vec<usize> = std::env::args()
        .skip(1)
        .map(|text| {
            text.parse()
                .with_context(|| format!("{text} is not a count"))
        })
        .collect::<Result<_>>()?;
    let counts = if counts.is_empty() {
        vec![500, 2000]
    } else {
        counts
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    figures::print_header();
    for count in counts {
        runtime.block_on(measure(count))?;
    }
    Ok(())
}

fn binary() -> Result<PathBuf> {
    let own = std::env::current_exe().context("found this program")?;
    let path = own.with_file_name("flybridge");
    ensure!(
        path.exists(),
        "no {}: run `cargo build --release` first",
        path.display()
    );
    Ok(path)
}

async fn measure(count: usize) -> Result<()> {
    let members = MEMBERS.to_string();
    // As the reference does, everything is on disk before it is acknowledged.
    let folder = tempfile::tempdir().context("made a folder for the stores")?;
    let data_dir = folder.path().display().to_string();
    let args = [
        "demo",
        "--no-console",
        "--data-dir",
        &data_dir,
        "--no-samples",
        "--clusters",
        &members,
    ];
    let started = Instant::now();
    let plane = HeadlessPlane::start(&binary()?, &args)?;
    let cold_start = started.elapsed();
    let idle = memory::of(plane.pid())?;
    let client = flybridge_client::from_kubeconfig(Some(plane.kubeconfig()), None).await?;
    let single = load::one_at_a_time(&client, 30).await?;
    let burst = load::burst(&client, count).await?;
    let after = memory::of(plane.pid())?;
    let reference = Reference::for_count(count);
    figures::print(
        "cold start to all members Ready",
        cold_start.as_secs_f64(),
        "s",
        Some(8.8),
    );
    figures::print(
        "one at a time, create to all members, p50",
        single.p50_ms(),
        "ms",
        Some(118.0),
    );
    figures::print(
        "one at a time, create to all members, p99",
        single.p99_ms(),
        "ms",
        Some(229.0),
    );
    figures::print_rate(&format!("burst of {count}"), burst.rate(), reference.rate);
    figures::print(
        &format!("burst of {count}, total"),
        burst.total.as_secs_f64(),
        "s",
        reference.total_s,
    );
    figures::print(
        &format!("burst of {count}, p50"),
        burst.p50_ms(),
        "ms",
        None,
    );
    figures::print(
        &format!("burst of {count}, p99"),
        burst.p99_ms(),
        "ms",
        None,
    );
    let cpu_ms = (after.cpu.as_secs_f64() - idle.cpu.as_secs_f64()) * 1000.0 / (count + 30) as f64;
    figures::print(
        "control plane and members, CPU a Deployment",
        cpu_ms,
        "ms",
        Some(290.0),
    );
    figures::print("RSS idle", idle.rss_mb, "MB", Some(796.0));
    figures::print(
        &format!("RSS after {count}"),
        after.rss_mb,
        "MB",
        reference.rss_mb,
    );
    let status = plane.terminate()?;
    ensure!(status.success(), "the plane stopped with {status}");
    Ok(())
}
