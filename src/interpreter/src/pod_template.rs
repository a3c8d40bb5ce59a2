//! What a pod template needs: resources of nodes, and other objects by name.

use std::collections::{BTreeMap, BTreeSet};

use flybridge_machinery::Quantity;
use k8s_openapi::api::core::v1::{Container, EnvFromSource, EnvVar, PodSpec, Volume};
use serde_json::{Map, Value, json};

use crate::{Error, Result};

/// Requests by resource name.
type Requests = BTreeMap<String, Quantity>;

/// `ReplicaRequirements` of one pod as JSON; nothing if it needs nothing particular.
///
/// # Errors
/// A request is no quantity.
pub fn requirements(spec: &PodSpec) -> Result<Option<Value>> {
    let claim = node_claim(spec);
    let requests = requests(spec)?;
    if claim.is_none() && requests.is_empty() {
        return Ok(None);
    }
    let mut requirements = Map::new();
    if let Some(claim) = claim {
        requirements.insert("nodeClaim".to_owned(), claim);
    }
    if !requests.is_empty() {
        let list: Map<String, Value> = requests
            .into_iter()
            .map(|(name, quantity)| (name, json!(quantity.to_string())))
            .collect();
        requirements.insert("resourceRequest".to_owned(), Value::Object(list));
    }
    Ok(Some(Value::Object(requirements)))
}

fn node_claim(spec: &PodSpec) -> Option<Value> {
    let mut claim = Map::new();
    let node = spec
        .affinity
        .as_ref()
        .and_then(|a| a.node_affinity.as_ref());
    let required = node.and_then(|n| {
        n.required_during_scheduling_ignored_during_execution
            .as_ref()
    });
    if let Some(required) = required {
        claim.insert("hardNodeAffinity".to_owned(), json!(required));
    }
    if let Some(selector) = spec.node_selector.as_ref().filter(|s| !s.is_empty()) {
        claim.insert("nodeSelector".to_owned(), json!(selector));
    }
    if let Some(tolerations) = spec.tolerations.as_ref().filter(|t| !t.is_empty()) {
        claim.insert("tolerations".to_owned(), json!(tolerations));
    }
    (!claim.is_empty()).then_some(Value::Object(claim))
}

/// What a pod requests: its containers together, at least what each init container does alone,
/// and its overhead.
fn requests(spec: &PodSpec) -> Result<Requests> {
    let mut total = Requests::new();
    for container in &spec.containers {
        add(&mut total, container_requests(container)?);
    }
    for container in spec.init_containers.iter().flatten() {
        for (name, quantity) in container_requests(container)? {
            let have = total.entry(name).or_default();
            if *have < quantity {
                *have = quantity;
            }
        }
    }
    add(&mut total, parse(spec.overhead.iter().flatten())?);
    total.retain(|name, quantity| is_counted(name) && !quantity.is_zero());
    let total = total.into_iter().map(|(name, quantity)| {
        let shown = in_format(&name, &quantity);
        (name, shown)
    });
    Ok(total.collect())
}

fn add(total: &mut Requests, more: Requests) {
    for (name, quantity) in more {
        let have = total.entry(name).or_default();
        *have = have.clone() + quantity;
    }
}

type RawQuantity = k8s_openapi::apimachinery::pkg::api::resource::Quantity;

fn parse<'a>(entries: impl Iterator<Item = (&'a String, &'a RawQuantity)>) -> Result<Requests> {
    entries
        .map(|(name, raw)| {
            let quantity = raw.0.parse::<Quantity>();
            let quantity =
                quantity.map_err(|error| Error::invalid(format!("{name} {:?}: {error}", raw.0)))?;
            Ok((name.clone(), quantity))
        })
        .collect()
}

/// Requests of a container; a limit stands in for a request that is not stated.
fn container_requests(container: &Container) -> Result<Requests> {
    let Some(resources) = &container.resources else {
        return Ok(Requests::new());
    };
    let mut all = parse(resources.limits.iter().flatten())?;
    all.extend(parse(resources.requests.iter().flatten())?);
    Ok(all)
}

/// Whether the scheduler counts resources of this name.
fn is_counted(name: &str) -> bool {
    matches!(name, "cpu" | "memory" | "ephemeral-storage" | "pods")
        || name.starts_with("hugepages-")
        || name.starts_with("attachable-volumes-")
        || name.split_once('/').is_some_and(|(domain, _)| {
            domain.ends_with("kubernetes.io") || !domain.starts_with("requests.")
        })
}

