//! Volumes, claims, classes and drivers.

use flybridge_machinery::object::{self, get_path, path_bool, path_list, path_str};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, Column, NAME, Printer, boolean, cell, generic, integer, text, wide};

pub(super) const PERSISTENT_VOLUMES: Printer = Printer::new(
    &[
        NAME,
        text("Capacity"),
        text("Access Modes"),
        text("Reclaim Policy"),
        text("Status"),
        text("Claim"),
        text("StorageClass"),
        text("VolumeAttributesClass"),
        text("Reason"),
        AGE,
        wide("VolumeMode"),
    ],
    volume,
);

pub(super) const PERSISTENT_VOLUME_CLAIMS: Printer = Printer::new(
    &[
        NAME,
        text("Status"),
        text("Volume"),
        text("Capacity"),
        text("Access Modes"),
        text("StorageClass"),
        text("VolumeAttributesClass"),
        AGE,
        wide("VolumeMode"),
    ],
    claim,
);

const STORAGE_CLASSES: Printer = Printer::new(
    &[
        NAME,
        text("Provisioner"),
        text("ReclaimPolicy"),
        text("VolumeBindingMode"),
        text("AllowVolumeExpansion"),
        AGE,
    ],
    storage_class,
);

const VOLUME_ATTACHMENTS: Printer = Printer::new(
    &[
        NAME,
        Column {
            name: "Attacher",
            kind: "string",
            format: "name",
            priority: 0,
        },
        text("PV"),
        text("Node"),
        boolean("Attached"),
        AGE,
    ],
    attachment,
);

const CSI_DRIVERS: Printer = Printer::new(
    &[
        NAME,
        boolean("AttachRequired"),
        boolean("PodInfoOnMount"),
        boolean("StorageCapacity"),
        text("TokenRequests"),
        boolean("RequiresRepublish"),
        text("Modes"),
        AGE,
    ],
    csi_driver,
);

const CSI_NODES: Printer = Printer::new(&[NAME, integer("Drivers"), AGE], csi_node);

/// The printers of `storage.k8s.io`.
pub(super) fn storage_group(resource: &str) -> &'static Printer {
    match resource {
        "storageclasses" => &STORAGE_CLASSES,
        "volumeattachments" => &VOLUME_ATTACHMENTS,
        "csidrivers" => &CSI_DRIVERS,
        "csinodes" => &CSI_NODES,
        _ => &generic::CREATED_AT,
    }
}

fn access_modes(object: &Value, path: &[&str]) -> String {
    let present = path_list(object, path);
    [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ]
    .into_iter()
    .filter(|(mode, _)| present.iter().any(|value| value == mode))
    .map(|(_, short)| short)
    .collect::<Vec<_>>()
    .join(",")
}

fn phase(object: &Value) -> Value {
    if object::is_terminating(object) {
        return "Terminating".into();
    }
    cell::string(object, &["status", "phase"])
}

fn class(object: &Value) -> Value {
    match object::annotation(object, "volume.beta.kubernetes.io/storage-class") {
        Some(class) => class.into(),
        None => cell::string(object, &["spec", "storageClassName"]),
    }
}

fn volume(volume: &Value, now: Timestamp) -> Vec<Value> {
    let claim = get_path(volume, &["spec", "claimRef"]).filter(|claim| claim.is_object());
    let claim = claim.map_or_else(String::new, |claim| {
        let part = |field: &str| path_str(claim, &[field]).unwrap_or_default();
        format!("{}/{}", part("namespace"), part("name"))
    });
    vec![
        cell::name(volume),
        cell::string_or(volume, &["spec", "capacity", "storage"], "0"),
        access_modes(volume, &["spec", "accessModes"]).into(),
        cell::string(volume, &["spec", "persistentVolumeReclaimPolicy"]),
        phase(volume),
        claim.into(),
        class(volume),
        cell::string_or(volume, &["spec", "volumeAttributesClassName"], "<unset>"),
        cell::string(volume, &["status", "reason"]),
        cell::age(volume, now),
        cell::string_or(volume, &["spec", "volumeMode"], "<unset>"),
    ]
}

fn claim(claim: &Value, now: Timestamp) -> Vec<Value> {
    let bound = path_str(claim, &["spec", "volumeName"]).is_some_and(|name| !name.is_empty());
    let (capacity, modes) = if bound {
        (
            cell::string_or(claim, &["status", "capacity", "storage"], "0"),
            access_modes(claim, &["status", "accessModes"]),
        )
    } else {
        ("".into(), String::new())
    };
    vec![
        cell::name(claim),
        phase(claim),
        cell::string(claim, &["spec", "volumeName"]),
        capacity,
        modes.into(),
        class(claim),
        cell::string_or(claim, &["spec", "volumeAttributesClassName"], "<unset>"),
        cell::age(claim, now),
        cell::string_or(claim, &["spec", "volumeMode"], "<unset>"),
    ]
}

fn storage_class(class: &Value, now: Timestamp) -> Vec<Value> {
    let default = [
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
    ]
    .into_iter()
    .any(|key| object::annotation(class, key) == Some("true"));
    let suffix = if default { " (default)" } else { "" };
    vec![
        format!("{}{suffix}", object::name(class)).into(),
        cell::string(class, &["provisioner"]),
        cell::string_or(class, &["reclaimPolicy"], "Delete"),
        cell::string_or(class, &["volumeBindingMode"], "Immediate"),
        path_bool(class, &["allowVolumeExpansion"])
            .unwrap_or_default()
            .into(),
        cell::age(class, now),
    ]
}

fn attachment(attachment: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(attachment),
        cell::string(attachment, &["spec", "attacher"]),
        cell::string(attachment, &["spec", "source", "persistentVolumeName"]),
        cell::string(attachment, &["spec", "nodeName"]),
        path_bool(attachment, &["status", "attached"])
            .unwrap_or_default()
            .into(),
        cell::age(attachment, now),
    ]
}

fn csi_driver(driver: &Value, now: Timestamp) -> Vec<Value> {
    let flag = |field: &str, default: bool| -> Value {
        path_bool(driver, &["spec", field])
            .unwrap_or(default)
            .into()
    };
    let tokens = cell::join(path_list(driver, &["spec", "tokenRequests"]), "audience");
    let modes: Vec<&str> = path_list(driver, &["spec", "volumeLifecycleModes"])
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let or_unset = |text: String| {
        if text.is_empty() {
            "<unset>".to_owned()
        } else {
            text
        }
    };
    vec![
        cell::name(driver),
        flag("attachRequired", true),
        flag("podInfoOnMount", false),
        flag("storageCapacity", false),
        or_unset(tokens).into(),
        flag("requiresRepublish", false),
        or_unset(modes.join(",")).into(),
        cell::age(driver, now),
    ]
}

fn csi_node(node: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(node),
        cell::count(node, &["spec", "drivers"]).into(),
        cell::age(node, now),
    ]
}
