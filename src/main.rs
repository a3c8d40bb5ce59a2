//! The `flybridge` binary: everything lives in `flybridge-cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    flybridge_cli::main()
}
