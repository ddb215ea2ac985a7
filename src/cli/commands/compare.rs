//! Runs `tetrastat compare`: players of any game on common seeds, with intervals, paired tests and
//! verdicts.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::json;

use crate::cli::commands::study;
use crate::cli::console::Console;
use crate::cli::console::interrupt::{TimeBudget, minutes};
use crate::cli::console::output::{Outcome, TableFormat};
use crate::cli::options::any_run::AnyRuns;
use crate::cli::options::games::for_game;
use crate::cli::options::help::prose;
use crate::cli::options::runs::GameOptions;
use crate::cli::options::settings::{ParsedArgs, names};
use crate::cli::options::study_file::{holds_games, played, recorded};
use crate::cli::reports::compare::{CommonSettings, CompareReport, Look, Stopped};
use crate::cli::reports::contrast::of_contrasts;
use crate::engine::{Comparable, Manifest, Measure};
use crate::error::Error;
use crate::record::{Kind, has_checkpoint, kind_of, read_estimated};
use crate::report::{Report, Table, TableOf, Value};
use crate::stats::{
    Better, Comparison, FIRST_LOOK, LEVEL, PowerTarget, Sequential, StopDecision, Stopping,
    Verdict, ends_for_half_width, games_for_power, next_look, schedule, share_ended,
};
use crate::study::{
    Condition, Contrasts, Pilot, PlannedMean, PlannedPair, RunComparison, SequentialLook, compare,
};
use crate::text::numbers::{number, significant, thousands};
use crate::text::parse::{count, positive, share};

/// Default number of games of each controller.
const GAMES: u64 = 100;
/// Default maximum number of games of each controller, if intervals or verdicts decide when the
/// comparison stops.
const MOST_GAMES: u64 = 1_000_000;

const HELP: &str = "Game i is dealt the same pieces for every controller. Lines, pieces and other
additive counts have the exact interval for exponential lifetimes, with censored games as exposure.
If the Cox-Oakes or Anderson-Darling test rejects exponential lifetimes, and for other columns, the
interval is a bootstrap-t over games. Pairs are compared game by game: difference and ratio of means
by a paired bootstrap-t, p by a sign-flip test, or by log-rank if games were cut off. Holm's method
adjusts p for all pairs. A controller without finished games has no mean. It has a rank only if its
lower bound lies above the other means.

--until-halfwidth plays all controllers to the same number of games. It evaluates 32 games of each,
then as many as the widest interval needs (a quarter to three times as many more), until every 95 %
interval is narrow enough. It also stops if no game of some controller has ended after an
evaluation, or at --most-games. The result is then printed, one line on stderr names the limit to
raise, and the exit code is 3.

A player is a controller, with or without options of its own: `bcts:search=next`, or
`dt20:rules=standard,board=10x10`. Under guideline rules, a Sprint is measured by its pieces, and
fewer are better. The pieces of lost Sprints are added to those of won Sprints. Other guideline
games are measured by their points. Under --rules liap, players are declarers, games are matches,
and the measure is the share of declarations that are hit. `v1 v2 v2,v1,v1,v1 --rules liap
--measure mean_points` ranks by points.

--until-verdict evaluates 32 games of each controller, then more and more. It stops when each pair
has a verdict: one mean is greater, or both are equal within --margin. A player whose pairs all have
a verdict plays no further games. The intervals are confidence sequences, which hold at all
evaluations together: with probability 95 %, none of them ever misses the ratio of means. The tables
show these intervals, and ratios that are corrected for stopping, because stopping at the first
significant difference exaggerates it. P-values are not shown, because they hold only for a number
of games that was fixed in advance.

--from DIR compares the games in a study's folder, whatever the study varied, and plays no games.
--contrast answers one question instead of comparing all pairs. Is the next piece worth more on
higher boards? `--from DIR --contrast search:board` prints the ratio of ratios of means, with the
interval of the delta method (t on the logarithm; games of one seed are paired, games that were cut
off count as exposure). Factors are the settings that a study varies: controller, rules, mode,
board, queue, search, policy, players, seed, and others that distinguish conditions, such as hold
and previews. Values are compared with the first one. The folder may also contain the folders of
estimates, whose observations are replications.

