//! Volumes of a pod spec and what containers mount of them.

use std::collections::HashSet;

use flybridge_machinery::{Quantity, names};

use super::env;
use super::findings::{At, Findings};

/// The kinds of volumes in the order in which a second one is told.
const SOURCES: [&str; 30] = [
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "flocker",
    "downwardAPI",
    "fc",
    "azureFile",
    "configMap",
    "vsphereVolume",
    "quobyte",
    "flexVolume",
    "azureDisk",
    "storageos",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "projected",
    "csi",
    "ephemeral",
    "image",
];
const HOST_PATH_TYPES: [&str; 8] = [
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];
const DOWNWARD_FIELDS: [&str; 3] = ["metadata.name", "metadata.namespace", "metadata.uid"];
const MIN_TOKEN_SECONDS: i64 = 600;

/// The names of the volumes of a pod spec.
pub(super) fn names_in<'a>(spec: &At<'a>) -> HashSet<&'a str> {
    spec.list("volumes")
        .iter()
        .map(|volume| volume.text_of("name"))
        .filter(|name| !name.is_empty())
        .collect()
}

/// The volumes of a pod spec.
pub(super) fn check(spec: &At<'_>, findings: &mut Findings) {
    for volume in spec.list("volumes") {
        findings.required_name(&volume.get("name"), names::dns1123_label);
        let chosen = volume.chosen(&SOURCES);
        for surplus in chosen.iter().skip(1) {
            findings.forbidden(surplus, "may not specify more than 1 volume type");
        }
        if let Some(source) = chosen.first() {
            self::source(&volume, source, findings);
        }
    }
    findings.unique(
        spec.list("volumes")
            .into_iter()
            .map(|volume| volume.get("name")),
    );
}

fn source(volume: &At<'_>, source: &At<'_>, findings: &mut Findings) {
    empty_dir(&volume.get("emptyDir"), findings);
    if volume.get("hostPath").is_set() && source.path.ends_with("hostPath") {
        host_path(source, findings);
    }
    let kind = source.path.rsplit('.').next().unwrap_or_default();
    match kind {
        "configMap" => {
            findings.require(&source.get("name"));
            items(source, findings);
        }
        "secret" => {
            findings.require(&source.get("secretName"));
            items(source, findings);
        }
        "nfs" => nfs(source, findings),
        "persistentVolumeClaim" => {
            findings.require(&source.get("claimName"));
        }
        "csi" => {
            findings.require(&source.get("driver"));
        }
        "downwardAPI" => downward(source, findings),
        "projected" => projected(source, findings),
        _ => {}
    }
}

fn empty_dir(at: &At<'_>, findings: &mut Findings) {
    let limit = at.get("sizeLimit");
    if Quantity::from_json(limit.value).is_ok_and(|limit| limit.is_negative()) {
        findings.forbidden(&limit, "SizeLimit field must be a valid resource quantity");
    }
}

/// A path on the node.
pub(super) fn host_path(at: &At<'_>, findings: &mut Findings) {
    let path = at.get("path");
    if findings.require(&path) {
        no_backsteps(&path, findings);
    }
    findings.one_of(&at.get("type"), &HOST_PATH_TYPES);
}

/// A share on a server.
pub(super) fn nfs(at: &At<'_>, findings: &mut Findings) {
    findings.require(&at.get("server"));
    let path = at.get("path");
    if findings.require(&path) && !path.text().starts_with('/') {
        findings.invalid(&path, "must be an absolute path");
    }
}

fn mode(at: &At<'_>, findings: &mut Findings) {
    if at
        .integer()
        .is_some_and(|mode| !(0..=0o777).contains(&mode))
    {
        findings.invalid(
            at,
            "must be a number between 0 and 0777 (octal), both inclusive",
        );
    }
}

fn no_backsteps(path: &At<'_>, findings: &mut Findings) {
    if path.text().split('/').any(|part| part == "..") {
        findings.invalid(path, "must not contain '..'");
    }
}

fn relative(path: &At<'_>, findings: &mut Findings) {
    if !findings.require(path) {
        return;
    }
    if path.text().starts_with('/') {
        findings.invalid(path, "must be a relative path");
    }
    no_backsteps(path, findings);
}

fn items(source: &At<'_>, findings: &mut Findings) {
    mode(&source.get("defaultMode"), findings);
    for item in source.list("items") {
        findings.require(&item.get("key"));
        relative(&item.get("path"), findings);
        mode(&item.get("mode"), findings);
    }
}

fn downward(source: &At<'_>, findings: &mut Findings) {
    mode(&source.get("defaultMode"), findings);
    for item in source.list("items") {
        relative(&item.get("path"), findings);
        let (field, resource) = (item.get("fieldRef"), item.get("resourceFieldRef"));
        if field.is_set() {
            env::field_ref(&field, &DOWNWARD_FIELDS, findings);
            if resource.is_set() {
                findings.invalid(
                    source,
                    "fieldRef and resourceFieldRef can not be specified simultaneously",
                );
            }
        } else if !resource.is_set() {
            findings.required(source, "one of fieldRef and resourceFieldRef is required");
        }
    }
}

fn projected(source: &At<'_>, findings: &mut Findings) {
    mode(&source.get("defaultMode"), findings);
    for item in source.list("sources") {
        for named in item.chosen(&["configMap", "secret"]) {
            findings.require(&named.get("name"));
            items(&named, findings);
        }
        if item.get("downwardAPI").is_set() {
            downward(&item.get("downwardAPI"), findings);
        }
        let token = item.get("serviceAccountToken");
        if token.is_set() {
            let seconds = token.get("expirationSeconds");
            if seconds
                .integer()
                .is_some_and(|seconds| seconds < MIN_TOKEN_SECONDS)
            {
                findings.invalid(&seconds, "may not specify a duration less than 10 minutes");
            }
            relative(&token.get("path"), findings);
        }
    }
}

/// What a container mounts must be a volume of the pod, each at its own place.
pub(super) fn mounts(container: &At<'_>, volumes: &HashSet<&str>, findings: &mut Findings) {
    let list = container.list("volumeMounts");
    for mount in &list {
        let name = mount.get("name");
        findings.require(&name);
        if !volumes.contains(name.text()) {
            findings.not_found(&name);
        }
        findings.require(&mount.get("mountPath"));
        let (sub, expression) = (mount.get("subPath"), mount.get("subPathExpr"));
        if !sub.is_blank() {
            relative(&sub, findings);
            if !expression.is_blank() {
                findings.invalid(
                    &expression,
                    "subPathExpr and subPath are mutually exclusive",
                );
            }
        }
    }
    let paths: Vec<At<'_>> = list.iter().map(|mount| mount.get("mountPath")).collect();
    let mut seen = HashSet::new();
    for path in paths.iter().filter(|path| !path.is_blank()) {
        if !seen.insert(path.text()) {
            findings.invalid(path, "must be unique");
        }
    }
}
