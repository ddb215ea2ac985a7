//! Objective of a training: the value by which candidates are scored, and its precision.
//!
//! The objective `estimate` suits games that are too long to play: the logarithm of mean lines by
//! multilevel splitting ([`crate::estimate`]). All candidates of a generation play the replications
//! 0, 1, ... under the same seed and levels, which one pilot places per batch, usually by the mean
//! of the search distribution. Splitting is unbiased for any levels. A player that dies far more
//! often than the pilot's would split without end, so its replication ends at
//! [`EstimateOptions::most`] pieces, and branches that were not played to their end count as
//! deaths. This can make a candidate look worse than it is, but never better.

use super::config;
use super::evaluation::{LOST, LostGame, LostGameValue};
use super::games::for_config;
use crate::error::setting::{LOST as WORTH, MAX_LINES, MAX_PIECES, MODE, OBJECTIVE};
use crate::estimate::{Importance, Levels, Ratio, ReplicationSetup};
use crate::prelude::*;
use crate::record::{game_values, sprint_reward};
use crate::settings;
use crate::sim::{Game, GameCounts};
use crate::stats::{Interval, LEVEL, Method, bootstrap_median, bootstrap_values, exponential_mean};
use crate::text::parse::count;

/// Objective of a training: a measure of a candidate's games, with the direction that is better.
///
/// | name | value of a candidate's games |
/// |---|---|
/// | `lines` | estimated mean lines of a finished game: all lines / games that ended |
/// | `mean-COLUMN` | observed mean of a column of `games` |
/// | `median-COLUMN` | observed median of a column of `games` |
/// | `sprint` | mean of -pieces for a finished game, otherwise pieces + 5 lines - 550 |
/// | `estimate` | natural logarithm of mean lines, by independent runs of multilevel splitting |
///
/// **Censored games.** `lines` counts a game that a limit cut off as exposure (exponential
/// lifetimes: [`exponential_mean`](crate::stats::exponential_mean)). If no game ended, half a game
/// counts as ended, so that the estimate is finite, grows with the lines, and exceeds every
/// estimate from an equal sum of lines with an ended game. The other objectives use a censored game
/// as observed.
///
/// **Lost games.** If less is better (fewest keys, fewest pieces), a game that is lost early would
/// be the best. The value of a lost game of `mean-COLUMN` or `median-COLUMN` is then [`LOST`] or
/// the value in [`LostGame`], plus up to the same amount for the missed share of the goal (lines,
/// pieces or time). If more is better, a lost game is used as observed, unless a value is given.
///
/// `sprint` is the reward of the project Camden-Bergquist/Capstone (`train_sprint_heuristic.py`: 40
/// lines), a Sprint under guideline rules; its reward of a Blitz is `mean-points`. A missing value,
/// such as the mean height of a game without a piece, counts as 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    pub(super) measure: Measure,
    minimise: bool,
    lost: Option<LostGameValue>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Measure {
    Lines,
    Mean(String),
    Median(String),
    Sprint,
    Estimate(EstimateOptions),
}

impl FromStr for Objective {
    type Err = Error;

    fn from_str(name: &str) -> Result<Objective> {
        let measure = match (name, name.split_once('-')) {
            ("lines", _) => Measure::Lines,
            ("sprint", _) => Measure::Sprint,
            ("estimate", _) => Measure::Estimate(EstimateOptions::default()),
            (_, Some(("mean", name))) => Measure::Mean(name.to_owned()),
            (_, Some(("median", name))) => Measure::Median(name.to_owned()),
            _ => {
                let known = ["lines", "mean-COLUMN", "median-COLUMN", "sprint", "estimate"];
                return Err(Error::unknown("objective", name, known));
            }
        };
        Ok(Objective { measure, minimise: false, lost: None })
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.measure {
            Measure::Lines => f.write_str("lines"),
            Measure::Mean(column) => write!(f, "mean-{column}"),
            Measure::Median(column) => write!(f, "median-{column}"),
            Measure::Sprint => f.write_str("sprint"),
            Measure::Estimate(_) => f.write_str("estimate"),
        }
    }
}

impl Objective {
    /// Returns the objective `sprint`, the reward of a Sprint (a race to 40 lines).
    #[must_use]
    pub fn sprint() -> Objective {
        Objective { measure: Measure::Sprint, minimise: false, lost: None }
    }

