//! Cluster affinities against clusters, with the sub-rule that decides.

use std::fmt;

use flybridge_machinery::names;

use super::labels::{Requirement, failing_requirement, selector_is_valid};
use crate::affinity::{ClusterAffinity, FieldRequirement};
use crate::cluster::Cluster;

/// Above this many names they are kept sorted for lookup.
const FEW_NAMES: usize = 8;

/// A cluster affinity prepared for matching against many clusters.
#[derive(Clone, Debug)]
pub struct ClusterMatcher<'a> {
    affinity: &'a ClusterAffinity,
    labels_valid: bool,
    fields_valid: bool,
    names: Names<'a>,
    excluded: Names<'a>,
}

#[derive(Clone, Debug)]
enum Names<'a> {
    Few(&'a [String]),
    Sorted(Vec<&'a str>),
}

impl<'a> Names<'a> {
    fn new(names: &'a [String]) -> Self {
        if names.len() <= FEW_NAMES {
            return Self::Few(names);
        }
        let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        Self::Sorted(sorted)
    }

    fn contains(&self, name: &str) -> bool {
        match self {
            Self::Few(names) => names.iter().any(|listed| listed == name),
            Self::Sorted(names) => names.binary_search(&name).is_ok(),
        }
    }
}

/// The sub-rule of an affinity that a cluster does not satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch<'a> {
    /// The cluster is excluded by name.
    Excluded,
    /// The label selector is ill-formed.
    InvalidLabelSelector,
    /// A requirement on labels fails.
    Label(Requirement<'a>),
    /// A requirement on fields is ill-formed or fails.
    Field(Requirement<'a>),
    /// The cluster is not among the names.
    NotNamed,
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Excluded => formatter.write_str("excluded by name"),
            Self::InvalidLabelSelector => formatter.write_str("the label selector is ill-formed"),
            Self::Label(requirement) => write!(formatter, "label selector wants {requirement}"),
            Self::Field(requirement) => write!(formatter, "field selector wants {requirement}"),
            Self::NotNamed => formatter.write_str("not among the cluster names"),
        }
    }
}

/// Whether the affinity selects the cluster.
pub fn cluster_matches(cluster: &Cluster, affinity: &ClusterAffinity) -> bool {
    ClusterMatcher::new(affinity).matches(cluster)
}

impl<'a> ClusterMatcher<'a> {
    /// Prepares an affinity.
    pub fn new(affinity: &'a ClusterAffinity) -> Self {
        Self {
            affinity,
            labels_valid: affinity
                .label_selector
                .as_ref()
                .is_none_or(selector_is_valid),
            fields_valid: fields(affinity).all(field_is_valid),
            names: Names::new(&affinity.cluster_names),
            excluded: Names::new(&affinity.exclude_clusters),
        }
    }

    /// Whether the affinity selects the cluster.
    pub fn matches(&self, cluster: &Cluster) -> bool {
        self.check(cluster).is_ok()
    }

    /// Which sub-rule keeps the cluster out.
    ///
    /// # Errors
    /// The first sub-rule that fails, in the order exclusion, labels, fields, names.
    pub fn check(&self, cluster: &Cluster) -> Result<(), Mismatch<'a>> {
        if self.excluded.contains(cluster.name()) {
            return Err(Mismatch::Excluded);
        }
        if let Some(selector) = &self.affinity.label_selector {
            if !self.labels_valid {
                return Err(Mismatch::InvalidLabelSelector);
            }
            if let Some(failing) = failing_requirement(selector, |key| cluster.label(key)) {
                return Err(Mismatch::Label(failing));
            }
        }
        for field in fields(self.affinity) {
            if !(self.fields_valid || field_is_valid(field)) || !field_matches(cluster, field) {
                return Err(Mismatch::Field(borrow(field)));
            }
        }
        if !self.affinity.cluster_names.is_empty() && !self.names.contains(cluster.name()) {
            return Err(Mismatch::NotNamed);
        }
        Ok(())
    }
}

fn fields(affinity: &ClusterAffinity) -> impl Iterator<Item = &FieldRequirement> {
    affinity
        .field_selector
        .iter()
        .flat_map(|selector| &selector.match_expressions)
}

fn borrow(field: &FieldRequirement) -> Requirement<'_> {
    Requirement {
        key: &field.key,
        operator: &field.operator,
        values: &field.values,
    }
}

/// Zones are compared as a list of plain texts; every other field as if it were a label.
fn field_is_valid(field: &FieldRequirement) -> bool {
    if field.key == "zone" {
        return true;
    }
    let operands_fit = match field.operator.as_str() {
        "In" | "NotIn" => !field.values.is_empty(),
        "Exists" | "DoesNotExist" => field.values.is_empty(),
        _ => false,
    };
    operands_fit
        && names::label_key(&field.key).is_empty()
        && field
            .values
            .iter()
            .all(|value| names::label_value(value).is_empty())
}

fn field_matches(cluster: &Cluster, field: &FieldRequirement) -> bool {
    let present = |text: &'_ String| !text.is_empty();
    match field.key.as_str() {
        "zone" => zones_match(&cluster.spec.zones, field),
        "provider" => borrow(field).holds(
            Some(&cluster.spec.provider)
                .filter(|text| present(text))
                .map(String::as_str),
        ),
        "region" => borrow(field).holds(
            Some(&cluster.spec.region)
                .filter(|text| present(text))
                .map(String::as_str),
        ),
        _ => borrow(field).holds(None),
    }
}

fn zones_match(zones: &[String], field: &FieldRequirement) -> bool {
    let overlap = || zones.iter().any(|zone| field.values.contains(zone));
    match field.operator.as_str() {
        "In" => overlap(),
        "NotIn" => !overlap(),
        "Exists" => !zones.is_empty(),
        "DoesNotExist" => zones.is_empty(),
        _ => false,
    }
}
