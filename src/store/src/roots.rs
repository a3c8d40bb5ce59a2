//! The state of all buckets at one revision, as persistent maps: a copy is a pointer.

use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;

use crate::error::{Error, Result};
use crate::ops::{Expect, Op};
use crate::record::{Event, EventKind, Key, Record};

type Bucket = OrdMap<Arc<str>, Arc<Record>>;

/// An immutable view of everything at one revision.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    revision: u64,
    buckets: OrdMap<Arc<str>, Bucket>,
}

impl Snapshot {
    /// The revision of the view.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn set_revision(&mut self, revision: u64) {
        self.revision = revision;
    }

    /// The record of a key.
    pub fn get(&self, bucket: &str, name: &str) -> Option<Arc<Record>> {
        self.buckets.get(bucket)?.get(name).map(Arc::clone)
    }

    /// Records whose name starts with `prefix`, in name order, after `start_after` if given.
    pub fn range<'a>(
        &'a self,
        bucket: &str,
        prefix: &'a str,
        start_after: Option<&str>,
    ) -> impl Iterator<Item = (&'a Arc<str>, &'a Arc<Record>)> + 'a {
        let from: Bound<Arc<str>> = match start_after {
            Some(name) if name >= prefix => Bound::Excluded(name.into()),
            _ => Bound::Included(prefix.into()),
        };
        self.buckets
            .get(bucket)
            .into_iter()
            .flat_map(move |names| names.range((from.clone(), Bound::Unbounded)))
            .take_while(move |(name, _)| name.starts_with(prefix))
    }

    /// How many records a range has.
    pub fn count(&self, bucket: &str, prefix: &str) -> usize {
        if prefix.is_empty() {
            return self.buckets.get(bucket).map_or(0, OrdMap::len);
        }
        self.range(bucket, prefix, None).count()
    }

    /// The names of buckets that hold records, in order.
    pub fn buckets(&self) -> impl Iterator<Item = &Arc<str>> {
        self.buckets
            .iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(bucket, _)| bucket)
    }

    /// The same view of one bucket, without the others.
    pub(crate) fn only(&self, bucket: &str) -> Self {
        let kept = self.buckets.get_key_value(bucket);
        let (bucket, names) = kept.map_or_else(
            || (bucket.into(), Bucket::default()),
            |(b, n)| (Arc::clone(b), n.clone()),
        );
        Self {
            revision: self.revision,
            buckets: OrdMap::unit(bucket, names),
        }
    }

    pub(crate) fn insert(&mut self, key: &Key, record: Arc<Record>) {
        let bucket = self.buckets.entry(Arc::clone(&key.bucket)).or_default();
        bucket.insert(Arc::clone(&key.name), record);
    }

    pub(crate) fn remove(&mut self, key: &Key) {
        if let Some(bucket) = self.buckets.get_mut(&key.bucket) {
            bucket.remove(&key.name);
        }
    }

    /// Applies a commit to this view: one revision per operation. On error nothing has changed.
    pub(crate) fn apply(&mut self, ops: Vec<Op>) -> Result<Vec<Arc<Event>>> {
        let mut next = self.clone();
        let mut events = Vec::with_capacity(ops.len());
        for (index, op) in ops.into_iter().enumerate() {
            let event = next
                .apply_one(op)
                .map_err(|current| Error::Conflict { index, current })?;
            events.extend(event);
        }
        *self = next;
        Ok(events)
    }

    fn apply_one(
        &mut self,
        op: Op,
    ) -> std::result::Result<Option<Arc<Event>>, Option<Arc<Record>>> {
        let current = self.get(&op.key().bucket, &op.key().name);
        if !op.expect().holds(current.as_deref()) {
            return Err(current);
        }
        let revision = self.revision + 1;
        let event = match op {
            Op::Put { key, value, .. } => {
                let (created, version) = current
                    .as_ref()
                    .map_or((revision, 1), |old| (old.create_revision, old.version + 1));
                let record = Arc::new(Record::new(
                    value.render(revision),
                    created,
                    revision,
                    version,
                ));
                self.insert(&key, Arc::clone(&record));
                Event::new(revision, key, EventKind::Put, record, current)
            }
            Op::Delete { key, value, .. } => {
                let Some(old) = current else { return Ok(None) };
                let bytes = value.map_or_else(|| old.value.clone(), |value| value.render(revision));
                let last = Record::new(bytes, old.create_revision, revision, old.version);
                self.remove(&key);
                Event::new(revision, key, EventKind::Delete, Arc::new(last), Some(old))
            }
        };
        self.revision = revision;
        Ok(Some(Arc::new(event)))
    }

    /// Undoes an event: the view before it.
    pub(crate) fn undo(&mut self, event: &Event) {
        match &event.previous {
            Some(previous) => self.insert(&event.key, Arc::clone(previous)),
            None => self.remove(&event.key),
        }
        self.revision = event.revision - 1;
    }
}

impl Expect {
    fn holds(self, current: Option<&Record>) -> bool {
        match self {
            Self::Any => true,
            Self::Absent => current.is_none(),
            Self::Exists => current.is_some(),
            Self::Revision(revision) => {
                current.is_some_and(|record| record.mod_revision == revision)
            }
        }
    }
}