    /// Sets the splitting options of the objective `estimate`; other objectives stay unchanged.
    #[must_use]
    pub fn estimated(self, options: EstimateOptions) -> Objective {
        match self.measure {
            Measure::Estimate(_) => {
                // The files of a training name the number, not its default.
                let options = EstimateOptions { estimate_most: Some(options.most()), ..options };
                Objective { measure: Measure::Estimate(options), ..self }
            }
            _ => self,
        }
    }

    /// Returns the options of the objective `estimate` (mean lines by splitting), else `None`.
    #[must_use]
    pub fn estimates(&self) -> Option<&EstimateOptions> {
        match &self.measure {
            Measure::Estimate(options) => Some(options),
            _ => None,
        }
    }

    /// Returns the objective `mean-points`, the reward of a Blitz (most points in a given time).
    #[must_use]
    pub fn mean_score() -> Objective {
        Objective { measure: Measure::Mean("points".to_owned()), minimise: false, lost: None }
    }

    /// Sets the objective's direction and its value of lost games. Without `lost`, that is [`LOST`]
    /// if smaller is better, otherwise the observed value.
    pub fn directed(
        self,
        minimise: bool,
        lost: Option<LostGame>,
        games: &TrainingGames,
    ) -> Result<Objective> {
        let has_column = matches!(self.measure, Measure::Mean(_) | Measure::Median(_));
        let lost = match lost {
            Some(_) if !has_column => {
                return config(format!(
                    "lost is for objectives mean-COLUMN and median-COLUMN: leave it out, {self} \
                     has its own rule for lost games"
                ));
            }
            Some(LostGame::Worth(worth)) => match LostGameValue::new(worth, games) {
                Some(lost) => Some(lost),
                None => {
                    return config(format!(
                        "lost {worth}: every game is lost in the end, since nothing else ends it: \
                         give {MAX_PIECES} or {MAX_LINES}, or leave {WORTH} out"
                    ));
                }
            },
            Some(LostGame::Observed) => None,
            None if minimise && has_column => LostGameValue::new(LOST, games),
            None => None,
        };
        Ok(Objective { minimise, lost, ..self })
    }

    /// Returns true if smaller values of the objective are better.
    #[must_use]
    pub fn minimise(&self) -> bool {
        self.minimise
    }

    /// Returns the best value that a lost game can have, or `None` if no such value is set.
    #[must_use]
    pub fn lost(&self) -> Option<f64> {
        self.lost.map(|lost| lost.worth)
    }

    /// Returns the objective in words: its name and, if set, direction and value of lost games.
    #[must_use]
    pub fn describe(&self) -> String {
        let direction = if self.minimise { ", less is better" } else { "" };
        let worth = |worth: f64| {
            let more = if self.minimise { "more" } else { "less" };
            format!(", a lost game counts as {worth} or {more}")
        };
        format!("{self}{direction}{}", self.lost().map_or(String::new(), worth))
    }

    /// Returns the worst finished game's value if a lost game may equal or beat it, else `None`.
    #[must_use]
    pub fn contradicted(&self, games: &CandidateGames) -> Option<f64> {
        let worth = self.lost()?;
        // The user is warned: if finished games can be worse than lost ones, losing pays.
        let finished = games.0.iter().filter(|game| game.censored).map(|game| game.value);
        let worst = finished.min_by(|a, b| self.score(*a).total_cmp(&self.score(*b)))?;
        (self.score(worst) <= self.score(worth)).then_some(worst)
    }

    /// Checks that the objective can be computed from `games`, for example that its column of
    /// results exists.
    pub fn check(&self, games: &TrainingGames) -> Result<()> {
        match &self.measure {
            Measure::Mean(column) | Measure::Median(column) => {
                for_config!(games, config => check_column(config, column))
            }
            Measure::Sprint if games.limits()[1].is_none() => config(format!(
                "objective sprint is won at a number of lines: give {MAX_LINES} 40, in guideline \
                 games {MODE} sprint, or {OBJECTIVE} mean-points"
            )),
            Measure::Estimate(options) => options.check(games),
            Measure::Lines | Measure::Sprint => Ok(()),
        }
    }