The clock and the machine decide when --minutes ends the comparison; the games themselves do not
depend on them. Without --until-halfwidth and --until-verdict, a comparison ended by time exits
with 0.

With --out, the same command resumes an interrupted comparison. A command that requests more games
or a narrower interval plays only the missing games.

--plan takes the games as a pilot and prints how many games the test of each pair needs. For a
sign-flip test, the means of two runs with difference d need n = ((z(1 - alpha/2) + z(power)) s/d)^2
+ z(1 - alpha/2)^2/2 games of each, where s is the SD of the differences game by game. If two runs
share a seed, s is that of common seeds, reduced by their correlation. If games were cut off, the
test is log-rank and n = (z(1 - alpha/2) + z(power))^2 (1/p1 + 1/p2) / (ln ratio)^2, where p1 and p2
are the shares of games that end. With several pairs, each is planned at alpha / pairs. The
difference in a pilot is uncertain, so the games for both ends of its 95 % interval are printed,
too. --difference replaces the pilot's difference. Without a pilot, --plan --means or --plan
--halfwidth assume exponential lifetimes.";

/// Number of games that a question needs
#[derive(Clone, Debug, clap::Args)]
struct Plan {
    /// Print how many games distinguish each pair, by these games as a pilot, instead of comparing
    #[arg(long, conflicts_with_all = ["contrast", "until_halfwidth", "until_verdict"])]
    plan: bool,

    /// Probability of detecting the difference (power)
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = share,
        default_value = "0.8",
        requires = "plan"
    )]
    power: f64,

    /// Probability of a false detection if the means are equal (significance level)
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = share,
        default_value = "0.05",
        requires = "plan"
    )]
    alpha: f64,

    /// Relative difference of two means to detect, as a share of the second mean [default: the
    /// pilot's differences]
    #[arg(long, value_name = "P%", value_parser = share, requires = "plan")]
    difference: Option<f64>,

    /// Plan for the mean of each player: half the width of its 95 % confidence interval as a share
    /// of the mean, for example 3%
    #[arg(
        long,
        value_name = "P%",
        value_parser = share,
        requires = "plan",
        conflicts_with = "difference"
    )]
    halfwidth: Option<f64>,

    /// Plan without games: how many tell two means of exponential lifetimes apart, 35e6,40e6
    #[arg(
        long,
        value_name = "MEAN,MEAN",
        value_parser = means,
        requires = "plan",
        conflicts_with_all = ["controllers", "from", "difference", "halfwidth"]
    )]
    means: Option<(f64, f64)>,

    /// With --means: limit at which games are censored, in the unit of the means
    #[arg(long, value_name = "N", value_parser = positive, requires = "means")]
    censored_at: Option<f64>,
}

impl Plan {
    /// Plans without a pilot, for lifetimes that are exponential.
    fn print_alone(&self, console: &Console, format: TableFormat) -> anyhow::Result<Outcome> {
        let Plan { power, alpha, halfwidth, means, censored_at, .. } = *self;
        let mut report = Report::default();
        match (means, halfwidth) {
            (Some((first, second)), _) => {
                let ratio = first.max(second) / first.min(second);
                let ends = games_for_power(ratio, power, alpha).filter(|_| ratio > 1.0);
                let ends = ends.with_context(|| {
                    format!(
                        "{first} and {second} are too close to distinguish with 2^33 games: give \
                            means further apart"
                    )
                })?;
                // More games of the stronger player reach the limit.
                let share = censored_at.map_or(1.0, |limit| share_ended(first.max(second), limit));
                let games = (ends as f64 / share).ceil() as u64;
                report.fields(json!({
                    "means": [first, second], "power": power, "alpha": alpha,
                    "censored_at": censored_at,
                    "ends": ends, "games": games,
                }));
                let of = censored_at.map(|_| format!(" (of which {} end)", thousands(ends)));
                report.text(format!(
                    "{} games of each player{} distinguish means of {} and {} with power {power} \
                        (two-sided F test at level {alpha}, exponential lifetimes, seeds not \
                        common)",
                    thousands(games),
                    of.unwrap_or_default(),
                    number(first),
                    number(second)
                ));
            }
            (None, Some(half_width)) => {
                let ends = ends_for_half_width(half_width, LEVEL)
                    .context("this interval needs more than 2^33 games: give a wider one")?;
                report.fields(json!({ "half_width": half_width, "ends": ends }));
                report.text(format!(
                    "{} games that end give a 95 % interval of half-width {} % (exponential \
                        lifetimes)",
                    thousands(ends),
                    (1e4 * half_width).round() / 100.0
                ));
            }
            (None, None) => bail!(
                "--plan needs pilot games (two controllers that play, or --from DIR), two means to \
                    distinguish (--means 35e6,40e6), or a relative width (--halfwidth 3%)"
            ),
        }
        console.report(&report, format)?;
        Ok(Outcome::Done)
    }

