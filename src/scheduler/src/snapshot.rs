//! The clusters one scheduling run looks at.

use std::sync::Arc;

use flybridge_apis::Cluster;

/// An immutable list of clusters in order of name; the position in it stands for the cluster everywhere.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    clusters: Vec<Arc<Cluster>>,
}

impl Snapshot {
    /// Takes shared clusters in any order.
    pub fn new(clusters: impl IntoIterator<Item = Arc<Cluster>>) -> Self {
        let mut clusters: Vec<Arc<Cluster>> = clusters.into_iter().collect();
        if !clusters.is_sorted_by(|a, b| a.name() <= b.name()) {
            clusters.sort_by(|a, b| a.name().cmp(b.name()));
        }
        Self { clusters }
    }

    /// How many clusters there are.
    pub const fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// The clusters in order of name.
    pub fn clusters(&self) -> impl ExactSizeIterator<Item = &Cluster> {
        self.clusters.iter().map(Arc::as_ref)
    }

    /// The cluster at a position.
    pub(crate) fn at(&self, index: usize) -> &Cluster {
        &self.clusters[index]
    }

    /// The position of a cluster.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.clusters
            .binary_search_by(|cluster| cluster.name().cmp(name))
            .ok()
    }

    /// The cluster with this name.
    pub fn get(&self, name: &str) -> Option<&Cluster> {
        self.find(name).map(|index| self.at(index))
    }
}

impl FromIterator<Cluster> for Snapshot {
    fn from_iter<I: IntoIterator<Item = Cluster>>(clusters: I) -> Self {
        Self::new(clusters.into_iter().map(Arc::new))
    }
}
