//! The durable engine's file: reopening, locks, damage.

use std::fs::File;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use flybridge_store::{Error, Event, Expect, Key, Op, Options, Store, Value};
use tempfile::TempDir;

use crate::engines::{delete, put, set};

fn open(path: &Path) -> Store {
    Store::open_redb(path, Options::default()).unwrap()
}

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.redb");
    (directory, path)
}

/// Everything about an event that can be told apart.
fn describe(event: &Event) -> String {
    let (record, old) = (&event.record, event.previous.as_deref());
    let show = |record: &flybridge_store::Record| {
        let (created, modified) = (record.create_revision, record.mod_revision);
        format!("{created}/{modified}/{}={:?}", record.version, record.value)
    };
    let old = old.map_or_else(|| "nothing".to_owned(), show);
    format!(
        "{} {:?} {:?}: {old} to {}",
        event.revision,
        event.key,
        event.kind,
        show(record)
    )
}

fn history(store: &Store, bucket: &str, after: u64) -> Vec<String> {
    let mut watcher = store.watch(bucket, after).unwrap();
    let events = watcher.try_batch(usize::MAX).unwrap();
    events.iter().map(|event| describe(event)).collect()
}

/// Some of everything: creations, updates, removals with and without a last state, two buckets.
async fn write_history(store: &Store) {
    store
        .commit(vec![set("a", "1"), set("b", "1"), set("c", "1")])
        .await
        .unwrap();
    store
        .commit(vec![put("others", "x", Expect::Any, "1"), set("a", "2")])
        .await
        .unwrap();
    store
        .commit(vec![delete("b", Expect::Exists)])
        .await
        .unwrap();
    let last = Some(Value::with_revision("last ", ""));
    let removal = Op::Delete {
        key: Key::new("things", "c"),
        expect: Expect::Any,
        value: last,
    };
    store
        .commit(vec![removal, set("b", "2"), set("a", "3")])
        .await
        .unwrap();
}

#[tokio::test]
async fn reopening_brings_back_records_revision_history_and_past_states() {
    let (_directory, path) = place();
    let store = open(&path);
    write_history(&store).await;
    let before: Vec<_> = ["things", "others"]
        .map(|bucket| history(&store, bucket, 0))
        .into();
    drop(store);

    let store = open(&path);
    assert_eq!(store.revision(), 9);
    let after: Vec<_> = ["things", "others"]
        .map(|bucket| history(&store, bucket, 0))
        .into();
    assert_eq!(after, before);
    assert_eq!(
        history(&store, "things", 6).len(),
        3,
        "a watch resumes where it was"
    );
    let a = store.snapshot().get("things", "a").unwrap();
    assert_eq!((a.create_revision, a.mod_revision, a.version), (1, 9, 3));
    let past = store.snapshot_at(3).unwrap();
    let names: Vec<_> = past
        .range("things", "", None)
        .map(|(name, _)| name.as_ref())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(&past.get("things", "a").unwrap().value[..], b"1");
    assert!(past.get("others", "x").is_none());
    assert_eq!(
        store.commit(vec![set("d", "1")]).await.unwrap().revision,
        10
    );
    assert!(store.stats().file_bytes > 0);
}

#[tokio::test]
async fn keeps_a_bounded_log_and_refuses_watches_from_before_it() {
    let (_directory, path) = place();
    let options = Options {
        log_events: 100,
        ..Options::default()
    };
    let store = Store::open_redb(&path, options).unwrap();
    for n in 0..500 {
        store
            .commit(vec![set(&format!("{}", n % 7), "x")])
            .await
            .unwrap();
    }
    store.close().await;
    let store = Store::open_redb(&path, options).unwrap();
    let oldest = store.stats().oldest;
    assert!((380..=400).contains(&oldest), "{oldest}");
    assert!(matches!(
        store.watch("things", oldest - 1),
        Err(Error::Compacted { .. })
    ));
    assert_eq!(history(&store, "things", oldest).len() as u64, 500 - oldest);
    assert_eq!(store.snapshot().count("things", ""), 7);
}

#[tokio::test]
async fn keeps_a_log_bounded_in_bytes() {
    let (_directory, path) = place();
    let options = Options {
        log_bytes: 100_000,
        ..Options::default()
    };
    let store = Store::open_redb(&path, options).unwrap();
    let large = "x".repeat(5_000);
    for _ in 0..100 {
        store.commit(vec![set("a", &large)]).await.unwrap();
    }
    drop(store);
    let store = Store::open_redb(&path, options).unwrap();
    let kept = store.stats().events;
    assert!((15..=25).contains(&kept), "{kept}");
}

