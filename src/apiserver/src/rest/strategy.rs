//! The few rules that differ between built-in kinds.

use flybridge_machinery::{FieldError, Status, conditions, object};
use serde_json::{Value, json};

use super::addresses::{self, Reservation};
use super::{Call, pods};
use crate::options::DeleteOptions;
use crate::record::Header;
use crate::request::Answer;
use crate::{defaults, validation};

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const PROTECTED_NAMESPACES: [&str; 3] = ["default", "kube-system", "kube-public"];

fn is_core(call: &Call, plural: &str) -> bool {
    call.definition.group.is_empty() && call.definition.plural == plural
}

/// Defaults of built-in kinds, and what the server fills in by itself.
pub(crate) fn complete(call: &Call, old: Option<&Value>, new: &mut Value) {
    if is_core(call, "namespaces") {
        complete_namespace(new);
    }
    keep_allocated(call, old, new);
    if is_core(call, "pods")
        && new["status"]["podIPs"].is_null()
        && let Some(address) =
            object::path_str(new, &["status", "podIP"]).filter(|ip| !ip.is_empty())
    {
        let addresses = json!([{"ip": address}]);
        object::set_path(new, &["status", "podIPs"], addresses);
    }
    match old {
        None => defaults::apply_for_create(&call.definition.gvk(), new),
        Some(_) => defaults::apply(&call.definition.gvk(), new),
    }
}

/// Upstream fills defaults in once more when it reads what it has stored, which shows in Jobs only.
pub(crate) fn complete_stored(call: &Call, new: &mut Value) {
    if call.definition.group == "batch" && call.definition.plural == "jobs" {
        defaults::apply(&call.definition.gvk(), new);
    }
}

/// What a cluster with nodes adds before an object is stored.
pub(crate) fn admit_workload(call: &Call, old: Option<&Value>, new: &mut Value) -> Answer<()> {
    if call.server.inner.runs_workloads && old.is_none() && is_core(call, "pods") {
        pods::complete(call, new)?;
    }
    if call.server.inner.runs_workloads && old.is_none() && is_core(call, "nodes") {
        taint_new_node(new);
    }
    Ok(())
}

/// A node is not used before it says that it is ready.
fn taint_new_node(node: &mut Value) {
    let mut taints = object::path_list(node, &["spec", "taints"]).to_vec();
    if !taints
        .iter()
        .any(|taint| taint["key"] == NOT_READY && taint["effect"] == "NoSchedule")
    {
        taints.push(json!({"key": NOT_READY, "effect": "NoSchedule"}));
        object::set_path(node, &["spec", "taints"], Value::Array(taints));
    }
}

/// Addresses and ports for a service; to be kept until the write is done.
pub(crate) fn reserve(
    call: &Call,
    old: Option<&Value>,
    new: &mut Value,
) -> Answer<Option<Reservation>> {
    if !call.server.inner.runs_workloads || !is_core(call, "services") {
        return Ok(None);
    }
    addresses::allocate(call, old, new).map(Some)
}

fn complete_namespace(new: &mut Value) {
    let name = object::name(new).to_owned();
    object::set_label(new, "kubernetes.io/metadata.name", &name);
}

/// The spec of a namespace changes through `finalize` only.
pub(crate) fn keep_finalizers(call: &Call, old: &Value, new: &mut Value) {
    if is_core(call, "namespaces") {
        new["spec"] = old["spec"].clone();
    }
}

/// A patch of the status may change the metadata too; of Deployments not the labels.
pub(crate) fn keep_metadata(call: &Call, new: &mut Value, metadata: Option<Value>) {
    let Some(Value::Object(written)) = metadata else {
        return;
    };
    let keeps_labels = call.definition.group == "apps" && call.definition.plural == "deployments";
    for (name, value) in written {
        if name != "labels" || !keeps_labels {
            new["metadata"][name] = value;
        }
    }
}

