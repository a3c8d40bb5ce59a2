//! `flybridge` without a command: attach to a plane, and start one if none runs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use flybridge_controlplane::attendance::Attached;
use flybridge_controlplane::data_dir::{Layout, create_private};

use crate::args::{AttachArgs, ConsoleArgs};
use crate::commands::runtime;
use crate::failure::{Failure, exit};
use crate::{console, logging, out, paths};

/// A plane on an empty or large store answers well within this.
const START_LIMIT: Duration = Duration::from_secs(20);
const START_POLL: Duration = Duration::from_millis(50);

pub(super) fn run(args: AttachArgs, view: &ConsoleArgs) -> Result<u8> {
    console::check_terminal()?;
    logging::to_file(paths::state_dir().as_deref());
    let view = console::View::new(view);
    if let Some(kubeconfig) = args.kubeconfig {
        return runtime()?.block_on(external(&kubeconfig, args.context.as_deref(), view));
    }
    let layout = Layout::at(paths::data_dir(args.data_dir)?);
    runtime()?.block_on(own(&layout, args.keep, view))
}

async fn external(kubeconfig: &Path, context: Option<&str>, view: console::View) -> Result<u8> {
    let client = flybridge_client::from_kubeconfig(Some(kubeconfig), context)
        .await
        .map_err(|error| {
            Failure::new(exit::UNREACHABLE, flybridge_base::report(&error))
                .hint("check the file with `kubectl --kubeconfig FILE get --raw /readyz`")
        })?;
    let name = context.unwrap_or("kubeconfig").to_owned();
    let label = kubeconfig.display().to_string();
    let seat = console::Seat {
        client,
        name,
        label,
        in_process: false,
    };
    Ok(console::run(view, seat).await?.exit)
}

async fn own(layout: &Layout, keep: bool, view: console::View) -> Result<u8> {
    let attached = match Attached::to(&layout.control_socket()).await {
        Some(attached) => attached,
        None => start_in_background(layout, keep).await?,
    };
    let client = flybridge_client::over_unix(&layout.socket());
    let label = layout.path().display().to_string();
    let seat = console::Seat {
        client,
        name: "local".to_owned(),
        label,
        in_process: false,
    };
    let end = console::run(view, seat).await?;
    if end.deliberate {
        attached.quit().await;
    }
    Ok(end.exit)
}

/// Starts `flybridge serve` in a session of its own, so that it outlives this terminal.
async fn start_in_background(layout: &Layout, keep: bool) -> Result<Attached> {
    let program = std::env::current_exe().context("found this program")?;
    create_private(layout.path()).map_err(Failure::from)?;
    let log = std::fs::File::create(layout.log())
        .with_context(|| format!("created the log {}", layout.log().display()))?;
    let mut command = Command::new(program);
    command.arg("serve").arg("--data-dir").arg(layout.path());
    command.args(["--listen", "127.0.0.1:0", "--own-session"]);
    if !keep {
        command.arg("--until-unattended");
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(log.try_clone().context("shared the log")?)
        .stderr(log)
        .spawn()
        .context("started the control plane in the background")?;
    let deadline = tokio::time::Instant::now() + START_LIMIT;
    out::progress("starting the control plane");
    loop {
        if let Some(attached) = Attached::to(&layout.control_socket()).await {
            out::progress_done();
            return Ok(attached);
        }
        let exited = child
            .try_wait()
            .context("watched the control plane start")?;
        if exited.is_some_and(|status| !status.success()) || tokio::time::Instant::now() > deadline
        {
            out::progress_done();
            return Err(start_failure(layout).into());
        }
        tokio::time::sleep(START_POLL).await;
    }
}

fn start_failure(layout: &Layout) -> Failure {
    let said = std::fs::read_to_string(layout.log()).unwrap_or_default();
    let reason = said
        .lines()
        .find_map(|line| line.strip_prefix("error: "))
        .unwrap_or("it did not answer");
    Failure::new(
        exit::FAILED,
        format!("the control plane did not start: {reason}"),
    )
    .hint(format!("its log is {}", layout.log().display()))
}