    pub(super) fn played<G: Game>(&self, rows: &[G::Row]) -> Vec<PlayedGame> {
        let values: Vec<f64> = match &self.measure {
            // The value of `lines` is the lines. `estimate` scores replications (runs of the
            // splitting estimator), never games.
            Measure::Lines | Measure::Estimate(_) => {
                rows.iter().map(|row| G::counts(row).lines as f64).collect()
            }
            Measure::Mean(column) | Measure::Median(column) => {
                known(game_values(G::game_fields(), column, rows))
            }
            Measure::Sprint => {
                let counts = rows.iter().map(G::counts);
                counts.map(|it| sprint_reward(it.won, it.pieces, it.lines) as f64).collect()
            }
        };
        let played = |(value, row)| {
            let GameCounts { lines, pieces, time_us, censored, .. } = G::counts(row);
            let value = match self.lost {
                Some(lost) if !censored => lost.value(self.minimise, [lines, pieces, time_us]),
                _ => value,
            };
            PlayedGame { value, lines, pieces, censored }
        };
        values.into_iter().zip(rows).map(played).collect()
    }

    /// Computes the objective's value from a candidate's games, one or more; it is always finite.
    #[must_use]
    pub fn value(&self, games: &CandidateGames) -> f64 {
        let mut each = games.values();
        match self.measure {
            Measure::Lines => {
                let ends = games.games() - games.censored();
                // Half an ended game counts if none ended, so that the value is finite and grows
                // with the lines.
                let ends = if ends == 0 { 0.5 } else { ends as f64 };
                each.iter().sum::<f64>() / ends
            }
            Measure::Estimate(_) => log_mean_lines(games),
            _ => self.reduce(&mut each),
        }
    }

    /// Converts a value of the objective to a score for optimisers, of which larger is better.
    #[must_use]
    pub fn score(&self, value: f64) -> f64 {
        if self.minimise { -value } else { value }
    }

    pub(super) fn reduce(&self, values: &mut [f64]) -> f64 {
        let n = values.len();
        match self.measure {
            Measure::Median(_) => {
                values.sort_by(f64::total_cmp);
                (values[(n - 1) / 2] + values[n / 2]) / 2.0
            }
            _ => values.iter().sum::<f64>() / n as f64,
        }
    }
}

fn check_column<G: Game>(_: &G, column: &str) -> Result<()> {
    // An empty list of games suffices.
    game_values(G::game_fields(), column, &[]).map(|_| ())
}

fn known(values: Result<Vec<f64>>) -> Vec<f64> {
    let known = |value: f64| if value.is_nan() { 0.0 } else { value };
    values.unwrap_or_default().into_iter().map(known).collect()
}

impl Objective {
    /// Computes the 95 % interval of the objective's value: exponential for `lines`, of a ratio for
    /// `estimate`, else by a bootstrap with `seed`. `None` with too few games.
    #[must_use]
    pub fn interval(&self, games: &CandidateGames, seed: u64) -> Option<Interval> {
        let each = games.values();
        match self.measure {
            Measure::Lines => {
                let censored = games.censored();
                let ends = games.games() - censored;
                Some(exponential_mean(each.iter().sum(), ends, censored > 0, LEVEL))
            }
            Measure::Estimate(_) => log_error(games).map(|(_, interval)| interval),
            Measure::Median(_) => {
                bootstrap_median(&each, LEVEL, seed, |values| self.reduce(values))
            }
            _ => bootstrap_values(&each, LEVEL, seed),
        }
    }

    /// Returns the objective's value for `games` with its [`Objective::interval`].
    #[must_use]
    pub fn mean(&self, games: &CandidateGames, seed: u64) -> Mean {
        let method = match self.measure {
            Measure::Lines => Method::Exponential,
            Measure::Estimate(_) => Method::Splitting,
            _ => Method::Bootstrap,
        };
        let (value, interval) = (self.value(games), self.interval(games, seed));
        let mean = Mean::new(Some(value), interval, method, games.games());
        Mean { censored: games.censored(), ..mean }
    }

    /// Computes the standard error of the objective's value; `None` for medians or too few games.
    #[must_use]
    pub fn error(&self, games: &CandidateGames) -> Option<f64> {
        let ends = (games.games() - games.censored()) as f64;
        match self.measure {
            Measure::Lines => (ends > 0.0).then(|| self.value(games) / ends.sqrt()),
            Measure::Estimate(_) => log_error(games).map(|(error, _)| error),
            Measure::Median(_) => None,
            Measure::Mean(_) | Measure::Sprint => {
                let (each, mean) = (games.values(), self.value(games));
                let squares: f64 = each.iter().map(|value| (value - mean).powi(2)).sum();
                let n = each.len() as f64;
                (n > 1.0).then(|| (squares / (n - 1.0) / n).sqrt())
            }
        }
    }
}

