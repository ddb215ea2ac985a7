//! Counts of rounds, from which every share and mean of a summary follows.

use serde::{Deserialize, Serialize};

use super::contest::{End, PlayedMatch};
use super::round::{Declaration, Round, SEATS, base_points};
use crate::tables::Moved;

/// Values of declarations and of captured piles.
const VALUES: usize = 9;

/// Declarations of one kind of seat in one position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TallyCell {
    /// How often so many piles were captured (column) after such a declaration (row).
    pub counts: [[u64; VALUES]; VALUES],
    /// Points, multiplied.
    pub points: i64,
    /// How often the guard did what it does, in the order of [`Moved::ALL`].
    pub moved: [u64; 4],
}

impl TallyCell {
    /// The sum over all declarations of a function of the declaration and the piles captured.
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

    /// Declarations.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.sum(|_, _| 1) as u64
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Declarations that were captured exactly.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.sum(|declared, captured| i64::from(declared == captured)) as u64
    }

    /// Mean of a function of the declaration and the piles captured; `NaN` without any.
    #[must_use]
    pub fn mean(&self, value: impl Fn(u8, u8) -> i64) -> f64 {
        self.sum(value) as f64 / self.len() as f64
    }

    /// Sum and sum of squares of the points before they were multiplied.
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
    /// What the guard did; the rules are looked at even when it is off.
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

/// Counts of all rounds and matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// By kind of seat, and by position.
    pub cells: Vec<[TallyCell; SEATS]>,
    /// Rounds.
    pub rounds: u64,
    /// Piles declared in them.
    pub declared: u64,
    /// Deals thrown in.
    pub redeals: u64,
    /// Turns.
    pub turns: u64,
    /// Turns won by who had its piles already.
    pub wins_beyond: u64,
    /// Matches by how they ended, in the order of [`End`].
    pub ends: [u64; 3],
    /// Of the matches not cut, how many each kind of seat won; a shared first place counts for each.
    pub wins: Vec<u64>,
}

impl Tally {
    /// No rounds of so many kinds of seats.
    #[must_use]
    pub fn new(kinds: usize) -> Tally {
        Tally { cells: vec![Default::default(); kinds], wins: vec![0; kinds], ..Tally::default() }
    }

    /// Adds a round; `kinds` are those of the seats.
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

    /// Adds a match whose rounds are in.
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

    /// Matches, cut ones among them.
    #[must_use]
    pub fn matches(&self) -> u64 {
        self.ends.iter().sum()
    }

    /// Matches that ended in some way.
    #[must_use]
    pub fn ended(&self, end: End) -> u64 {
        self.ends[end as usize]
    }
}
