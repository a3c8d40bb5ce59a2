//! The file: tables, what opening can find, and one durable transaction for each group of commits.
//!
//! The log holds for every revision what it *replaced*; what it wrote is in the objects table or in
//! the next log row of the same key. So nothing is stored twice, and opening can check that log and
//! objects agree.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use redb::backends::FileBackend;
use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, StorageBackend};
use redb::{TableDefinition, TableError, WriteTransaction};

use crate::error::{At, Error, Result};
use crate::record::{Event, EventKind, Key, Record};
use crate::roots::Snapshot;
use crate::store::Options;

/// Bucket and name.
type ObjectKey = (&'static str, &'static str);
/// Create revision, modification revision, version, value.
type ObjectRow = (u64, u64, u64, &'static [u8]);
/// Kind, bucket, name, the replaced record as an [`ObjectRow`], the last state of a removal.
type LogRow = (u8, &'static str, &'static str, ObjectRow, &'static [u8]);
/// A row as it is read and written.
type RowOf<'a, R> = <R as redb::Value>::SelfType<'a>;

const OBJECTS: TableDefinition<'_, ObjectKey, ObjectRow> = TableDefinition::new("objects");
const LOG: TableDefinition<'_, u64, LogRow> = TableDefinition::new("log");
const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");

pub(crate) const FORMAT: u64 = 1;
const META_FORMAT: &str = "format";
const META_REVISION: &str = "revision";
const META_COMPACTED: &str = "compacted";

const PUT: u8 = 0;
/// A removal whose last state is the replaced value.
const DELETE: u8 = 1;
/// A removal that came with a last state of its own.
const DELETE_WITH_STATE: u8 = 2;

/// Log rows dropped in one transaction at most, so that no commit waits long.
const TRIM_ROWS: usize = 1024;
/// Everything lives in memory already: the engine only needs the pages it writes to.
const CACHE_BYTES: usize = 32 << 20;
/// From this size on a repair after a crash takes longer than slower commits are worth.
const QUICK_REPAIR_FROM: u64 = 1 << 30;

/// An open file.
#[derive(Debug)]
pub(crate) struct Disk {
    path: PathBuf,
    database: Database,
    log: LogExtent,
    quick_repair: bool,
}

/// What a file holds when it is opened.
#[derive(Debug)]
pub(crate) struct Restored {
    pub(crate) roots: Snapshot,
    pub(crate) events: Vec<Arc<Event>>,
    /// Every event after this revision is in `events`.
    pub(crate) compacted: u64,
}

/// Which revisions the log holds and how large each row is.
#[derive(Debug)]
struct LogExtent {
    first: u64,
    sizes: VecDeque<usize>,
    bytes: usize,
    max_events: usize,
    max_bytes: usize,
}

impl LogExtent {
    fn push(&mut self, size: usize) {
        self.sizes.push_back(size);
        self.bytes += size;
    }

    /// Forgets rows that are compacted or beyond the bounds; returns the first one that stays.
    fn trim(&mut self, compacted: u64) -> u64 {
        let slack = |limit: usize| limit.saturating_add(limit / 8);
        let overfull =
            self.sizes.len() > slack(self.max_events) || self.bytes > slack(self.max_bytes);
        for _ in 0..TRIM_ROWS {
            let over = self.sizes.len() > self.max_events || self.bytes > self.max_bytes;
            if !(self.first <= compacted || (overfull && over)) {
                break;
            }
            let Some(size) = self.sizes.pop_front() else {
                break;
            };
            self.bytes -= size;
            self.first += 1;
        }
        self.first
    }
}

impl Disk {
    /// Opens or creates the file; it is readable by its owner only.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<(Self, Restored)> {
        let file = open_file(path)?;
        let backend = FileBackend::new(file).at(path)?;
        Self::open_backend(path, backend, options)
    }

    pub(crate) fn open_backend(
        path: &Path,
        backend: impl StorageBackend,
        options: &Options,
    ) -> Result<(Self, Restored)> {
        // The engine trusts a file that was closed cleanly and may panic on garbage.
        std::panic::catch_unwind(AssertUnwindSafe(|| Self::load(path, backend, options)))
            .unwrap_or_else(|_panic| Err(corrupted(path, "the engine panicked reading it")))
    }

    fn load(
        path: &Path,
        backend: impl StorageBackend,
        options: &Options,
    ) -> Result<(Self, Restored)> {
        let database = Database::builder()
            .set_cache_size(CACHE_BYTES)
            // Whoever reads everything can as well check that it is what was written.
            .set_check_integrity_on_open(Self::file_bytes(path) < QUICK_REPAIR_FROM)
            .create_with_backend(backend)
            .at(path)?;
        prepare(path, &database)?;
        let restored = restore(path, &database)?;
        let mut log = LogExtent {
            first: restored.compacted + 1,
            sizes: VecDeque::new(),
            bytes: 0,
            max_events: options.log_events,
            max_bytes: options.log_bytes,
        };
        for event in &restored.events {
            log.push(row_size(event));
        }
        let mut disk = Self {
            path: path.to_owned(),
            database,
            log,
            quick_repair: false,
        };
        disk.note_size();
        Ok((disk, restored))
    }

    /// Writes events durably, all or nothing; `compacted` is history nobody needs any more.
    pub(crate) fn write(
        &mut self,
        events: &[Arc<Event>],
        revision: u64,
        compacted: u64,
    ) -> Result<()> {
        let path = self.path.clone();
        let mut transaction = self.database.begin_write().at(&path)?;
        transaction.set_quick_repair(self.quick_repair);
        for event in events {
            self.log.push(row_size(event));
        }
        let before = self.log.first;
        let first = self.log.trim(compacted);
        write_rows(&path, &transaction, events)?;
        if first != before {
            let mut log = transaction.open_table(LOG).at(&path)?;
            log.retain_in(..first, |_, _| false).at(&path)?;
        }
        {
            let mut meta = transaction.open_table(META).at(&path)?;
            meta.insert(META_REVISION, revision).at(&path)?;
            meta.insert(META_COMPACTED, first - 1).at(&path)?;
        }
        transaction.commit().at(&path)?;
        if first != before {
            self.note_size();
        }
        Ok(())
    }

    /// Closes the file, which makes the next opening quick.
    pub(crate) fn close(self) -> Result<()> {
        self.database.close().at(&self.path)
    }

    /// The size of the file in bytes.
    pub(crate) fn file_bytes(path: &Path) -> u64 {
        std::fs::metadata(path).map_or(0, |metadata| metadata.len())
    }

    fn note_size(&mut self) {
        self.quick_repair = Self::file_bytes(&self.path) >= QUICK_REPAIR_FROM;
    }
}

fn open_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.clone().create_new(true).open(path) {
        Ok(file) => {
            // The name has to survive a power loss as well as the contents.
            let directory = path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty());
            let directory = File::open(directory.unwrap_or_else(|| Path::new("."))).at(path)?;
            directory.sync_all().at(path)?;
            Ok(file)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            options.open(path).at(path)
        }
        Err(error) => Err(error).at(path),
    }
}

