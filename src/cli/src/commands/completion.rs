//! `flybridge completion`.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::failure::exit;
use crate::out;

pub(super) fn run(shell: Shell) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "flybridge", &mut script);
    out::text(&String::from_utf8(script)?)?;
    Ok(exit::OK)
}
