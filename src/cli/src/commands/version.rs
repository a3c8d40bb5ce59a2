//! `flybridge version`.

use anyhow::Result;
use serde_json::json;

use crate::args::{Output, VersionArgs};
use crate::failure::exit;
use crate::out;

pub(super) fn run(args: &VersionArgs) -> Result<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let facts = json!({
        "version": version,
        "kubernetes": flybridge_controlplane::KUBERNETES_VERSION,
        "karmada": flybridge_controlplane::KARMADA_API,
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    });
    match args.output {
        Output::Json => out::line(&serde_json::to_string_pretty(&facts)?)?,
        Output::Yaml => out::text(&serde_saphyr::to_string(&facts)?)?,
        Output::Name => out::line(version)?,
        Output::Table | Output::Wide => {
            out::line(&format!("flybridge {version}"))?;
            for key in ["kubernetes", "karmada", "platform"] {
                out::line(&format!(
                    "{key:<11}{}",
                    facts[key].as_str().unwrap_or_default()
                ))?;
            }
        }
    }
    Ok(exit::OK)
}
