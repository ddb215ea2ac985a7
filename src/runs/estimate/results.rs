//! Computes the mean lines of a game from replications (independent runs of the splitting
//! estimator), by three methods.

use serde::{Deserialize, Serialize};

use super::{Extrapolation, Levels, Ratio, Replication, fitted_heights};
use crate::record::{HeightRow, LevelRow, ReplicationRow};
use crate::stats::{LEVEL, Mean, Method, exponential_mean};

/// Estimate from games without splitting: lines per death, with an exact interval for a constant
/// risk per line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exposure {
    /// Number of lines in all games, without the copies made by splitting.
    pub lines: u64,
    /// Number of games that ended, without the copies made by splitting.
    pub deaths: u64,
    /// Lines divided by deaths. Without a death, the interval has only a lower end
    /// ([`exponential_mean`]).
    #[serde(flatten)]
    pub mean: Mean,
}

/// Estimate of the mean lines per game by multilevel splitting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Splitting {
    /// Estimated mean, with its interval from the variation between replications.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Number of deaths simulated in all games and the copies made by splitting.
    pub deaths: u64,
    /// Number of deadly excursions: stretches of a game at level 1 or above in which the game or
    /// one of its copies died.
    pub deadly_excursions: u64,
    /// Effective number of deadly excursions (see `deadly_excursions`): (sum of weights)^2 / sum of
    /// squared weights. As many excursions of equal weight would carry as much information.
    pub effective_excursions: f64,
    /// Number of pieces that play without splitting would need for an equal error, if lines were
    /// exponential.
    pub direct_pieces: f64,
}

/// Results of an estimate, computed from its replications.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateResults {
    /// Number of replications.
    pub replications: usize,
    /// Number of pieces in all games, without the copies made by splitting.
    pub main_pieces: u64,
    /// Number of pieces in all games, including the copies made by splitting.
    pub pieces: u64,
    /// Lines per piece in the games without the copies made by splitting.
    pub lines_per_piece: f64,
    /// Estimate by multilevel splitting; `None` if games do not split, with fewer than two
    /// replications, or without a death.
    pub splitting: Option<Splitting>,
    /// Estimate from the games without the copies made by splitting.
    pub direct: Exposure,
}

impl Exposure {
    /// Returns the estimate from `lines` lines and `deaths` ended games in total.
    #[must_use]
    pub fn of(lines: u64, deaths: u64) -> Exposure {
        let interval = exponential_mean(lines as f64, deaths, true, LEVEL);
        let mean = (deaths > 0).then(|| lines as f64 / deaths as f64);
        let mean = Mean::new(mean, Some(interval), Method::Exponential, deaths);
        Exposure { lines, deaths, mean }
    }
}

impl EstimateResults {
    /// Computes the results of replications that were played with `levels`. `splits` is true if
    /// games split into copies.
    #[must_use]
    pub fn of(replications: &[Replication], levels: &Levels, splits: bool) -> EstimateResults {
        let sum = |of: fn(&Replication) -> u64| replications.iter().map(of).sum::<u64>();
        let (lines, main_pieces) = (sum(|found| found.lines), sum(|found| found.main_pieces));
        let lines_per_piece = lines as f64 / main_pieces.max(1) as f64;
        EstimateResults {
            replications: replications.len(),
            main_pieces,
            pieces: sum(|found| found.pieces),
            lines_per_piece,
            splitting: splits.then(|| splitting(replications, levels, lines_per_piece)).flatten(),
            direct: Exposure::of(lines, sum(|found| found.main_deaths)),
        }
    }
}

/// Estimates the mean lines per game by multilevel splitting. A replication is an independent run
/// with games and copies of games. Returns `None` with fewer than two replications, without lines,
/// or if no game and no copy was lost.
fn splitting(
    replications: &[Replication],
    levels: &Levels,
    lines_per_piece: f64,
) -> Option<Splitting> {
    // Each replication is one independent observation. The copies of a game in one replication are
    // not independent of each other.
    let pair = |found: &Replication| (found.lines as f64, found.weighted_deaths(levels));
    let pairs: Vec<(f64, f64)> = replications.iter().map(pair).collect();
    let ratio = Ratio::of(&pairs, LEVEL)?;
    let weight: f64 = pairs.iter().map(|pair| pair.1).sum();
    let squares: f64 = replications.iter().map(|found| found.squares).sum();
    // The relative error of play without splitting is one over the root of its number of games, so
    // this is games times pieces per game.
    let direct_pieces = ratio.mean.mean? / lines_per_piece / ratio.relative_error.powi(2);
    Some(Splitting {
        ratio,
        deaths: replications.iter().flat_map(|found| &found.deaths).sum(),
        deadly_excursions: replications.iter().map(|found| found.deadly_excursions).sum(),
        effective_excursions: weight * weight / squares,
        direct_pieces,
    })
}