/// A Service keeps its addresses when an update leaves them out.
fn keep_allocated(call: &Call, old: Option<&Value>, new: &mut Value) {
    if !is_core(call, "services") || !new["spec"].is_object() {
        return;
    }
    if let Some(old) = old {
        for field in ["clusterIP", "clusterIPs"] {
            if new["spec"][field].is_null() && !old["spec"][field].is_null() {
                new["spec"][field] = old["spec"][field].clone();
            }
        }
    }
    let given = object::path_str(new, &["spec", "clusterIP"])
        .unwrap_or_default()
        .to_owned();
    let stale = old.is_some_and(|old| {
        old["spec"]["clusterIP"] != new["spec"]["clusterIP"]
            && old["spec"]["clusterIPs"] == new["spec"]["clusterIPs"]
    });
    if !given.is_empty() && (stale || new["spec"]["clusterIPs"].is_null()) {
        new["spec"]["clusterIPs"] = json!([given]);
    }
}

/// Violations of the rules of built-in kinds.
pub(crate) fn validate(call: &Call, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let gvk = call.definition.gvk();
    match old {
        None => validation::validate_create(&gvk, new),
        Some(old) => validation::validate_update(&gvk, old, new),
    }
}

/// Whether a write changed what `metadata.generation` counts.
pub(crate) fn desired_state_changed(call: &Call, old: &Value, new: &Value) -> bool {
    let counts_annotations =
        call.definition.group == "apps" && call.definition.plural == "deployments";
    let annotations = |value: &Value| value["metadata"]["annotations"].clone();
    if counts_annotations && annotations(old) != annotations(new) {
        return true;
    }
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
        return false;
    };
    let counted = |name: &str| {
        !matches!(name, "metadata" | "apiVersion" | "kind")
            && !(name == "status" && (call.definition.traits.status || is_builtin(call)))
    };
    let names = old.keys().chain(new.keys());
    names
        .filter(|name| counted(name))
        .any(|name| old.get(name) != new.get(name))
}

fn is_builtin(call: &Call) -> bool {
    call.definition.origin == crate::registry::Origin::BuiltIn
}

/// Whether nothing holds a terminating object any longer.
pub(crate) fn is_finalized(call: &Call, object: &Value) -> bool {
    let held = object::finalizers(object).next().is_some();
    if is_core(call, "namespaces") {
        return !held && object::path_list(object, &["spec", "finalizers"]).is_empty();
    }
    if is_core(call, "pods") {
        let grace = object::path_i64(object, &["metadata", "deletionGracePeriodSeconds"]);
        return !held && grace.unwrap_or(0) == 0;
    }
    !held
}

/// Seconds between a deletion and its end.
pub(crate) fn grace_seconds(call: &Call, object: &Value, options: &DeleteOptions) -> i64 {
    if !is_core(call, "pods") {
        return 0;
    }
    let scheduled = !object["spec"]["nodeName"]
        .as_str()
        .unwrap_or_default()
        .is_empty();
    let finished = matches!(
        object["status"]["phase"].as_str(),
        Some("Succeeded" | "Failed")
    );
    if !scheduled || finished {
        return 0;
    }
    let own = object::path_i64(object, &["spec", "terminationGracePeriodSeconds"]);
    options.grace_seconds.or(own).unwrap_or(30).max(0)
}

/// A namespace that is being deleted says so in its phase.
pub(crate) fn on_deletion_marked(call: &Call, new: &mut Value) {
    if is_core(call, "namespaces") {
        new["status"]["phase"] = json!("Terminating");
    }
}

/// Whether a first deletion never removes at once.
pub(crate) fn is_marked_first(call: &Call) -> bool {
    is_core(call, "namespaces")
}

/// Whether objects are given time to end.
pub(crate) fn is_graceful(call: &Call) -> bool {
    is_core(call, "pods")
}

/// Whether a finished deletion answers with the object instead of a Status.
pub(crate) fn shows_deleted_object(call: &Call) -> bool {
    match call.definition.group.as_str() {
        "" => matches!(
            call.definition.plural.as_str(),
            "pods"
                | "services"
                | "serviceaccounts"
                | "persistentvolumes"
                | "persistentvolumeclaims"
                | "podtemplates"
                | "resourcequotas"
        ),
        "storage.k8s.io" => call.definition.plural != "csistoragecapacities",
        _ => false,
    }
}

/// Warnings that a kind deserves whenever it is written.
pub(crate) fn warnings(call: &Call, new: &Value) -> Option<String> {
    let external =
        object::path_str(new, &["spec", "externalName"]).is_some_and(|name| !name.is_empty());
    if is_core(call, "services") && external && new["spec"]["type"] != "ExternalName" {
        return Some(
            "spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned(),
        );
    }
    is_core(call, "endpoints").then(|| {
        "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice".to_owned()
    })
}

