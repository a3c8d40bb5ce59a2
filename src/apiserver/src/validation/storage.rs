//! Persistent volumes, claims and storage classes.

use flybridge_machinery::{Quantity, names};
use serde_json::Value;

use super::findings::{At, Findings};
use super::{scheduling, selectors, volumes};

const MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];
const SOURCES: [&str; 22] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flocker",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
    "flexVolume",
];

fn access_modes(spec: &At<'_>, findings: &mut Findings) {
    let modes = spec.get("accessModes");
    if modes.is_blank() {
        findings.required(&modes, "at least 1 access mode is required");
    }
    for mode in modes.items() {
        findings.one_of(&mode.told_as(modes.path.clone()), &MODES);
    }
    let alone = modes
        .items()
        .iter()
        .any(|mode| mode.text() == "ReadWriteOncePod");
    if alone && modes.items().len() > 1 {
        findings.forbidden(
            &modes,
            "may not use ReadWriteOncePod with other access modes",
        );
    }
    findings.one_of(&spec.get("volumeMode"), &["Block", "Filesystem"]);
}

fn positive(at: &At<'_>, findings: &mut Findings) {
    if Quantity::from_json(at.value).is_ok_and(|amount| amount.is_zero() || amount.is_negative()) {
        findings.invalid(at, "must be greater than zero");
    }
}

/// A `PersistentVolume`.
pub(super) fn volume(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    access_modes(&spec, findings);
    let capacity = spec.get("capacity");
    if capacity.is_blank() {
        findings.required(&capacity, "");
    }
    let entries = capacity.entries();
    if entries.len() != 1 || !capacity.entry("storage").is_set() {
        findings.not_supported(&capacity, &["storage"]);
    }
    for (_, amount) in entries {
        positive(&amount, findings);
    }
    findings.one_of(
        &spec.get("persistentVolumeReclaimPolicy"),
        &["Delete", "Recycle", "Retain"],
    );
    findings.name(&spec.get("storageClassName"), names::dns1123_subdomain);
    let chosen = spec.chosen(&SOURCES);
    if chosen.is_empty() {
        findings.required(&spec, "must specify a volume type");
    }
    for surplus in chosen.iter().skip(1) {
        findings.forbidden(surplus, "may not specify more than 1 volume type");
    }
    match chosen.first() {
        Some(first) if first.path.ends_with("hostPath") => volumes::host_path(first, findings),
        Some(first) if first.path.ends_with(".nfs") => volumes::nfs(first, findings),
        Some(first) if first.path.ends_with(".csi") => {
            findings.require(&first.get("driver"));
            findings.require(&first.get("volumeHandle"));
        }
        _ => {}
    }
    let required = spec.path(&["nodeAffinity", "required"]);
    if required.is_set() {
        scheduling::node_selector(&required, findings);
    }
}

/// A volume keeps what it is made of.
pub(super) fn volume_changed(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let (old, new) = (old.get("spec"), new.get("spec"));
    if SOURCES
        .iter()
        .any(|source| !old.get(source).same(&new.get(source)))
    {
        let told = new.told_as("spec.persistentvolumesource".to_owned());
        findings.forbidden(
            &told,
            "spec.persistentvolumesource is immutable after creation",
        );
    }
    findings.fixed(&old.get("volumeMode"), &new.get("volumeMode"));
}

/// The spec of a `PersistentVolumeClaim`.
pub(super) fn claim(spec: &At<'_>, findings: &mut Findings) {
    access_modes(spec, findings);
    if spec.get("selector").is_set() {
        selectors::label_selector(&spec.get("selector"), findings);
    }
    let storage = spec.path(&["resources", "requests", "storage"]);
    let told = storage.told_as(format!("{}[storage]", spec.get("resources").path));
    if storage.is_set() {
        positive(&told, findings);
    } else {
        findings.required(&told, "");
    }
    findings.name(&spec.get("storageClassName"), names::dns1123_subdomain);
}

/// A claim grows and gets bound; nothing else of it changes.
pub(super) fn claim_changed(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let bound = !old.path(&["spec", "volumeName"]).is_blank();
    let (old, new) = (old.get("spec"), new.get("spec"));
    let amount = |spec: &At<'_>| {
        Quantity::from_json(spec.path(&["resources", "requests", "storage"]).value).ok()
    };
    let shrunk =
        matches!((amount(&old), amount(&new)), (Some(before), Some(after)) if after < before);
    let fixed = |spec: &At<'_>| {
        let mut value = spec.value.clone();
        let named = !old.get("storageClassName").is_blank()
            && old.text_of("storageClassName") != new.text_of("storageClassName");
        let Some(fields) = value.as_object_mut() else {
            return value;
        };
        fields.remove("volumeAttributesClassName");
        if !bound {
            fields.remove("volumeName");
        }
        if !named {
            fields.remove("storageClassName");
        }
        if let Some(requests) = value
            .pointer_mut("/resources/requests")
            .and_then(Value::as_object_mut)
        {
            requests.remove("storage");
        }
        value
    };
    if shrunk || !At::root(&fixed(&old)).same(&At::root(&fixed(&new))) {
        findings.forbidden(
            &new,
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
        );
    }
}

/// A `StorageClass`.
pub(super) fn class(object: &At<'_>, findings: &mut Findings) {
    findings.require(&object.get("provisioner"));
    let parameters = object.get("parameters");
    if parameters.entries().iter().any(|(key, _)| key.is_empty()) {
        findings.invalid(&parameters, "field can not be empty.");
    }
    findings.one_of(&object.get("reclaimPolicy"), &["Delete", "Retain"]);
    findings.one_of(
        &object.get("volumeBindingMode"),
        &["Immediate", "WaitForFirstConsumer"],
    );
    for topology in object.list("allowedTopologies") {
        for expression in topology.list("matchLabelExpressions") {
            findings.require(&expression.get("values"));
            findings.name_or_empty(&expression.get("key"), names::label_key);
        }
    }
}
