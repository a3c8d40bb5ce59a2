//! Selection by the region constraint: the best combination of regions, one cluster of each, then the best of their rest.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use super::Bounds;
use crate::candidates::Candidate;
use crate::failure::Failure;
use crate::snapshot::Snapshot;
use crate::trace::{RegionTrace, Tracer};

/// A region's score counts thousands of replicas it has room for, then the mean score of its clusters.
const SCORE_UNIT: i64 = 1000;
/// Combinations looked at before the search settles for the best so far.
const SEARCH_BUDGET: usize = 1_000_000;

/// What is asked of the selection.
pub(super) struct Ask {
    pub region: Bounds,
    pub cluster: Bounds,
    pub replicas: i64,
    pub duplicated: bool,
}

/// The clusters of a region, in order of rank.
struct Region<'a> {
    name: &'a str,
    members: Vec<Candidate>,
    weight: i64,
}

impl Region<'_> {
    const fn value(&self) -> i64 {
        self.members.len() as i64
    }
}

pub(super) fn select(
    ask: &Ask,
    snapshot: &Snapshot,
    candidates: &[Candidate],
    tracer: &mut impl Tracer,
) -> Result<Vec<Candidate>, Failure> {
    let regions = regions(ask, snapshot, candidates);
    let chosen = choose(ask, &regions);
    if let Some(trace) = tracer.trace() {
        let path = chosen.as_deref().unwrap_or_default();
        trace.selection.regions = regions
            .iter()
            .enumerate()
            .map(|(position, region)| RegionTrace {
                name: region.name.to_owned(),
                clusters: region.members.len(),
                weight: region.weight,
                chosen: path.contains(&position),
            })
            .collect();
    }
    let chosen = chosen?;
    Ok(pick(ask, &regions, &chosen))
}

/// The regions in the order of the search: fewest clusters, greatest weight, smallest name.
fn regions<'a>(ask: &Ask, snapshot: &'a Snapshot, candidates: &[Candidate]) -> Vec<Region<'a>> {
    let mut members: BTreeMap<&str, Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        let region = snapshot.at(candidate.index).spec.region.as_str();
        if !region.is_empty() {
            members.entry(region).or_default().push(*candidate);
        }
    }
    let mut regions: Vec<Region<'a>> = members
        .into_iter()
        .map(|(name, members)| Region {
            name,
            weight: weight(ask, &members),
            members,
        })
        .collect();
    regions.sort_by_key(|region| (region.members.len(), Reverse(region.weight)));
    regions
}

fn weight(ask: &Ask, members: &[Candidate]) -> i64 {
    if ask.duplicated {
        duplicated_weight(ask.replicas, members)
    } else {
        divided_weight(ask, members)
    }
}

/// Counts the clusters that have room for all replicas.
fn duplicated_weight(replicas: i64, members: &[Candidate]) -> i64 {
    let roomy = || {
        members
            .iter()
            .filter(|member| member.available() >= replicas)
    };
    let count = i64::try_from(roomy().count()).unwrap_or(i64::MAX);
    if count == 0 {
        return 0;
    }
    SCORE_UNIT * count + roomy().map(|member| member.score).sum::<i64>() / count
}

/// Counts the replicas of its share that the region has room for, on as few clusters as are wanted of it.
fn divided_weight(ask: &Ask, members: &[Candidate]) -> i64 {
    let parts = ask.region.min.max(1);
    let share = ask.replicas.div_euclid(parts) + i64::from(ask.replicas.rem_euclid(parts) > 0);
    let wanted = ask.cluster.min.max(ask.region.min);
    let (mut walked, mut room, mut score) = (0, 0, 0);
    for member in members {
        walked += 1;
        room += member.available();
        score += member.score;
        if walked >= wanted && room >= share {
            break;
        }
    }
    if room < share {
        SCORE_UNIT * room + score / i64::try_from(members.len()).unwrap_or(i64::MAX)
    } else {
        SCORE_UNIT * share + score / walked.max(1)
    }
}

/// A combination of regions that satisfies the constraints.
struct Combination {
    /// Positions of regions, heaviest first.
    path: Vec<usize>,
    weight: i64,
    value: i64,
}

/// The positions of the regions to use, heaviest first.
fn choose(ask: &Ask, regions: &[Region<'_>]) -> Result<Vec<usize>, Failure> {
    let count = i64::try_from(regions.len()).unwrap_or(i64::MAX);
    if count < ask.region.min {
        return Err(Failure::BelowMinRegions {
            regions: regions.len(),
            min: ask.region.min,
        });
    }
    let mut search = Search {
        ask,
        regions,
        exhausts: count == ask.region.min,
        budget: SEARCH_BUDGET,
        path: Vec::new(),
        found: Vec::new(),
    };
    search.descend(0, 0);
    let mut found = search.found;
    // A stable sort keeps the order of discovery among equals.
    found.sort_by_key(|combination| (Reverse(combination.weight), Reverse(combination.value)));
    let mut ranked = found.into_iter();
    let Some(mut best) = ranked.next() else {
        return Err(Failure::NoRegionCombination {
            min: ask.cluster.min,
        });
    };
    for other in ranked {
        if other.path.len() < best.path.len() && best.path.starts_with(&other.path) {
            best = other;
        }
    }
    Ok(best.path)
}

struct Search<'a> {
    ask: &'a Ask,
    regions: &'a [Region<'a>],
    /// Whether every region is needed, so that nothing is tried without one.
    exhausts: bool,
    budget: usize,
    path: Vec<usize>,
    found: Vec<Combination>,
}

impl Search<'_> {
    fn descend(&mut self, value: i64, begin: usize) {
        let depth = i64::try_from(self.path.len()).unwrap_or(i64::MAX);
        let bounds = self.ask.region;
        if value >= self.ask.cluster.min && depth >= bounds.min && depth <= bounds.max {
            self.record(value);
            return;
        }
        if depth >= bounds.max {
            return;
        }
        for position in begin..self.regions.len() {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.path.push(position);
            self.descend(value + self.regions[position].value(), position + 1);
            if self.exhausts {
                break;
            }
            self.path.pop();
        }
    }

    fn record(&mut self, value: i64) {
        let mut path = self.path.clone();
        path.sort_by(|a, b| self.heaviest(*a, *b));
        let weight = path
            .iter()
            .map(|position| self.regions[*position].weight)
            .sum();
        self.found.push(Combination {
            path,
            weight,
            value,
        });
    }

    fn heaviest(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (&self.regions[a], &self.regions[b]);
        b.weight.cmp(&a.weight).then_with(|| a.name.cmp(b.name))
    }
}

/// One cluster of every chosen region, then the best of what is left in them.
fn pick(ask: &Ask, regions: &[Region<'_>], chosen: &[usize]) -> Vec<Candidate> {
    let mut selected = Vec::new();
    let mut pool = Vec::new();
    for position in chosen {
        if let Some((first, others)) = regions[*position].members.split_first() {
            selected.push(*first);
            pool.extend_from_slice(others);
        }
    }
    pool.sort_unstable_by(Candidate::rank);
    let members = i64::try_from(selected.len() + pool.len()).unwrap_or(i64::MAX);
    let taken = i64::try_from(selected.len()).unwrap_or(i64::MAX);
    let more = usize::try_from(members.min(ask.cluster.max) - taken).unwrap_or(0);
    selected.extend(pool.into_iter().take(more));
    selected
}
