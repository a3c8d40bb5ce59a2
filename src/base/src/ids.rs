//! Identifiers from a source of randomness that may be seeded.

use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use uuid::Uuid;

/// Characters of generated name suffixes: no vowels and no look-alikes, as Kubernetes does.
const SUFFIX_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A source of UIDs, name suffixes and other random values; clones share one stream.
#[derive(Clone, Debug)]
pub struct Ids {
    rng: Arc<Mutex<StdRng>>,
}

impl Ids {
    /// Values from the operating system's entropy.
    pub fn random() -> Self {
        Self {
            rng: Arc::new(Mutex::new(StdRng::from_os_rng())),
        }
    }

    /// A reproducible stream.
    pub fn seeded(seed: u64) -> Self {
        Self {
            rng: Arc::new(Mutex::new(StdRng::seed_from_u64(seed))),
        }
    }

    /// A version 4 UUID in its hyphenated form.
    pub fn uid(&self) -> String {
        let bytes: [u8; 16] = self.rng.lock().random();
        uuid::Builder::from_random_bytes(bytes)
            .into_uuid()
            .to_string()
    }

    /// A version 4 UUID.
    pub fn uuid(&self) -> Uuid {
        let bytes: [u8; 16] = self.rng.lock().random();
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// `len` characters fit for the end of a Kubernetes name.
    pub fn suffix(&self, len: usize) -> String {
        let mut rng = self.rng.lock();
        (0..len)
            .map(|_| char::from(SUFFIX_ALPHABET[rng.random_range(0..SUFFIX_ALPHABET.len())]))
            .collect()
    }

    /// A value in `0.0..1.0`.
    pub fn fraction(&self) -> f64 {
        self.rng.lock().random()
    }

    /// A value in `0..bound`; 0 when `bound` is 0.
    pub fn below(&self, bound: u64) -> u64 {
        if bound == 0 {
            0
        } else {
            self.rng.lock().random_range(0..bound)
        }
    }

    /// An independent source whose stream is derived from this one.
    pub fn fork(&self) -> Self {
        Self::seeded(self.rng.lock().random())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_gives_the_same_stream() {
        let (a, b) = (Ids::seeded(7), Ids::seeded(7));
        assert_eq!(a.uid(), b.uid());
        assert_eq!(a.suffix(5), b.suffix(5));
        assert_ne!(a.uid(), a.uid());
    }

    #[test]
    fn uids_are_version_4_and_suffixes_have_no_vowels() {
        let ids = Ids::seeded(1);
        assert_eq!(ids.uuid().get_version_num(), 4);
        assert!(
            ids.suffix(500)
                .bytes()
                .all(|b| SUFFIX_ALPHABET.contains(&b))
        );
    }
}
