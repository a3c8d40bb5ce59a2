//! Memory and processor time of another process, from the kernel's accounting.

use std::time::Duration;

use anyhow::{Context, Result};

/// Clock ticks a second in `/proc/<pid>/stat` on Linux.
const TICKS: u64 = 100;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) rss_mb: f64,
    pub(crate) cpu: Duration,
}

pub(crate) fn of(pid: u32) -> Result<Usage> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).context("read status")?;
    let rss_kb: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|text| text.trim().trim_end_matches(" kB").parse().ok())
        .context("found VmRSS")?;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).context("read stat")?;
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .context("found the name")?
        .1
        .split_whitespace()
        .collect();
    let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok());
    let (user, system) = (ticks(11).context("utime")?, ticks(12).context("stime")?);
    let cpu = Duration::from_millis((user + system) * 1000 / TICKS);
    Ok(Usage {
        rss_mb: rss_kb / 1024.0,
        cpu,
    })
}