    fn print(
        &self,
        console: &Console,
        pilot: &Pilot,
        format: TableFormat,
    ) -> anyhow::Result<Outcome> {
        let Plan { power, alpha, difference, halfwidth, .. } = *self;
        let count = pilot.pair_count();
        ensure!(
            count > 0 || halfwidth.is_some(),
            "the pilot is one run, so there is nothing to compare: name another run, or give \
                --halfwidth"
        );
        // Bonferroni's method. Holm's, which a comparison uses, rejects at least as often.
        let alpha_of_each = alpha / count.max(1) as f64;
        let means = pilot.means(halfwidth);
        let pairs = match halfwidth {
            Some(_) => Vec::new(),
            None => {
                pilot.pairs(&PowerTarget { power, alpha: alpha_of_each, differ: difference })?
            }
        };
        let needed: Option<Vec<u64>> = match halfwidth {
            Some(_) => means.iter().map(|mean| mean.games_needed).collect(),
            None => pairs.iter().map(|pair| pair.to_tell.games).collect(),
        };
        let games = needed.and_then(|games| games.into_iter().max());
        let percent = |share: f64| (1e4 * share).round() / 100.0;
        let ending = match halfwidth {
            Some(width) => {
                format!(
                    "give every mean a 95 % interval of half-width {} % or less",
                    percent(width)
                )
            }
            None => {
                let of = difference.map_or("as in the pilot".to_owned(), |share| {
                    format!("of {} %", percent(share))
                });
                let together = match count {
                    1 => String::new(),
                    many => format!(" for all {many} pairs together"),
                };
                format!(
                    "distinguish every pair, each with power {power}, at a difference {of} (level \
                        {alpha}{together})"
                )
            }
        };
        let Measure { column, scale, better, .. } = pilot.measure();
        let mut report = Report::default();
        report.fields(json!({
            "measure": column, "scale": scale, "half_width": halfwidth, "power": power,
            "alpha": alpha, "alpha_of_each": alpha_of_each, "difference": difference,
            "games": games, "conditions": means, "pairs": pairs,
        }));
        report.text(match better {
            Better::More => format!("{column} per game, by a pilot"),
            Better::Fewer => format!("{column} per game, fewer are better, by a pilot"),
        });
        report.table(match halfwidth {
            Some(_) => means_table(&means),
            None => pairs_table(&pairs),
        });
        report.text(format!("\n{} games of each {ending}", games_text(games)));
        console.report(&report, format)?;
        Ok(Outcome::Done)
    }
}

/// Parses two positive numbers, joined by a comma.
fn means(text: &str) -> Result<(f64, f64), String> {
    let both = text.split_once(',').and_then(|(a, b)| Some((positive(a).ok()?, positive(b).ok()?)));
    both.ok_or_else(|| "write two numbers above 0, for example 35e6,40e6".to_owned())
}

fn games_text(games: Option<u64>) -> String {
    games.map_or("more than 2^33".to_owned(), thousands)
}

