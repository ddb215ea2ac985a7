//! Comparisons of runs on the same seeds with a growing number of games, and their planning from
//! finished runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use super::{Condition, Study};
use crate::engine::{About, Comparable, Measure};
use crate::prelude::*;
use crate::record::{exists, read_values};
use crate::stats::{
    Arm, Comparison, DetectionPlan, Estimate, FEWEST, Interval, Look, Method, Observed, PilotPair,
    PowerTarget, Sequential, Verdict, games_for_half_width,
};

/// Comparison of the means of two settings of a study, repeated while games are added.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SequentialLook {
    /// Name of the first of the two compared settings.
    pub first: String,
    /// Name of the second of the two compared settings.
    pub second: String,
    /// Ratio of the two means, with verdict. All compared pairs share one error probability.
    #[serde(flatten)]
    pub look: Look,
}

/// Name of the file that stores each compared run's number of games, once these numbers differ.
const ROUND_FILE: &str = "round.json";

#[derive(Serialize, Deserialize)]
struct Round {
    games: Vec<u64>,
}

/// Comparison of several runs, stored in one folder, by one column of the games' results.
#[derive(Debug)]
pub struct RunComparison<G> {
    path: PathBuf,
    games: Vec<G>,
    measure: Measure,
}

impl<G: Comparable> RunComparison<G> {
    /// Creates a comparison of the runs `games` by `column`, or by the usual measure of their game.
    pub fn new(path: &Path, games: Vec<G>, column: Option<&str>) -> Result<RunComparison<G>> {
        let [first, _, ..] = &*games else {
            let text = "compare needs two controllers or more, such as bcts and dt20";
            return Err(Error::Config(text.to_owned()));
        };
        let measure = first.measure_named(column.unwrap_or(first.about().measure))?;
        let comparison = RunComparison { path: path.to_owned(), games, measure };
        // Checks that the runs can be conditions of one study before a folder is created.
        comparison.conditions(&comparison.equal(1))?;
        Ok(comparison)
    }

    /// Returns the number of players that are compared.
    #[must_use]
    pub fn players(&self) -> usize {
        self.games.len()
    }

    /// Returns the measure by which the games are compared.
    #[must_use]
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    /// Reads the games played so far, from which the number of further games is planned.
    pub fn pilot(&self) -> Result<Pilot> {
        Pilot::read(&self.conditions(&self.equal(1))?, &self.path, self.measure.clone())
    }

    fn equal(&self, games: u64) -> Vec<u64> {
        vec![games; self.games.len()]
    }

    /// Returns how many games each run was last asked to play, if any. Unless `drops_decided`, each
    /// run gets the largest number.
    pub fn games_begun(&self, drops_decided: bool) -> Result<Option<Vec<u64>>> {
        let conditions = self.conditions(&self.equal(1))?;
        let begun = conditions.iter().map(|condition| condition.games_begun(&self.path));
        let begun = begun.collect::<Result<Vec<_>>>()?;
        let Some(most) = begun.iter().flatten().copied().max() else { return Ok(None) };
        let path = self.path.join(ROUND_FILE);
        if !drops_decided || !exists(&path)? {
            return Ok(Some(self.equal(most)));
        }
        let text = fs::read_to_string(&path).map_err(|e| Error::io("reading", &path, e))?;
        let round: Round = serde_json::from_str(&text)
            .ok()
            .filter(|round: &Round| round.games.len() == begun.len())
            .ok_or_else(|| {
                Error::Config(format!(
                    "{} is damaged: remove it, and all players play the same number of games",
                    path.display()
                ))
            })?;
        // Another command may have played more games since.
        let pairs = round.games.iter().zip(begun);
        Ok(Some(pairs.map(|(&games, begun)| games.max(begun.unwrap_or(0))).collect()))
    }

    /// Opens the comparison's folder as a study in which run i plays `games[i]` games.
    pub fn open(&self, games: &[u64]) -> Result<Study<G>> {
        let conditions = self.conditions(games)?;
        let folders: Vec<&str> = conditions.iter().map(|condition| &*condition.folder).collect();
        let text = format!(
            "# Begun by `tetrastat compare`; the run.json of each folder says what was played.\n\
             folders = {folders:?}\n"
        );
        // The numbers are stored before any folder is extended to them. They differ only after a
        // first round, so the folder exists.
        if games.iter().any(|own| *own != games[0]) {
            let round = json!(Round { games: games.to_vec() }).to_string();
            RunFolder::existing(&self.path)?.put(ROUND_FILE, &round)?;
        }
        Study::open(&self.path, &text, conditions)
    }

