//! Volumes of pod specs.

use serde_json::{Map, Value};

use super::fill::Fill::{Bool, EmptyText, Int, Map as EmptyMap, Text};
use super::fill::{Fill, fill, fill_all};
use super::pods::pull_policy;

const VOLUME: &[(&str, Fill)] = &[
    ("secret.defaultMode", Int(420)),
    ("configMap.defaultMode", Int(420)),
    ("downwardAPI.defaultMode", Int(420)),
    ("downwardAPI.items[].fieldRef.apiVersion", Text("v1")),
    ("downwardAPI.items[].resourceFieldRef.divisor", Text("0")),
    ("projected.defaultMode", Int(420)),
    (
        "projected.sources[].serviceAccountToken.expirationSeconds",
        Int(3600),
    ),
    (
        "projected.sources[].downwardAPI.items[].fieldRef.apiVersion",
        Text("v1"),
    ),
    (
        "projected.sources[].downwardAPI.items[].resourceFieldRef.divisor",
        Text("0"),
    ),
    ("hostPath.type", EmptyText),
    ("iscsi.iscsiInterface", Text("default")),
    ("rbd.pool", Text("rbd")),
    ("rbd.user", Text("admin")),
    ("rbd.keyring", Text("/etc/ceph/keyring")),
    ("azureDisk.cachingMode", Text("ReadWrite")),
    ("azureDisk.kind", Text("Shared")),
    ("azureDisk.fsType", Text("ext4")),
    ("azureDisk.readOnly", Bool(false)),
    ("scaleIO.storageMode", Text("ThinProvisioned")),
    ("scaleIO.fsType", Text("xfs")),
    ("ephemeral.volumeClaimTemplate.metadata", EmptyMap),
    (
        "ephemeral.volumeClaimTemplate.spec.volumeMode",
        Text("Filesystem"),
    ),
];

/// Fills in one volume; without a source it is an empty directory.
pub(super) fn default_volume(volume: &mut Value) {
    let Some(map) = volume.as_object_mut() else {
        return;
    };
    if !map
        .iter()
        .any(|(key, source)| key != "name" && !source.is_null())
    {
        map.insert("emptyDir".to_owned(), Value::Object(Map::new()));
    }
    fill_all(volume, VOLUME);
    if let Some(image) = volume.get_mut("image") {
        let reference = image
            .get("reference")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let policy = pull_policy(reference);
        fill(image, "pullPolicy", Text(policy));
    }
}

/// Fills in the source of a persistent volume.
pub(super) fn default_source(spec: &mut Value) {
    fill_all(spec, VOLUME);
}