fn means_table(means: &[PlannedMean]) -> Table {
    let spread = |one: &PlannedMean| one.estimate.spread.and_then(|spread| spread.relative());
    TableOf::new("", means)
        .main()
        .with(("condition", "pilot"), |mean| &mean.condition)
        .with("ended", |mean| mean.estimate.mean.n - mean.estimate.mean.censored)
        .mean(|mean| Some(&mean.estimate.mean), |_, mean| number(mean))
        .with(("spread", "SD/mean"), |mean| Value::real(spread(mean), |sd| format!("{sd:.3}")))
        .with(("games_needed", "games needed"), |mean| {
            Value::of(mean.games_needed, games_text(mean.games_needed))
        })
        .into()
}

fn pairs_table(pairs: &[PlannedPair]) -> Table {
    // For censored lifetimes, the effect is the ratio of the two means.
    let effect = |pair: &PlannedPair| match pair.to_tell.test {
        "log-rank" => format!("x {}", significant(pair.to_tell.effect.exp())),
        _ => significant(pair.to_tell.effect),
    };
    let between = |[few, many]: [Option<u64>; 2]| {
        format!("{} to {}", games_text(few), many.map_or("unbounded".to_owned(), thousands))
    };
    TableOf::new("", pairs)
        .main()
        .shown("pair", |pair| format!("{} and {}", pair.first, pair.second))
        .data("first", |pair| &pair.first)
        .data("second", |pair| &pair.second)
        .with("test", |pair| pair.to_tell.test)
        .with(("effect", "difference"), |pair| Value::new(pair.to_tell.effect, effect(pair)))
        .with("correlation", |pair| {
            Value::real(pair.to_tell.correlation, |found| format!("{found:.2}"))
        })
        .with(("games", "games of each"), |pair| {
            Value::of(pair.to_tell.games, games_text(pair.to_tell.games))
        })
        .shown("at the ends of the pilot's interval", |pair| pair.to_tell.between.map(between))
        .into()
}

/// Maximum probability that at least one verdict of a comparison is wrong.
const ALPHA: f64 = 0.05;
/// Number of games of each controller in the first round, if the comparison has a time budget.
const FIRST_ROUND: u64 = 8;

/// Compare controllers on common seeds, with intervals and tests
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(crate) struct Args {
    /// Two or more presets (see `tetrastat show controllers`) or TOML files. Options of one
    /// controller follow a colon: `bcts:search=next`
    #[arg(required_unless_present_any = ["from", "plan"], value_name = "NAME|FILE[:KEY=VALUE,...]")]
    controllers: Vec<String>,

    /// Compare the games in the folder of a study or a comparison, and play none. Each of several
    /// folders may be a run, a study, an estimate or a folder of estimates
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with = "controllers")]
    from: Vec<PathBuf>,

    /// With --from: print only this contrast (repeat the option for several). For example, `search`
    /// compares the means at each search, and `search:board` tests if their ratio differs between
    /// boards
    #[arg(long, value_name = "FACTOR[:FACTOR]")]
    contrast: Vec<String>,

    /// With --contrast: also test if the first value is not worse than the second by more than this
    /// share (non-inferiority). State it before you see the games
    #[arg(long, value_name = "P%", value_parser = share, requires = "contrast")]
    not_worse_than: Option<f64>,

    /// Games of each controller [default: 100]
    #[arg(
        long,
        value_name = "N",
        value_parser = count::<u64>(1..),
        conflicts_with_all = ["until_halfwidth", "until_verdict"]
    )]
    games: Option<u64>,

    /// Play until half the width of every 95 % confidence interval is at most this share of its
    /// mean, for example 3%
    #[arg(long, value_name = "P%", value_parser = share, conflicts_with = "until_verdict")]
    until_halfwidth: Option<f64>,

    /// Play until every pair has a verdict: one mean is greater, or both are equal within --margin
    #[arg(long)]
    until_verdict: bool,

    /// Relative difference up to which two means count as equal
    #[arg(
        long,
        value_name = "P%",
        value_parser = share,
        default_value = "5%",
        requires = "until_verdict"
    )]
    margin: f64,

    /// Maximum number of games of each controller [default: 1000000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(2..))]
    most_games: Option<u64>,

    /// Stop after this many minutes of wall-clock time and compare the games played by then. All
    /// controllers play in rounds; each round doubles the number of games. With --out, the same
    /// command resumes
    #[arg(long, value_name = "MINUTES", value_parser = minutes, conflicts_with = "from")]
    minutes: Option<Duration>,

    /// Measure to compare: a numeric column of the table of games [default: lines; for a Sprint
    /// pieces; for other guideline games points; for LIAP, whose games are matches, hit_rate]
    #[arg(long, value_name = "COLUMN")]
    measure: Option<String>,

    /// Folder that keeps the games: a new one, or that of the same comparison, which is resumed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Output format. csv has one row per mean, difference and ratio
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,

    #[command(flatten)]
    game: GameOptions,

    #[command(flatten, next_help_heading = "Plan")]
    plan: Plan,
}