    /// Returns for each player in `arms` whether all tests in `looks` that involve the player have
    /// a verdict.
    #[must_use]
    pub fn decided(&self, arms: &[Arm], looks: &[SequentialLook]) -> Vec<bool> {
        let is_open = |name: &String| {
            let own = looks.iter().filter(|pair| pair.first == *name || pair.second == *name);
            own.map(|pair| pair.look.verdict).any(|verdict| verdict == Verdict::Open)
        };
        arms.iter().map(|arm| !is_open(&arm.name)).collect()
    }

    /// Reads the games in the comparison's folder, as one list for each compared player.
    pub fn arms(&self) -> Result<Vec<Arm>> {
        arms(&self.conditions(&self.equal(1))?, &self.path, &self.measure)
    }

    /// Ranks `arms` (the games of each player) by their means and compares each pair.
    #[must_use]
    pub fn compare(&self, arms: Vec<Arm>) -> Comparison {
        compare_arms(&self.games, arms, &self.measure)
    }

    /// Compares every pair of `arms` by the sequential test `rule`, valid after every game.
    #[must_use]
    pub fn look(&self, rule: &Sequential, arms: &[Arm]) -> Vec<SequentialLook> {
        let scale = self.measure.scale;
        look_at_pairs(rule, arms, |rule, [first, second]| {
            rule.look(&first.games, &second.games, scale)
        })
    }

    /// Compares all pairs of `arms` (games by player) when play has ended. Ratios are corrected for
    /// interim tests after `schedule` games.
    #[must_use]
    pub fn last_look(
        &self,
        rule: &Sequential,
        arms: &[Arm],
        schedule: &[usize],
    ) -> Vec<SequentialLook> {
        let scale = self.measure.scale;
        let seed = self.games.first().map_or(0, |game| game.about().seed);
        look_at_pairs(rule, arms, |rule, [first, second]| {
            let (first, second) = (&first.games, &second.games);
            let corrected = rule.corrected(first, second, scale, schedule, seed);
            Look { corrected, ..rule.look(first, second, scale) }
        })
    }

    /// Makes `comparison` valid although play may stop early: replaces intervals, and removes
    /// p-values, tests and intervals of differences.
    #[must_use]
    pub fn at_all_looks(
        &self,
        mut comparison: Comparison,
        rule: &Sequential,
        arms: &[Arm],
        looks: &[SequentialLook],
    ) -> Comparison {
        for ranked in &mut comparison.controllers {
            let own = arms.iter().find(|arm| arm.name == ranked.controller);
            let scale = self.measure.scale;
            let found = own.and_then(|arm| rule.mean_interval(&arm.games, scale));
            // A controller without a finished game keeps its lower bound, since play does not stop
            // because of it.
            let Estimate { mean, median, .. } = &mut ranked.estimate;
            if mean.mean.is_some() {
                *mean = mean.clone().with_interval(found, Method::ConfidenceSequence);
                *median = median.clone().with_interval(None, Method::OrderStatistics);
            }
        }
        for pair in &mut comparison.pairs {
            pair.paired = pair.paired.clone().without_chance();
            (pair.test, pair.p, pair.p_adjusted, pair.differ) = (None, None, None, false);
            let (ratio, interval, verdict) = ratio_of(looks, &pair.first, &pair.second);
            let n = pair.paired.ratio.n;
            pair.paired.ratio = Mean::new(ratio, interval, Method::ConfidenceSequence, n);
            pair.differ = matches!(verdict, Verdict::Greater | Verdict::Smaller);
        }
        comparison
    }

    fn conditions(&self, games: &[u64]) -> Result<Vec<Condition<G>>> {
        let pairs = self.games.iter().zip(games);
        Condition::all(pairs.map(|(game, &games)| game.of_games(games)).collect())
    }
}

/// Compares all pairs of players by `look`, with an equal share of the error probability per pair.
fn look_at_pairs(
    rule: &Sequential,
    arms: &[Arm],
    look: impl Fn(&Sequential, [&Arm; 2]) -> Look,
) -> Vec<SequentialLook> {
    let pairs = arms.len() * arms.len().saturating_sub(1) / 2;
    // Bonferroni: the error probabilities of all pairs add up to the requested one.
    let rule = Sequential { alpha: rule.alpha / pairs.max(1) as f64, ..*rule };
    let mut looks = Vec::new();
    for (index, first) in arms.iter().enumerate() {
        for second in &arms[index + 1..] {
            let look = look(&rule, [first, second]);
            let (first, second) = (first.name.clone(), second.name.clone());
            looks.push(SequentialLook { first, second, look });
        }
    }
    looks
}

