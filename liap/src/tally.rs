//! Counts the outcomes of rounds and matches, and summarises them.

use serde::{Deserialize, Serialize};

use super::round::{Declaration, MatchEnd, PlayedMatch, Round, SEATS, base_points};
use crate::stats::{LEVEL, Mean, Method, mean_interval, share_interval};
use crate::tables::BrokenRule;

const DECLARATION_VALUES: usize = 9;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TallyCell {
    /// Number of declarations, indexed by declared piles, then by captured piles.
    pub counts: [[u64; DECLARATION_VALUES]; DECLARATION_VALUES],
    pub points: i64,
    /// Number of declarations by broken rule, as in [`BrokenRule::ALL`], where the first is none.
    pub moved: [u64; 4],
}

impl TallyCell {
    pub(crate) fn sum(&self, value: impl Fn(u8, u8) -> i64) -> i64 {
        let mut sum = 0;
        for (declared, row) in self.counts.iter().enumerate() {
            for (captured, &count) in row.iter().enumerate() {
                sum += count as i64 * value(declared as u8, captured as u8);
            }
        }
        sum
    }

    pub(crate) fn len(&self) -> u64 {
        self.sum(|_, _| 1) as u64
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn hits(&self) -> u64 {
        self.sum(|declared, captured| i64::from(declared == captured)) as u64
    }

    pub(crate) fn estimate(&self, value: impl Fn(u8, u8) -> i64) -> Mean {
        let (n, sum) = (self.len(), self.sum(&value) as f64);
        let squares = self.sum(|declared, captured| value(declared, captured).pow(2)) as f64;
        let interval = mean_interval(sum, squares, n, LEVEL);
        Mean::new((n > 0).then(|| sum / n as f64), interval, Method::Normal, n)
    }

    fn count(&mut self, one: &Declaration, captured: u8, multiplier: i32) {
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
    /// Returns the LIAP rule that a declaration breaks before any correction.
    #[must_use]
    pub(crate) fn moved(&self) -> BrokenRule {
        let barred = self.context.forbidden().contains(self.raw);
        match self.raw {
            9.. => BrokenRule::AboveEight,
            0 if barred && self.context.nonzero => BrokenRule::ThirdZero,
            _ if barred => BrokenRule::SumEight,
            _ => BrokenRule::No,
        }
    }
}

/// Counts of all rounds and matches of a LIAP run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Counts of declarations by kind of player (declaration rule and strategy), then by position.
    pub cells: Vec<[TallyCell; SEATS]>,
    /// Number of rounds in the run.
    pub rounds: u64,
    /// Sum of all declarations of the run, in piles.
    pub declared: u64,
    /// Number of redeals in the run's rounds.
    pub redeals: u64,
    /// Number of turns in the run's rounds.
    pub turns: u64,
    /// Number of turns won by players who had already reached the declared number of piles.
    pub wins_beyond: u64,
    /// Number of matches by the reason for their end, in the order of `MatchEnd`.
    pub ends: [u64; 3],
    /// Number of matches won by each kind of player (declaration rule and strategy). A tied match
    /// counts once for each winner.
    pub wins: Vec<u64>,
}

impl Tally {
    pub(crate) fn new(kinds: usize) -> Tally {
        Tally { cells: vec![Default::default(); kinds], wins: vec![0; kinds], ..Tally::default() }
    }

    /// Adds a round to the run's counts. `kinds` has the index of each seat's kind of player.
    pub(crate) fn count_round(&mut self, kinds: &[usize; SEATS], round: &Round) {
        for (position, one) in round.declarations.iter().enumerate() {
            let cell = &mut self.cells[kinds[one.seat]][position];
            cell.count(one, round.captured[one.seat], round.deal.multiplier());
        }
        self.rounds += 1;
        self.declared += u64::from(round.total());
        self.redeals += u64::from(round.deal.redeals);
        self.turns += u64::from(round.turns);
        self.wins_beyond += u64::from(round.wins_beyond);
    }

    pub(crate) fn count_match(&mut self, kinds: &[usize; SEATS], played: &PlayedMatch) {
        self.ends[played.end as usize] += 1;
        played.winners().for_each(|seat| self.wins[kinds[seat]] += 1);
    }

    pub(crate) fn add(&mut self, other: &Tally) {
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

    pub(crate) fn matches(&self) -> u64 {
        self.ends.iter().sum()
    }

    pub(crate) fn ended(&self, end: MatchEnd) -> u64 {
        self.ends[end as usize]
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionSummary {
    pub position: usize,
    pub declared: Mean,
    pub captured: Mean,
    pub hit_rate: Mean,
    pub absolute_error: Mean,
    pub base_points: Mean,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KindSummary {
    pub declarer: String,
    pub player: String,
    pub positions: Vec<PositionSummary>,
}

/// The counts of a LIAP run, and the means that follow from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiapSummary {
    pub kinds: Vec<KindSummary>,
    /// Counts of the run's rounds and matches, with kinds of players in the order of `kinds`.
    pub tally: Tally,
}

impl LiapSummary {
    /// Creates a run's summary from the counts. `kinds` has each kind of player: declaration rule,
    /// then playing strategy.
    pub(crate) fn new(kinds: Vec<[String; 2]>, tally: Tally) -> LiapSummary {
        let kind = |([declarer, player], cells): ([String; 2], &[TallyCell; SEATS])| {
            let positions = cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
            let positions = positions.map(|(position, cell)| PositionSummary::new(position, cell));
            KindSummary { declarer, player, positions: positions.collect() }
        };
        let kinds = kinds.into_iter().zip(&tally.cells).map(kind).collect();
        LiapSummary { kinds, tally }
    }
}

impl PositionSummary {
    fn new(position: usize, cell: &TallyCell) -> PositionSummary {
        let (n, hits) = (cell.len(), cell.hits());
        PositionSummary {
            position,
            declared: cell.estimate(|declared, _| declared.into()),
            captured: cell.estimate(|_, captured| captured.into()),
            hit_rate: Mean::new(
                Some(hits as f64 / n as f64),
                share_interval(hits, n, LEVEL),
                Method::Wilson,
                n,
            ),
            absolute_error: cell.estimate(|declared, captured| declared.abs_diff(captured).into()),
            base_points: cell.estimate(|declared, captured| base_points(declared, captured).into()),
        }
    }
}
