//! Kills a process that writes, again and again, and looks at what it left behind.
//!
//! `CRASH_ROUNDS` sets the number of rounds, `CRASH_SEED` repeats the delays of a failed run.
#![cfg(test)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use flybridge_base::Ids;
use flybridge_store::{EventKind, Expect, Key, Op, Options, RingLimits, Snapshot, Store, Value};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{ChildStdout, Command};
use tokio::time::Instant;

const CHILD: &str = "CRASH_CHILD_STORE";
const WRITERS: u64 = 6;
const BUCKET: &str = "numbers";
const PAIRS: &str = "pairs";
const FLICKER: &str = "flicker";

fn options() -> Options {
    let ring = RingLimits {
        events: 100_000,
        ..RingLimits::default()
    };
    Options {
        ring,
        log_events: 1_000,
        ..Options::default()
    }
}

fn put(bucket: &str, name: &str, sequence: u64) -> Op {
    let filling = "filling".repeat(usize::try_from(sequence % 97).unwrap());
    Op::Put {
        key: Key::new(bucket, name),
        expect: Expect::Any,
        value: Value::with_revision(format!("{sequence} "), format!(" {filling}")),
    }
}

/// The sequence number in a value; the revision in it must be the record's.
fn sequence(snapshot: &Snapshot, bucket: &str, name: &str) -> u64 {
    let Some(record) = snapshot.get(bucket, name) else {
        return 0;
    };
    let text = std::str::from_utf8(&record.value).unwrap();
    let mut words = text.split(' ');
    let sequence = words.next().unwrap().parse().unwrap();
    assert_eq!(words.next().unwrap(), record.mod_revision.to_string());
    sequence
}

/// One task of the child: counts up in its own key, in a pair of keys, and in one that comes and
/// goes; says what was acknowledged.
async fn write_forever(store: &Store, writer: u64) {
    let name = format!("writer-{writer}");
    let mut next = sequence(&store.snapshot(), BUCKET, &name) + 1;
    loop {
        let mut ops = vec![put(BUCKET, &name, next)];
        match next % 4 {
            1 => ops.extend(["left", "right"].map(|side| {
                let name = format!("{name}/{side}");
                put(PAIRS, &name, next)
            })),
            2 => ops.push(put(FLICKER, &name, next)),
            3 => ops.push(Op::Delete {
                key: Key::new(FLICKER, name.as_str()),
                expect: Expect::Any,
                value: None,
            }),
            _ => {}
        }
        let committed = store.commit(ops).await.unwrap();
        let mut line = format!("ack {name} {next}");
        for event in &committed.events {
            write!(line, " {}", event.revision).unwrap();
        }
        println!("{line}");
        next += 1;
    }
}

#[tokio::test]
#[ignore = "the crash test runs it as a child process"]
async fn child_writes_until_it_is_killed() {
    let path = std::env::var(CHILD).expect("the crash test says where to write");
    let store = Store::open_redb(path, options()).unwrap();
    println!("\nready {}", store.revision());
    let writers = (0..WRITERS).map(|writer| write_forever(&store, writer));
    futures::future::join_all(writers).await;
}

struct Acknowledged {
    writer: String,
    sequence: u64,
    revisions: Vec<u64>,
}

fn parse(line: &str) -> Option<Acknowledged> {
    let mut words = line.strip_prefix("ack ")?.split(' ');
    let (writer, sequence) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
    let revisions = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    Some(Acknowledged {
        writer,
        sequence,
        revisions,
    })
}

async fn next_line(lines: &mut Lines<BufReader<ChildStdout>>) -> Option<String> {
    lines.next_line().await.unwrap()
}

/// Runs the child and kills it a while after it began to write.
async fn run_and_kill(path: &Path, activity: Duration) -> Vec<Acknowledged> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["child_writes_until_it_is_killed", "--exact", "--ignored"])
        .arg("--nocapture")
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while !next_line(&mut lines)
        .await
        .expect("the child ended")
        .starts_with("ready ")
    {}
    let mut acknowledged = Vec::new();
    let end = Instant::now() + activity;
    while let Ok(line) = tokio::time::timeout_at(end, next_line(&mut lines)).await {
        acknowledged.extend(parse(&line.expect("the child ended")));
    }
    child.start_kill().unwrap();
    // What it had said before it died counts. The last line may be cut short.
    let mut rest = Vec::new();
    while let Some(line) = next_line(&mut lines).await {
        rest.push(line);
    }
    child.wait().await.unwrap();
    acknowledged.extend(rest.iter().filter_map(|line| parse(line)));
    acknowledged
}