/// Warnings for a deletion that does not say what happens to dependents.
pub(crate) fn deletion_warnings(call: &Call, options: &DeleteOptions) -> Vec<String> {
    let is_job = call.definition.group == "batch" && call.definition.plural == "jobs";
    if !is_job || options.propagation.is_some() {
        return Vec::new();
    }
    vec![
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove \
         them or set propagationPolicy=Orphan to suppress this warning"
            .to_owned(),
    ]
}

/// Whether deletion counts as a grace period of zero; namespaces have none.
pub(crate) fn has_grace(call: &Call) -> bool {
    !is_core(call, "namespaces")
}

/// Some objects are never deleted.
pub(crate) fn admit_deletion(call: &Call, _object: &Value) -> Answer<()> {
    if is_core(call, "namespaces") && PROTECTED_NAMESPACES.contains(&call.name.as_str()) {
        let why = "this namespace may not be deleted";
        return Err(Box::new(Status::forbidden(&call.gvr(), &call.name, why)));
    }
    Ok(())
}

/// New objects need a namespace that is there and stays.
pub(crate) fn admit_namespace(call: &Call) -> Answer<()> {
    if !call.definition.is_namespaced() {
        return Ok(());
    }
    let snapshot = call.snapshot();
    let Some(record) = snapshot.get("namespaces", &call.namespace) else {
        let gvr = flybridge_machinery::Gvr::new("", "v1", "namespaces");
        return Err(Box::new(Status::not_found(&gvr, &call.namespace)));
    };
    if Header::of(&record).deletion_timestamp.is_some() {
        let why = format!(
            "unable to create new content in namespace {} because it is being terminated",
            call.namespace
        );
        let cause = format!("namespace {} is being terminated", call.namespace);
        let status = Status::forbidden(&call.gvr(), &call.name, &why);
        return Err(Box::new(status.with_cause(
            "NamespaceTerminating",
            &cause,
            "metadata.namespace",
        )));
    }
    Ok(())
}

/// `namespaces/finalize`: the only way to change `spec.finalizers`.
pub(crate) fn finalize_namespace(old: &Value, body: &Value) -> Value {
    let mut new = old.clone();
    new["metadata"] = body["metadata"].clone();
    new["spec"] = body["spec"].clone();
    if new["spec"].is_null() {
        new["spec"] = json!({});
    }
    new
}

/// `pods/binding`: sends a pod to a node, once.
pub(crate) fn bind_pod(call: &Call, old: &Value, body: &Value) -> Answer<Value> {
    if body["metadata"]["name"]
        .as_str()
        .is_some_and(|name| name != call.name)
    {
        return Err(Box::new(Status::bad_request(
            "name in URL does not match name in Binding object",
        )));
    }
    let node = body["target"]["name"].as_str().unwrap_or_default();
    if node.is_empty() {
        return Err(super::bare_failure("target.name: Required value"));
    }
    let bound = old["spec"]["nodeName"].as_str().unwrap_or_default();
    if !bound.is_empty() {
        let why = format!("pod {} is already assigned to node \"{bound}\"", call.name);
        let bindings = flybridge_machinery::Gvr::new("", "v1", "pods/binding");
        return Err(Box::new(Status::conflict(&bindings, &call.name, &why)));
    }
    let mut new = old.clone();
    new["spec"]["nodeName"] = json!(node);
    let mut conditions = object::path_list(&new, &["status", "conditions"]).to_vec();
    let condition = json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null});
    conditions::set(&mut conditions, condition, call.server.inner.clock.now());
    new["status"]["conditions"] = Value::Array(conditions);
    Ok(new)
}

/// `pods/eviction`: the pod learns why it goes.
pub(crate) fn mark_evicted(call: &Call, old: &Value) -> Value {
    let mut new = old.clone();
    let mut conditions = object::path_list(&new, &["status", "conditions"]).to_vec();
    let condition = json!({
        "type": "DisruptionTarget", "status": "True", "lastProbeTime": null,
        "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting",
    });
    conditions::set(&mut conditions, condition, call.server.inner.clock.now());
    new["status"]["conditions"] = Value::Array(conditions);
    new
}
