//! `flybridge serve`: a durable plane without a console.

use anyhow::{Context, Result};
use flybridge_controlplane::{Config, Plane};

use crate::args::ServeArgs;
use crate::commands::runtime;
use crate::failure::{Failure, exit};
use crate::{logging, out, paths, signals};

pub(super) fn run(args: ServeArgs) -> Result<u8> {
    logging::to_stderr();
    if args.own_session {
        rustix::process::setsid().context("left the terminal's session")?;
    }
    let config = Config {
        data_dir: Some(paths::data_dir(args.data_dir)?),
        listen: Some(args.listen),
        simulated_clusters: usize::from(args.sim_clusters),
        samples: false,
        seed: args.seed,
        attachable: true,
    };
    runtime()?.block_on(serve(config, args.until_unattended))
}

async fn serve(config: Config, until_unattended: bool) -> Result<u8> {
    let stop = signals::stop_requested()?;
    let plane = Plane::start(config).await.map_err(Failure::from)?;
    if let Some(address) = plane.address() {
        out::note(&format!("serving https://{address}"));
    }
    out::line(&format!(
        "ready kubeconfig={}",
        plane.kubeconfig().display()
    ))?;
    tokio::select! {
        biased;
        _ = stop => {}
        () = plane.unattended(), if until_unattended => {}
    }
    plane.stop().await;
    Ok(exit::OK)
}
