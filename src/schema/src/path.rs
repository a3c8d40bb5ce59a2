//! Places inside an object as chains on the stack; text only when somebody asks.

use std::fmt;

/// One place: the root, a key below a place, or an index below one.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The object itself.
    Root,
    /// A field or map key.
    Key(&'a Self, &'a str),
    /// A list item.
    Index(&'a Self, usize),
}

impl<'a> Path<'a> {
    /// The place of a field.
    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        Path::Key(self, key)
    }

    /// The place of an item.
    pub(crate) fn index(&'a self, index: usize) -> Self {
        Path::Index(self, index)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(Path::Root, key) => f.write_str(key),
            Path::Key(parent, key) => write!(f, "{parent}.{key}"),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_as_go_does() {
        let spec = Path::Root.key("spec");
        let containers = spec.key("containers");
        let first = containers.index(0);
        assert_eq!(first.key("imag").to_string(), "spec.containers[0].imag");
    }
}
