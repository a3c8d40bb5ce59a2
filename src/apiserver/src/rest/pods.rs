//! What a cluster that runs pods adds to new ones: service account and its token, priority,
//! tolerations of failing nodes.

use flybridge_machinery::{Gvr, Status, object};
use serde_json::{Value, json};

use super::Call;
use crate::record;
use crate::registry::Definition;
use crate::request::Answer;

const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const SUFFIX: usize = 5;
/// How long a pod stays on a node that fails.
const TOLERATION_SECONDS: u32 = 300;

/// Completes a new pod.
///
/// # Errors
/// 403 if something the pod names is not there.
pub(crate) fn complete(call: &Call, pod: &mut Value) -> Answer<()> {
    service_account(call, pod)?;
    priority(call, pod)?;
    runtime_class(call, pod)?;
    tolerations(pod);
    Ok(())
}

fn refuse(call: &Call, why: &str) -> Box<Status> {
    Box::new(Status::forbidden(
        &Gvr::new("", "v1", "pods"),
        &call.name,
        why,
    ))
}

fn stored(call: &Call, group: &str, plural: &str, name: &str) -> Answer<Option<Value>> {
    let record = call
        .snapshot()
        .get(&Definition::bucket_of(group, plural), name);
    record
        .map(|record| record::decode(&record.value))
        .transpose()
}

fn service_account(call: &Call, pod: &mut Value) -> Answer<()> {
    let given = object::path_str(pod, &["spec", "serviceAccountName"])
        .or_else(|| object::path_str(pod, &["spec", "serviceAccount"]))
        .filter(|name| !name.is_empty());
    let name = given.unwrap_or("default").to_owned();
    let Some(account) = stored(
        call,
        "",
        "serviceaccounts",
        &format!("{}/{name}", call.namespace),
    )?
    else {
        let why = format!(
            "error looking up service account {}/{name}: serviceaccount \"{name}\" not found",
            call.namespace
        );
        return Err(refuse(call, &why));
    };
    pod["spec"]["serviceAccountName"] = json!(name);
    pod["spec"]["serviceAccount"] = json!(name);
    if pod["spec"]["imagePullSecrets"].is_null() && !account["imagePullSecrets"].is_null() {
        pod["spec"]["imagePullSecrets"] = account["imagePullSecrets"].clone();
    }
    let wanted = object::path_bool(pod, &["spec", "automountServiceAccountToken"]);
    let offered = object::path_bool(&account, &["automountServiceAccountToken"]);
    if wanted.or(offered).unwrap_or(true) {
        mount_token(call, pod);
    }
    Ok(())
}

fn mount_token(call: &Call, pod: &mut Value) {
    let volume = format!("kube-api-access-{}", call.server.inner.ids.suffix(SUFFIX));
    let mount = json!({"name": volume, "readOnly": true, "mountPath": TOKEN_PATH});
    let mut used = false;
    for list in ["initContainers", "containers"] {
        for container in pod["spec"]
            .get_mut(list)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            let mounts = object::path_list(container, &["volumeMounts"]);
            if mounts.iter().any(|mount| mount["mountPath"] == TOKEN_PATH) {
                continue;
            }
            let mut mounts = mounts.to_vec();
            mounts.push(mount.clone());
            container["volumeMounts"] = Value::Array(mounts);
            used = true;
        }
    }
    if !used {
        return;
    }
    let mut volumes = object::path_list(pod, &["spec", "volumes"]).to_vec();
    volumes.push(json!({"name": volume, "projected": {"defaultMode": 420, "sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [
            {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}},
        ]}},
    ]}}));
    pod["spec"]["volumes"] = Value::Array(volumes);
}

fn priority(call: &Call, pod: &mut Value) -> Answer<()> {
    let name = object::path_str(pod, &["spec", "priorityClassName"])
        .unwrap_or_default()
        .to_owned();
    let class = if name.is_empty() {
        default_class(call)?
    } else {
        class_named(call, &name)?
    };
    let value = class["value"].as_i64().unwrap_or(0);
    if let Some(given) = object::path_i64(pod, &["spec", "priority"])
        && given != value
    {
        let why = format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority admission \
             controller computed {value} from the given PriorityClass name"
        );
        return Err(refuse(call, &why));
    }
    pod["spec"]["priority"] = json!(value);
    if let Some(name) = object::path_str(&class, &["metadata", "name"]) {
        pod["spec"]["priorityClassName"] = json!(name);
    }
    if pod["spec"]["preemptionPolicy"].is_null() {
        let policy = class["preemptionPolicy"]
            .as_str()
            .unwrap_or("PreemptLowerPriority");
        pod["spec"]["preemptionPolicy"] = json!(policy);
    }
    Ok(())
}

fn class_named(call: &Call, name: &str) -> Answer<Value> {
    if let Some(class) = stored(call, "scheduling.k8s.io", "priorityclasses", name)? {
        return Ok(class);
    }
    let value = match name {
        "system-cluster-critical" => 2_000_000_000,
        "system-node-critical" => 2_000_001_000,
        _ => {
            return Err(refuse(
                call,
                &format!("no PriorityClass with name {name} was found"),
            ));
        }
    };
    Ok(json!({"metadata": {"name": name}, "value": value}))
}

fn default_class(call: &Call) -> Answer<Value> {
    let snapshot = call.snapshot();
    let bucket = Definition::bucket_of("scheduling.k8s.io", "priorityclasses");
    for (_, record) in snapshot.range(&bucket, "", None) {
        let class = record::decode(&record.value)?;
        if class["globalDefault"] == true {
            return Ok(class);
        }
    }
    Ok(Value::Null)
}

fn runtime_class(call: &Call, pod: &Value) -> Answer<()> {
    let name = object::path_str(pod, &["spec", "runtimeClassName"]).unwrap_or_default();
    if !name.is_empty() && stored(call, "node.k8s.io", "runtimeclasses", name)?.is_none() {
        return Err(refuse(
            call,
            &format!("pod rejected: RuntimeClass \"{name}\" not found"),
        ));
    }
    Ok(())
}

fn tolerations(pod: &mut Value) {
    let mut all = object::path_list(pod, &["spec", "tolerations"]).to_vec();
    for key in [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ] {
        let tolerated = all.iter().any(|toleration| {
            let any_key = toleration["key"].as_str().unwrap_or_default().is_empty();
            let any_effect = toleration["effect"].as_str().unwrap_or_default().is_empty();
            (any_key || toleration["key"] == key)
                && (any_effect || toleration["effect"] == "NoExecute")
        });
        if !tolerated {
            all.push(json!({
                "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": TOLERATION_SECONDS,
            }));
        }
    }
    pod["spec"]["tolerations"] = Value::Array(all);
}
