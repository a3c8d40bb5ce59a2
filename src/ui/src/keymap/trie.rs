//! A tree of key sequences.

use std::collections::BTreeMap;

use crate::chord::Chord;

/// What a key sequence means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Found<'a, T> {
    /// Not bound and no beginning of something bound.
    Nothing,
    /// The beginning of a longer sequence.
    Prefix,
    /// A command.
    Command(&'a T),
}

/// Commands by key sequence; no sequence is the beginning of another.
#[derive(Clone, Debug)]
pub struct Trie<T> {
    nodes: BTreeMap<Chord, Node<T>>,
}

#[derive(Clone, Debug)]
enum Node<T> {
    Leaf(T),
    Branch(Trie<T>),
}

impl<T> Default for Trie<T> {
    fn default() -> Self {
        Self {
            nodes: BTreeMap::new(),
        }
    }
}

impl<T> Trie<T> {
    /// Binds a sequence; whatever stood in its way is gone. An empty sequence binds nothing.
    pub fn insert(&mut self, keys: &[Chord], command: T) {
        match keys {
            [] => {}
            [key] => {
                self.nodes.insert(*key, Node::Leaf(command));
            }
            [key, rest @ ..] => {
                let node = self
                    .nodes
                    .entry(*key)
                    .or_insert_with(|| Node::Branch(Self::default()));
                if let Node::Leaf(_) = node {
                    *node = Node::Branch(Self::default());
                }
                if let Node::Branch(branch) = node {
                    branch.insert(rest, command);
                }
            }
        }
    }

    /// Frees a sequence and everything that starts with it.
    pub fn remove(&mut self, keys: &[Chord]) {
        match keys {
            [] => {}
            [key] => {
                self.nodes.remove(key);
            }
            [key, rest @ ..] => {
                if let Some(Node::Branch(branch)) = self.nodes.get_mut(key) {
                    branch.remove(rest);
                    if branch.nodes.is_empty() {
                        self.nodes.remove(key);
                    }
                }
            }
        }
    }

    /// What a sequence means.
    pub fn find(&self, keys: &[Chord]) -> Found<'_, T> {
        let Some((key, rest)) = keys.split_first() else {
            return Found::Nothing;
        };
        match self.nodes.get(key) {
            None => Found::Nothing,
            Some(Node::Leaf(command)) if rest.is_empty() => Found::Command(command),
            Some(Node::Leaf(_)) => Found::Nothing,
            Some(Node::Branch(_)) if rest.is_empty() => Found::Prefix,
            Some(Node::Branch(branch)) => branch.find(rest),
        }
    }

    /// All bindings that start with `prefix`, in key order.
    pub fn bindings(&self, prefix: &[Chord]) -> Vec<(Vec<Chord>, &T)> {
        let mut found = Vec::new();
        let mut path = Vec::new();
        self.collect(prefix, &mut path, &mut found);
        found
    }

    fn collect<'a>(
        &'a self,
        prefix: &[Chord],
        path: &mut Vec<Chord>,
        found: &mut Vec<(Vec<Chord>, &'a T)>,
    ) {
        for (key, node) in &self.nodes {
            let rest = match prefix.split_first() {
                Some((wanted, _)) if wanted != key => continue,
                Some((_, rest)) => rest,
                None => &[],
            };
            path.push(*key);
            match node {
                Node::Leaf(command) if rest.is_empty() => found.push((path.clone(), command)),
                Node::Leaf(_) => {}
                Node::Branch(branch) => branch.collect(rest, path, found),
            }
            path.pop();
        }
    }
}