/// Creates the tables of a new file and refuses a format it does not know.
fn prepare(path: &Path, database: &Database) -> Result<()> {
    match format(path, database)? {
        Some(FORMAT) => return Ok(()),
        Some(found) => {
            let path = path.to_owned();
            return Err(Error::NewerFormat {
                path,
                found,
                supported: FORMAT,
            });
        }
        None => {}
    }
    let transaction = database.begin_write().at(path)?;
    {
        let mut meta = transaction.open_table(META).at(path)?;
        meta.insert(META_FORMAT, FORMAT).at(path)?;
        transaction.open_table(OBJECTS).at(path)?;
        transaction.open_table(LOG).at(path)?;
    }
    transaction.commit().at(path)
}

/// The format of a file; `None` for a new one.
fn format(path: &Path, database: &Database) -> Result<Option<u64>> {
    let transaction = database.begin_read().at(path)?;
    let meta = match transaction.open_table(META) {
        Err(TableError::TableDoesNotExist(_)) => {
            let mut others = transaction.list_tables().at(path)?;
            return match others.next() {
                None => Ok(None),
                Some(_) => Err(corrupted(path, "it is another program's file")),
            };
        }
        meta => meta.at(path)?,
    };
    let format = meta.get(META_FORMAT).at(path)?.map(|format| format.value());
    format
        .map(Some)
        .ok_or_else(|| corrupted(path, "it has no format"))
}

fn restore(path: &Path, database: &Database) -> Result<Restored> {
    let transaction = database.begin_read().at(path)?;
    let (revision, compacted) = {
        let meta = transaction.open_table(META).at(path)?;
        let number = |name: &str| meta.get(name).at(path).map(|n| n.map_or(0, |n| n.value()));
        (number(META_REVISION)?, number(META_COMPACTED)?)
    };
    let mut roots = Snapshot::default();
    let objects = transaction.open_table(OBJECTS).at(path)?;
    for entry in objects.iter().at(path)? {
        let (key, row) = entry.at(path)?;
        let (bucket, name) = key.value();
        let record = read_record(row.value());
        if record.mod_revision > revision {
            return Err(corrupted(path, "a record is newer than the store"));
        }
        roots.insert(&Key::new(bucket, name), Arc::new(record));
    }
    roots.set_revision(revision);
    let events = restore_events(path, &transaction, &roots, compacted)?;
    Ok(Restored {
        roots,
        events,
        compacted,
    })
}

