//! One file a subcommand.

mod attach;
mod completion;
mod demo;
mod get;
mod kubeconfig;
mod serve;
mod version;

use anyhow::Result;

use crate::args::{Args, Command};

/// Runs the subcommand and returns the exit code of a success.
pub(crate) fn run(args: Args) -> Result<u8> {
    match args.command {
        None => attach::run(args.attach, &args.console),
        Some(Command::Demo(demo)) => demo::run(demo, &args.console),
        Some(Command::Serve(serve)) => serve::run(serve),
        Some(Command::Kubeconfig(kubeconfig)) => kubeconfig::run(kubeconfig),
        Some(Command::Get(get)) => get::run(get),
        Some(Command::Version(version)) => version::run(&version),
        Some(Command::Completion { shell }) => completion::run(shell),
    }
}

/// The runtime of every command: two workers serve a bastion well, more when the machine has them.
fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?)
}
