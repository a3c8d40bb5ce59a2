//! Definitions of the kinds: names, printer columns, structural schemas and CRD manifests.

use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::kind::Kind;
use crate::override_policy::{ClusterOverridePolicy, OverridePolicy};
use crate::propagation_policy::{ClusterPropagationPolicy, PropagationPolicy};
use crate::resource_binding::{ClusterResourceBinding, ResourceBinding};
use crate::work::Work;

/// A printer column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Heading.
    pub name: &'static str,
    /// Type of the cell: `string` or `date`.
    pub kind: &'static str,
    /// JSON path of the cell.
    pub json_path: &'static str,
    /// Shown by default when 0, in wide output otherwise.
    pub priority: i32,
}

impl Column {
    /// A text column.
    pub const fn string(name: &'static str, json_path: &'static str) -> Self {
        Self {
            name,
            kind: "string",
            json_path,
            priority: 0,
        }
    }

    /// A text column of wide output.
    pub const fn wide(name: &'static str, json_path: &'static str) -> Self {
        Self {
            name,
            kind: "string",
            json_path,
            priority: 1,
        }
    }

    /// The age of the object.
    pub const fn age(name: &'static str) -> Self {
        Self {
            name,
            kind: "date",
            json_path: ".metadata.creationTimestamp",
            priority: 0,
        }
    }
}

/// What an API server needs to serve a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// API group.
    pub group: &'static str,
    /// API version.
    pub version: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Plural resource name.
    pub plural: &'static str,
    /// Singular resource name.
    pub singular: String,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// Whether the status has its own subresource.
    pub status: bool,
    /// Short names.
    pub short_names: &'static [&'static str],
    /// Categories.
    pub categories: &'static [&'static str],
    /// Printer columns.
    pub columns: Vec<Column>,
    /// Structural schema of the whole object.
    pub schema: Value,
}

impl Definition {
    /// The definition of a kind.
    pub fn of<K: Kind>() -> Self {
        let mut properties = json!({
            "apiVersion": { "type": "string" },
            "kind": { "type": "string" },
            "metadata": { "type": "object" },
            "spec": K::spec_schema().to_value(),
        });
        if let Some(status) = K::status_schema() {
            properties["status"] = status.to_value();
        }
        Self {
            group: K::GROUP,
            version: K::VERSION,
            kind: K::KIND,
            plural: K::PLURAL,
            singular: K::KIND.to_ascii_lowercase(),
            namespaced: K::NAMESPACED,
            status: K::STATUS,
            short_names: K::SHORT_NAMES,
            categories: K::CATEGORIES,
            columns: K::columns(),
            schema: json!({
                "type": "object",
                "required": ["spec"],
                "properties": properties,
            }),
        }
    }

    /// The kind as a CustomResourceDefinition manifest.
    pub fn manifest(&self) -> Value {
        let mut names = json!({
            "plural": self.plural,
            "singular": self.singular,
            "kind": self.kind,
            "listKind": format!("{}List", self.kind),
            "categories": self.categories,
        });
        if !self.short_names.is_empty() {
            names["shortNames"] = json!(self.short_names);
        }
        let mut version = json!({
            "name": self.version,
            "served": true,
            "storage": true,
            "schema": { "openAPIV3Schema": self.schema },
        });
        if self.status {
            version["subresources"] = json!({ "status": {} });
        }
        if !self.columns.is_empty() {
            version["additionalPrinterColumns"] =
                self.columns.iter().map(column_manifest).collect();
        }
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("{}.{}", self.plural, self.group) },
            "spec": {
                "group": self.group,
                "scope": if self.namespaced { "Namespaced" } else { "Cluster" },
                "names": names,
                "versions": [version],
            },
        })
    }
}

fn column_manifest(column: &Column) -> Value {
    let mut manifest = json!({
        "name": column.name,
        "type": column.kind,
        "jsonPath": column.json_path,
    });
    if column.priority != 0 {
        manifest["priority"] = json!(column.priority);
    }
    manifest
}

