//! `flybridge demo`: an ephemeral plane with a simulated fleet.

use std::time::Duration;

use anyhow::Result;
use flybridge_controlplane::{Config, Plane};

use crate::args::{ConsoleArgs, DemoArgs};
use crate::commands::runtime;
use crate::failure::{Failure, exit};
use crate::{console, logging, out, paths, signals};

/// Simulated members are Ready within seconds; a minute means something is broken.
const READY_LIMIT: Duration = Duration::from_secs(60);

pub(super) fn run(args: DemoArgs, view: &ConsoleArgs) -> Result<u8> {
    let config = Config {
        data_dir: args.data_dir,
        listen: Some(args.listen),
        simulated_clusters: usize::from(args.clusters),
        samples: !args.no_samples,
        seed: args.seed,
        attachable: false,
    };
    if args.no_console {
        logging::to_stderr();
        runtime()?.block_on(headless(config))
    } else {
        console::check_terminal()?;
        logging::to_file(paths::state_dir().as_deref());
        let view = console::View::new(view);
        runtime()?.block_on(with_console(config, view))
    }
}

async fn headless(config: Config) -> Result<u8> {
    let stop = signals::stop_requested()?;
    tokio::pin!(stop);
    let plane = Plane::start(config).await.map_err(Failure::from)?;
    let ready = tokio::time::timeout(READY_LIMIT, plane.members_ready(show_progress));
    let outcome = tokio::select! {
        biased;
        _ = &mut stop => None,
        ready = ready => Some(ready),
    };
    out::progress_done();
    let Some(ready) = outcome else {
        plane.stop().await;
        return Ok(exit::OK);
    };
    if ready.is_err() {
        plane.stop().await;
        let text = format!(
            "the members were not Ready within {} s",
            READY_LIMIT.as_secs()
        );
        return Err(Failure::new(exit::FAILED, text).into());
    }
    let path = plane.kubeconfig();
    out::line(&format!("ready kubeconfig={}", path.display()))?;
    stop.await;
    plane.stop().await;
    Ok(exit::OK)
}

async fn with_console(config: Config, view: console::View) -> Result<u8> {
    let plane = Plane::start(config).await.map_err(Failure::from)?;
    let seat = console::Seat {
        client: plane.client(),
        name: "demo".to_owned(),
        label: format!(
            "simulated fleet · KUBECONFIG={}",
            plane.kubeconfig().display()
        ),
        in_process: true,
    };
    let outcome = console::run(view, seat).await;
    plane.stop().await;
    Ok(outcome?.exit)
}

fn show_progress(ready: usize, total: usize) {
    if out::is_interactive() {
        out::progress(&format!("starting members: {ready} of {total} Ready"));
    }
}