pub(crate) fn run(console: &Console, given: ParsedArgs<Args>) -> anyhow::Result<Outcome> {
    let args = &given.options;
    let Plan { power, alpha, .. } = args.plan;
    ensure!(power > alpha, "power {power} is no more than alpha {alpha}: give more");
    if !args.from.is_empty() {
        let allowed = ["from", "contrast", "not_worse_than", "measure", "format"];
        let planned = names::<Plan>();
        let allowed: Vec<&str> =
            allowed.into_iter().chain(planned.iter().map(String::as_str)).collect();
        given.only(&allowed, "a comparison with --from plays no games")?;
        if args.plan.plan {
            return for_game!(played(&args.from)?, conditions => {
                let measure = args.measure_of(&conditions[0].game)?;
                let pilot = Pilot::read(&conditions, Path::new(""), measure)?;
                args.plan.print(console, &pilot, args.format)
            });
        }
        return match &args.from[..] {
            [study] if args.contrast.is_empty() && estimates_in(study)?.is_empty() => {
                for_game!(recorded(study)?, conditions => args.compare(console, study, &conditions))
            }
            _ => args.contrast(console),
        };
    }
    if args.plan.plan && args.controllers.is_empty() {
        let allowed: Vec<String> = names::<Plan>();
        let allowed: Vec<&str> = allowed.iter().map(String::as_str).chain(["format"]).collect();
        given.only(&allowed, "a plan without a pilot plays no games")?;
        return args.plan.print_alone(console, args.format);
    }
    ensure!(
        args.contrast.is_empty(),
        "--contrast compares conditions that were played: play them with `tetrastat study`, and \
         give --from its folder"
    );
    ensure!(
        args.most_games.is_none() || args.until_halfwidth.is_some() || args.until_verdict,
        "--most-games bounds --until-halfwidth or --until-verdict: give one of them, or --games"
    );
    args.game.falling.any.rules.games().check::<Args>(&given.settings)?;
    let runs = AnyRuns::of(&args.controllers, &given.settings)?;
    for_game!(runs, games => args.compete(console, games))
}

impl Args {
    /// Compares the games in the folder `study`, which were played earlier, and prints the result.
    fn compare<G: Comparable>(
        &self,
        console: &Console,
        study: &Path,
        conditions: &[Condition<G>],
    ) -> anyhow::Result<Outcome> {
        let measure = self.measure_of(&conditions[0].game)?;
        let games: Vec<G> = conditions.iter().map(|condition| condition.game.clone()).collect();
        let report = CompareReport {
            told: &CommonSettings::of(&games),
            comparison: &compare(conditions, study, &measure)?,
            measure: &measure,
            looks: &[],
            verdicts: &[],
            target: None,
            stopped: Stopped::Games,
            folder: Some(study),
        };
        console.report(&report.report(), self.format)?;
        warn_if_stopped_at_verdict(console, study, conditions);
        Ok(Outcome::Done)
    }

    /// Returns the requested measure, or the main measure of `game`.
    fn measure_of<G: Comparable>(&self, game: &G) -> Result<Measure, Error> {
        game.measure_named(self.measure.as_deref().unwrap_or(game.about().measure))
    }