/// Number of deaths at the last level, added to each splitting run to keep estimated mean lines
/// finite.
pub(super) const UNSEEN_DEATHS: f64 = 0.05;
const MOST_PIECES: u64 = 1_000_000_000_000;

settings! {
    /// Settings for estimating the mean lines of candidates. Names and meanings are those of
    /// `tetrastat estimate`.
    pub struct EstimateOptions {
        /// Quantity by which --objective estimate splits games: `cells`, `height`, `holes` or, in
        /// classic games only, `value`
        #[arg(value_name = "IMPORTANCE")]
        pub estimate_importance: Importance = Importance::Cells,
        /// Pieces in each replication (run of the estimate), without copies of games
        #[arg(value_name = "N", value_parser = count::<u64>(1..))]
        pub estimate_pieces: u64 = 50_000,
        /// Pieces at the start of each replication (run of the estimate) that are not counted
        #[arg(value_name = "N", value_parser = count::<u64>(..))]
        pub estimate_burn_in: u64 = 2_000,
        /// Pieces per round of the trial games that place splitting levels, without game copies
        #[arg(value_name = "N", value_parser = count::<u64>(1..))]
        pub estimate_pilot_pieces: u64 = 50_000,
        /// Maximum number of pieces in a replication with all copies of games; copies not played
        /// count as deaths [default: 20 for each of --estimate-pieces]
        #[arg(value_name = "N", value_parser = count::<u64>(1..))]
        pub estimate_most: Option<u64>,
    }
}

const DEFAULT_PIECES_FACTOR: u64 = 20;

impl EstimateOptions {
    /// Returns the maximum number of pieces in one splitting run, with all copies of games.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.estimate_most.unwrap_or(self.estimate_pieces.saturating_mul(DEFAULT_PIECES_FACTOR))
    }

    /// Checks that the mean lines of `games` can be estimated with these splitting settings.
    pub fn check(&self, games: &TrainingGames) -> Result<()> {
        let EstimateOptions {
            estimate_pieces: pieces,
            estimate_burn_in: burn_in,
            estimate_pilot_pieces: pilot_pieces,
            ..
        } = *self;
        let most = self.most();
        let counts = [
            ("estimate-pieces", pieces),
            ("estimate-burn-in", burn_in),
            ("estimate-pilot-pieces", pilot_pieces),
            ("estimate-most", most),
        ];
        if let Some((name, count)) = counts.iter().find(|(_, count)| *count > MOST_PIECES) {
            return config(format!("{name} {count}: give at most {MOST_PIECES}"));
        }
        if pieces == 0 || pilot_pieces == 0 {
            return config(
                "estimate-pieces and estimate-pilot-pieces: give at least 1, for example 50000"
                    .to_owned(),
            );
        }
        if most < pieces {
            return config(format!(
                "estimate-most {most}: the main path alone has {pieces} pieces, give ten times as \
                 many"
            ));
        }
        if games.plan().games < 2 {
            return config(
                "games 1: an estimate needs two replications for its error, give for example 10"
                    .to_owned(),
            );
        }
        for_config!(games, config => config.check_estimable(self.estimate_importance))
    }

    pub(super) fn setup<'a, G>(
        &self,
        config: &'a G,
        levels: &'a Levels,
    ) -> ReplicationSetup<'a, G> {
        ReplicationSetup {
            config,
            importance: self.estimate_importance,
            levels,
            burn_in: self.estimate_burn_in,
            pieces: self.estimate_pieces,
            most: self.most(),
        }
    }
}

pub(super) fn log_mean_lines(replications: &CandidateGames) -> f64 {
    let lines: u64 = replications.0.iter().map(|found| found.lines).sum();
    let deaths: f64 = replications.values().iter().sum();
    libm::log(lines.max(1) as f64) - libm::log(deaths)
}

