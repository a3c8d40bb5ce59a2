//! Member clusters of a Karmada control plane.

use flybridge_machinery::conditions;
use flybridge_machinery::object::path_list;
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, text, wide};

pub(super) const CLUSTERS: Printer = Printer::new(
    &[
        NAME,
        text("Version"),
        text("Mode"),
        text("Ready"),
        AGE,
        wide("Zones"),
        wide("Region"),
        wide("Provider"),
        wide("API-Endpoint"),
        wide("Proxy-URL"),
    ],
    cluster,
);

fn cluster(cluster: &Value, now: Timestamp) -> Vec<Value> {
    let zones: Vec<&str> = path_list(cluster, &["spec", "zones"])
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let zones = if zones.is_empty() {
        "<none>".to_owned()
    } else {
        zones.join(",")
    };
    let spec = |field: &str| cell::string_or(cluster, &["spec", field], "<none>");
    vec![
        cell::name(cluster),
        cell::string(cluster, &["status", "kubernetesVersion"]),
        cell::string(cluster, &["spec", "syncMode"]),
        conditions::status_of(cluster, "Ready")
            .unwrap_or("Unknown")
            .into(),
        cell::age(cluster, now),
        zones.into(),
        spec("region"),
        spec("provider"),
        spec("apiEndpoint"),
        spec("proxyURL"),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn prints_what_is_known_of_a_cluster() {
        let now = "2026-01-01T01:00:00Z".parse().unwrap();
        let joined = json!({
            "metadata": {"name": "eu-1", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"syncMode": "Push", "region": "eu", "zones": ["a", "b"], "apiEndpoint": "https://e"},
            "status": {"kubernetesVersion": "v1.36.2", "conditions": [{"type": "Ready", "status": "True"}]}
        });
        assert_eq!(
            cluster(&joined, now),
            [
                "eu-1",
                "v1.36.2",
                "Push",
                "True",
                "60m",
                "a,b",
                "eu",
                "<none>",
                "https://e",
                "<none>"
            ]
        );
        let fresh = json!({"metadata": {"name": "new"}, "spec": {"syncMode": "Pull"}});
        assert_eq!(cluster(&fresh, now)[3], "Unknown");
    }
}
