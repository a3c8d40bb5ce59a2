//! Driving a terminal program: a real pseudo-terminal, keys in, a parsed screen out.
//!
//! Tests wait on what the screen shows, never on time.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::process::until;

/// A program on a pseudo-terminal.
pub struct Pty {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    shown: Arc<Mutex<Shown>>,
}

struct Shown {
    parser: vt100::Parser,
    raw: Vec<u8>,
}

/// How a program on a pseudo-terminal is started.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub args: &'a [&'a str],
    /// Extra environment.
    pub environment: &'a [(&'a str, &'a str)],
    /// Columns and rows.
    pub size: (u16, u16),
}

fn size_of((cols, rows): (u16, u16)) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

impl Pty {
    /// Starts a program with `TERM=xterm-256color` unless the environment says otherwise.
    ///
    /// # Errors
    /// If no pseudo-terminal can be had or the program cannot be started.
    pub fn start(launch: &Launch<'_>) -> Result<Self> {
        let pair = native_pty_system()
            .openpty(size_of(launch.size))
            .context("opened a pty")?;
        let mut command = CommandBuilder::new(launch.program);
        command.args(launch.args);
        command.env("TERM", "xterm-256color");
        for (name, value) in launch.environment {
            command.env(name, value);
        }
        let child = pair
            .slave
            .spawn_command(command)
            .context("started the program")?;
        drop(pair.slave);
        let mut output = pair.master.try_clone_reader().context("read the pty")?;
        let keys = pair.master.take_writer().context("wrote the pty")?;
        let (cols, rows) = launch.size;
        let parser = vt100::Parser::new(rows, cols, 0);
        let shown = Arc::new(Mutex::new(Shown {
            parser,
            raw: Vec::new(),
        }));
        let sink = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count) = output.read(&mut buffer) {
                if count == 0 {
                    break;
                }
                let mut shown = sink.lock().unwrap_or_else(PoisonError::into_inner);
                shown.parser.process(&buffer[..count]);
                shown.raw.extend_from_slice(&buffer[..count]);
            }
        });
        Ok(Self {
            child,
            master: pair.master,
            keys,
            shown,
        })
    }

    /// Types `keys` as they are; escape sequences included.
    ///
    /// # Errors
    /// If the program is gone.
    pub fn press(&mut self, keys: &str) -> Result<()> {
        self.keys.write_all(keys.as_bytes()).context("typed")?;
        self.keys.flush().context("typed")
    }

    /// Changes the size of the terminal.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn resize(&mut self, size: (u16, u16)) -> Result<()> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.parser.screen_mut().set_size(size.1, size.0);
        self.master.resize(size_of(size)).context("resized the pty")
    }

    /// The text on the screen, a line a row.
    pub fn screen(&self) -> String {
        self.shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .parser
            .screen()
            .contents()
    }

    /// Every byte the program has written.
    pub fn raw(&self) -> Vec<u8> {
        self.shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .raw
            .clone()
    }

    /// Whether the program is in the alternate screen, or hides the cursor.
    pub fn is_in_full_screen(&self) -> bool {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.parser.screen().alternate_screen() || shown.parser.screen().hide_cursor()
    }

    /// Waits until the screen satisfies `wanted` and returns it.
    ///
    /// # Panics
    /// With the last screen if that does not happen within `limit`.
    #[expect(clippy::panic, reason = "a test fails by panicking")]
    pub fn wait(&self, limit: Duration, wanted: impl Fn(&str) -> bool) -> String {
        let mut last = String::new();
        let happened = until(limit, || {
            last = self.screen();
            wanted(&last)
        });
        if !happened {
            panic!("the screen never showed what was awaited; last:\n{last}");
        }
        last
    }

    /// Waits for the program to end and returns its exit code.
    ///
    /// # Panics
    /// With the last screen if it runs on past `limit`.
    #[expect(clippy::panic, reason = "a test fails by panicking")]
    pub fn wait_for_exit(&mut self, limit: Duration) -> u32 {
        let mut code = None;
        let ended = until(limit, || {
            code = self
                .child
                .try_wait()
                .ok()
                .flatten()
                .map(|status| status.exit_code());
            code.is_some()
        });
        match code {
            Some(code) if ended => code,
            _ => panic!("the program did not end; screen:\n{}", self.screen()),
        }
    }

    /// The process id, while the program runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.process_id()
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) && self.child.kill().is_ok() {
            drop(self.child.wait());
        }
    }
}
