//! Turns published descriptions of the built-in types into the assets the `schema` crate embeds.
//!
//! Three sources are joined: JSON schema definitions (fields, extensions, descriptions), prost
//! structs (field numbers and wire kinds) and Go structs (which fields are pointers). The same
//! sources always give the same bytes.

mod definitions;
mod go_types;
mod messages;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

const LEVEL: i32 = 19;

/// Where the descriptions of the built-in types lie.
#[derive(clap::Args)]
pub(crate) struct Sources {
    /// The file `_definitions.json` of a converted set of JSON schemas.
    #[arg(long)]
    definitions: PathBuf,
    /// The source of the crate `k8s-pb`.
    #[arg(long)]
    k8s_pb: PathBuf,
    /// Sources of the Go modules of the API types, each as `prefix=directory`, such as
    /// `io.k8s.api=…/api`.
    #[arg(long)]
    go_types: Vec<String>,
    /// The folder the assets are written to.
    #[arg(long, default_value = "assets/schema")]
    out: PathBuf,
    /// The version in the names of the assets.
    #[arg(long, default_value = "1.36")]
    version: String,
}

/// Writes the three assets.
pub(crate) fn run(sources: &Sources) -> anyhow::Result<()> {
    let text = fs::read_to_string(&sources.definitions)
        .with_context(|| format!("reading {}", sources.definitions.display()))?;
    let document: Value = serde_json::from_str(&text)?;
    let definitions = definitions::convert(&document)?;
    let mut pointers = go_types::Facts::default();
    for entry in &sources.go_types {
        let (prefix, folder) = entry
            .split_once('=')
            .with_context(|| format!("{entry} is not prefix=directory"))?;
        pointers.read(prefix, Path::new(folder))?;
    }
    let structs = messages::read(&sources.k8s_pb.join("src"))?;
    let table = messages::join(&structs, &definitions.graph, &pointers);
    fs::create_dir_all(&sources.out)?;
    let version = &sources.version;
    for (name, value) in [
        ("builtin", &definitions.graph),
        ("descriptions", &definitions.descriptions),
        ("protobuf", &table),
    ] {
        let path = sources.out.join(format!("{name}-{version}.json.zst"));
        let bytes = serde_json::to_vec(value)?;
        fs::write(&path, zstd::encode_all(bytes.as_slice(), LEVEL)?)
            .with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}
