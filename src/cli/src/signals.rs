//! Signals that ask the process to stop.

use tokio::signal::unix::{SignalKind, signal};

/// Resolves to the exit code that names the signal: 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP.
///
/// # Errors
/// If handlers cannot be installed.
pub(crate) fn stop_requested() -> std::io::Result<impl Future<Output = u8>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => 143,
            _ = interrupt.recv() => 130,
            _ = hangup.recv() => 129,
        }
    })
}
