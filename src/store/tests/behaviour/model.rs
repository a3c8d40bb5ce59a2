//! Random histories against a plain map that remembers every state.

use std::collections::BTreeMap;

use flybridge_store::{Error, EventKind, Expect, Key, Op, Options, Snapshot, Store, Value};
use proptest::prelude::*;

const BUCKETS: [&str; 2] = ["p", "q"];

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    value: String,
    created: u64,
    modified: u64,
    version: u64,
}

type State = BTreeMap<(usize, String), Entry>;

/// What a watcher must see: revision, kind, name, new and old value.
type Change = (u64, EventKind, String, String, Option<String>);

#[derive(Clone, Debug)]
struct ModelOp {
    bucket: usize,
    name: String,
    expect: Wanted,
    /// `None` removes.
    value: Option<String>,
    stamped: bool,
}

#[derive(Clone, Copy, Debug)]
enum Wanted {
    Any,
    Absent,
    Exists,
    /// The revision the model holds for the key, plus this.
    Current(u64),
}

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<ModelOp>),
    Compact(u64),
    Reopen,
}

/// The same history in the simplest form.
#[derive(Default)]
struct Model {
    revision: u64,
    compacted: u64,
    state: State,
    past: BTreeMap<u64, State>,
    changes: [Vec<Change>; 2],
}

impl Model {
    fn expectation(&self, op: &ModelOp, scratch: &State) -> Expect {
        let current = scratch.get(&(op.bucket, op.name.clone()));
        match op.expect {
            Wanted::Any => Expect::Any,
            Wanted::Absent => Expect::Absent,
            Wanted::Exists => Expect::Exists,
            Wanted::Current(off) => {
                Expect::Revision(current.map_or(self.revision, |entry| entry.modified) + off)
            }
        }
    }

    /// The operations for the store, and the index that must conflict.
    fn commit(&mut self, ops: &[ModelOp]) -> (Vec<Op>, Option<usize>) {
        let (mut state, mut revision) = (self.state.clone(), self.revision);
        let mut states = Vec::new();
        let mut changes: Vec<(usize, Change)> = Vec::new();
        let (mut real, mut conflict) = (Vec::new(), None);
        for (index, op) in ops.iter().enumerate() {
            let expect = self.expectation(op, &state);
            real.push(real_op(op, expect));
            if conflict.is_some() {
                continue;
            }
            let key = (op.bucket, op.name.clone());
            let current = state.get(&key).cloned();
            let holds = match expect {
                Expect::Any => true,
                Expect::Absent => current.is_none(),
                Expect::Exists => current.is_some(),
                Expect::Revision(wanted) => current
                    .as_ref()
                    .is_some_and(|entry| entry.modified == wanted),
            };
            if !holds {
                conflict = Some(index);
                continue;
            }
            if op.value.is_none() && current.is_none() {
                continue;
            }
            revision += 1;
            let old = current.as_ref().map(|entry| entry.value.clone());
            let value = op.value.clone().or_else(|| old.clone()).unwrap_or_default();
            let value = if op.stamped {
                format!("{value}{revision}")
            } else {
                value
            };
            let kind = if op.value.is_some() {
                EventKind::Put
            } else {
                EventKind::Delete
            };
            changes.push((
                op.bucket,
                (revision, kind, op.name.clone(), value.clone(), old),
            ));
            if kind == EventKind::Put {
                let created = current.as_ref().map_or(revision, |entry| entry.created);
                let version = current.as_ref().map_or(1, |entry| entry.version + 1);
                state.insert(
                    key,
                    Entry {
                        value,
                        created,
                        modified: revision,
                        version,
                    },
                );
            } else {
                state.remove(&key);
            }
            states.push((revision, state.clone()));
        }
        if conflict.is_none() {
            (self.state, self.revision) = (state, revision);
            self.past.extend(states);
            for (bucket, change) in changes {
                self.changes[bucket].push(change);
            }
        }
        (real, conflict)
    }
}

fn real_op(op: &ModelOp, expect: Expect) -> Op {
    let key = Key::new(BUCKETS[op.bucket], op.name.as_str());
    match (&op.value, op.stamped) {
        (Some(value), false) => Op::Put {
            key,
            expect,
            value: Value::plain(value.clone()),
        },
        (Some(value), true) => Op::Put {
            key,
            expect,
            value: Value::with_revision(value.clone(), ""),
        },
        (None, _) => Op::Delete {
            key,
            expect,
            value: None,
        },
    }
}

