//! Opening the console on a control plane.

use std::io::{self, IsTerminal};

use anyhow::Result;
use flybridge_base::{Clock, Shutdown};
use flybridge_console::{Error, ExitReason, Options, Setup};
use flybridge_ui::terminal::{self, TerminalError};
use kube::Client;

use crate::args::ConsoleArgs;
use crate::failure::{Failure, exit};
use crate::paths;

/// How the user wants to see things.
pub(crate) struct View {
    theme: Option<String>,
    keymap: Option<String>,
    read_only: bool,
}

/// The control plane the console sits on.
pub(crate) struct Seat {
    /// A client with the user's rights.
    pub(crate) client: Client,
    /// Name of the context.
    pub(crate) name: String,
    /// What the control plane is, in a few words.
    pub(crate) label: String,
    /// The control plane runs in this process.
    pub(crate) in_process: bool,
}

/// How the console ended.
pub(crate) struct End {
    /// The exit code.
    pub(crate) exit: u8,
    /// The user quit, as opposed to the terminal or the process going away.
    pub(crate) deliberate: bool,
}

impl View {
    pub(crate) fn new(args: &ConsoleArgs) -> Self {
        Self {
            theme: args.theme.clone(),
            keymap: args.keymap.clone(),
            read_only: args.read_only,
        }
    }
}

/// Refuses early what the console could not use, before anything is started.
pub(crate) fn check_terminal() -> Result<(), Failure> {
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let term = std::env::var("TERM").unwrap_or_default();
    // The size is left to the console: it may change while the plane starts.
    terminal::check(is_terminal, &term, (u16::MAX, u16::MAX)).map_err(|error| unusable(&error))
}

fn unusable(error: &TerminalError) -> Failure {
    Failure::new(exit::TERMINAL, flybridge_base::report(error))
        .hint("run it in a terminal, or without a console: `flybridge demo --no-console`, `flybridge serve`")
}

/// Runs the console until it ends; the terminal is restored by then.
pub(crate) async fn run(view: View, seat: Seat) -> Result<End> {
    let client = if view.read_only {
        flybridge_client::read_only(seat.client)
    } else {
        seat.client
    };
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let setup = Setup {
        context_name: seat.name,
        plane_label: seat.label,
        read_only: view.read_only,
        in_process: seat.in_process,
        theme: view.theme,
        keymap: view.keymap,
        config_dir: paths::config_dir(),
        no_color,
        ascii: None,
    };
    let options = Options {
        client,
        setup,
        clock: Clock::system(),
        shutdown: Shutdown::new(),
        first_frame: panic_on_request(),
    };
    match flybridge_console::run(options).await {
        Ok(reason) => Ok(End {
            exit: code(reason),
            deliberate: reason == ExitReason::Quit,
        }),
        Err(Error::Terminal(error)) => Err(unusable(&error).into()),
        Err(error @ Error::Catalog(_)) => {
            let text = flybridge_base::report(&error);
            Err(Failure::new(exit::USAGE, text)
                .hint("check --theme and --keymap")
                .into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Lets a test see what a panic does to the terminal; release builds have no such switch.
fn panic_on_request() -> Option<Box<dyn FnOnce() + Send>> {
    let asked = std::env::var_os("FLYBRIDGE_PANIC_AFTER_FIRST_FRAME").is_some();
    (cfg!(debug_assertions) && asked).then(|| {
        let panic: Box<dyn FnOnce() + Send> =
            Box::new(|| unreachable!("a panic that was asked for"));
        panic
    })
}

const fn code(reason: ExitReason) -> u8 {
    match reason {
        ExitReason::Quit | ExitReason::Shutdown => exit::OK,
        ExitReason::Hangup => 129,
        ExitReason::Interrupted => 130,
        ExitReason::Terminated => 143,
    }
}