pub(super) fn log_error(replications: &CandidateGames) -> Option<(f64, Interval)> {
    let pair = |found: &PlayedGame| (found.lines as f64, found.value);
    let pairs: Vec<(f64, f64)> = replications.0.iter().map(pair).collect();
    let ratio = Ratio::new(&pairs, LEVEL)?;
    let Interval { low, high } = ratio.mean.interval()?;
    Some((ratio.relative_error, Interval { low: libm::log(low), high: high.map(libm::log) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{EndReason, GameRow, GuidelineEnd, GuidelineGameRow};
    use crate::sim::ClassicConfig;
    use crate::sim::guideline::{GuidelineConfig, Mode};
    use crate::train::PlayedGame;
    use crate::train::tests::sprints;

    fn game(pieces: u64, lines: u64, end_reason: EndReason) -> GameRow {
        let height_max = pieces / 10;
        GameRow { pieces, lines, end_reason, height_max, ..GameRow::new(0, 1) }
    }

    fn value(name: &str, games: &[GameRow]) -> f64 {
        let objective: Objective = name.parse().unwrap();
        objective.value(&played(&objective, games))
    }

    fn played(objective: &Objective, games: &[GameRow]) -> CandidateGames {
        CandidateGames(objective.played::<ClassicConfig>(games))
    }

    fn limited(lines: Option<u64>) -> TrainingGames {
        let plan = crate::train::tests::classic();
        let TrainingGames::Classic(mut config, template) = plan else { panic!("classic") };
        config.limits.lines = lines;
        TrainingGames::Classic(config, template)
    }

    const OUT: EndReason = EndReason::TopOut;
    const CUT: EndReason = EndReason::PieceLimit;

    // 24 lines, 3 ends.
    #[test]
    fn values_by_hand() {
        let games = [game(10, 2, OUT), game(30, 4, OUT), game(20, 6, CUT), game(40, 12, OUT)];
        assert_eq!(value("lines", &games), 8.0);
        assert_eq!(value("mean-lines", &games), 6.0);
        assert_eq!(value("median-pieces", &games), 25.0);
        assert_eq!(value("median-pieces", &games[..3]), 20.0);
        assert_eq!(value("mean-height_max", &games), 2.5);
        assert_eq!(value("mean-height_mean", &[GameRow::new(0, 1)]), 0.0);
    }

    // Sprint lost after 100 pieces and 38 lines: 100 + 190 - 550 = -260.
    #[test]
    fn the_sprint_reward_by_hand() {
        let (won, lost) = (game(105, 40, EndReason::LineLimit), game(100, 38, OUT));
        assert_eq!(value("sprint", std::slice::from_ref(&won)), -105.0);
        assert_eq!(value("sprint", &[won, lost]), -182.5);
        let (worst, best) = (game(161, 40, EndReason::LineLimit), game(151, 39, OUT));
        assert!(value("sprint", &[worst]) > value("sprint", &[best]));
    }

    #[test]
    fn games_that_were_all_cut_are_ordered_and_finite() {
        let none_ended = [game(10, 4, CUT), game(10, 4, CUT)];
        let one_ended = [game(10, 4, CUT), game(10, 4, OUT)];
        let fewer = [game(10, 4, CUT), game(10, 3, CUT)];
        assert_eq!((value("lines", &none_ended), value("lines", &one_ended)), (16.0, 8.0));
        assert!(value("lines", &none_ended) > value("lines", &fewer));
    }

    #[test]
    fn direction_and_names() {
        let mut height: Objective = "mean-height_max".parse().unwrap();
        assert_eq!((height.score(3.0), height.to_string()), (3.0, "mean-height_max".to_owned()));
        let TrainingGames::Classic(mut config, template) = limited(None) else { panic!("classic") };
        config.limits.pieces = None;
        let unlimited = TrainingGames::Classic(config, template);
        height = height.directed(true, None, &unlimited).unwrap();
        let said = (height.score(3.0), height.lost());
        assert_eq!(said, (-3.0, None), "without limits every game is lost in the end");
        assert!("points".parse::<Objective>().unwrap_err().to_string().contains("median-COLUMN"));
        let check =
            |name: &str, games: &TrainingGames| name.parse::<Objective>().unwrap().check(games);
        let wrong = |name: &str, games: &TrainingGames| check(name, games).unwrap_err().to_string();
        assert!(wrong("mean-points", &limited(None)).contains("height_max"));
        assert!(wrong("mean-stream_seed", &limited(None)).contains("unknown column"));
        assert!(check("sprint", &limited(Some(40))).is_ok());
        assert!(wrong("sprint", &limited(None)).contains("max_lines 40"));
        let sprints = sprints(4, 1);
        assert!(check("sprint", &sprints).is_ok() && check("mean-points", &sprints).is_ok());
        assert!(wrong("mean-xyzzy", &sprints).contains("points_combo"));
        let TrainingGames::Guideline(mut config, template) = sprints else { panic!("guideline") };
        config.mode = Mode::Endless { pieces: 9 };
        let endless = TrainingGames::Guideline(config, template);
        assert!(wrong("sprint", &endless).contains("mode sprint"));
    }

    // A game lost at 38 of 40 lines misses one twentieth of the goal.
    #[test]
    fn a_lost_game_is_worth_less_than_any_finished_one() {
        let goal = limited(Some(40));
        let games = [game(161, 40, EndReason::LineLimit), game(100, 38, OUT), game(4, 0, OUT)];
        let each = |objective: &Objective| played(objective, &games).values();
        let directed = |name: &str, minimise, lost| {
            name.parse::<Objective>().unwrap().directed(minimise, lost, &goal)
        };
        let fewest = directed("mean-pieces", true, None).unwrap();
        // With the other limit of 1,000 pieces, 100 and 4 pieces are smaller shares than 38 of 40
        // lines.
        assert_eq!(each(&fewest), [161.0, 1_050_000.0, 1_996_000.0]);
        let median = directed("median-pieces", true, Some(LostGame::Worth(500.0))).unwrap();
        assert_eq!(each(&median), [161.0, 525.0, 998.0]);
        let lost = played(&median, &games);
        assert_eq!((median.value(&lost), median.contradicted(&lost)), (525.0, None));
        let low = directed("mean-pieces", true, Some(LostGame::Worth(150.0))).unwrap();
        assert_eq!(low.contradicted(&played(&low, &games)), Some(161.0));
        let most = directed("mean-lines", false, Some(LostGame::Worth(7.0))).unwrap();
        let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
        let each_of_most = each(&most);
        assert!(
            each_of_most.iter().zip([40.0, 6.65, 0.028]).all(|(a, b)| near(*a, b)),
            "{each_of_most:?}"
        );
        let observed = directed("mean-pieces", true, Some(LostGame::Observed)).unwrap();
        assert_eq!(each(&observed), [161.0, 100.0, 4.0]);
        assert_eq!(each(&directed("mean-lines", false, None).unwrap()), [40.0, 38.0, 0.0]);
        let wrong = directed("sprint", true, Some(LostGame::Observed)).unwrap_err();
        assert!(wrong.to_string().contains("its own rule"), "{wrong}");
        assert!("nan".parse::<LostGame>().is_err() && "x".parse::<LostGame>().is_err());
    }

    // Sprint lost after 60 pieces and 12 lines: 60 + 60 - 550.
    #[test]
    fn guideline_games_by_hand() {
        let game = |pieces, lines, base, end| {
            let points = crate::rules::guideline::Points { base, ..Default::default() };
            GuidelineGameRow { pieces, lines, points, ..GuidelineGameRow::new(0, 1) }.ended(end)
        };
        let won = game(105, 40, 900, GuidelineEnd::Won);
        let games = [won, game(60, 12, 300, GuidelineEnd::TopOut)];
        let played = |name: &str| {
            let objective: Objective = name.parse().unwrap();
            let games = CandidateGames(objective.played::<GuidelineConfig>(&games));
            (objective.value(&games), games.0.iter().map(|game| game.pieces).collect::<Vec<_>>())
        };
        let value = |name: &str| played(name).0;
        assert_eq!(value("sprint"), (-105.0 - 430.0) / 2.0);
        assert_eq!((value("mean-points"), value("median-pieces")), (600.0, 82.5));
        assert_eq!(played("lines"), (52.0, vec![105, 60]));
    }

    fn ended(values: impl Iterator<Item = f64>) -> CandidateGames {
        let game =
            |value: f64| PlayedGame { value, lines: value as u64, pieces: 1, censored: false };
        CandidateGames(values.map(game).collect())
    }

    #[test]
    fn intervals_hold_the_value() {
        let games = ended((1..=40).map(f64::from));
        for name in ["lines", "mean-lines", "median-pieces"] {
            let objective: Objective = name.parse().unwrap();
            let interval = objective.interval(&games, 1).unwrap();
            let value = objective.value(&games);
            assert!(interval.low < value && value < interval.high.unwrap(), "{name}");
        }
    }

    // Values 2, 4, 9: mean 5, variance 13, standard error sqrt(13/3); of lifetimes 5/sqrt(3).
    #[test]
    fn errors_by_hand() {
        let games = ended([2.0, 4.0, 9.0].into_iter());
        let error = |name: &str| name.parse::<Objective>().unwrap().error(&games);
        assert!((error("mean-lines").unwrap() - (13.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((error("lines").unwrap() - 5.0 / 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(error("median-lines"), None);
    }
}
