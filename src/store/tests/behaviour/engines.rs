//! The engines under test, and short ways to say operations.

use std::future::Future;

use flybridge_store::{Expect, Key, Op, Options, RingLimits, Store, Value};

/// Runs a test on a store in memory and on one on disk.
pub(crate) fn on_both<F, Done>(options: Options, test: F)
where
    F: Fn(Store) -> Done,
    Done: Future<Output = ()>,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(test(Store::memory_with(options)));
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open_redb(directory.path().join("store.redb"), options).unwrap();
    runtime.block_on(test(store));
}

/// Default options with a ring of few events.
pub(crate) fn small_ring(events: usize) -> Options {
    let ring = RingLimits {
        events,
        ..RingLimits::default()
    };
    Options {
        ring,
        ..Options::default()
    }
}

pub(crate) fn put(bucket: &str, name: &str, expect: Expect, value: &str) -> Op {
    Op::Put {
        key: Key::new(bucket, name),
        expect,
        value: Value::plain(value.to_owned()),
    }
}

pub(crate) fn set(name: &str, value: &str) -> Op {
    put("things", name, Expect::Any, value)
}

pub(crate) fn delete(name: &str, expect: Expect) -> Op {
    Op::Delete {
        key: Key::new("things", name),
        expect,
        value: None,
    }
}

/// The names of a range.
pub(crate) fn names(store: &Store, prefix: &str, after: Option<&str>) -> Vec<String> {
    let snapshot = store.snapshot();
    snapshot
        .range("things", prefix, after)
        .map(|(name, _)| name.as_ref().to_owned())
        .collect()
}
