//! A contest: conditions that play the same seeds, a number of games that grows, and a comparison.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Condition, Study};
use crate::engine::{Comparable, Measure};
use crate::error::{Error, Result};
use crate::stats::{Comparison, Entrant, Interval, Look, Method, Sequential, Verdict};

/// A pair of conditions, and what is known of their means.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Looked {
    /// The one.
    pub first: String,
    /// The other.
    pub second: String,
    /// Of all pairs together, the chance that any interval ever misses is the rule's.
    #[serde(flatten)]
    pub look: Look,
}

/// Runs compared by one column of their games, in a folder that is a study's.
#[derive(Debug)]
pub struct Contest<G> {
    path: PathBuf,
    games: Vec<G>,
    measure: Measure,
}

impl<G: Comparable> Contest<G> {
    /// A contest of runs; their number of games is not looked at. It is about the game's main measure unless a
    /// column is named.
    ///
    /// # Errors
    /// [`Error::Config`] with fewer than two runs, [`Error::Unknown`] when there is no such column of
    /// numbers, and as [`Condition::all`].
    pub fn new(path: &Path, games: Vec<G>, column: Option<&str>) -> Result<Contest<G>> {
        let [first, _, ..] = &*games else {
            let text =
                "compare needs two controllers or more: for example tetrastat compare bcts dt20";
            return Err(Error::Config(text.to_owned()));
        };
        let measure = first.measure_named(column.unwrap_or(first.main_measure()))?;
        let contest = Contest { path: path.to_owned(), games, measure };
        // Only to see that they can be conditions of one study, before a folder is made.
        contest.conditions(1)?;
        Ok(contest)
    }

    /// What is compared.
    #[must_use]
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    /// The most games that any condition has been asked for in the folder; 0 in a new one.
    ///
    /// # Errors
    /// [`Error::Config`] when a run there can't be read.
    pub fn begun(&self) -> Result<u64> {
        let conditions = self.conditions(1)?;
        let begun = conditions.iter().map(|condition| condition.begun(&self.path));
        Ok(begun.collect::<Result<Vec<_>>>()?.into_iter().flatten().max().unwrap_or(0))
    }

    /// Opens the folder for so many games of each condition; games played before are kept.
    ///
    /// # Errors
    /// As [`Study::open`].
    pub fn open(&self, games: u64) -> Result<Study<G>> {
        let conditions = self.conditions(games)?;
        let folders: Vec<&str> = conditions.iter().map(|condition| &*condition.folder).collect();
        let text = format!(
            "# Begun by `tetrastat compare`; the run.json of each folder says what was played.\nfolders = {folders:?}\n"
        );
        Study::open(&self.path, &text, conditions)
    }

    /// Compares the games that are in the folder.
    ///
    /// # Errors
    /// As [`Comparable::observed`].
    pub fn compare(&self) -> Result<Comparison> {
        let conditions = self.conditions(1)?;
        compare(&conditions, &self.path, &self.measure)
    }

    /// Looks at every pair of conditions by a rule that may be asked after every game: names and what is said.
    ///
    /// # Errors
    /// As [`Comparable::observed`].
    pub fn look(&self, rule: &Sequential) -> Result<Vec<Looked>> {
        let scale = self.measure.scale;
        self.look_at_pairs(rule, |rule, [first, second]| {
            rule.look(&first.games, &second.games, scale)
        })
    }

    /// Looks at all pairs at the end of play, with ratios corrected for stopping. `schedule` lists the looks of the
    /// plan.
    ///
    /// # Errors
    /// The errors of [`Comparable::observed`].
    pub fn last_look(&self, rule: &Sequential, schedule: &[usize]) -> Result<Vec<Looked>> {
        let scale = self.measure.scale;
        let seed = self.games.first().map_or(0, Comparable::seed);
        self.look_at_pairs(rule, |rule, [first, second]| {
            let (first, second) = (&first.games, &second.games);
            let corrected = rule.corrected(first, second, scale, schedule, seed);
            Look { corrected, ..rule.look(first, second, scale) }
        })
    }

    /// Calls `look` for each pair, with the rule at the level of one pair.
    fn look_at_pairs(
        &self,
        rule: &Sequential,
        look: impl Fn(&Sequential, [&Entrant; 2]) -> Look,
    ) -> Result<Vec<Looked>> {
        let entrants = entrants(&self.conditions(1)?, &self.path, &self.measure)?;
        let pairs = entrants.len() * entrants.len().saturating_sub(1) / 2;
        // Bonferroni: the chances of all pairs add up to the one that was asked for.
        let rule = Sequential { alpha: rule.alpha / pairs.max(1) as f64, ..*rule };
        let mut looked = Vec::new();
        for (place, first) in entrants.iter().enumerate() {
            for second in &entrants[place + 1..] {
                let (one, other) = (first.name.clone(), second.name.clone());
                let look = look(&rule, [first, second]);
                looked.push(Looked { first: one, second: other, look });
            }
        }
        Ok(looked)
    }

