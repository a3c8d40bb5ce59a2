//! Commits: atomicity, conditions, revisions.

use flybridge_store::{Error, EventKind, Expect, Key, Op, Options, Store, Value};
use futures::FutureExt;

use crate::engines::{delete, on_both, put, set};

#[test]
fn counts_revisions_and_versions_per_operation() {
    on_both(Options::default(), async |store| {
        let first = store
            .commit(vec![set("a", "1"), set("b", "1"), set("a", "2")])
            .await
            .unwrap();
        assert_eq!(first.revision, 3);
        let revisions: Vec<u64> = first.events.iter().map(|event| event.revision).collect();
        assert_eq!(revisions, [1, 2, 3]);
        let a = store.snapshot().get("things", "a").unwrap();
        assert_eq!((a.create_revision, a.mod_revision, a.version), (1, 3, 2));
        assert_eq!(&a.value[..], b"2");
        let gone = store
            .commit(vec![delete("a", Expect::Exists)])
            .await
            .unwrap();
        assert_eq!(gone.revision, 4);
        store.commit(vec![set("a", "3")]).await.unwrap();
        let a = store.snapshot().get("things", "a").unwrap();
        assert_eq!((a.create_revision, a.mod_revision, a.version), (5, 5, 1));
        assert_eq!(store.revision(), 5);
    });
}

#[test]
fn writes_the_revision_into_the_value() {
    on_both(Options::default(), async |store| {
        store
            .commit((0..9).map(|n| set("filler", &n.to_string())).collect())
            .await
            .unwrap();
        let key = Key::new("things", "x");
        let value = Value::with_revision("{\"rv\":\"", "\"}");
        let put = Op::Put {
            key: key.clone(),
            expect: Expect::Absent,
            value: value.clone(),
        };
        let committed = store.commit(vec![put]).await.unwrap();
        assert_eq!(&committed.events[0].record.value[..], b"{\"rv\":\"10\"}");
        let last = Op::Delete {
            key,
            expect: Expect::Revision(10),
            value: Some(value),
        };
        let committed = store.commit(vec![last]).await.unwrap();
        let event = &committed.events[0];
        assert_eq!(event.kind, EventKind::Delete);
        assert_eq!(&event.record.value[..], b"{\"rv\":\"11\"}");
        assert_eq!(
            (event.record.create_revision, event.record.mod_revision),
            (10, 11)
        );
        assert_eq!(
            &event.previous.as_ref().unwrap().value[..],
            b"{\"rv\":\"10\"}"
        );
        assert!(store.snapshot().get("things", "x").is_none());
    });
}

#[test]
fn a_failed_condition_undoes_the_whole_commit_and_names_the_operation() {
    on_both(Options::default(), async |store| {
        store.commit(vec![set("a", "old")]).await.unwrap();
        let outcome = store
            .commit(vec![
                set("a", "new"),
                set("b", "new"),
                put("things", "a", Expect::Revision(1), "newer"),
            ])
            .await;
        let Err(Error::Conflict { index, current }) = outcome else {
            panic!("expected a conflict, got {outcome:?}");
        };
        // The present state as the operation would have found it: changed by the first one.
        assert_eq!((index, current.unwrap().mod_revision), (2, 2));
        assert_eq!(store.revision(), 1);
        assert_eq!(
            &store.snapshot().get("things", "a").unwrap().value[..],
            b"old"
        );
        assert!(store.snapshot().get("things", "b").is_none());
        // The refused revisions are given out again, as nobody has seen them.
        assert_eq!(store.commit(vec![set("b", "x")]).await.unwrap().revision, 2);
    });
}

#[test]
fn holds_every_condition_to_present_and_absent_records() {
    on_both(Options::default(), async |store| {
        store.commit(vec![set("here", "1")]).await.unwrap();
        let cases = [
            ("here", Expect::Any, true),
            ("here", Expect::Exists, true),
            ("here", Expect::Absent, false),
            ("gone", Expect::Any, true),
            ("gone", Expect::Exists, false),
            ("gone", Expect::Absent, true),
            ("gone", Expect::Revision(1), false),
            ("gone", Expect::Revision(0), false),
        ];
        for (name, expect, holds) in cases {
            let put = store.commit(vec![put("things", name, expect, "2")]).await;
            assert_eq!(put.is_ok(), holds, "put {name} {expect:?}");
            store
                .commit(vec![delete("gone", Expect::Any)])
                .await
                .unwrap();
            let removal = store.commit(vec![delete(name, expect)]).await;
            assert_eq!(removal.is_ok(), holds, "delete {name} {expect:?}");
            store
                .commit(vec![set("here", "again"), delete("gone", Expect::Any)])
                .await
                .unwrap();
        }
        let wrong = store
            .commit(vec![delete("here", Expect::Revision(1))])
            .await;
        assert!(matches!(
            wrong,
            Err(Error::Conflict {
                index: 0,
                current: Some(_)
            })
        ));
    });
}

#[test]
fn removing_the_absent_and_committing_nothing_take_no_revision() {
    on_both(Options::default(), async |store| {
        store.commit(vec![set("a", "1")]).await.unwrap();
        let nothing = store.commit(vec![]).await.unwrap();
        assert_eq!((nothing.revision, nothing.events.len()), (1, 0));
        let absent = store.commit(vec![delete("b", Expect::Any)]).await.unwrap();
        assert_eq!((absent.revision, absent.events.len()), (1, 0));
    });
}

#[test]
fn concurrent_commits_of_one_key_let_exactly_one_win_each_revision() {
    on_both(Options::default(), async |store| {
        store.commit(vec![set("counter", "0")]).await.unwrap();
        let increments = (0..8).map(|_| async {
            let mut won = 0;
            while won < 10 {
                let seen = store.snapshot().get("things", "counter").unwrap();
                let next = std::str::from_utf8(&seen.value)
                    .unwrap()
                    .parse::<u64>()
                    .unwrap()
                    + 1;
                let expect = Expect::Revision(seen.mod_revision);
                let op = put("things", "counter", expect, &next.to_string());
                match store.commit(vec![op]).await {
                    Ok(_) => won += 1,
                    Err(Error::Conflict { .. }) => {}
                    Err(other) => panic!("{other}"),
                }
            }
        });
        futures::future::join_all(increments).await;
        let counter = store.snapshot().get("things", "counter").unwrap();
        assert_eq!(&counter.value[..], b"80");
        assert_eq!(store.revision(), 81);
    });
}

#[test]
fn a_closed_store_refuses_writes_and_still_answers_reads() {
    on_both(Options::default(), async |store| {
        store.commit(vec![set("a", "1")]).await.unwrap();
        store.close().await;
        store.close().await;
        let refused = store.commit(vec![set("a", "2")]).await;
        assert!(matches!(refused, Err(Error::Unavailable { .. })));
        assert_eq!(
            &store.snapshot().get("things", "a").unwrap().value[..],
            b"1"
        );
    });
}

#[test]
fn a_commit_in_memory_is_done_at_its_first_poll_and_not_before() {
    let store = Store::memory();
    drop(store.commit(vec![set("a", "1")]));
    assert_eq!(store.revision(), 0);
    let done = store.commit(vec![set("a", "1")]).now_or_never();
    assert_eq!(done.unwrap().unwrap().revision, 1);
}
