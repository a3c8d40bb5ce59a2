//! Where log lines go: standard error for servers, a file while the console owns the terminal.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

fn filter() -> EnvFilter {
    EnvFilter::try_from_env("FLYBRIDGE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"))
}

/// Logs to standard error.
pub(crate) fn to_stderr() {
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter())
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .try_init();
    debug_assert!(started.is_ok(), "logging is set up once");
}

/// Logs to a file below `dir`; without a writable folder nothing is logged.
pub(crate) fn to_file(dir: Option<&Path>) {
    let Some(dir) = dir else { return };
    if fs::create_dir_all(dir).is_err() {
        return;
    }
    let opened = OpenOptions::new()
        .create(true)
        .append(true)
        .open(dir.join("console.log"));
    if let Ok(file) = opened {
        let started = tracing_subscriber::fmt()
            .with_env_filter(filter())
            .with_writer(Mutex::new(file))
            .with_ansi(false)
            .try_init();
        debug_assert!(started.is_ok(), "logging is set up once");
    }
}