    /// Prints the contrasts between the conditions in the folders of `--from`.
    fn contrast(&self, console: &Console) -> anyhow::Result<Outcome> {
        let mut contrasts = Contrasts::default();
        let mut estimates = Vec::new();
        let mut games = Vec::new();
        for folder in &self.from {
            let found = estimates_in(folder)?;
            if found.is_empty() || holds_games(folder)? {
                games.push(folder.clone());
            }
            estimates.extend(found);
        }
        let mut column = "lines".to_owned();
        let mut better = Better::More;
        if !games.is_empty() {
            for_game!(played(&games)?, conditions => {
                let measure = self.measure_of(&conditions[0].game)?;
                column.clone_from(&measure.column);
                better = measure.better;
                contrasts.add_games(&conditions, Path::new(""), &measure)?;
                warn_if_stopped_at_verdict(console, Path::new(""), &conditions);
            });
        }
        if !estimates.is_empty() {
            let measure = self.measure.as_deref().unwrap_or(&column);
            ensure!(
                measure == "lines",
                "estimates have no measure but lines: leave out --measure {measure}"
            );
        }
        for folder in estimates {
            contrasts.add_estimate(&folder)?;
        }
        let rows = contrasts.rows(&self.contrast, self.not_worse_than.map(|m| (m, better)))?;
        let report = of_contrasts(&column, &contrasts.means(), &rows, self.not_worse_than);
        console.report(&report, self.format)?;
        Ok(Outcome::Done)
    }

    fn compete<G: Comparable>(&self, console: &Console, games: Vec<G>) -> anyhow::Result<Outcome> {
        self.refuse_certain(&games)?;
        let kept = self.out.is_some();
        // Keeps the temporary folder alive until the comparison ends.
        let fresh;
        let path = match &self.out {
            Some(out) => out,
            None => {
                let failed = |e| Error::io("creating a folder in", std::env::temp_dir(), e);
                fresh = tempfile::tempdir().map_err(failed)?;
                &fresh.path().join("compare")
            }
        };
        let told = CommonSettings::of(&games);
        let runs = RunComparison::new(path, games, self.measure.as_deref())?;
        let stop = console.stop_flag()?;
        let budget = TimeBudget::new(self.minutes);
        let played = budget.spend(&stop, || self.play(console, &runs, &stop, &budget))?;
        let folder = kept.then_some(path.as_path());
        if self.plan.plan && played.stopped == Stopped::Games {
            return self.plan.print(console, &runs.pilot()?, self.format);
        }
        let report = CompareReport {
            told: &told,
            measure: runs.measure(),
            comparison: &played.comparison,
            looks: &played.looks,
            verdicts: &played.verdicts,
            target: self.until_halfwidth,
            stopped: played.stopped,
            folder,
        };
        console.report(&report.report(), self.format)?;
        Ok(self.ended(console, &played, &told.remedy, folder))
    }

    /// Returns an error if a precision is requested and every game has the same pieces. Equal games
    /// have no confidence interval.
    fn refuse_certain<G: Comparable>(&self, games: &[G]) -> anyhow::Result<()> {
        let asks = self.until_halfwidth.is_some() || self.until_verdict;
        let mut queues = games.iter().filter_map(|game| game.about().fixed_queue);
        if let Some(queue) = queues.next().filter(|_| asks) {
            bail!(
                "queue {queue} deals every game the same pieces, so that there is no interval to \
                    narrow: give --games 1, or another --queue"
            );
        }
        Ok(())
    }

    fn most(&self) -> u64 {
        self.most_games.unwrap_or(MOST_GAMES)
    }

    /// Returns the rule that decides verdicts, or `None` if no verdicts are requested.
    fn sequential(&self) -> Option<Sequential> {
        self.until_verdict.then_some(Sequential { alpha: ALPHA, margin: self.margin })
    }

    fn rule(&self) -> Option<Stopping> {
        self.until_halfwidth.map(|half_width| Stopping { half_width, most: self.most() })
    }

    /// Returns the number of games of each controller before the first evaluation.
    fn first_games(&self) -> u64 {
        match self.rule() {
            Some(rule) => rule.first(),
            None if self.until_verdict => (FIRST_LOOK as u64).min(self.most()),
            // The first round is short, so that every controller has games when the time is over.
            None if self.minutes.is_some() => FIRST_ROUND.min(self.asked()),
            None => self.asked(),
        }
    }

    /// Returns the requested number of games of each controller. It has no effect if intervals or
    /// verdicts decide when the comparison stops.
    fn asked(&self) -> u64 {
        self.games.unwrap_or(GAMES)
    }

