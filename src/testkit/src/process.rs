//! Running the real binary: a headless plane as a child process, and one-shot commands.
//!
//! A child never outlives its test: dropping the handle kills it.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How long a plane may take to be ready on a busy machine.
const READY_LIMIT: Duration = Duration::from_secs(90);
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// A headless plane in a child process.
#[derive(Debug)]
pub struct HeadlessPlane {
    child: Child,
    kubeconfig: PathBuf,
    stderr: Option<ChildStderr>,
}

impl HeadlessPlane {
    /// Starts `binary` with `args` and waits for its `ready kubeconfig=PATH` line.
    ///
    /// # Errors
    /// If it exits or stays silent; the error holds what it printed.
    pub fn start(binary: &Path, args: &[&str]) -> Result<Self> {
        let mut child = Command::new(binary)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("started {}", binary.display()))?;
        let stdout = child.stdout.take().context("the child's output is piped")?;
        let stderr = child.stderr.take();
        let (line_in, lines) = mpsc::sync_channel(64);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if line_in.send(line).is_err() {
                    break;
                }
            }
        });
        let mut plane = Self {
            child,
            kubeconfig: PathBuf::new(),
            stderr,
        };
        let deadline = Instant::now() + READY_LIMIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some(path) = line.strip_prefix("ready kubeconfig=") {
                        plane.kubeconfig = PathBuf::from(path);
                        return Ok(plane);
                    }
                }
                Err(reason) => bail!("not ready ({reason}): {}", plane.complaint()),
            }
        }
    }

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process as a power loss would.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill().context("killed the plane")?;
        self.child.wait().context("reaped the plane")?;
        Ok(())
    }

    /// Asks the process to stop with SIGTERM and waits for it.
    ///
    /// # Errors
    /// If it does not stop in time.
    pub fn terminate(mut self) -> Result<ExitStatus> {
        terminate(&self.child)?;
        wait_for_exit(&mut self.child, STOP_LIMIT)
    }

    fn complaint(&mut self) -> String {
        if self.child.kill().is_err() {
            return "it had exited".to_owned();
        }
        let mut text = String::new();
        if let Some(stderr) = self.stderr.as_mut()
            && let Err(error) = stderr.read_to_string(&mut text)
        {
            return error.to_string();
        }
        text
    }
}

impl Drop for HeadlessPlane {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) && self.child.kill().is_ok() {
            drop(self.child.wait());
        }
    }
}

/// Sends SIGTERM to a child.
///
/// # Errors
/// If the signal cannot be sent.
pub fn terminate(child: &Child) -> Result<()> {
    let status = Command::new("kill")
        .arg("-TERM")
        .arg(child.id().to_string())
        .status()?;
    if !status.success() {
        bail!("kill -TERM failed");
    }
    Ok(())
}

/// Waits for a child to end.
///
/// # Errors
/// If it runs on past `limit`.
pub fn wait_for_exit(child: &mut Child, limit: Duration) -> Result<ExitStatus> {
    let mut status = None;
    until(limit, || {
        status = child.try_wait().ok().flatten();
        status.is_some()
    });
    status.context("the process did not stop in time")
}

/// Runs a command to its end and returns what it printed.
///
/// # Errors
/// If it cannot be started.
pub fn run(program: &Path, args: &[&str], environment: &[(&str, &str)]) -> Result<Output> {
    Command::new(program)
        .args(args)
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("ran {}", program.display()))
}

/// Asks `holds` until it answers yes; returns whether it did within `limit`.
pub fn until(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        pause(Duration::from_millis(25));
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "polls another process, which no clock of ours drives"
)]
fn pause(length: Duration) {
    std::thread::sleep(length);
}
