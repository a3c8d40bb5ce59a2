//! What a strategic merge needs to know of a type, and nothing else.
//!
//! `schema` implements [`Topology`] over its type graph and `patch` consumes it, so the two never
//! meet.

/// One type: a struct or a map with values of one type.
pub trait Topology {
    /// What is known of a field, or of the value under a map key; `None` when the type does not
    /// have the field.
    fn field(&self, name: &str) -> Option<FieldTopology<'_>>;
}

/// What a strategic merge knows of one field.
pub struct FieldTopology<'a> {
    /// The type of the field's value; of a list, the type of its items. `None` for scalars, lists
    /// of scalars and subtrees without a schema.
    pub node: Option<Box<dyn Topology + 'a>>,
    /// The patch strategies of the field.
    pub strategy: PatchStrategy,
    /// The key that identifies items of a list of maps.
    pub merge_key: Option<&'a str>,
}

impl<'a> FieldTopology<'a> {
    /// A field without strategies.
    pub fn plain(node: Option<Box<dyn Topology + 'a>>) -> Self {
        Self {
            node,
            strategy: PatchStrategy::default(),
            merge_key: None,
        }
    }
}

impl std::fmt::Debug for FieldTopology<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FieldTopology")
            .field("node", &self.node.is_some())
            .field("strategy", &self.strategy)
            .field("merge_key", &self.merge_key)
            .finish()
    }
}

/// The set of patch strategies of a field (`x-kubernetes-patch-strategy`, comma separated).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatchStrategy {
    /// Lists are merged by key (or as a set of scalars) instead of replaced.
    pub merge: bool,
    /// Maps are replaced instead of merged.
    pub replace: bool,
    /// The patch may say which keys of the map remain.
    pub retain_keys: bool,
}

impl PatchStrategy {
    /// Reads the comma separated text of the schema extension; unknown words are left out.
    pub fn parse(text: &str) -> Self {
        let mut strategy = Self::default();
        for word in text.split(',') {
            match word.trim() {
                "merge" => strategy.merge = true,
                "replace" => strategy.replace = true,
                "retainKeys" => strategy.retain_keys = true,
                _ => {}
            }
        }
        strategy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_combined_strategies() {
        let both = PatchStrategy::parse("merge,retainKeys");
        assert_eq!(
            both,
            PatchStrategy {
                merge: true,
                replace: false,
                retain_keys: true
            }
        );
        assert_eq!(PatchStrategy::parse(""), PatchStrategy::default());
    }
}