    /// Plays rounds of games and evaluates the comparison after each round, until a stopping rule
    /// holds.
    fn play<G: Comparable>(
        &self,
        console: &Console,
        runs: &RunComparison<G>,
        stop: &AtomicBool,
        budget: &TimeBudget,
    ) -> anyhow::Result<Played> {
        // A round that an interrupted run began is finished first.
        let begun = runs.games_begun(self.until_verdict)?;
        let players = runs.players();
        let mut numbers = begun.unwrap_or_else(|| vec![self.first_games(); players]);
        let mut games = numbers.iter().copied().max().unwrap_or_default();
        let planned = schedule(games, self.most());
        let mut looks = Vec::new();
        loop {
            let mut study = runs.open(&numbers)?;
            study::play(console, &mut study, None, stop)?;
            let whole = study.complete() == study.rows().len();
            // Tables are useful only if their folder is kept.
            if whole && self.out.is_some() {
                study.collect()?;
            }
            let arms = runs.arms()?;
            let comparison = runs.compare(arms.clone());
            let rule = self.sequential();
            let verdicts = rule.map_or_else(Vec::new, |rule| runs.look(&rule, &arms));
            let interrupted = !whole || stop.load(Ordering::Relaxed);
            let next = if interrupted && budget.is_over() {
                Next::Stop(Stopped::Minutes)
            } else if interrupted {
                Next::Stop(Stopped::Interrupted)
            } else {
                let half_width = comparison.half_width();
                looks.push(Look { games, half_width: Some(half_width).filter(|w| w.is_finite()) });
                self.next(games, &comparison, &verdicts)
            };
            match next {
                Next::Play(more) => {
                    games = more;
                    // A player whose comparisons all have a verdict needs no more games.
                    let decided = match self.until_verdict {
                        true => runs.decided(&arms, &verdicts),
                        false => vec![false; players],
                    };
                    let open = numbers.iter_mut().zip(decided).filter(|(_, decided)| !decided);
                    open.for_each(|(number, _)| *number = more);
                }
                Next::Stop(stopped) => {
                    let Some(rule) = rule else {
                        return Ok(Played { comparison, looks, verdicts, stopped });
                    };
                    // Intervals for a fixed number of games are invalid after several evaluations.
                    // The intervals of all evaluations together replace them.
                    let verdicts = runs.last_look(&rule, &arms, &planned);
                    let comparison = runs.at_all_looks(comparison, &rule, &arms, &verdicts);
                    return Ok(Played { comparison, looks, verdicts, stopped });
                }
            }
        }
    }

    /// Returns the next step after an evaluation with `games` games of each controller.
    fn next(&self, games: u64, comparison: &Comparison, verdicts: &[SequentialLook]) -> Next {
        let asked = self.asked();
        let open = verdicts.iter().any(|pair| pair.look.verdict == Verdict::Open);
        match self.rule() {
            None if self.until_verdict && !open => Next::Stop(Stopped::Verdict),
            None if self.until_verdict && games >= self.most() => Next::Stop(Stopped::MostGames),
            None if self.until_verdict => Next::Play(next_look(games, self.most())),
            // A folder may contain an unfinished round with more games than requested.
            None if games >= asked => Next::Stop(Stopped::Games),
            None if self.minutes.is_some() => Next::Play(games.saturating_mul(2).min(asked)),
            None => Next::Play(asked),
            Some(rule) => match rule.after(games, comparison.half_width()) {
                StopDecision::Reached => Next::Stop(Stopped::HalfWidth),
                StopDecision::Exhausted => Next::Stop(Stopped::MostGames),
                // Without finished games there is no interval, and more games with the same limits
                // would not help.
                StopDecision::Play(_) if !comparison.without_ends().is_empty() => {
                    Next::Stop(Stopped::NoEnds)
                }
                StopDecision::Play(more) => Next::Play(more),
            },
        }
    }