/// Finds the players `first` and `second` in `looks`; returns ratio of means, interval and verdict.
fn ratio_of(
    looks: &[SequentialLook],
    first: &str,
    second: &str,
) -> (Option<f64>, Option<Interval>, Verdict) {
    let same = |pair: &&SequentialLook| (&*pair.first, &*pair.second) == (first, second);
    let swapped = |pair: &&SequentialLook| (&*pair.second, &*pair.first) == (first, second);
    let known = |look: Look| {
        let interval = (look.high.is_finite() && look.low > 0.0)
            .then_some(Interval { low: look.low, high: Some(look.high) });
        (Some(look.corrected).filter(|ratio| ratio.is_finite()), interval, look.verdict)
    };
    if let Some(pair) = looks.iter().find(same) {
        return known(pair.look);
    }
    let Some(pair) = looks.iter().find(swapped) else { return (None, None, Verdict::Open) };
    let Look { corrected, low, high, .. } = pair.look;
    known(Look { corrected: 1.0 / corrected, low: 1.0 / high, high: 1.0 / low, ..pair.look })
}

/// Compares `conditions` by the `measure` of their games in the folder `study`.
pub fn compare<G: Comparable>(
    conditions: &[Condition<G>],
    study: &Path,
    measure: &Measure,
) -> Result<Comparison> {
    let games: Vec<G> = conditions.iter().map(|condition| condition.game.clone()).collect();
    Ok(compare_arms(&games, arms(conditions, study, measure)?, measure))
}

fn compare_arms<G: Comparable>(games: &[G], arms: Vec<Arm>, measure: &Measure) -> Comparison {
    // A queue that deals every game the same pieces repeats one game, so there is nothing to
    // resample.
    let independent = games.iter().all(|game| game.about().is_random());
    let seed = games.first().map_or(0, |game| game.about().seed);
    Comparison::new(arms, measure.scale, measure.better, independent, seed)
}

fn arms<G: Comparable>(
    conditions: &[Condition<G>],
    study: &Path,
    measure: &Measure,
) -> Result<Vec<Arm>> {
    let arm = |(condition, name): (&Condition<G>, String)| {
        let games = condition.game.observed(&study.join(&condition.folder), measure)?;
        Ok(Arm { name, games })
    };
    conditions.iter().zip(names(conditions)).map(arm).collect()
}

/// Returns distinct names of the conditions: controller names if all differ, else labels of runs,
/// else folder names.
pub(super) fn names<G: Comparable>(conditions: &[Condition<G>]) -> Vec<String> {
    let by = |name: fn(&Condition<G>) -> String| conditions.iter().map(name).collect::<Vec<_>>();
    let differ = |names: &Vec<String>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let shorter = [by(|one| one.game.about().player), by(|one| one.game.about().label)];
    shorter.into_iter().find(differ).unwrap_or_else(|| by(|one| one.folder.clone()))
}

/// Finished runs of one kind of game, from which a comparison's number of games is planned.
#[derive(Debug)]
pub struct Pilot {
    measure: Measure,
    runs: Vec<PilotRun>,
}

#[derive(Debug)]
struct PilotRun {
    name: String,
    seed: u64,
    games: BTreeMap<u64, Observed>,
    estimate: Estimate,
}

/// Mean of one finished run, and the number of games that an interval of the wanted width needs.
#[derive(Debug, Serialize)]
pub struct PlannedMean {
    /// Name of the finished run.
    pub condition: String,
    /// Estimate of the mean from the games of the finished run.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Number of games at which the mean's interval has the requested width. `None` if no width was
    /// requested, 2^33 games are too few, or the finished run gives no interval.
    pub games_needed: Option<u64>,
}

/// Two finished runs, and the number of games that distinguishes their means.
#[derive(Debug, Serialize)]
pub struct PlannedPair {
    /// Name of the first of two finished runs.
    pub first: String,
    /// Name of the second of two finished runs.
    pub second: String,
    /// Number of games that distinguishes the means of the two runs.
    #[serde(flatten)]
    pub to_tell: DetectionPlan,
}

