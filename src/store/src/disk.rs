//! The durable engine: tables on disk, and what opening them can find.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use redb::{
    Database, DatabaseError, Durability, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    StorageError, TableDefinition,
};

use crate::error::{Error, Result};
use crate::record::{Event, EventKind, Key, Record};
use crate::roots::Snapshot;

/// `bucket NUL name` to create revision, modification revision, version, bytes.
const OBJECTS: TableDefinition<'_, &[u8], (u64, u64, u64, &[u8])> = TableDefinition::new("objects");
/// Revision to kind, `bucket NUL name`, create revision, version, bytes.
const LOG: TableDefinition<'_, u64, (u8, &[u8], u64, u64, &[u8])> = TableDefinition::new("log");
const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");

const FORMAT: u64 = 1;
const META_FORMAT: &str = "format";
const META_REVISION: &str = "revision";
const META_COMPACTED: &str = "compacted";

#[derive(Debug)]
pub(crate) struct Disk {
    path: PathBuf,
    database: Database,
    /// Events the log keeps; older ones go with later commits.
    keep: u64,
    logged_from: u64,
}

/// What a file holds when it is opened.
#[derive(Debug)]
pub(crate) struct Restored {
    pub(crate) roots: Snapshot,
    pub(crate) events: Vec<Arc<Event>>,
    /// Every event after this revision is in `events`.
    pub(crate) compacted: u64,
}

