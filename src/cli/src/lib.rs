//! The command line: parses arguments, runs one subcommand, turns its outcome into an exit code.
//!
//! Nothing here holds behaviour of the product; `out` alone writes to standard output and error.

mod args;
mod commands;
mod console;
mod failure;
mod logging;
mod out;
mod paths;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    out::report_panics();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return out::usage(&error),
    };
    match commands::run(args) {
        Ok(code) => ExitCode::from(code),
        Err(error) => out::failure(&failure::Failure::from(error)),
    }
}
