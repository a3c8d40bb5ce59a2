//! Amounts of resources, as placement adds and compares them.

use std::collections::BTreeMap;

use flybridge_machinery::Quantity;
use k8s_openapi::api::core::v1::{Container, Node, Pod};
use k8s_openapi::apimachinery::pkg::api::resource;

/// Amounts by resource name: CPU in thousandths, everything else in its own unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources(BTreeMap<String, i64>);

/// Quantities as the API carries them.
type Quantities = BTreeMap<String, resource::Quantity>;

impl Resources {
    /// What a pod asks for: for each resource the larger of its containers' sum and its largest
    /// init container, plus overhead; and one pod.
    pub fn requested_by(pod: &Pod) -> Self {
        let mut total = Self::default();
        if let Some(spec) = &pod.spec {
            // A restartable init container keeps running beside the main ones.
            let (sidecars, init): (Vec<&Container>, Vec<&Container>) = spec
                .init_containers
                .iter()
                .flatten()
                .partition(|container| container.restart_policy.as_deref() == Some("Always"));
            for container in spec.containers.iter().chain(sidecars) {
                total.add(&Self::requests(container));
            }
            for container in init {
                total.raise_to(&Self::requests(container));
            }
            total.add(&Self::of(spec.overhead.as_ref()));
        }
        total.0.insert("pods".to_owned(), 1);
        total
    }

    /// What a node can give.
    pub fn allocatable(node: &Node) -> Self {
        let status = node.status.as_ref();
        Self::of(status.and_then(|status| status.allocatable.as_ref()))
    }

    fn requests(container: &Container) -> Self {
        let resources = container.resources.as_ref();
        Self::of(resources.and_then(|r| r.requests.as_ref()))
    }

    fn of(quantities: Option<&Quantities>) -> Self {
        let amounts = quantities.into_iter().flatten();
        Self(
            amounts
                .map(|(name, quantity)| (name.clone(), amount(name, &quantity.0)))
                .collect(),
        )
    }

    /// The amount of one resource.
    pub fn get(&self, name: &str) -> i64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Every resource with its amount, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        self.0.iter().map(|(name, amount)| (name.as_str(), *amount))
    }

    /// Adds `other`.
    pub fn add(&mut self, other: &Self) {
        for (name, amount) in &other.0 {
            let sum = self.0.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*amount);
        }
    }

    /// Takes `other` away.
    pub fn subtract(&mut self, other: &Self) {
        for (name, amount) in &other.0 {
            let rest = self.0.entry(name.clone()).or_default();
            *rest = rest.saturating_sub(*amount);
        }
    }

    fn raise_to(&mut self, other: &Self) {
        for (name, amount) in &other.0 {
            let present = self.0.entry(name.clone()).or_default();
            *present = (*present).max(*amount);
        }
    }
}

/// The amount a quantity stands for; an unreadable one counts as nothing.
fn amount(name: &str, quantity: &str) -> i64 {
    let Ok(quantity) = quantity.parse::<Quantity>() else {
        return 0;
    };
    if name == "cpu" {
        quantity.milli_value()
    } else {
        quantity.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pod;
    use serde_json::json;

    #[test]
    fn a_pod_asks_for_the_larger_of_containers_and_init_containers() {
        let init = json!([{"name": "init", "image": "x", "resources": {"requests": {"cpu": "2", "memory": "64Mi"}}}]);
        let pod = pod("a")
            .requests("500m", "128Mi")
            .spec("initContainers", init)
            .build();
        let asked = Resources::requested_by(&pod);
        assert_eq!(asked.get("cpu"), 2000);
        assert_eq!(asked.get("memory"), 128 << 20);
        assert_eq!(asked.get("pods"), 1);
    }
}
