//! The real kubectl against a kubeconfig; absent on some machines, and then tests say so.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::process::until;

/// What a kubectl call printed and how it ended.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code; -1 when a signal ended it.
    pub code: i32,
}

impl Answer {
    /// The trimmed output of a call that must have succeeded.
    ///
    /// # Panics
    /// With both outputs if it failed.
    #[expect(clippy::panic, reason = "a test fails by panicking")]
    pub fn ok(self) -> String {
        if self.code != 0 {
            panic!(
                "kubectl exited with {}\n{}{}",
                self.code, self.stdout, self.stderr
            );
        }
        self.stdout.trim_end().to_owned()
    }
}

/// kubectl bound to one kubeconfig.
#[derive(Clone, Debug)]
pub struct Kubectl {
    program: PathBuf,
    kubeconfig: PathBuf,
    cache: PathBuf,
}

impl Kubectl {
    /// kubectl for `kubeconfig`, or `None` if this machine has none (`KUBECTL` names another program).
    pub fn find(kubeconfig: &Path) -> Option<Self> {
        let program = std::env::var_os("KUBECTL").map_or_else(|| "kubectl".into(), PathBuf::from);
        let probe = Command::new(&program)
            .args(["version", "--client"])
            .output()
            .ok()?;
        let cache = kubeconfig.with_extension("cache");
        probe.status.success().then(|| Self {
            program,
            kubeconfig: kubeconfig.to_owned(),
            cache,
        })
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--kubeconfig").arg(&self.kubeconfig);
        command.arg("--cache-dir").arg(&self.cache);
        command.args(args);
        command
    }

    /// Runs `kubectl args…`.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(&self, args: &[&str]) -> Result<Answer> {
        self.run_with_input(args, "")
    }

    /// Runs `kubectl args…` with text on standard input, for `-f -`.
    ///
    /// # Errors
    /// If it cannot be started or does not read its input.
    pub fn run_with_input(&self, args: &[&str], input: &str) -> Result<Answer> {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("started kubectl")?;
        let mut stdin = child.stdin.take().context("the child's input is piped")?;
        stdin
            .write_all(input.as_bytes())
            .context("wrote kubectl's input")?;
        drop(stdin);
        let output = child.wait_with_output().context("waited for kubectl")?;
        Ok(Answer {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        })
    }

    /// Starts `kubectl args…` and leaves it running, output piped; for watches.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn spawn(&self, args: &[&str]) -> Result<std::process::Child> {
        self.command(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("started kubectl")
    }

    /// Repeats `kubectl args…` until its trimmed output satisfies `wanted`; the last output is returned.
    ///
    /// # Panics
    /// If that does not happen within `limit`.
    #[expect(clippy::panic, reason = "a test fails by panicking")]
    pub fn wait(&self, args: &[&str], limit: Duration, wanted: impl Fn(&str) -> bool) -> String {
        let mut last = String::new();
        let happened = until(limit, || {
            last = match self.run(args) {
                Ok(answer) if answer.code == 0 => answer.stdout.trim_end().to_owned(),
                Ok(answer) => answer.stderr,
                Err(error) => format!("{error:#}"),
            };
            wanted(&last)
        });
        if !happened {
            panic!("kubectl {args:?} never printed what was awaited; last:\n{last}");
        }
        last
    }
}
