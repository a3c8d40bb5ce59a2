//! Developer commands: schemas, fixtures, pictures.

mod schemas;

use clap::{Parser, Subcommand};

/// Commands for people who work on the source; nothing here runs in a build.
#[derive(Parser)]
#[command(name = "xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Regenerates the assets under assets/schema.
    Schemas(schemas::Sources),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Schemas(sources) => schemas::run(&sources),
    }
}
