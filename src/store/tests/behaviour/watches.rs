//! Watches: order, resumption, lag, progress.

use std::sync::Arc;

use flybridge_store::{Error, EventKind, Expect, Options, Watcher};
use futures::FutureExt;

use crate::engines::{delete, on_both, put, set, small_ring};

/// Revisions of everything that is there.
fn revisions(watcher: &mut Watcher) -> Vec<u64> {
    let events = watcher.try_batch(usize::MAX).unwrap();
    events.iter().map(|event| event.revision).collect()
}

#[test]
fn delivers_the_events_of_its_bucket_in_order_with_old_and_new_state() {
    on_both(Options::default(), async |store| {
        let mut watcher = store.watch("things", 0).unwrap();
        store
            .commit(vec![set("a", "1"), put("others", "x", Expect::Any, "1")])
            .await
            .unwrap();
        store.commit(vec![set("a", "2")]).await.unwrap();
        store.commit(vec![delete("a", Expect::Any)]).await.unwrap();
        let mut seen = Vec::new();
        for _ in 0..3 {
            let event = watcher.next().await.unwrap().unwrap();
            let old = event.previous.as_ref().map(|old| old.value.clone());
            seen.push((event.revision, event.kind, event.record.value.clone(), old));
        }
        let (one, two) = (bytes::Bytes::from("1"), bytes::Bytes::from("2"));
        let expected = [
            (1, EventKind::Put, one.clone(), None),
            (3, EventKind::Put, two.clone(), Some(one)),
            (4, EventKind::Delete, two.clone(), Some(two)),
        ];
        assert_eq!(seen, expected);
        assert!(watcher.try_next().unwrap().is_none());
    });
}

#[test]
fn resumes_after_any_kept_revision_and_waits_for_future_ones() {
    on_both(Options::default(), async |store| {
        for _ in 0..6 {
            store.commit(vec![set("a", "x")]).await.unwrap();
        }
        assert_eq!(revisions(&mut store.watch("things", 4).unwrap()), [5, 6]);
        let mut ahead = store.watch("things", 7).unwrap();
        store
            .commit(vec![set("a", "x"), set("a", "x")])
            .await
            .unwrap();
        assert_eq!(revisions(&mut ahead), [8]);
        store.compact(4);
        assert_eq!(
            revisions(&mut store.watch("things", 3).unwrap()),
            [4, 5, 6, 7, 8]
        );
        let gone = store.watch("things", 2);
        assert!(matches!(
            gone,
            Err(Error::Compacted {
                requested: 2,
                oldest: 3
            })
        ));
        let unknown = store.watch("nothing here", 2);
        assert!(matches!(unknown, Err(Error::Compacted { .. })));
    });
}

#[test]
fn a_watcher_that_reads_too_slowly_lags_and_stays_lagged() {
    on_both(small_ring(5), async |store| {
        let mut slow = store.watch("things", 0).unwrap();
        let mut prompt = store.watch("things", 0).unwrap();
        for n in 1..=20 {
            store.commit(vec![set("a", "x")]).await.unwrap();
            assert_eq!(prompt.next().await.unwrap().unwrap().revision, n);
        }
        assert!(matches!(slow.next().await, Err(Error::Lagged)));
        assert!(matches!(slow.try_next(), Err(Error::Lagged)));
        assert!(matches!(slow.try_batch(3), Err(Error::Lagged)));
        assert!(matches!(
            store.watch("things", 14),
            Err(Error::Compacted { oldest: 15, .. })
        ));
        assert_eq!(
            revisions(&mut store.watch("things", 15).unwrap()),
            [16, 17, 18, 19, 20]
        );
    });
}

#[test]
fn a_ring_is_bounded_in_bytes_too() {
    let mut options = small_ring(1000);
    options.ring.bytes = 10_000;
    on_both(options, async |store| {
        let large = "x".repeat(3000);
        for _ in 0..10 {
            store.commit(vec![set("a", &large)]).await.unwrap();
        }
        let stats = store.stats();
        assert_eq!((stats.events, stats.oldest), (3, 7));
        assert!(stats.event_bytes <= 10_000, "{stats:?}");
        store
            .commit(vec![set("a", &"x".repeat(20_000))])
            .await
            .unwrap();
        assert_eq!(store.stats().events, 1, "the newest is always kept");
    });
}

#[test]
fn compaction_does_not_harm_a_watcher_that_has_missed_nothing() {
    on_both(Options::default(), async |store| {
        store.commit(vec![set("a", "x")]).await.unwrap();
        let mut quiet = store.watch("things", 1).unwrap();
        for _ in 0..10 {
            store
                .commit(vec![put("others", "x", Expect::Any, "x")])
                .await
                .unwrap();
        }
        store.compact(10);
        assert!(quiet.try_next().unwrap().is_none());
        store.commit(vec![set("a", "y")]).await.unwrap();
        assert_eq!(quiet.next().await.unwrap().unwrap().revision, 12);
    });
}

#[test]
fn tells_how_far_it_is_synced() {
    on_both(Options::default(), async |store| {
        let mut watcher = store.watch("things", 0).unwrap();
        assert_eq!(watcher.synced_to(), 0);
        store
            .commit(vec![set("a", "x"), set("a", "y")])
            .await
            .unwrap();
        store
            .commit(vec![put("others", "x", Expect::Any, "x")])
            .await
            .unwrap();
        assert_eq!(watcher.synced_to(), 0, "two events are waiting");
        watcher.next().await.unwrap();
        assert_eq!(watcher.synced_to(), 1);
        watcher.next().await.unwrap();
        assert_eq!(watcher.synced_to(), 3, "the third is of another bucket");
    });
}

#[test]
fn waiting_can_be_cancelled_without_losing_an_event() {
    on_both(Options::default(), async |store| {
        let mut watcher = store.watch("things", 0).unwrap();
        for revision in 1..=50 {
            assert!(watcher.next().now_or_never().is_none());
            store.commit(vec![set("a", "x")]).await.unwrap();
            assert_eq!(watcher.next().await.unwrap().unwrap().revision, revision);
        }
    });
}

#[test]
fn wakes_many_waiting_watchers_and_shares_their_frame() {
    on_both(Options::default(), async |store| {
        let mut watchers: Vec<Watcher> =
            (0..20).map(|_| store.watch("things", 0).unwrap()).collect();
        let waiting = futures::future::join_all(watchers.iter_mut().map(Watcher::next));
        let (seen, written) = tokio::join!(waiting, store.commit(vec![set("a", "x")]));
        let written = Arc::clone(&written.unwrap().events[0]);
        let frame = written.memo(|event| format!("{}:{}", event.key.name, event.revision));
        for event in seen {
            let event = event.unwrap().unwrap();
            let shared = event.memo(|_| panic!("the frame is there: {}", "twice"));
            let shared: Arc<String> = shared;
            assert!(Arc::ptr_eq(&shared, &frame));
        }
        assert_eq!(*frame, "a:1");
    });
}

#[test]
fn a_closed_store_ends_watches_after_their_last_event() {
    on_both(Options::default(), async |store| {
        let mut watcher = store.watch("things", 0).unwrap();
        store.commit(vec![set("a", "x")]).await.unwrap();
        store.close().await;
        assert_eq!(watcher.next().await.unwrap().unwrap().revision, 1);
        assert!(watcher.next().await.unwrap().is_none());
    });
}
