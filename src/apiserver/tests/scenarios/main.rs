//! Conversations recorded with a real API server, replayed against ours in process and on paused
//! time. `tests/data/api/scenarios.expected` lists those that must pass; it only grows.
//!
//! Ours leaves out `metadata.managedFields` (server-side apply is not built) and keeps apiVersion
//! and kind in list items; both are allowed for. Message texts do not bind, as in the vectors'
//! own rules, except that "immutable" must stay.

#[cfg(test)]
mod compare;
#[cfg(test)]
mod exchange;
#[cfg(test)]
mod play;
#[cfg(test)]
mod pointer;
#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use crate::{play, vectors};

    /// Failures by id, with their reason.
    type Verdicts = BTreeMap<String, Option<String>>;
    /// Passed and all, by area.
    type Totals = BTreeMap<String, (usize, usize)>;

    fn run_all() -> (Verdicts, Totals) {
        let mut verdicts = Verdicts::new();
        let mut areas = Totals::new();
        for scenario in vectors::scenarios() {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .unwrap();
            let outcome = runtime.block_on(play::play(&scenario));
            let id = scenario["id"].as_str().unwrap().to_owned();
            let area = areas
                .entry(scenario["area"].as_str().unwrap().to_owned())
                .or_default();
            area.1 += 1;
            if outcome.is_ok() {
                area.0 += 1;
            }
            verdicts.insert(id, outcome.err());
        }
        (verdicts, areas)
    }

    #[test]
    fn recorded_conversations_go_the_same_way() {
        let (verdicts, areas) = run_all();
        for (area, (passed, total)) in &areas {
            eprintln!("area {area}: {passed}/{total}");
        }
        let expected = vectors::expected();
        let mut broken = Vec::new();
        let mut passing = BTreeSet::new();
        for (id, failure) in &verdicts {
            match failure {
                None => {
                    passing.insert(id.as_str());
                    if !expected.contains(id) {
                        eprintln!("{id} passes and is not listed");
                    }
                }
                Some(text) if expected.contains(id) => broken.push(format!("{id}: {text}")),
                Some(text) => eprintln!("{id} fails: {text}"),
            }
        }
        vectors::update(&passing);
        assert!(!verdicts.is_empty(), "no scenario was found");
        let missing: Vec<_> = expected
            .iter()
            .filter(|id| !verdicts.contains_key(*id))
            .collect();
        assert!(missing.is_empty(), "listed but not recorded: {missing:?}");
        assert!(
            broken.is_empty(),
            "{} must pass:\n{}",
            broken.len(),
            broken.join("\n")
        );
    }
}
