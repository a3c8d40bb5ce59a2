//! Reads: ranges, snapshots of the past, kept decoded forms.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use flybridge_store::{Error, Expect, Options};

use crate::engines::{delete, names, on_both, put, set, small_ring};

#[test]
fn lists_a_prefix_in_order_and_goes_on_after_a_name() {
    on_both(Options::default(), async |store| {
        let all = ["b/2", "a/1", "b/1", "b/10", "c", "a", "b"];
        store
            .commit(all.iter().map(|name| set(name, "x")).collect())
            .await
            .unwrap();
        store
            .commit(vec![put("others", "b/3", Expect::Any, "x")])
            .await
            .unwrap();
        assert_eq!(
            names(&store, "", None),
            ["a", "a/1", "b", "b/1", "b/10", "b/2", "c"]
        );
        assert_eq!(names(&store, "b/", None), ["b/1", "b/10", "b/2"]);
        assert_eq!(names(&store, "b/", Some("b/1")), ["b/10", "b/2"]);
        assert_eq!(
            names(&store, "b/", Some("b/11")),
            ["b/2"],
            "a name that is not there"
        );
        assert_eq!(names(&store, "b/", Some("a")), ["b/1", "b/10", "b/2"]);
        assert!(names(&store, "b/", Some("c")).is_empty());
        let snapshot = store.snapshot();
        assert_eq!(
            (snapshot.count("things", ""), snapshot.count("things", "b/")),
            (7, 3)
        );
        assert_eq!(snapshot.count("nowhere", ""), 0);
        let buckets: Vec<&str> = snapshot.buckets().map(AsRef::as_ref).collect();
        assert_eq!(buckets, ["others", "things"]);
    });
}

#[test]
fn a_snapshot_never_changes() {
    on_both(Options::default(), async |store| {
        store
            .commit(vec![set("a", "1"), set("b", "1")])
            .await
            .unwrap();
        let before = store.snapshot();
        store
            .commit(vec![set("a", "2"), delete("b", Expect::Any), set("c", "1")])
            .await
            .unwrap();
        assert_eq!(before.revision(), 2);
        assert_eq!(&before.get("things", "a").unwrap().value[..], b"1");
        assert_eq!(before.count("things", ""), 2);
    });
}

#[test]
fn rebuilds_the_past_until_it_is_compacted() {
    on_both(Options::default(), async |store| {
        for n in 1..=10_u64 {
            store.commit(vec![set("a", &n.to_string())]).await.unwrap();
        }
        let fifth = store.snapshot_at(5).unwrap();
        assert_eq!(fifth.revision(), 5);
        assert_eq!(&fifth.get("things", "a").unwrap().value[..], b"5");
        assert!(store.snapshot_at(0).unwrap().get("things", "a").is_none());
        let future = store.snapshot_at(11);
        assert!(matches!(
            future,
            Err(Error::Future {
                requested: 11,
                current: 10
            })
        ));
        store.compact(6);
        assert!(
            store.snapshot_at(5).is_ok(),
            "the oldest state that is left"
        );
        let gone = store.snapshot_at(4);
        assert!(matches!(
            gone,
            Err(Error::Compacted {
                requested: 4,
                oldest: 5
            })
        ));
        assert_eq!(store.stats().oldest, 5);
    });
}

#[test]
fn a_quiet_bucket_keeps_its_past_beside_a_busy_one() {
    on_both(small_ring(4), async |store| {
        store
            .commit(vec![put("quiet", "q", Expect::Any, "1")])
            .await
            .unwrap();
        store
            .commit(vec![put("quiet", "q", Expect::Any, "2")])
            .await
            .unwrap();
        for _ in 0..10 {
            store.commit(vec![set("busy", "x")]).await.unwrap();
        }
        assert!(matches!(
            store.snapshot_at(1),
            Err(Error::Compacted { oldest: 8, .. })
        ));
        let quiet = store.bucket_at("quiet", 1).unwrap();
        assert_eq!(&quiet.get("quiet", "q").unwrap().value[..], b"1");
        assert_eq!(quiet.count("things", ""), 0);
    });
}

#[test]
fn a_retained_snapshot_outlives_the_events_it_could_be_rebuilt_from() {
    on_both(small_ring(2), async |store| {
        store.commit(vec![set("a", "1")]).await.unwrap();
        store.retain(&store.snapshot());
        for _ in 0..10 {
            store.commit(vec![set("a", "x")]).await.unwrap();
        }
        assert_eq!(
            &store
                .snapshot_at(1)
                .unwrap()
                .get("things", "a")
                .unwrap()
                .value[..],
            b"1"
        );
        assert!(store.snapshot_at(2).is_err());
        store.compact(11);
        assert!(matches!(store.snapshot_at(1), Err(Error::Compacted { .. })));
    });
}

#[test]
fn keeps_one_decoded_form_beside_the_bytes() {
    on_both(Options::default(), async |store| {
        let committed = store.commit(vec![set("a", "12")]).await.unwrap();
        let record = store.snapshot().get("things", "a").unwrap();
        let runs = AtomicUsize::new(0);
        let parse = |bytes: &bytes::Bytes| {
            runs.fetch_add(1, Ordering::Relaxed);
            std::str::from_utf8(bytes).unwrap().parse::<u64>().unwrap()
        };
        let (one, two) = (record.memo(parse), committed.events[0].record.memo(parse));
        assert_eq!((*one, runs.load(Ordering::Relaxed)), (12, 1));
        assert!(
            Arc::ptr_eq(&one, &two),
            "the record in the event is the one in the snapshot"
        );
        assert_eq!(
            *record.memo(|bytes| bytes.len()),
            2,
            "a second type is computed"
        );
        assert_eq!((*record.memo(parse), runs.load(Ordering::Relaxed)), (12, 1));
    });
}
