//! The sole owner of the terminal: enters, draws, suspends and restores it.
//!
//! Whatever ends the program (return, panic, signal turned into a return), the terminal is left
//! as it was found: dropping [`Terminal`] restores it, and a panic hook does so before the panic
//! is printed. Each frame is one write.

mod writer;

use std::io::{self, IsTerminal};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue, style};
use flybridge_base::tasks::panic_is_contained;
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;

use writer::FrameWriter;

/// Fewest columns and rows anything can be shown in.
pub const LEAST: (u16, u16) = (20, 5);

/// Set while the terminal is ours, so that restoring twice does nothing.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Why the terminal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Input or output is a pipe or a file.
    #[error("standard input and output must be a terminal")]
    NotATerminal,
    /// The terminal cannot place text.
    #[error("TERM={0:?} cannot show a full screen")]
    Dumb(String),
    /// There is no room.
    #[error(
        "the terminal has {columns} columns and {rows} rows; at least {least_columns} and {least_rows} are needed"
    )]
    TooSmall {
        /// Its columns.
        columns: u16,
        /// Its rows.
        rows: u16,
        /// Columns needed.
        least_columns: u16,
        /// Rows needed.
        least_rows: u16,
    },
    /// The terminal failed, as it does when its line is cut.
    #[error("the terminal failed")]
    Io(#[from] io::Error),
}

/// Whether a terminal of this kind and size can be used.
///
/// # Errors
/// The first reason it cannot.
pub fn check(
    is_terminal: bool,
    term: &str,
    (columns, rows): (u16, u16),
) -> Result<(), TerminalError> {
    if !is_terminal {
        return Err(TerminalError::NotATerminal);
    }
    if term.is_empty() || term == "dumb" {
        return Err(TerminalError::Dumb(term.to_owned()));
    }
    if columns < LEAST.0 || rows < LEAST.1 {
        return Err(TerminalError::TooSmall {
            columns,
            rows,
            least_columns: LEAST.0,
            least_rows: LEAST.1,
        });
    }
    Ok(())
}

/// The terminal, ours until dropped.
#[derive(Debug)]
pub struct Terminal {
    inner: ratatui::Terminal<CrosstermBackend<FrameWriter>>,
    writer: FrameWriter,
}

impl Terminal {
    /// Takes the terminal over: raw mode, alternate screen, bracketed paste.
    ///
    /// # Errors
    /// Each [`TerminalError`]; the terminal is then as before.
    pub fn open() -> Result<Self, TerminalError> {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let term = std::env::var("TERM").unwrap_or_default();
        let size = if is_terminal { size()? } else { LEAST };
        check(is_terminal, &term, size)?;
        install_panic_hook();
        // Themes are cut down to the colour level already; crossterm must not do so again.
        style::force_color_output(true);
        let writer = FrameWriter::default();
        enter()?;
        let inner = ratatui::Terminal::new(CrosstermBackend::new(writer.clone()));
        match inner {
            Ok(inner) => Ok(Self { inner, writer }),
            Err(error) => {
                restore();
                Err(error.into())
            }
        }
    }

    /// Draws one frame with one write, in a synchronized update.
    ///
    /// # Errors
    /// The terminal failed; there is no point in drawing again.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> Result<(), TerminalError> {
        queue!(self.writer, BeginSynchronizedUpdate)?;
        self.inner.draw(render)?;
        queue!(self.writer, EndSynchronizedUpdate)?;
        self.writer.commit()?;
        Ok(())
    }

    /// Columns and rows.
    ///
    /// # Errors
    /// The terminal failed.
    pub fn size(&self) -> Result<(u16, u16), TerminalError> {
        let size = self.inner.size()?;
        Ok((size.width, size.height))
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.writer.written()
    }

    /// Copies text to the clipboard of the terminal's user (OSC 52).
    ///
    /// # Errors
    /// The terminal failed.
    pub fn copy(&mut self, text: &str) -> Result<(), TerminalError> {
        queue!(
            self.writer,
            crossterm::clipboard::CopyToClipboard::to_clipboard_from(text)
        )?;
        self.writer.commit()?;
        Ok(())
    }

    /// Gives the terminal back, stops the process until it is continued, and takes it again.
    ///
    /// The next frame paints everything.
    ///
    /// # Errors
    /// The terminal could not be taken back.
    pub fn suspend(&mut self) -> Result<(), TerminalError> {
        restore();
        let pid = rustix::process::getpid();
        rustix::process::kill_process(pid, rustix::process::Signal::TSTP)
            .map_err(io::Error::from)?;
        enter()?;
        self.inner.clear()?;
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    let entered = execute!(
        io::stdout(),
        EnterAlternateScreen,
        EnableBracketedPaste,
        Hide
    );
    if entered.is_err() {
        restore();
    }
    entered
}

/// Leaves the terminal as it was found. Idempotent; failures cannot be helped and are ignored.
pub fn restore() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let left = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    );
    let cooked = disable_raw_mode();
    drop((left, cooked));
}

fn install_panic_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // A task that panics ends alone; the screen goes on and must not be written over.
            if !panic_is_contained() {
                restore();
                previous(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfit_terminals_are_refused_with_the_reason() {
        assert!(matches!(
            check(false, "xterm", (80, 24)),
            Err(TerminalError::NotATerminal)
        ));
        assert!(matches!(
            check(true, "dumb", (80, 24)),
            Err(TerminalError::Dumb(_))
        ));
        assert!(matches!(
            check(true, "", (80, 24)),
            Err(TerminalError::Dumb(_))
        ));
        let small = check(true, "xterm", (19, 24)).unwrap_err().to_string();
        assert!(small.contains("19 columns and 24 rows"), "{small}");
        assert!(check(true, "linux", (20, 5)).is_ok());
    }
}