/// Reads the log backwards, undoing it on a copy of the objects.
fn restore_events(
    path: &Path,
    transaction: &ReadTransaction,
    roots: &Snapshot,
    compacted: u64,
) -> Result<Vec<Arc<Event>>> {
    let log = transaction.open_table(LOG).at(path)?;
    let mut past = roots.clone();
    let mut events = Vec::new();
    for entry in log.iter().at(path)?.rev() {
        let (at, row) = entry.at(path)?;
        if at.value() != past.revision() {
            return Err(corrupted(path, "the log has a gap"));
        }
        let event = restore_event(at.value(), row.value(), &past)
            .ok_or_else(|| corrupted(path, "the log and the objects disagree"))?;
        past.undo(&event);
        events.push(Arc::new(event));
    }
    if past.revision() != compacted {
        return Err(corrupted(path, "the log is incomplete"));
    }
    events.reverse();
    Ok(events)
}

/// The event of a log row, given the state it led to; `None` if the two contradict each other.
fn restore_event(
    at: u64,
    (kind, bucket, name, replaced, last): RowOf<'_, LogRow>,
    after: &Snapshot,
) -> Option<Event> {
    let present = after.get(bucket, name);
    let previous = (replaced.2 > 0).then(|| Arc::new(read_record(replaced)));
    let (kind, record) = match kind {
        PUT => (
            EventKind::Put,
            present.filter(|record| record.mod_revision == at)?,
        ),
        DELETE | DELETE_WITH_STATE if present.is_none() => {
            let old = previous.as_ref()?;
            let value = if kind == DELETE {
                old.value.clone()
            } else {
                Bytes::copy_from_slice(last)
            };
            let last = Record::new(value, old.create_revision, at, old.version);
            (EventKind::Delete, Arc::new(last))
        }
        _ => return None,
    };
    Some(Event::new(
        at,
        Key::new(bucket, name),
        kind,
        record,
        previous,
    ))
}

fn read_record((created, modified, version, value): RowOf<'_, ObjectRow>) -> Record {
    Record::new(Bytes::copy_from_slice(value), created, modified, version)
}

fn record_row(record: &Record) -> RowOf<'_, ObjectRow> {
    (
        record.create_revision,
        record.mod_revision,
        record.version,
        &record.value,
    )
}

fn write_rows(path: &Path, transaction: &WriteTransaction, events: &[Arc<Event>]) -> Result<()> {
    let mut objects = transaction.open_table(OBJECTS).at(path)?;
    let mut log = transaction.open_table(LOG).at(path)?;
    for event in events {
        let (bucket, name) = (&*event.key.bucket, &*event.key.name);
        match event.kind {
            EventKind::Put => {
                objects
                    .insert((bucket, name), record_row(&event.record))
                    .at(path)?;
            }
            EventKind::Delete => {
                objects.remove((bucket, name)).at(path)?;
            }
        }
        let replaced = event
            .previous
            .as_deref()
            .map_or((0, 0, 0, &[][..]), record_row);
        let row = (log_kind(event), bucket, name, replaced, last_state(event));
        log.insert(event.revision, row).at(path)?;
    }
    Ok(())
}

fn log_kind(event: &Event) -> u8 {
    match event.kind {
        EventKind::Put => PUT,
        EventKind::Delete if has_own_state(event) => DELETE_WITH_STATE,
        EventKind::Delete => DELETE,
    }
}

fn last_state(event: &Event) -> &[u8] {
    if has_own_state(event) {
        &event.record.value
    } else {
        &[]
    }
}

fn has_own_state(event: &Event) -> bool {
    event.kind == EventKind::Delete
        && event
            .previous
            .as_ref()
            .is_none_or(|old| old.value != event.record.value)
}

fn row_size(event: &Event) -> usize {
    let replaced = event.previous.as_ref().map_or(0, |old| old.value.len());
    event.key.bucket.len() + event.key.name.len() + replaced + last_state(event).len() + 64
}

fn corrupted(path: &Path, reason: &str) -> Error {
    Error::Corrupted {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}
