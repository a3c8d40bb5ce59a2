//! Fuzzy matching for palettes.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// One match: which candidate, how well, and which characters matched.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Hit {
    /// Position in the candidates.
    pub index: usize,
    /// Higher is better.
    pub score: u32,
    /// Positions of matched characters, ascending.
    pub positions: Vec<u32>,
}

/// All candidates that match, best first; candidates of one score keep their order.
///
/// An empty query matches everything.
pub fn rank<C: AsRef<str>>(query: &str, candidates: impl IntoIterator<Item = C>) -> Vec<Hit> {
    let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut hits: Vec<Hit> = candidates
        .into_iter()
        .enumerate()
        .filter_map(|(index, text)| {
            let mut positions = Vec::new();
            let haystack = Utf32Str::new(text.as_ref(), &mut buffer);
            let score = pattern.indices(haystack, &mut matcher, &mut positions)?;
            positions.sort_unstable();
            positions.dedup();
            Some(Hit {
                index,
                score,
                positions,
            })
        })
        .collect();
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_match_comes_first() {
        let hits = rank("cl", ["clear-filter", "goto clusters", "quit"]);
        assert_eq!(hits.iter().map(|h| h.index).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(hits[0].positions, [0, 1]);
    }

    #[test]
    fn nothing_typed_keeps_everything_in_order() {
        let hits = rank("", ["b", "a"]);
        assert_eq!(hits.iter().map(|h| h.index).collect::<Vec<_>>(), [0, 1]);
    }
}