#[tokio::test]
async fn compaction_reaches_the_disk_with_later_commits() {
    let (_directory, path) = place();
    let store = open(&path);
    for _ in 0..50 {
        store.commit(vec![set("a", "x")]).await.unwrap();
    }
    store.compact(40);
    store.commit(vec![set("a", "y")]).await.unwrap();
    drop(store);
    let store = open(&path);
    assert_eq!(store.stats().oldest, 39);
    assert_eq!(history(&store, "things", 39).len(), 12);
}

#[tokio::test]
async fn a_second_opener_is_told_that_the_file_is_locked() {
    let (_directory, path) = place();
    let store = open(&path);
    let second = Store::open_redb(&path, Options::default());
    assert!(
        matches!(&second, Err(Error::Locked { path: told }) if *told == path),
        "{second:?}"
    );
    store.close().await;
    open(&path);
}

#[tokio::test]
async fn only_the_owner_can_read_the_file() {
    let (_directory, path) = place();
    let store = open(&path);
    store.commit(vec![set("a", "secret")]).await.unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn says_when_a_directory_may_not_be_written() {
    let (directory, path) = place();
    let read_only = std::fs::Permissions::from_mode(0o500);
    std::fs::set_permissions(directory.path(), read_only).unwrap();
    if File::create(directory.path().join("probe")).is_ok() {
        return; // The superuser may write anywhere.
    }
    let outcome = Store::open_redb(&path, Options::default());
    assert!(matches!(outcome, Err(Error::Denied { .. })), "{outcome:?}");
}

#[test]
fn says_when_the_directory_is_missing() {
    let (directory, _) = place();
    let path = directory.path().join("missing").join("store.redb");
    let outcome = Store::open_redb(&path, Options::default());
    assert!(matches!(outcome, Err(Error::Engine { .. })), "{outcome:?}");
    assert!(!path.exists());
}

#[test]
fn refuses_files_that_are_no_store() {
    let (directory, path) = place();
    std::fs::write(&path, "apiVersion: v1\n".repeat(1000)).unwrap();
    let outcome = Store::open_redb(&path, Options::default());
    assert!(
        matches!(outcome, Err(Error::Corrupted { .. })),
        "{outcome:?}"
    );

    let foreign = directory.path().join("foreign.redb");
    let table: redb::TableDefinition<'_, u64, u64> = redb::TableDefinition::new("theirs");
    let database = redb::Database::create(&foreign).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(table).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let outcome = Store::open_redb(&foreign, Options::default());
    assert!(
        matches!(outcome, Err(Error::Corrupted { .. })),
        "{outcome:?}"
    );
}

#[test]
fn refuses_a_newer_format() {
    let (_directory, path) = place();
    drop(open(&path));
    let database = redb::Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    let meta: redb::TableDefinition<'_, &str, u64> = redb::TableDefinition::new("meta");
    transaction
        .open_table(meta)
        .unwrap()
        .insert("format", 9)
        .unwrap();
    transaction.commit().unwrap();
    drop(database);
    let outcome = Store::open_redb(&path, Options::default());
    let newer = Error::NewerFormat {
        path,
        found: 9,
        supported: 1,
    };
    assert_eq!(outcome.unwrap_err().to_string(), newer.to_string());
}

#[tokio::test]
async fn damage_is_reported_and_never_ends_the_process() {
    let (directory, path) = place();
    let store = open(&path);
    for n in 0..200 {
        store
            .commit(vec![set(&format!("{n}"), &"value".repeat(100))])
            .await
            .unwrap();
    }
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    let damaged = directory.path().join("damaged.redb");
    let (mut refused, mut unharmed) = (0, 0);
    for part in 0..64 {
        std::fs::write(&damaged, &whole).unwrap();
        let file = File::options().write(true).open(&damaged).unwrap();
        if part % 8 == 7 {
            file.set_len(whole.len() as u64 * part / 64).unwrap();
        } else {
            let offset = whole.len() as u64 * part / 64;
            file.write_all_at(&[0xA5; 2048], offset).unwrap();
        }
        drop(file);
        match Store::open_redb(&damaged, Options::default()) {
            Ok(store) => unharmed += usize::from(is_whole(&store)),
            Err(Error::Corrupted { .. } | Error::Engine { .. } | Error::NewerFormat { .. }) => {
                refused += 1;
            }
            Err(other) => panic!("part {part}: {other}"),
        }
    }
    assert_eq!(
        refused + unharmed,
        64,
        "damage went unnoticed: {refused} refused, {unharmed} whole"
    );
    assert!(refused > 4, "{refused}");
}

fn is_whole(store: &Store) -> bool {
    let snapshot = store.snapshot();
    let value = "value".repeat(100);
    let mut records = snapshot.range("things", "", None);
    snapshot.count("things", "") == 200 && records.all(|(_, record)| record.value == value)
}
