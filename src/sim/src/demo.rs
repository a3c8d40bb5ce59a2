//! The fleet and the workloads a demonstration starts with.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::Taint;
use serde_json::Value;

use crate::config::{Delays, MemberConfig, NodeConfig};
use crate::fleet::FleetConfig;
use crate::seed::Seed;

/// Region, location label and cities.
const REGIONS: [(&str, &str, [&str; 8]); 3] = [
    (
        "eu-west",
        "europe",
        [
            "paris", "london", "dublin", "lisbon", "madrid", "brussels", "zurich", "milan",
        ],
    ),
    (
        "us-east",
        "america",
        [
            "boston", "newyork", "atlanta", "miami", "montreal", "toronto", "columbus", "raleigh",
        ],
    ),
    (
        "ap-south",
        "asia",
        [
            "mumbai",
            "chennai",
            "delhi",
            "pune",
            "kochi",
            "colombo",
            "dhaka",
            "hyderabad",
        ],
    ),
];
const PROVIDERS: [&str; 2] = ["alpha-cloud", "beta-cloud"];
const VERSIONS: [&str; 3] = ["v1.36.2", "v1.35.4", "v1.34.7"];
/// CPU and memory of the node sizes on offer.
const SIZES: [(&str, &str); 3] = [("4", "16Gi"), ("8", "32Gi"), ("4", "8Gi")];
/// Nodes of each member.
const NODES: usize = 3;

impl FleetConfig {
    /// A fleet of `clusters` members over three regions and two providers.
    ///
    /// The sixth is a staging cluster, the fifth carries a maintenance taint.
    pub fn demo(clusters: usize, seed: u64) -> Self {
        Self {
            members: (0..clusters).map(|index| member(index, seed)).collect(),
        }
    }
}

fn member(index: usize, seed: u64) -> MemberConfig {
    let (region, location, cities) = &REGIONS[index % REGIONS.len()];
    let round = index / REGIONS.len();
    let lap = round / cities.len();
    let city = cities[round % cities.len()];
    let name = if lap == 0 {
        city.to_owned()
    } else {
        format!("{city}-{}", lap + 1)
    };
    let environment = if index % 6 == 5 {
        "staging"
    } else {
        "production"
    };
    let labels = [("environment", environment), ("location", location)];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let root = Seed::new(seed).of(&["fleet", &name]);
    MemberConfig {
        region: (*region).to_owned(),
        zones: ["a", "b", "c"]
            .map(|zone| format!("{region}-{zone}"))
            .into(),
        provider: PROVIDERS[round % PROVIDERS.len()].to_owned(),
        labels: BTreeMap::from(labels),
        taints: if index % 6 == 4 {
            vec![maintenance()]
        } else {
            Vec::new()
        },
        kubernetes_version: VERSIONS[index % VERSIONS.len()].to_owned(),
        nodes: (0..NODES)
            .map(|node| demo_node(&name, node, root))
            .collect(),
        seed: root.value(),
        delays: Delays {
            pull: (Duration::from_millis(400), Duration::from_secs(4)),
            ..Delays::realistic()
        },
        name,
    }
}

/// The sizes differ from cluster to cluster, so that capacity has something to say.
fn demo_node(cluster: &str, index: usize, seed: Seed) -> NodeConfig {
    let (cpu, memory) = *seed
        .of(&["size"])
        .at(u64::try_from(index).unwrap_or(0))
        .pick(&SIZES);
    NodeConfig::new(&format!("{cluster}-node-{}", index + 1), cpu, memory)
}

fn maintenance() -> Taint {
    Taint {
        key: "maintenance".to_owned(),
        value: Some("planned".to_owned()),
        effect: "NoSchedule".to_owned(),
        time_added: None,
    }
}

/// The manifests of the demonstration, in the order in which to create them.
const MANIFESTS: [(&str, &str); 6] = [
    (
        "00-shop.yaml",
        include_str!("../../../assets/demo/00-shop.yaml"),
    ),
    (
        "10-storefront.yaml",
        include_str!("../../../assets/demo/10-storefront.yaml"),
    ),
    (
        "20-cart.yaml",
        include_str!("../../../assets/demo/20-cart.yaml"),
    ),
    (
        "30-orders.yaml",
        include_str!("../../../assets/demo/30-orders.yaml"),
    ),
    (
        "40-recommender.yaml",
        include_str!("../../../assets/demo/40-recommender.yaml"),
    ),
    (
        "50-archive.yaml",
        include_str!("../../../assets/demo/50-archive.yaml"),
    ),
];

/// The objects of the demonstration, in the order in which to create them: policies before what they
/// select, so that nothing waits for its policy.
///
/// # Panics
/// Never: the manifests are part of the program and a test reads them.
pub fn demo_workloads() -> Vec<Value> {
    let documents = MANIFESTS.iter().flat_map(|(file, text)| {
        let read = serde_saphyr::from_multiple::<Value>(text);
        read.unwrap_or_else(|error| unreachable!("{file} is embedded: {error}"))
    });
    documents.filter(|document| !document.is_null()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use flybridge_apis::PropagationPolicy;

    use super::*;

    #[test]
    fn six_clusters_cover_three_regions_and_two_providers() {
        let fleet = FleetConfig::demo(6, 1);
        let names: Vec<&str> = fleet.members.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(
            names,
            ["paris", "boston", "mumbai", "london", "newyork", "chennai"]
        );
        let regions: BTreeSet<&str> = fleet.members.iter().map(|m| m.region.as_str()).collect();
        assert_eq!(regions.len(), 3);
        let providers: BTreeSet<&str> = fleet.members.iter().map(|m| m.provider.as_str()).collect();
        assert_eq!(providers.len(), 2);
        assert_eq!(fleet.members[4].taints.len(), 1);
        assert_eq!(fleet.members[5].labels["environment"], "staging");
    }

    #[test]
    fn fifty_clusters_have_distinct_names_and_repeat_from_their_seed() {
        let fleet = FleetConfig::demo(50, 7);
        let names: BTreeSet<&String> = fleet.members.iter().map(|m| &m.name).collect();
        assert_eq!(names.len(), 50);
        let again = FleetConfig::demo(50, 7);
        assert!(
            fleet
                .members
                .iter()
                .zip(&again.members)
                .all(|(a, b)| a.seed == b.seed)
        );
        assert_ne!(
            fleet.members[0].seed,
            FleetConfig::demo(1, 8).members[0].seed
        );
    }

    #[test]
    fn the_manifests_are_readable_and_every_policy_selects_something() {
        let objects = demo_workloads();
        let text = |object: &Value, path: &str| {
            object
                .pointer(path)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let names: BTreeSet<(Option<String>, Option<String>)> = objects
            .iter()
            .map(|object| (text(object, "/kind"), text(object, "/metadata/name")))
            .collect();
        let mut policies = 0;
        for object in objects
            .iter()
            .filter(|object| object["kind"] == "PropagationPolicy")
        {
            let policy: PropagationPolicy = serde_json::from_value(object.clone()).unwrap();
            for selector in &policy.spec.resource_selectors {
                let wanted = (Some(selector.kind.clone()), Some(selector.name.clone()));
                assert!(names.contains(&wanted), "{wanted:?}");
            }
            policies += 1;
        }
        assert!(policies >= 4);
    }
}
