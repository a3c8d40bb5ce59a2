//! Keys, values and records: bytes under a name in a bucket.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use bytes::{Bytes, BytesMut};

/// Where a record lies: a bucket is one listable, watchable family; names are ordered inside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The family.
    pub bucket: Arc<str>,
    /// The name inside the family.
    pub name: Arc<str>,
}

impl Key {
    /// A key from its two parts.
    pub fn new(bucket: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Self {
        Self {
            bucket: bucket.into(),
            name: name.into(),
        }
    }
}

/// Bytes to store; the writer may insert the decimal revision it assigns at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    head: Bytes,
    /// `Some` asks for the revision between head and tail.
    tail: Option<Bytes>,
}

impl Value {
    /// Bytes that are stored as they are.
    pub fn plain(bytes: impl Into<Bytes>) -> Self {
        Self {
            head: bytes.into(),
            tail: None,
        }
    }

    /// `head`, then the decimal revision, then `tail`.
    pub fn with_revision(head: impl Into<Bytes>, tail: impl Into<Bytes>) -> Self {
        Self {
            head: head.into(),
            tail: Some(tail.into()),
        }
    }

    pub(crate) fn render(&self, revision: u64) -> Bytes {
        let Some(tail) = &self.tail else {
            return self.head.clone();
        };
        let digits = revision.to_string();
        let mut bytes = BytesMut::with_capacity(self.head.len() + digits.len() + tail.len());
        bytes.extend_from_slice(&self.head);
        bytes.extend_from_slice(digits.as_bytes());
        bytes.extend_from_slice(tail);
        bytes.freeze()
    }
}

/// One lazily computed, type-erased form kept beside bytes.
#[derive(Default)]
pub(crate) struct Memo(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Memo {
    fn get<T: Send + Sync + 'static>(&self, init: impl FnOnce() -> T) -> Arc<T> {
        let mut init = Some(init);
        let kept = self.0.get_or_init(|| {
            let init = init.take().expect("runs at most once");
            Arc::new(init())
        });
        Arc::clone(kept)
            .downcast::<T>()
            .unwrap_or_else(|_other_type| {
                let init = init
                    .take()
                    .expect("another type was there, so it has not run");
                Arc::new(init())
            })
    }
}

impl std::fmt::Debug for Memo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.get().is_some() {
            "Memo(kept)"
        } else {
            "Memo(empty)"
        })
    }
}

/// One stored value with its history in numbers.
#[derive(Debug)]
pub struct Record {
    /// The stored bytes.
    pub value: Bytes,
    /// The revision that created the key.
    pub create_revision: u64,
    /// The revision of this value.
    pub mod_revision: u64,
    /// How many values the key has had since its creation, counted from 1.
    pub version: u64,
    memo: Memo,
}

impl Record {
    pub(crate) fn new(value: Bytes, create_revision: u64, mod_revision: u64, version: u64) -> Self {
        Self {
            value,
            create_revision,
            mod_revision,
            version,
            memo: Memo::default(),
        }
    }

    /// A decoded form of the value, computed once and kept with it.
    ///
    /// One type per record is kept; asking for a second type computes it every time.
    pub fn memo<T: Send + Sync + 'static>(&self, init: impl FnOnce(&Bytes) -> T) -> Arc<T> {
        self.memo.get(|| init(&self.value))
    }
}

/// What happened to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// It was created or changed.
    Put,
    /// It was removed.
    Delete,
}

/// One change, as watchers see it.
#[derive(Debug)]
pub struct Event {
    /// The revision of the change.
    pub revision: u64,
    /// What changed.
    pub key: Key,
    /// How.
    pub kind: EventKind,
    /// The new value; for a removal the last state, with the revision of the removal.
    pub record: Arc<Record>,
    /// The value before.
    pub previous: Option<Arc<Record>>,
    memo: Memo,
}

impl Event {
    pub(crate) fn new(
        revision: u64,
        key: Key,
        kind: EventKind,
        record: Arc<Record>,
        previous: Option<Arc<Record>>,
    ) -> Self {
        Self {
            revision,
            key,
            kind,
            record,
            previous,
            memo: Memo::default(),
        }
    }

    /// A form of the event, such as its encoded frame, computed once for all watchers.
    pub fn memo<T: Send + Sync + 'static>(&self, init: impl FnOnce(&Self) -> T) -> Arc<T> {
        self.memo.get(|| init(self))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.record.value.len() + self.key.name.len() + 160
    }
}