    /// Prints on stderr that a target was not reached, and returns the outcome. `remedy` is the
    /// advice if no game of a controller ended.
    fn ended(
        &self,
        console: &Console,
        played: &Played,
        remedy: &str,
        folder: Option<&Path>,
    ) -> Outcome {
        let Played { comparison, stopped, .. } = played;
        let wanted = 100.0 * self.until_halfwidth.unwrap_or_default();
        let missed = match self.until_verdict {
            true => "not every pair has a verdict".to_owned(),
            false => format!("the half-width of {wanted} % was not reached"),
        };
        let kept = match folder {
            Some(folder) => format!("the games are kept in {}; ", folder.display()),
            None => "the games are not kept; with --out DIR ".to_owned(),
        };
        let without_ends = comparison.without_ends().join(", ");
        let most = thousands(self.most());
        let (message, outcome) = match stopped {
            Stopped::Games | Stopped::HalfWidth | Stopped::Verdict => return Outcome::Done,
            Stopped::NoEnds => {
                (format!("{missed}: no game of {without_ends} ended: {remedy}"), Outcome::Missed)
            }
            Stopped::MostGames => {
                let raise = format!("raise --most-games ({most})");
                let advice = match (without_ends.is_empty(), self.until_verdict) {
                    (true, true) => format!("{raise}, or --margin"),
                    (true, false) => format!("{raise}, or --until-halfwidth"),
                    _ => format!("no game of {without_ends} ended: {remedy}; then {raise}"),
                };
                (format!("{missed}: {advice}"), Outcome::Missed)
            }
            Stopped::Minutes => {
                let message = format!(
                    "the time of --minutes is over: {kept}the same command resumes the comparison"
                );
                match self.until_verdict || self.until_halfwidth.is_some() {
                    true => (format!("{missed}: {message}"), Outcome::Missed),
                    false => (message, Outcome::Done),
                }
            }
            Stopped::Interrupted => (
                format!("interrupted: {kept}the same command resumes the comparison"),
                Outcome::Interrupted,
            ),
        };
        console.eprint_line(&message);
        outcome
    }
}

/// Returns the estimates in `folder`, sorted by name: `folder` itself, or its folders.
fn estimates_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let is_estimate = |folder: &Path| Ok::<_, Error>(kind_of(folder)? == Some(Kind::Estimate));
    if is_estimate(folder)? {
        return Ok(vec![folder.to_owned()]);
    }
    let estimated = read_estimated(folder)?;
    if !estimated.is_empty() {
        for row in &estimated {
            let path = folder.join(&row.folder);
            let shown = path.display();
            if has_checkpoint(&path)? || is_estimate(&path)? {
                continue;
            }
            ensure!(
                row.status == "complete",
                "{shown} is {}: run the study to its end",
                row.status
            );
            bail!("{shown} is missing: restore it, or run the study again, which estimates it");
        }
        return Ok(estimated.into_iter().map(|row| folder.join(row.folder)).collect());
    }
    let failed = |e| Error::io("reading", folder, e);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() && is_estimate(&path)? {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Result of a comparison and the reason for its end.
struct Played {
    comparison: Comparison,
    looks: Vec<Look>,
    /// Verdict of each pair of controllers, if verdicts are requested.
    verdicts: Vec<SequentialLook>,
    stopped: Stopped,
}

/// Prints a warning on stderr if the games in the folder `study` were played with
/// `--until-verdict`, according to the commands in their manifests.
fn warn_if_stopped_at_verdict<G: Comparable>(
    console: &Console,
    study: &Path,
    conditions: &[Condition<G>],
) {
    let is_stopped = |condition: &Condition<G>| {
        let manifest = Manifest::<G>::read(&study.join(&condition.folder));
        manifest.is_ok_and(|found| {
            found.provenance.command.iter().any(|word| word == "--until-verdict")
        })
    };
    if conditions.iter().any(is_stopped) {
        console.eprint_line(
            "warning: these games were played until a verdict (--until-verdict), but the \
                intervals and p-values of this report assume a fixed number of games, so they do \
                not hold: run the same compare command again with --out for valid ones",
        );
    }
}

/// Next step of a comparison after an evaluation.
enum Next {
    /// Number of games of each controller to play before the next evaluation.
    Play(u64),
    /// End of the comparison.
    Stop(Stopped),
}