/// Extrapolates the pieces per game from the stack heights in the games without the copies made by
/// splitting. `rows` is the number of rows of the board. Returns `None` if too few heights occur.
#[must_use]
pub fn extrapolation(replications: &[Replication], rows: usize) -> Option<Extrapolation> {
    let counts = totals(replications, |found| &found.main_heights);
    Extrapolation::of(&counts, fitted_heights(rows), rows)
}

/// Returns the table of stack heights on a board of `rows` rows, one row for each height from 0 to
/// `highest`.
#[must_use]
pub fn height_rows(replications: &[Replication], rows: usize, highest: usize) -> Vec<HeightRow> {
    let main = totals(replications, |found| &found.main_heights);
    let weighted = totals(replications, |found| &found.heights);
    let (all, all_weighted) = (main.iter().sum::<u64>() as f64, weighted.iter().sum::<f64>());
    let line = extrapolation(replications, rows);
    let row = |height: usize| HeightRow {
        height,
        main_placements: at(&main, height),
        main_share: at(&main, height) as f64 / all,
        weighted_share: at(&weighted, height) / all_weighted,
        fahey_share: line.map(|line| (line.slope * height as f64 + line.intercept).exp()),
    };
    (0..=highest).map(row).collect()
}

/// Returns the entry of `list` at `index`, or the default value beyond the end of the list.
fn at<T: Copy + Default>(list: &[T], index: usize) -> T {
    list.get(index).copied().unwrap_or_default()
}

fn totals<T: Copy + Default + std::ops::AddAssign>(
    replications: &[Replication],
    of: impl Fn(&Replication) -> &Vec<T>,
) -> Vec<T> {
    let longest = replications.iter().map(|found| of(found).len()).max().unwrap_or(0);
    let mut sums = vec![T::default(); longest];
    for found in replications {
        for (sum, &value) in sums.iter_mut().zip(of(found)) {
            *sum += value;
        }
    }
    sums
}

/// Returns the row of replication number `index` in the table of replications.
#[must_use]
pub fn replication_row(index: u64, found: &Replication, levels: &Levels) -> ReplicationRow {
    ReplicationRow {
        replication: index,
        main_pieces: found.main_pieces,
        lines: found.lines,
        main_deaths: found.main_deaths,
        pieces: found.pieces,
        deaths: found.deaths.iter().sum(),
        weighted_deaths: found.weighted_deaths(levels),
        deadly_excursions: found.deadly_excursions,
    }
}

/// Returns the table of levels, one row for each level from 0.
#[must_use]
pub fn level_rows(replications: &[Replication], levels: &Levels) -> Vec<LevelRow> {
    let rises_seen = totals(replications, |found| &found.rises_seen);
    let rises = totals(replications, |found| &found.rises);
    let pieces = totals(replications, |found| &found.pieces_at);
    let deaths = totals(replications, |found| &found.deaths);
    let main: u64 = replications.iter().map(|found| found.main_pieces).sum();
    let weights = levels.weights();
    let last = levels.count();
    let rate = |level: usize| match level {
        0 => main as f64,
        level if level > last => at(&deaths, last) as f64 * weights[last],
        level => at(&rises, levels.thresholds[level - 1]),
    };
    let row = |level: usize| LevelRow {
        level,
        threshold: if level == 0 { 0 } else { levels.thresholds[level - 1] },
        factor: if level == 0 { 1 } else { levels.factors[level - 1] },
        weight: weights[level],
        rises: if level == 0 { 0 } else { at(&rises_seen, levels.thresholds[level - 1]) },
        rises_per_piece: rate(level) / main.max(1) as f64,
        onward: (rate(level) > 0.0).then(|| rate(level + 1) / rate(level)),
        pieces: at(&pieces, level),
        deaths: at(&deaths, level),
    };
    (0..=levels.count()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000 pieces; 40 rises to importance 5, 20 of them by weight; from there 6 to importance 7
    /// (1.5 by weight). One death is in level 1 (weight 1/2) and 4 are in level 2 (weight 1/8).
    #[test]
    fn levels_by_hand_and_none_without_replications() {
        let levels = Levels { thresholds: vec![5, 7], factors: vec![2, 4] };
        let found = Replication {
            main_pieces: 1000,
            pieces_at: vec![900, 70, 30],
            deaths: vec![0, 1, 4],
            rises_seen: vec![0, 0, 0, 0, 0, 40, 20, 6],
            rises: vec![0.0, 0.0, 0.0, 0.0, 0.0, 20.0, 10.0, 1.5],
            ..Replication::default()
        };
        let rows = level_rows(&[found], &levels);
        assert_eq!(rows.iter().map(|row| row.weight).collect::<Vec<_>>(), [1.0, 0.5, 0.125]);
        assert_eq!(
            rows.iter().filter_map(|row| row.onward).collect::<Vec<_>>(),
            [0.02, 0.075, 0.5 / 1.5]
        );
        assert_eq!(rows.iter().map(|row| row.rises).collect::<Vec<_>>(), [0, 40, 6]);
        let none = |row: &LevelRow| row.pieces == 0 && row.onward.is_none();
        assert!(level_rows(&[], &levels).iter().all(none));
    }
}
