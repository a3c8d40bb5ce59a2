//! The Webster (Sainte-Laguë) method: seats go one by one to the greatest `votes / (2 * seats + 1)`.
//!
//! On a tie the party with fewer seats wins, then the name: ascending, or descending when the hash of the
//! workload's UID is odd. Quotients are compared by cross-multiplication, so no precision is lost.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use flybridge_apis::names::fnv1a_32;

/// A party in a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    /// Position in order of name.
    pub rank: usize,
    /// Votes.
    pub votes: u64,
    /// Seats so far.
    pub seats: u64,
}

impl Party {
    /// A party without seats.
    pub const fn new(rank: usize, votes: u64) -> Self {
        Self {
            rank,
            votes,
            seats: 0,
        }
    }
}

/// Whether ties go to the last name instead of the first.
pub fn prefers_last_name(uid: &str) -> bool {
    !uid.is_empty() && fnv1a_32(uid.as_bytes()) % 2 == 1
}

/// A party in line for the next seat.
#[derive(Clone, Copy)]
struct Contender {
    votes: u64,
    divisor: u64,
    /// Smaller wins a tie.
    tie: usize,
    position: usize,
}

impl Ord for Contender {
    fn cmp(&self, other: &Self) -> Ordering {
        let mine = u128::from(self.votes) * u128::from(other.divisor);
        let theirs = u128::from(other.votes) * u128::from(self.divisor);
        mine.cmp(&theirs)
            .then_with(|| other.divisor.cmp(&self.divisor))
            .then_with(|| other.tie.cmp(&self.tie))
    }
}

impl PartialOrd for Contender {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Contender {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Contender {}

/// Gives `seats` seats to the parties, calling `award` with the position of the winner of every seat
/// that is contested; seats that are certain beforehand go in bulk unless `every` seat is to be told.
///
/// Nothing is given away when there are no votes at all.
pub fn divide(
    parties: &mut [Party],
    seats: u64,
    last_name_first: bool,
    every: bool,
    mut award: impl FnMut(usize),
) {
    let total: u128 = parties.iter().map(|party| u128::from(party.votes)).sum();
    if total == 0 || seats == 0 {
        return;
    }
    let mut left = seats;
    if !every && parties.iter().all(|party| party.seats == 0) {
        left -= certain_seats(parties, seats, total);
    }
    let mut heap: BinaryHeap<Contender> = parties
        .iter()
        .enumerate()
        .map(|(position, party)| Contender {
            votes: party.votes,
            divisor: 2 * party.seats + 1,
            tie: if last_name_first {
                usize::MAX - party.rank
            } else {
                party.rank
            },
            position,
        })
        .collect();
    while left > 0 {
        let Some(mut next) = heap.peek_mut() else {
            return;
        };
        next.divisor += 2;
        let position = next.position;
        drop(next);
        parties[position].seats += 1;
        award(position);
        left -= 1;
    }
}

/// Gives every party the seats it wins whatever the ties, and counts them.
///
/// With `p` parties that have votes, a quotient above `total / (2 * seats - p)` is always among the winning ones,
/// because fewer than `seats` quotients are.
fn certain_seats(parties: &mut [Party], seats: u64, total: u128) -> u64 {
    let voted = parties.iter().filter(|party| party.votes > 0).count();
    let doubled = u128::from(seats) * 2;
    let Some(scale) = doubled
        .checked_sub(voted as u128)
        .filter(|scale| *scale > 0)
    else {
        return 0;
    };
    let mut given = 0;
    for party in parties.iter_mut().filter(|party| party.votes > 0) {
        let below = (u128::from(party.votes) * scale - 1) / total;
        party.seats = u64::try_from(below.div_ceil(2)).unwrap_or(u64::MAX);
        given += party.seats;
    }
    given
}

/// Divides seats among named parties, as the splitting of job completions does; listed in order of name.
///
/// Parties of `initial` without votes keep their seats. The last votes of a name given twice count.
/// Without votes the initial seats are returned as they are.
pub fn divide_by_name(
    seats: u64,
    votes: &[(String, u64)],
    initial: &[(String, u64)],
    uid: &str,
) -> Vec<(String, u64)> {
    let nothing_to_do = seats == 0 && !initial.is_empty();
    if nothing_to_do || votes.iter().all(|(_, votes)| *votes == 0) {
        return initial.to_vec();
    }
    let mut table: std::collections::BTreeMap<&str, (u64, u64)> = std::collections::BTreeMap::new();
    for (name, seats) in initial {
        table.insert(name, (0, *seats));
    }
    for (name, votes) in votes {
        table.entry(name).or_default().0 = *votes;
    }
    let mut parties: Vec<Party> = table
        .values()
        .enumerate()
        .map(|(rank, (votes, seats))| Party {
            rank,
            votes: *votes,
            seats: *seats,
        })
        .collect();
    divide(&mut parties, seats, prefers_last_name(uid), false, |_| {});
    table
        .keys()
        .zip(&parties)
        .map(|(name, party)| ((*name).to_owned(), party.seats))
        .collect()
}