impl Pilot {
    /// Reads the games of finished runs, with folders relative to `root`. Refuses runs in which
    /// every game has the same pieces.
    pub fn read<G: Comparable>(
        conditions: &[Condition<G>],
        root: &Path,
        measure: Measure,
    ) -> Result<Pilot> {
        let run = |(condition, name): (&Condition<G>, String)| {
            let game = &condition.game;
            let About { seed, fixed_queue, .. } = game.about();
            if fixed_queue.is_some() {
                return Err(Error::Config(format!(
                    "{name}: its queue deals every game the same pieces, so one game is enough: \
                     there is nothing to plan"
                )));
            }
            let games = numbered(game, &root.join(&condition.folder), &measure)?;
            let values: Vec<Observed> = games.values().copied().collect();
            let estimate = Estimate::new(&values, measure.scale, true, seed);
            Ok(PilotRun { name, seed, games, estimate })
        };
        let runs = conditions.iter().zip(names(conditions)).map(run).collect::<Result<_>>()?;
        Ok(Pilot { measure, runs })
    }

    /// Returns the measure by which the games of the runs are compared.
    #[must_use]
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    /// Returns each run's mean, and the number of games for an interval of relative `half_width`.
    #[must_use]
    pub fn means(&self, half_width: Option<f64>) -> Vec<PlannedMean> {
        let mean = |run: &PilotRun| {
            let games: Vec<Observed> = run.games.values().copied().collect();
            let needed =
                |width| games_for_half_width(&run.estimate.mean, &games, self.measure.scale, width);
            PlannedMean {
                condition: run.name.clone(),
                estimate: run.estimate.clone(),
                games_needed: half_width.and_then(needed),
            }
        };
        self.runs.iter().map(mean).collect()
    }

    /// Returns the number of pairs that the finished runs form.
    #[must_use]
    pub fn pair_count(&self) -> usize {
        self.runs.len() * self.runs.len().saturating_sub(1) / 2
    }

    /// Plans how many games of each pair of runs detect the difference described by `question`.
    pub fn pairs(&self, question: &PowerTarget) -> Result<Vec<PlannedPair>> {
        let mut pairs = Vec::with_capacity(self.pair_count());
        for (index, first) in self.runs.iter().enumerate() {
            for second in &self.runs[index + 1..] {
                let (one, other, common) = first.games_with(second);
                let pair = PilotPair { first: &one, second: &other, common };
                let to_tell = pair.detection_plan(self.measure.scale, question);
                let to_tell = to_tell.ok_or_else(|| too_few(first, second))?;
                let (first, second) = (first.name.clone(), second.name.clone());
                pairs.push(PlannedPair { first, second, to_tell });
            }
        }
        Ok(pairs)
    }
}

impl PilotRun {
    /// Returns both runs' games, and whether they are pairs with the same pieces (equal seeds).
    fn games_with(&self, other: &PilotRun) -> (Vec<Observed>, Vec<Observed>, bool) {
        let all = |run: &PilotRun| run.games.values().copied().collect::<Vec<_>>();
        let shared = self.games.iter().filter_map(|(number, game)| {
            other.games.get(number).filter(|_| self.seed == other.seed).map(|same| (*game, *same))
        });
        let (one, same): (Vec<_>, Vec<_>) = shared.unzip();
        match one.is_empty() {
            true => (all(self), all(other), false),
            false => (one, same, true),
        }
    }

    fn ended(&self) -> u64 {
        self.estimate.mean.n - self.estimate.mean.censored
    }
}

fn too_few(first: &PilotRun, second: &PilotRun) -> Error {
    let less = if first.ended() <= second.ended() { first } else { second };
    Error::Config(format!(
        "{}: {} games in common with the other run ended, of {}: a plan needs {FEWEST} or more, \
         play a longer pilot",
        less.name,
        less.ended(),
        less.estimate.mean.n
    ))
}

fn numbered<G: Comparable>(
    game: &G,
    folder: &Path,
    measure: &Measure,
) -> Result<BTreeMap<u64, Observed>> {
    let observed = game.observed(folder, measure)?;
    let Some(table) = game.tables().into_iter().next() else { return Ok(BTreeMap::new()) };
    let Some(number) = table.columns.first() else { return Ok(BTreeMap::new()) };
    let numbers = read_values(&folder.join(&table.file), &number.name, None)?;
    Ok(numbers.into_iter().map(|(number, _)| number as u64).zip(observed).collect())
}
