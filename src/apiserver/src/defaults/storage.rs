//! Volumes and claims.

use flybridge_machinery::object::get_path;
use serde_json::{Value, json};

use super::fill::Fill::{Null, Text};
use super::fill::{fill, fill_all, visit};
use super::volumes;

pub(super) fn default_claim(claim: &mut Value) {
    fill(claim, "spec.volumeMode", Text("Filesystem"));
    visit(claim, "spec", &mut mirror_data_source);
}

/// A data source of the old field appears in the new one.
fn mirror_data_source(spec: &mut Value) {
    fill(spec, "dataSource.apiGroup", Null);
    let source = get_path(spec, &["dataSource"])
        .filter(|source| source.is_object())
        .cloned();
    if let (Some(source), None) = (source, get_path(spec, &["dataSourceRef"])) {
        spec["dataSourceRef"] = source;
    }
}

pub(super) fn default_volume(volume: &mut Value) {
    fill_all(
        volume,
        &[
            ("spec.persistentVolumeReclaimPolicy", Text("Retain")),
            ("spec.volumeMode", Text("Filesystem")),
        ],
    );
    visit(volume, "spec", &mut volumes::default_source);
}

/// Adds the finalizer that protects volumes and claims in use.
pub(super) fn protect(object: &mut Value, finalizer: &str) {
    flybridge_machinery::object::add_finalizer(object, finalizer);
    object["status"] = json!({"phase": "Pending"});
}