/// Everything in a snapshot: bucket and name to revision and value.
fn contents(snapshot: &Snapshot) -> BTreeMap<(String, String), (u64, bytes::Bytes)> {
    let mut all = BTreeMap::new();
    for bucket in snapshot.buckets() {
        for (name, record) in snapshot.range(bucket, "", None) {
            let key = (bucket.as_ref().to_owned(), name.as_ref().to_owned());
            all.insert(key, (record.mod_revision, record.value.clone()));
        }
    }
    all
}

/// The log, replayed on the oldest state, leads to the present one without a gap.
fn log_leads_to_objects(store: &Store) {
    let oldest = store.stats().oldest;
    let mut state = contents(&store.snapshot_at(oldest).unwrap());
    let mut events = Vec::new();
    for bucket in [BUCKET, PAIRS, FLICKER] {
        let mut watcher = store.watch(bucket, oldest).unwrap();
        events.extend(watcher.try_batch(usize::MAX).unwrap());
    }
    events.sort_by_key(|event| event.revision);
    let revisions: Vec<u64> = events.iter().map(|event| event.revision).collect();
    let expected: Vec<u64> = (oldest + 1..=store.revision()).collect();
    assert_eq!(revisions, expected, "revisions in the log");
    for event in events {
        let (bucket, name) = (event.key.bucket.as_ref(), event.key.name.as_ref());
        let key = (bucket.to_owned(), name.to_owned());
        let old = match event.kind {
            EventKind::Put => {
                let value = event.record.value.clone();
                state.insert(key, (event.record.mod_revision, value))
            }
            EventKind::Delete => state.remove(&key),
        };
        let previous = event.previous.as_ref();
        assert_eq!(
            old,
            previous.map(|old| (old.mod_revision, old.value.clone()))
        );
    }
    assert_eq!(state, contents(&store.snapshot()));
}

/// What must hold of the file a killed process left.
fn check(path: &Path, acknowledged: &[Acknowledged], highest_before: u64) -> u64 {
    let store = Store::open_redb(path, options()).unwrap();
    let snapshot = store.snapshot();
    let mut revisions: Vec<u64> = Vec::new();
    for write in acknowledged {
        revisions.extend(&write.revisions);
        let found = sequence(&snapshot, BUCKET, &write.writer);
        assert!(
            found >= write.sequence,
            "{} lost {}",
            write.writer,
            write.sequence
        );
        if found == write.sequence {
            let record = snapshot.get(BUCKET, &write.writer).unwrap();
            assert_eq!(record.mod_revision, write.revisions[0]);
        }
    }
    let count = revisions.len();
    revisions.sort_unstable();
    revisions.dedup();
    assert_eq!(revisions.len(), count, "a revision was given out twice");
    assert!(
        revisions
            .first()
            .is_none_or(|first| *first > highest_before),
        "went back"
    );
    assert!(
        revisions
            .last()
            .is_none_or(|last| *last <= store.revision()),
        "revision lost"
    );
    for writer in 0..WRITERS {
        let side = |side: &str| sequence(&snapshot, PAIRS, &format!("writer-{writer}/{side}"));
        assert_eq!(side("left"), side("right"), "a commit was torn");
    }
    log_leads_to_objects(&store);
    store.revision()
}

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().expect("a number"))
}

#[tokio::test]
async fn acknowledged_writes_survive_a_kill_at_any_moment() {
    let rounds = setting("CRASH_ROUNDS").unwrap_or(200);
    let seed = setting("CRASH_SEED").unwrap_or_else(|| Ids::random().below(u64::MAX));
    eprintln!("CRASH_SEED={seed}");
    let ids = Ids::seeded(seed);
    // A kill loses nothing the kernel has, so a file system in memory tells the same and lets the
    // child do more in its short life; what a power loss does is tested in the crate.
    let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let directory = directory.unwrap();
    let path = directory.path().join("store.redb");
    let (mut highest, mut total) = (0, 0);
    for _ in 0..rounds {
        let activity = Duration::from_micros(5_000 + ids.below(35_000));
        let acknowledged = run_and_kill(&path, activity).await;
        total += acknowledged.len();
        highest = check(&path, &acknowledged, highest);
    }
    assert!(
        total as u64 >= rounds,
        "the child hardly wrote: {total} in {rounds} rounds"
    );
    eprintln!("{total} acknowledged commits, revision {highest}");
}