/// Definitions of the kinds served as custom resources.
pub fn definitions() -> Vec<Definition> {
    vec![
        Definition::of::<PropagationPolicy>(),
        Definition::of::<ClusterPropagationPolicy>(),
        Definition::of::<OverridePolicy>(),
        Definition::of::<ClusterOverridePolicy>(),
        Definition::of::<Work>(),
        Definition::of::<ResourceBinding>(),
        Definition::of::<ClusterResourceBinding>(),
    ]
}

/// CustomResourceDefinition manifests of every kind but Cluster.
pub fn crds() -> Vec<Value> {
    definitions().iter().map(Definition::manifest).collect()
}

/// The definition of Cluster, which the API server serves itself.
pub fn cluster_definition() -> Definition {
    Definition::of::<Cluster>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Complaints about a schema that an API server would not accept or that would surprise its users.
    fn complaints(schema: &Value, path: &str, found: &mut Vec<String>) {
        let Some(members) = schema.as_object() else {
            found.push(format!("{path}: not an object"));
            return;
        };
        let free = members.contains_key("x-kubernetes-preserve-unknown-fields");
        let mixed = members.contains_key("x-kubernetes-int-or-string");
        if !members.contains_key("type") && !free && !mixed {
            found.push(format!("{path}: no type"));
        }
        for banned in [
            "$ref", "nullable", "oneOf", "allOf", "not", "const", "title", "$schema",
        ] {
            if members.contains_key(banned) {
                found.push(format!("{path}: {banned}"));
            }
        }
        if members.contains_key("anyOf") && !mixed {
            found.push(format!("{path}: anyOf"));
        }
        let properties = members.get("properties").and_then(Value::as_object);
        for required in members
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let name = required.as_str().unwrap();
            match properties.and_then(|properties| properties.get(name)) {
                None => found.push(format!("{path}: requires {name}, which it does not have")),
                Some(property) if property.get("default").is_some() => {
                    found.push(format!("{path}: requires {name}, which has a default"));
                }
                Some(_) => {}
            }
        }
        for (name, property) in properties.into_iter().flatten() {
            complaints(property, &format!("{path}.{name}"), found);
        }
        if let Some(items) = members.get("items") {
            complaints(items, &format!("{path}[]"), found);
        }
        if let Some(values) = members.get("additionalProperties") {
            complaints(values, &format!("{path}{{}}"), found);
        }
    }

    fn all() -> Vec<Definition> {
        let mut all = definitions();
        all.push(cluster_definition());
        all
    }

    #[test]
    fn schemas_are_structural() {
        for definition in all() {
            let mut found = Vec::new();
            complaints(&definition.schema, definition.kind, &mut found);
            assert_eq!(found, Vec::<String>::new());
        }
    }

    fn property<'a>(definition: &'a Definition, path: &str) -> &'a Value {
        path.split('.').fold(&definition.schema, |schema, name| {
            let schema = if schema["type"] == "array" {
                &schema["items"]
            } else {
                schema
            };
            &schema["properties"][name]
        })
    }

    #[test]
    fn policies_have_the_defaults_of_the_reference() {
        let policy = Definition::of::<PropagationPolicy>();
        for (path, default) in [
            ("spec.conflictResolution", json!("Abort")),
            ("spec.preemption", json!("Never")),
            ("spec.priority", json!(0)),
            ("spec.schedulerName", json!("default-scheduler")),
            (
                "spec.placement.replicaScheduling.replicaSchedulingType",
                json!("Divided"),
            ),
            ("spec.failover.application.purgeMode", json!("Gracefully")),
            (
                "spec.failover.application.decisionConditions.tolerationSeconds",
                json!(300),
            ),
        ] {
            assert_eq!(property(&policy, path)["default"], default, "{path}");
        }
        assert_eq!(property(&policy, "spec.resourceSelectors")["minItems"], 1);
        assert_eq!(property(&policy, "spec.placement")["default"], Value::Null);
    }

    #[test]
    fn enumerations_are_plain_words() {
        let policy = Definition::of::<PropagationPolicy>();
        let field = property(&policy, "spec.placement.spreadConstraints.spreadByField");
        assert_eq!(field["type"], "string");
        assert_eq!(
            field["enum"],
            json!(["cluster", "region", "zone", "provider"])
        );
        let purge = property(&policy, "spec.failover.cluster.purgeMode");
        assert_eq!(purge["enum"], json!(["Directly", "Gracefully"]));
    }

    #[test]
    fn the_accepted_spelling_of_label_selectors_is_not_pruned() {
        let policy = Definition::of::<PropagationPolicy>();
        for path in [
            "spec.placement.clusterAffinity.clusterLabels.matchLabels",
            "spec.placement.clusterAffinities.clusterLabels.matchLabels",
            "spec.placement.clusterAffinities.overflowAffinities.clusterLabels.matchLabels",
        ] {
            assert_eq!(property(&policy, path)["type"], "object", "{path}");
        }
    }

    #[test]
    fn terms_carry_the_affinity_inline() {
        let policy = Definition::of::<PropagationPolicy>();
        let name = property(&policy, "spec.placement.clusterAffinities.affinityName");
        assert_eq!(
            (&name["minLength"], &name["maxLength"]),
            (&json!(1), &json!(32))
        );
        let names = property(&policy, "spec.placement.clusterAffinities.clusterNames");
        assert_eq!(names["items"]["type"], "string");
    }

    #[test]
    fn work_manifests_are_embedded_resources() {
        let work = Definition::of::<Work>();
        let manifests = property(&work, "spec.workload.manifests");
        assert_eq!(manifests["items"]["x-kubernetes-embedded-resource"], true);
        assert_eq!(
            manifests["items"]["x-kubernetes-preserve-unknown-fields"],
            true
        );
    }

    #[test]
    fn manifests_name_the_kinds_as_the_reference_does() {
        let crds = crds();
        let named: Vec<(&str, &Value)> = crds
            .iter()
            .map(|crd| {
                (
                    crd["metadata"]["name"].as_str().unwrap(),
                    &crd["spec"]["names"]["shortNames"][0],
                )
            })
            .collect();
        assert_eq!(
            named,
            [
                ("propagationpolicies.policy.karmada.io", &json!("pp")),
                (
                    "clusterpropagationpolicies.policy.karmada.io",
                    &json!("cpp")
                ),
                ("overridepolicies.policy.karmada.io", &json!("op")),
                ("clusteroverridepolicies.policy.karmada.io", &json!("cop")),
                ("works.work.karmada.io", &json!("wk")),
                ("resourcebindings.work.karmada.io", &json!("rb")),
                ("clusterresourcebindings.work.karmada.io", &json!("crb")),
            ]
        );
        for crd in &crds {
            let version = &crd["spec"]["versions"][0];
            let has_status = crd["spec"]["group"] == "work.karmada.io";
            assert_eq!(version["subresources"].is_object(), has_status);
            assert_eq!(crd["spec"]["names"]["categories"], json!(["karmada-io"]));
        }
        assert_eq!(cluster_definition().plural, "clusters");
    }

    #[test]
    fn binding_columns_show_conditions() {
        let binding = Definition::of::<ResourceBinding>().manifest();
        let columns = &binding["spec"]["versions"][0]["additionalPrinterColumns"];
        let names: Vec<&str> = columns
            .as_array()
            .unwrap()
            .iter()
            .map(|column| column["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["SCHEDULED", "FULLYAPPLIED", "AGE"]);
        assert_eq!(
            columns[0]["jsonPath"],
            ".status.conditions[?(@.type==\"Scheduled\")].status"
        );
    }
}