fn read(snapshot: &Snapshot) -> State {
    let mut state = State::new();
    for (bucket, name) in BUCKETS.iter().enumerate() {
        for (key, record) in snapshot.range(name, "", None) {
            let entry = Entry {
                value: String::from_utf8(record.value.to_vec()).unwrap(),
                created: record.create_revision,
                modified: record.mod_revision,
                version: record.version,
            };
            state.insert((bucket, key.as_ref().to_owned()), entry);
        }
    }
    state
}

fn replay(store: &Store, bucket: usize, after: u64) -> Result<Vec<Change>, Error> {
    let mut watcher = store.watch(BUCKETS[bucket], after)?;
    let text = |bytes: &bytes::Bytes| String::from_utf8(bytes.to_vec()).unwrap();
    let events = watcher.try_batch(usize::MAX)?;
    let changes = events.iter().map(|event| {
        let old = event.previous.as_ref().map(|old| text(&old.value));
        let name = event.key.name.as_ref().to_owned();
        (
            event.revision,
            event.kind,
            name,
            text(&event.record.value),
            old,
        )
    });
    Ok(changes.collect())
}

fn check(store: &Store, model: &Model) {
    assert_eq!(store.revision(), model.revision);
    assert_eq!(read(&store.snapshot()), model.state);
    for revision in 0..=model.revision {
        let empty = State::new();
        let expected = model.past.get(&revision).unwrap_or(&empty);
        match store.snapshot_at(revision) {
            Ok(snapshot) => assert_eq!(&read(&snapshot), expected, "state at {revision}"),
            Err(Error::Compacted { oldest, .. }) => {
                assert!(revision < model.compacted && oldest == model.compacted);
            }
            Err(other) => panic!("{other}"),
        }
        for bucket in 0..BUCKETS.len() {
            match replay(store, bucket, revision) {
                Ok(seen) => {
                    let all = model.changes[bucket].iter();
                    let expected: Vec<_> = all.filter(|change| change.0 > revision).collect();
                    assert_eq!(
                        seen.iter().collect::<Vec<_>>(),
                        expected,
                        "watch after {revision}"
                    );
                }
                Err(Error::Compacted { .. }) => assert!(revision < model.compacted),
                Err(other) => panic!("{other}"),
            }
        }
    }
}

async fn run(steps: &[Step], mut store: Store, reopen: Option<&std::path::Path>) {
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Commit(ops) => {
                let (ops, conflict) = model.commit(ops);
                match (store.commit(ops).await, conflict) {
                    (Ok(committed), None) => assert_eq!(committed.revision, model.revision),
                    (Err(Error::Conflict { index, .. }), Some(expected)) => {
                        assert_eq!(index, expected);
                    }
                    (got, wanted) => panic!("got {got:?}, wanted conflict {wanted:?}"),
                }
            }
            Step::Compact(part) => {
                let before = model.revision * part / 100;
                store.compact(before);
                model.compacted = model.compacted.max(before.saturating_sub(1));
            }
            Step::Reopen => {
                let Some(path) = reopen else { continue };
                // Compaction reaches the disk with the next commit only.
                let bump = vec![ModelOp {
                    bucket: 0,
                    name: "bump".to_owned(),
                    expect: Wanted::Any,
                    value: Some("x".to_owned()),
                    stamped: false,
                }];
                store.commit(model.commit(&bump).0).await.unwrap();
                store.close().await;
                store = Store::open_redb(path, Options::default()).unwrap();
            }
        }
    }
    check(&store, &model);
}

fn model_op() -> impl Strategy<Value = ModelOp> {
    let expect = prop_oneof![
        6 => Just(Wanted::Any),
        2 => Just(Wanted::Absent),
        2 => Just(Wanted::Exists),
        3 => Just(Wanted::Current(0)),
        1 => Just(Wanted::Current(1)),
    ];
    let value = prop_oneof![3 => "[a-z]{0,4}".prop_map(Some), 1 => Just(None)];
    (0..2_usize, "[abc]{1,2}", expect, value, any::<bool>()).prop_map(
        |(bucket, name, expect, value, stamped)| {
            let stamped = stamped && value.is_some();
            ModelOp {
                bucket,
                name,
                expect,
                value,
                stamped,
            }
        },
    )
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => prop::collection::vec(model_op(), 1..4).prop_map(Step::Commit),
        1 => (0..=100_u64).prop_map(Step::Compact),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..40)
}

fn block_on(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_behaves_like_the_model(steps in steps()) {
        block_on(run(&steps, Store::memory(), None));
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn redb_behaves_like_the_model(steps in steps()) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.redb");
        let store = Store::open_redb(&path, Options::default()).unwrap();
        block_on(run(&steps, store, Some(&path)));
    }
}
