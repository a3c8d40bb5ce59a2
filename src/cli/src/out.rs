//! The only place that writes to standard output and standard error.
#![expect(clippy::print_stderr, reason = "this module owns both streams")]

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use crate::failure::{Failure, exit};

/// Prints help and version on standard output and wrong usage on standard error.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if error.print().is_err() {
        return ExitCode::from(exit::FAILED);
    }
    ExitCode::from(if error.use_stderr() {
        exit::USAGE
    } else {
        exit::OK
    })
}

/// Prints a failure with its hint.
pub(crate) fn failure(failure: &Failure) -> ExitCode {
    eprintln!("error: {}", failure.message);
    if let Some(hint) = &failure.hint {
        eprintln!("hint: {hint}");
    }
    ExitCode::from(failure.exit)
}

/// Makes panics readable: one line that says what and where, and what to do about it.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        let what = info.payload_as_str().unwrap_or("a broken invariant");
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(what, place, "panic");
        eprintln!("error: internal error: {what} ({place})");
        eprintln!("hint: please report this; nothing that was acknowledged is lost");
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value == "full") {
            eprintln!("{}", std::backtrace::Backtrace::force_capture());
        }
    }));
}

/// Prints one line for the user on standard error.
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// Prints text on standard output; a reader that went away is no error.
pub(crate) fn text(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Prints a line on standard output and flushes it.
pub(crate) fn line(line: &str) -> io::Result<()> {
    text(&format!("{line}\n"))
}

/// Whether a person reads standard error.
pub(crate) fn is_interactive() -> bool {
    io::stderr().is_terminal()
}

/// Shows a passing state on standard error, in place on a terminal.
pub(crate) fn progress(text: &str) {
    if is_interactive() {
        eprint!("\r\x1b[2K{text}");
    } else {
        println_err(text);
    }
}

fn println_err(text: &str) {
    eprintln!("{text}");
}

/// Ends the line that [`progress`] wrote in place.
pub(crate) fn progress_done() {
    if is_interactive() {
        eprint!("\r\x1b[2K");
    }
}