    /// Replaces the intervals by those that remain valid after a stop at a verdict. Ratios and their intervals come
    /// from `looked`; means get confidence sequences of their own. Results that hold only for a number of games fixed
    /// in advance are removed: p-values, tests and intervals of differences.
    ///
    /// # Errors
    /// The errors of [`Comparable::observed`].
    pub fn at_all_looks(
        &self,
        mut comparison: Comparison,
        rule: &Sequential,
        looked: &[Looked],
    ) -> Result<Comparison> {
        let entrants = entrants(&self.conditions(1)?, &self.path, &self.measure)?;
        for ranked in &mut comparison.controllers {
            let own = entrants.iter().find(|entrant| entrant.name == ranked.controller);
            let scale = self.measure.scale;
            let found = own.and_then(|entrant| rule.mean_interval(&entrant.games, scale));
            // A controller without a finished game keeps its bound, since play does not stop because of it.
            if ranked.estimate.mean.is_some() {
                ranked.estimate.interval = found;
                ranked.estimate.method = found.map(|_| Method::ConfidenceSequence);
                ranked.estimate.median_interval = None;
            }
        }
        for pair in &mut comparison.pairs {
            pair.paired = pair.paired.without_chance();
            (pair.test, pair.p, pair.p_adjusted, pair.differ) = (None, None, None, false);
            let (ratio, interval, verdict) = ratio_of(looked, &pair.first, &pair.second);
            pair.paired.ratio = ratio;
            pair.paired.ratio_interval = interval;
            pair.differ = matches!(verdict, Verdict::Greater | Verdict::Smaller);
        }
        Ok(comparison)
    }

    /// The runs as conditions of so many games.
    fn conditions(&self, games: u64) -> Result<Vec<Condition<G>>> {
        Condition::all(self.games.iter().map(|game| game.of_games(games)).collect())
    }
}

/// Returns the corrected ratio of two means, its interval and its verdict, in the order `first` to `second`.
fn ratio_of(
    looked: &[Looked],
    first: &str,
    second: &str,
) -> (Option<f64>, Option<Interval>, Verdict) {
    let same = |pair: &&Looked| (&*pair.first, &*pair.second) == (first, second);
    let swapped = |pair: &&Looked| (&*pair.second, &*pair.first) == (first, second);
    let known = |look: Look| {
        let interval = (look.high.is_finite() && look.low > 0.0)
            .then_some(Interval { low: look.low, high: Some(look.high) });
        (Some(look.corrected).filter(|ratio| ratio.is_finite()), interval, look.verdict)
    };
    if let Some(pair) = looked.iter().find(same) {
        return known(pair.look);
    }
    let Some(pair) = looked.iter().find(swapped) else { return (None, None, Verdict::Open) };
    let Look { corrected, low, high, .. } = pair.look;
    known(Look { corrected: 1.0 / corrected, low: 1.0 / high, high: 1.0 / low, ..pair.look })
}

/// Compares conditions by the games that are in a study's folder. Each goes by the shortest name that tells it from
/// the others: who plays, its label, or its folder.
///
/// # Errors
/// As [`Comparable::observed`].
pub fn compare<G: Comparable>(
    conditions: &[Condition<G>],
    study: &Path,
    measure: &Measure,
) -> Result<Comparison> {
    let entrants = entrants(conditions, study, measure)?;
    // A queue that deals all the same pieces gives the same game again and again: nothing to resample.
    let independent = conditions.iter().all(|condition| condition.game.is_random());
    let seed = conditions.first().map_or(0, |condition| condition.game.seed());
    Ok(Comparison::of(entrants, measure.scale, measure.better, independent, seed))
}

/// The games of every condition.
fn entrants<G: Comparable>(
    conditions: &[Condition<G>],
    study: &Path,
    measure: &Measure,
) -> Result<Vec<Entrant>> {
    let entrant = |(condition, name): (&Condition<G>, String)| {
        let games = condition.game.observed(&study.join(&condition.folder), measure)?;
        Ok(Entrant { name, games })
    };
    conditions.iter().zip(names(conditions)).map(entrant).collect()
}

/// Names that tell conditions apart, the shortest that do: who plays, else the label, else the folder with its number.
pub(super) fn names<G: Comparable>(conditions: &[Condition<G>]) -> Vec<String> {
    let by = |name: fn(&Condition<G>) -> String| conditions.iter().map(name).collect::<Vec<_>>();
    let differ = |names: &Vec<String>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let shorter = [by(|one| one.game.who()), by(|one| one.game.label())];
    shorter.into_iter().find(differ).unwrap_or_else(|| by(|one| one.folder.clone()))
}
