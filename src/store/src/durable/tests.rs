//! Faults the engine cannot be made to show from outside: failed syncs and lost writes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::test_runner::{RngSeed, TestRng, TestRunner};
use redb::StorageBackend;

use super::*;
use crate::{Expect, Key, Options, Store, Value};

/// A device with a volatile cache: what is not synced may be lost or kept, page by page.
#[derive(Debug, Default)]
struct Device {
    image: Mutex<Image>,
    failing: AtomicBool,
}

#[derive(Clone, Debug, Default)]
struct Image {
    synced: Vec<u8>,
    cached: Vec<u8>,
    /// Writes since the last sync.
    pending: Vec<(usize, Vec<u8>)>,
}

#[derive(Clone, Debug)]
struct Attached(Arc<Device>);

impl StorageBackend for Attached {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.image.lock().cached.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).unwrap();
        let image = self.0.image.lock();
        let found = image.cached.get(offset..offset + out.len());
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).unwrap();
        let mut image = self.0.image.lock();
        image.cached.resize(len, 0);
        image.synced.resize(len, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.0.failing.load(Ordering::Relaxed) {
            return Err(io::Error::other("the device is on fire"));
        }
        let mut image = self.0.image.lock();
        image.pending.clear();
        image.synced = image.cached.clone();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).unwrap();
        let mut image = self.0.image.lock();
        image.cached[offset..offset + data.len()].copy_from_slice(data);
        image.pending.push((offset, data.to_vec()));
        Ok(())
    }
}

impl Device {
    /// The device after a power loss: of the writes since the last sync, `keep` decides.
    fn after_power_loss(image: Image, mut keep: impl FnMut() -> bool) -> Arc<Self> {
        let mut synced = image.synced;
        for (offset, data) in image.pending {
            for (index, chunk) in data.chunks(512).enumerate() {
                if keep() {
                    let start = offset + index * 512;
                    synced[start..start + chunk.len()].copy_from_slice(chunk);
                }
            }
        }
        let image = Image {
            cached: synced.clone(),
            synced,
            pending: Vec::new(),
        };
        Arc::new(Self {
            image: Mutex::new(image),
            failing: AtomicBool::new(false),
        })
    }
}

fn open(device: &Arc<Device>) -> Store {
    let options = Options::default();
    let backend = Attached(Arc::clone(device));
    let (disk, restored) = Disk::open_backend(Path::new("device"), backend, &options).unwrap();
    Store::restored(PathBuf::new(), disk, restored, &options).unwrap()
}

fn put(name: &str, value: &str, expect: Expect) -> Op {
    let value = Value::plain(value.to_owned());
    Op::Put {
        key: Key::new("things", name),
        expect,
        value,
    }
}

#[tokio::test]
async fn a_failed_sync_refuses_this_write_and_all_later_ones() {
    let device = Arc::default();
    let store = open(&device);
    let mut watcher = store.watch("things", 0).unwrap();
    store
        .commit(vec![put("a", "kept", Expect::Any)])
        .await
        .unwrap();
    device.failing.store(true, Ordering::Relaxed);
    let failed = store.commit(vec![put("a", "lost", Expect::Any)]).await;
    let Err(Error::Unavailable { reason }) = failed else {
        panic!("got {failed:?}")
    };
    assert!(reason.contains("on fire"), "{reason}");

    device.failing.store(false, Ordering::Relaxed);
    let later = store.commit(vec![put("b", "later", Expect::Any)]).await;
    assert!(
        matches!(later, Err(Error::Unavailable { .. })),
        "a healthy device changes nothing"
    );
    assert_eq!(store.revision(), 1);
    assert_eq!(
        &store.snapshot().get("things", "a").unwrap().value[..],
        b"kept"
    );
    assert_eq!(
        watcher.try_batch(9).unwrap().len(),
        1,
        "nobody saw what is not durable"
    );
    store.close().await;
    let store = open(&Device::after_power_loss(
        device.image.lock().clone(),
        || false,
    ));
    assert_eq!(
        &store.snapshot().get("things", "a").unwrap().value[..],
        b"kept"
    );
}

/// Cuts the power at every moment of a history, with random parts of the cache surviving.
#[tokio::test]
async fn acknowledged_writes_survive_a_power_loss_at_any_moment() {
    let seed = 0x5EED;
    let mut runner = TestRunner::new(proptest::test_runner::Config {
        rng_seed: RngSeed::Fixed(seed),
        ..Default::default()
    });
    let mut random: TestRng = runner.new_rng();
    let mut device = Arc::new(Device::default());
    let mut acknowledged = 0;
    for round in 0..60_u64 {
        let store = open(&device);
        let written = store
            .snapshot()
            .get("things", "counter")
            .map_or(0, |record| {
                std::str::from_utf8(&record.value)
                    .unwrap()
                    .parse::<u64>()
                    .unwrap()
            });
        assert!(
            written >= acknowledged,
            "round {round}: {written} < {acknowledged}"
        );
        assert!(store.revision() >= written * 2);
        for next in written + 1..written + 6 {
            let payload = "payload".repeat(usize::try_from(round * 20).unwrap());
            let other = put(&format!("{}", next % 9), &payload, Expect::Any);
            store
                .commit(vec![other, put("counter", &next.to_string(), Expect::Any)])
                .await
                .unwrap();
            acknowledged = next;
        }
        // One more is on its way when the power goes.
        let doomed = Attached(Arc::clone(&device));
        let before = doomed.0.image.lock().clone();
        let last = store.commit(vec![put(
            "counter",
            &(acknowledged + 1).to_string(),
            Expect::Any,
        )]);
        last.await.unwrap();
        let image = interrupted(&before, &doomed.0.image.lock());
        device = Device::after_power_loss(image, || rand_bool(&mut random));
    }
    assert!(acknowledged >= 300);
}

/// The last commit's writes, as if its sync had not happened yet.
fn interrupted(before: &Image, after: &Image) -> Image {
    let mut synced = before.synced.clone();
    synced.resize(after.synced.len(), 0);
    let changed = after.synced.chunks(512).zip(synced.chunks(512)).enumerate();
    let pending = changed
        .filter(|(_, (new, old))| new != old)
        .map(|(index, (new, _))| (index * 512, new.to_vec()))
        .collect();
    Image {
        cached: after.cached.clone(),
        synced,
        pending,
    }
}

fn rand_bool(random: &mut TestRng) -> bool {
    use proptest::prelude::Rng;
    random.next_u32().is_multiple_of(2)
}
