//! Randomness as a function of what it is about.
//!
//! A [`Seed`] is narrowed by words (a member, a pod's uid, a purpose) and then read. The value never
//! depends on the order in which things happen, so a drill replays the same on any runtime.

use std::time::Duration;

/// Characters of generated name suffixes: no vowels and no look-alikes, as Kubernetes does.
const SUFFIX_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// One point of a tree of random values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// The root of a tree.
    pub const fn new(value: u64) -> Self {
        Self(value)
    }

    /// The seed of one thing below this one; `words` name it.
    pub fn of(self, words: &[&str]) -> Self {
        let mut hash = FNV_OFFSET ^ mix(self.0);
        for word in words {
            // 0xff ends a word: it occurs in no UTF-8 text, so ["ab"] and ["a", "b"] differ.
            for byte in word.bytes().chain([0xff]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
            }
        }
        Self(mix(hash))
    }

    /// The seed of the `index`-th thing below this one.
    pub const fn at(self, index: u64) -> Self {
        Self(mix(self.0 ^ mix(index.wrapping_add(1))))
    }

    /// The value itself.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// A value in `0.0..1.0`.
    pub fn fraction(self) -> f64 {
        // The top 53 bits are exactly representable.
        let top = u32::try_from(self.0 >> 32).unwrap_or(u32::MAX);
        let low = u32::try_from((self.0 >> 11) & 0x1f_ffff).unwrap_or(0);
        (f64::from(top) * 2_097_152.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// A value in `0..bound`; 0 when `bound` is 0.
    pub const fn below(self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.0 % bound }
    }

    /// A delay between the two, evenly spread; `low` when `high` is not above it.
    pub fn between(self, low: Duration, high: Duration) -> Duration {
        low + high.saturating_sub(low).mul_f64(self.fraction())
    }

    /// One of `choices`.
    ///
    /// # Panics
    /// When `choices` is empty.
    pub fn pick<T>(self, choices: &[T]) -> &T {
        let bound = u64::try_from(choices.len()).unwrap_or(u64::MAX);
        let index = usize::try_from(self.below(bound)).unwrap_or(0);
        &choices[index]
    }

    /// `len` characters fit for the end of a Kubernetes name.
    pub fn suffix(self, len: usize) -> String {
        self.characters(len, SUFFIX_ALPHABET)
    }

    /// `len` hexadecimal digits.
    pub fn hex(self, len: usize) -> String {
        self.characters(len, b"0123456789abcdef")
    }

    /// A version 4 UUID in its hyphenated form.
    pub fn uuid(self) -> String {
        let hex = self.hex(31);
        let variant = *self.at(99).pick(&['8', '9', 'a', 'b']);
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
        format!(
            "{}-{}-4{}-{variant}{}-{}",
            part(0, 8),
            part(8, 12),
            part(12, 15),
            part(15, 18),
            part(18, 30)
        )
    }

    fn characters(self, len: usize, alphabet: &[u8]) -> String {
        (0_u64..)
            .take(len)
            .map(|index| char::from(*self.at(index).pick(alphabet)))
            .collect()
    }
}

/// The finalizer of SplitMix64: every input bit moves every output bit.
const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_give_the_same_value_and_others_do_not() {
        let root = Seed::new(7);
        assert_eq!(root.of(&["a", "b"]), root.of(&["a", "b"]));
        assert_ne!(root.of(&["a", "b"]), root.of(&["ab"]));
        assert_ne!(root.of(&["a"]), Seed::new(8).of(&["a"]));
    }

    #[test]
    fn fractions_fill_the_unit_interval() {
        let root = Seed::new(1);
        let values: Vec<f64> = (0..1000).map(|i| root.at(i).fraction()).collect();
        let mean = values.iter().sum::<f64>() / 1000.0;
        assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
        assert!((0.45..0.55).contains(&mean), "{mean}");
    }

    #[test]
    fn delays_stay_within_their_bounds() {
        let (low, high) = (Duration::from_secs(1), Duration::from_secs(3));
        for index in 0..100 {
            let delay = Seed::new(3).at(index).between(low, high);
            assert!(delay >= low && delay < high, "{delay:?}");
        }
        assert_eq!(Seed::new(3).between(high, low), high);
    }

    #[test]
    fn uuids_have_the_version_4_shape() {
        let uuid = Seed::new(5).uuid();
        assert_eq!(uuid.len(), 36, "{uuid}");
        let bytes = uuid.as_bytes();
        assert_eq!(bytes[14], b'4');
        assert!(b"89ab".contains(&bytes[19]));
        assert!([8, 13, 18, 23].iter().all(|&i| bytes[i] == b'-'));
    }
}