impl Disk {
    pub(crate) fn open(path: &Path, keep: u64) -> Result<(Self, Restored)> {
        let database = Database::create(path).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => Error::Locked { path: path.to_owned() },
            other => engine(path, other),
        })?;
        let mut disk = Self { path: path.to_owned(), database, keep, logged_from: 0 };
        disk.prepare()?;
        let restored = disk.restore()?;
        disk.logged_from = restored.compacted + 1;
        Ok((disk, restored))
    }

    fn fail(&self, error: impl Into<redb::Error>) -> Error {
        engine(&self.path, error)
    }

    fn prepare(&self) -> Result<()> {
        let transaction = self.database.begin_write().map_err(|error| self.fail(error))?;
        {
            transaction.open_table(OBJECTS).map_err(|error| self.fail(error))?;
            transaction.open_table(LOG).map_err(|error| self.fail(error))?;
            let mut meta = transaction.open_table(META).map_err(|error| self.fail(error))?;
            let found = meta.get(META_FORMAT).map_err(|error| self.fail(error))?.map(|f| f.value());
            match found {
                None => {
                    meta.insert(META_FORMAT, FORMAT).map_err(|error| self.fail(error))?;
                }
                Some(found) if found > FORMAT => {
                    let path = self.path.clone();
                    return Err(Error::NewerFormat { path, found, supported: FORMAT });
                }
                Some(_) => {}
            }
        }
        transaction.commit().map_err(|error| self.fail(error))
    }

    fn restore(&self) -> Result<Restored> {
        let transaction = self.database.begin_read().map_err(|error| self.fail(error))?;
        let meta = transaction.open_table(META).map_err(|error| self.fail(error))?;
        let number = |name: &str| -> Result<u64> {
            let found = meta.get(name).map_err(|error| self.fail(error))?;
            Ok(found.map_or(0, |value| value.value()))
        };
        let (revision, compacted) = (number(META_REVISION)?, number(META_COMPACTED)?);
        let mut roots = Snapshot::default();
        let objects = transaction.open_table(OBJECTS).map_err(|error| self.fail(error))?;
        for entry in objects.iter().map_err(|error| self.fail(error))? {
            let (name, value) = entry.map_err(|error| self.fail(error))?;
            let (created, modified, version, bytes) = value.value();
            let record = Record::new(Bytes::copy_from_slice(bytes), created, modified, version);
            roots.insert(&self.key(name.value())?, Arc::new(record));
        }
        roots.set_revision(revision);
        let log = transaction.open_table(LOG).map_err(|error| self.fail(error))?;
        let mut events = Vec::with_capacity(usize::try_from(log.len().unwrap_or(0)).unwrap_or(0));
        let mut before: std::collections::BTreeMap<Key, Arc<Record>> = std::collections::BTreeMap::new();
        for entry in log.iter().map_err(|error| self.fail(error))? {
            let (at, value) = entry.map_err(|error| self.fail(error))?;
            let (kind, name, created, version, bytes) = value.value();
            let (key, at) = (self.key(name)?, at.value());
            let record = Arc::new(Record::new(Bytes::copy_from_slice(bytes), created, at, version));
            let kind = if kind == 0 { EventKind::Put } else { EventKind::Delete };
            let previous = match kind {
                EventKind::Put => before.insert(key.clone(), Arc::clone(&record)),
                EventKind::Delete => before.remove(&key),
            };
            events.push(Arc::new(Event::new(at, key, kind, record, previous)));
        }
        Ok(Restored { roots, events, compacted })
    }

    fn key(&self, bytes: &[u8]) -> Result<Key> {
        let text = std::str::from_utf8(bytes).ok();
        let parts = text.and_then(|text| text.split_once('\0'));
        let (bucket, name) = parts.ok_or_else(|| {
            self.fail(StorageError::Corrupted("a key without its separator".to_owned()))
        })?;
        Ok(Key::new(bucket, name))
    }

    /// Writes events durably, all or nothing.
    pub(crate) fn write(&mut self, events: &[Arc<Event>], revision: u64) -> Result<()> {
        let mut transaction = self.database.begin_write().map_err(|error| self.fail(error))?;
        transaction
            .set_durability(Durability::Immediate)
            .map_err(|error| engine(&self.path, StorageError::Corrupted(error.to_string())))?;
        let logged_from = {
            let mut objects = transaction.open_table(OBJECTS).map_err(|error| self.fail(error))?;
            let mut log = transaction.open_table(LOG).map_err(|error| self.fail(error))?;
            let mut meta = transaction.open_table(META).map_err(|error| self.fail(error))?;
            for event in events {
                let name = encode(&event.key);
                let record = &event.record;
                let bytes: &[u8] = &record.value;
                match event.kind {
                    EventKind::Put => {
                        let row = (record.create_revision, record.mod_revision, record.version, bytes);
                        objects.insert(name.as_slice(), row).map_err(|error| self.fail(error))?;
                    }
                    EventKind::Delete => {
                        objects.remove(name.as_slice()).map_err(|error| self.fail(error))?;
                    }
                }
                let kind = u8::from(event.kind == EventKind::Delete);
                let row = (kind, name.as_slice(), record.create_revision, record.version, bytes);
                log.insert(event.revision, row).map_err(|error| self.fail(error))?;
            }
            let logged_from = self.trim(&mut log, revision)?;
            meta.insert(META_REVISION, revision).map_err(|error| self.fail(error))?;
            let compacted = logged_from.saturating_sub(1);
            meta.insert(META_COMPACTED, compacted).map_err(|error| self.fail(error))?;
            logged_from
        };
        transaction.commit().map_err(|error| self.fail(error))?;
        self.logged_from = logged_from;
        Ok(())
    }

    /// Drops the oldest log rows beyond what is kept, a quarter of it at a time.
    fn trim(
        &self,
        log: &mut redb::Table<'_, u64, (u8, &'static [u8], u64, u64, &'static [u8])>,
        revision: u64,
    ) -> Result<u64> {
        let wanted = (revision + 1).saturating_sub(self.keep);
        if wanted <= self.logged_from + self.keep / 4 {
            return Ok(self.logged_from);
        }
        log.retain_in(..wanted, |_, _| false).map_err(|error| self.fail(error))?;
        Ok(wanted)
    }
}

fn encode(key: &Key) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(key.bucket.len() + 1 + key.name.len());
    bytes.extend_from_slice(key.bucket.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(key.name.as_bytes());
    bytes
}

fn engine(path: &Path, error: impl Into<redb::Error>) -> Error {
    let source: redb::Error = error.into();
    if let redb::Error::Io(io) = &source
        && io.kind() == io::ErrorKind::WouldBlock
    {
        return Error::Locked { path: path.to_owned() };
    }
    Error::Engine { path: path.to_owned(), source: Box::new(source) }
}
