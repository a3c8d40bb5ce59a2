//! `flybridge kubeconfig`.

use std::fs;

use anyhow::Result;
use flybridge_controlplane::data_dir::Layout;

use crate::args::KubeconfigArgs;
use crate::failure::{Failure, exit};
use crate::{out, paths};

pub(super) fn run(args: KubeconfigArgs) -> Result<u8> {
    let layout = Layout::at(paths::data_dir(args.data_dir)?);
    let path = layout.kubeconfig();
    let text = fs::read_to_string(&path).map_err(|error| {
        Failure::new(
            exit::NOT_FOUND,
            format!("no kubeconfig at {}: {error}", path.display()),
        )
        .hint("start a control plane with `flybridge serve`, or give its --data-dir")
    })?;
    if args.path {
        out::line(&path.display().to_string())?;
    } else {
        out::text(&text)?;
    }
    Ok(exit::OK)
}
