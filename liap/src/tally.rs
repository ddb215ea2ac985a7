//! Counts rounds, so that every share and mean of a summary can be computed.

use serde::{Deserialize, Serialize};

use super::contest::{End, PlayedMatch};
use super::round::{Declaration, Round, SEATS, base_points};
use crate::tables::Moved;

/// Number of possible values of declared and of captured piles, 0 to 8.
const VALUES: usize = 9;

/// Counts of the declarations of one kind of seat in one position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TallyCell {
    /// Number of declarations by declared value (row) and captured piles (column).
    pub counts: [[u64; VALUES]; VALUES],
    /// Sum of points, after the redeal multiplier.
    pub points: i64,
    /// Number of declarations by the guard's reason, in the order of [`Moved::ALL`].
    pub moved: [u64; 4],
}

impl TallyCell {
    /// Sums `value(declared, captured)` over all declarations.
    #[must_use]
    pub fn sum(&self, value: impl Fn(u8, u8) -> i64) -> i64 {
        let mut sum = 0;
        for (declared, row) in self.counts.iter().enumerate() {
            for (captured, &count) in row.iter().enumerate() {
                sum += count as i64 * value(declared as u8, captured as u8);
            }
        }
        sum
    }

    /// Returns the number of declarations.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.sum(|_, _| 1) as u64
    }

    /// Returns true if there are no declarations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of declarations that were captured exactly.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.sum(|declared, captured| i64::from(declared == captured)) as u64
    }

    /// Averages `value(declared, captured)` over all declarations. Returns `NaN` if there are none.
    #[must_use]
    pub fn mean(&self, value: impl Fn(u8, u8) -> i64) -> f64 {
        self.sum(value) as f64 / self.len() as f64
    }

    /// Returns the sum and the sum of squares of the points before the redeal multiplier.
    #[must_use]
    pub fn base_points(&self) -> (i64, i64) {
        let points = |declared, captured| i64::from(base_points(declared, captured));
        (self.sum(points), self.sum(|d, c| points(d, c).pow(2)))
    }

    fn see(&mut self, one: &Declaration, captured: u8, multiplier: i32) {
        let points = multiplier * base_points(one.declared, captured);
        self.counts[usize::from(one.declared)][usize::from(captured)] += 1;
        self.points += i64::from(points);
        self.moved[one.moved() as usize] += 1;
    }

    fn add(&mut self, other: &TallyCell) {
        let counts = self.counts.iter_mut().flatten().zip(other.counts.iter().flatten());
        counts.for_each(|(count, more)| *count += more);
        self.points += other.points;
        self.moved.iter_mut().zip(other.moved).for_each(|(count, more)| *count += more);
    }
}

impl Declaration {
    /// Returns the reason why the guard moves this declaration. Rules are checked even without the
    /// guard.
    #[must_use]
    pub fn moved(&self) -> Moved {
        let barred = self.context.forbidden().bars(self.raw);
        match self.raw {
            9.. => Moved::AboveEight,
            0 if barred && self.context.nonzero => Moved::ThirdZero,
            _ if barred => Moved::SumEight,
            _ => Moved::No,
        }
    }
}

/// Counts of all rounds and matches of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Counts by kind of seat, then by position.
    pub cells: Vec<[TallyCell; SEATS]>,
    /// Number of rounds.
    pub rounds: u64,
    /// Number of declared piles.
    pub declared: u64,
    /// Number of redeals.
    pub redeals: u64,
    /// Number of turns.
    pub turns: u64,
    /// Number of turns won by a player who already had the declared piles or more.
    pub wins_beyond: u64,
    /// Number of matches by end, in the order of [`End`].
    pub ends: [u64; 3],
    /// Number of uncut matches that each kind of seat won. A shared first place counts for each.
    pub wins: Vec<u64>,
}

impl Tally {
    /// Creates empty counts for this number of kinds of seats.
    #[must_use]
    pub fn new(kinds: usize) -> Tally {
        Tally { cells: vec![Default::default(); kinds], wins: vec![0; kinds], ..Tally::default() }
    }

    /// Adds a round. `kinds` has the kind of each seat.
    pub fn see(&mut self, kinds: &[usize; SEATS], round: &Round) {
        for (position, one) in round.declarations.iter().enumerate() {
            let cell = &mut self.cells[kinds[one.seat]][position];
            cell.see(one, round.captured[one.seat], round.deal.multiplier());
        }
        self.rounds += 1;
        self.declared += u64::from(round.total());
        self.redeals += u64::from(round.deal.redeals);
        self.turns += u64::from(round.turns);
        self.wins_beyond += u64::from(round.wins_beyond);
    }

    /// Adds the end of a match whose rounds were added before.
    pub fn end(&mut self, kinds: &[usize; SEATS], contest: &PlayedMatch) {
        self.ends[contest.end as usize] += 1;
        contest.winners().for_each(|seat| self.wins[kinds[seat]] += 1);
    }

    /// Adds another tally of the same kinds of seats.
    pub fn add(&mut self, other: &Tally) {
        for (cell, more) in self.cells.iter_mut().flatten().zip(other.cells.iter().flatten()) {
            cell.add(more);
        }
        self.wins.iter_mut().zip(&other.wins).for_each(|(wins, more)| *wins += more);
        self.ends.iter_mut().zip(other.ends).for_each(|(ends, more)| *ends += more);
        self.rounds += other.rounds;
        self.declared += other.declared;
        self.redeals += other.redeals;
        self.turns += other.turns;
        self.wins_beyond += other.wins_beyond;
    }

    /// Returns the number of matches, including cut ones.
    #[must_use]
    pub fn matches(&self) -> u64 {
        self.ends.iter().sum()
    }

    /// Returns the number of matches with this end.
    #[must_use]
    pub fn ended(&self, end: End) -> u64 {
        self.ends[end as usize]
    }
}