/// The quantity in the notation and precision that is usual for the resource.
fn in_format(name: &str, quantity: &Quantity) -> Quantity {
    match name {
        "cpu" => Quantity::milli(quantity.milli_value()),
        "memory" | "ephemeral-storage" => Quantity::bytes(quantity.value()),
        _ if name.starts_with("hugepages-") => Quantity::bytes(quantity.value()),
        _ => Quantity::units(quantity.value()),
    }
}

/// Names of objects that a pod refers to in its namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// ConfigMaps.
    pub config_maps: BTreeSet<String>,
    /// Secrets.
    pub secrets: BTreeSet<String>,
    /// Service accounts.
    pub service_accounts: BTreeSet<String>,
    /// Persistent volume claims.
    pub claims: BTreeSet<String>,
}

impl References {
    fn config_map(&mut self, name: &str) {
        if !name.is_empty() {
            self.config_maps.insert(name.to_owned());
        }
    }

    fn secret(&mut self, name: Option<&str>) {
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            self.secrets.insert(name.to_owned());
        }
    }
}

/// The objects that a pod refers to, whether optional or not.
pub fn references(spec: &PodSpec) -> References {
    let mut found = References::default();
    for secret in spec.image_pull_secrets.iter().flatten() {
        found.secret(Some(&secret.name));
    }
    let plain = spec.containers.iter();
    for container in plain.chain(spec.init_containers.iter().flatten()) {
        environment(
            &mut found,
            container.env.as_deref(),
            container.env_from.as_deref(),
        );
    }
    for container in spec.ephemeral_containers.iter().flatten() {
        environment(
            &mut found,
            container.env.as_deref(),
            container.env_from.as_deref(),
        );
    }
    for volume in spec.volumes.iter().flatten() {
        volume_references(&mut found, volume);
        volume_secrets(&mut found, volume);
    }
    if let Some(account) = spec.service_account_name.as_deref()
        && !account.is_empty()
        && account != "default"
    {
        found.service_accounts.insert(account.to_owned());
    }
    found
}

fn environment(found: &mut References, env: Option<&[EnvVar]>, from: Option<&[EnvFromSource]>) {
    for source in from.unwrap_or_default() {
        if let Some(map) = &source.config_map_ref {
            found.config_map(&map.name);
        }
        if let Some(secret) = &source.secret_ref {
            found.secret(Some(&secret.name));
        }
    }
    for source in env
        .unwrap_or_default()
        .iter()
        .filter_map(|e| e.value_from.as_ref())
    {
        if let Some(map) = &source.config_map_key_ref {
            found.config_map(&map.name);
        }
        if let Some(secret) = &source.secret_key_ref {
            found.secret(Some(&secret.name));
        }
    }
}

fn volume_references(found: &mut References, volume: &Volume) {
    if let Some(map) = &volume.config_map {
        found.config_map(&map.name);
    }
    if let Some(claim) = &volume.persistent_volume_claim {
        found.claims.insert(claim.claim_name.clone());
    }
    let projected = volume
        .projected
        .iter()
        .flat_map(|p| p.sources.iter().flatten());
    for source in projected {
        if let Some(map) = &source.config_map {
            found.config_map(&map.name);
        }
        if let Some(secret) = &source.secret {
            found.secret(Some(&secret.name));
        }
    }
}

fn volume_secrets(found: &mut References, volume: &Volume) {
    found.secret(
        volume
            .secret
            .as_ref()
            .and_then(|s| s.secret_name.as_deref()),
    );
    found.secret(volume.azure_file.as_ref().map(|a| a.secret_name.as_str()));
    found.secret(volume.scale_io.as_ref().map(|s| s.secret_ref.name.as_str()));
    let local = [
        volume.cephfs.as_ref().and_then(|v| v.secret_ref.as_ref()),
        volume.cinder.as_ref().and_then(|v| v.secret_ref.as_ref()),
        volume
            .flex_volume
            .as_ref()
            .and_then(|v| v.secret_ref.as_ref()),
        volume.rbd.as_ref().and_then(|v| v.secret_ref.as_ref()),
        volume.iscsi.as_ref().and_then(|v| v.secret_ref.as_ref()),
        volume
            .storageos
            .as_ref()
            .and_then(|v| v.secret_ref.as_ref()),
        volume
            .csi
            .as_ref()
            .and_then(|v| v.node_publish_secret_ref.as_ref()),
    ];
    for reference in local.into_iter().flatten() {
        found.secret(Some(&reference.name));
    }
}
