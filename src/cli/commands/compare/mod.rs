//! Runs `tetrastat compare`: players on common seeds, with intervals, paired tests and verdicts.

use std::sync::atomic::Ordering;

use crate::cli::command_line::join_paragraphs;
use crate::cli::commands::compare::plan::Plan;
use crate::cli::commands::study;
use crate::cli::console::minutes;
use crate::cli::options::for_game;
use crate::cli::options::runs::{AnyRuns, GameOptions};
use crate::cli::options::settings::setting_names;
use crate::cli::options::study_file::{holds_games, read_played, read_recorded};
use crate::cli::prelude::*;
use crate::cli::reports::compare::{
    CommonSettings, CompareReport, InterimResult, StopReason, contrast_report,
};
use crate::engine::{Comparable, Measure};
use crate::record::{Kind, has_checkpoint, kind_of, read_estimated_conditions};
use crate::stats::{
    Better, Comparison, FIRST_LOOK, Sequential, StopDecision, Stopping, Verdict, next_look,
    schedule,
};
use crate::study::{Condition, Contrasts, Pilot, RunComparison, SequentialLook, compare};
use crate::text::numbers::thousands;
use crate::text::parse::{count, share};

mod plan;

const DEFAULT_GAMES: u64 = 100;
/// Default of the maximum number of games per controller in a comparison with a precision goal.
const DEFAULT_MOST_GAMES: u64 = 1_000_000;

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

/// Upper bound on the probability that at least one verdict of a comparison is wrong.
const VERDICT_ERROR_RATE: f64 = 0.05;
const FIRST_ROUND_GAMES: u64 = 8;

/// Compare controllers on common seeds, with intervals and tests
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = join_paragraphs(HELP))]
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
        let planned = setting_names::<Plan>();
        let allowed: Vec<&str> =
            allowed.into_iter().chain(planned.iter().map(String::as_str)).collect();
        given.check_only(&allowed, "a comparison with --from plays no games")?;
        if args.plan.plan {
            return for_game!(read_played(&args.from)?, conditions => {
                let measure = args.measure_of(&conditions[0].game)?;
                let pilot = Pilot::read(&conditions, Path::new(""), measure)?;
                args.plan.print(console, &pilot, args.format)
            });
        }
        return match &args.from[..] {
            [study] if args.contrast.is_empty() && estimates_in(study)?.is_empty() => {
                for_game!(read_recorded(study)?, conditions => {
                    args.compare(console, study, &conditions)
                })
            }
            _ => args.contrast(console),
        };
    }
    if args.plan.plan && args.controllers.is_empty() {
        let allowed: Vec<String> = setting_names::<Plan>();
        let allowed: Vec<&str> = allowed.iter().map(String::as_str).chain(["format"]).collect();
        given.check_only(&allowed, "a plan without a pilot plays no games")?;
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
    args.game.falling.any.rules.games().refuse_foreign::<Args>(&given.settings)?;
    let runs = AnyRuns::from_players(&args.controllers, &given.settings)?;
    for_game!(runs, games => args.compete(console, games))
}

impl Args {
    fn compare<G: Comparable>(
        &self,
        console: &Console,
        study: &Path,
        conditions: &[Condition<G>],
    ) -> anyhow::Result<Outcome> {
        let measure = self.measure_of(&conditions[0].game)?;
        let games: Vec<G> = conditions.iter().map(|condition| condition.game.clone()).collect();
        let report = CompareReport {
            common: &CommonSettings::new(&games),
            comparison: &compare(conditions, study, &measure)?,
            measure: &measure,
            looks: &[],
            verdicts: &[],
            target: None,
            stopped: StopReason::Games,
            folder: Some(study),
        };
        console.report(&report.report(), self.format)?;
        warn_if_stopped_at_verdict(console, study, conditions);
        Ok(Outcome::Done)
    }

    fn measure_of<G: Comparable>(&self, game: &G) -> Result<Measure, Error> {
        game.measure_named(self.measure.as_deref().unwrap_or(game.about().measure))
    }

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
            for_game!(read_played(&games)?, conditions => {
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
        let report = contrast_report(&column, &contrasts.means(), &rows, self.not_worse_than);
        console.report(&report, self.format)?;
        Ok(Outcome::Done)
    }

    fn compete<G: Comparable>(&self, console: &Console, games: Vec<G>) -> anyhow::Result<Outcome> {
        self.refuse_equal_games(&games)?;
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
        let common = CommonSettings::new(&games);
        let runs = RunComparison::new(path, games, self.measure.as_deref())?;
        let stop = console.stop_flag()?;
        let budget = TimeBudget::new(self.minutes);
        let played = budget.spend(&stop, || self.play(console, &runs, &stop, &budget))?;
        let folder = kept.then_some(path.as_path());
        if self.plan.plan && played.stopped == StopReason::Games {
            return self.plan.print(console, &runs.pilot()?, self.format);
        }
        let report = CompareReport {
            common: &common,
            measure: runs.measure(),
            comparison: &played.comparison,
            looks: &played.looks,
            verdicts: &played.verdicts,
            target: self.until_halfwidth,
            stopped: played.stopped,
            folder,
        };
        console.report(&report.report(), self.format)?;
        Ok(self.outcome(console, &played, &common.remedy, folder))
    }

    /// Returns an error if an interval is required, but every game is dealt the same pieces.
    fn refuse_equal_games<G: Comparable>(&self, games: &[G]) -> anyhow::Result<()> {
        let needs_interval = self.until_halfwidth.is_some() || self.until_verdict;
        let mut queues = games.iter().filter_map(|game| game.about().fixed_queue);
        if let Some(queue) = queues.next().filter(|_| needs_interval) {
            bail!(
                "queue {queue} deals every game the same pieces, so that there is no interval to \
                    narrow: give --games 1, or another --queue"
            );
        }
        Ok(())
    }

    fn most(&self) -> u64 {
        self.most_games.unwrap_or(DEFAULT_MOST_GAMES)
    }

    fn sequential(&self) -> Option<Sequential> {
        self.until_verdict.then_some(Sequential { alpha: VERDICT_ERROR_RATE, margin: self.margin })
    }

    fn rule(&self) -> Option<Stopping> {
        self.until_halfwidth.map(|half_width| Stopping { half_width, most: self.most() })
    }

    fn first_games(&self) -> u64 {
        match self.rule() {
            Some(rule) => rule.first(),
            None if self.until_verdict => (FIRST_LOOK as u64).min(self.most()),
            // The first round is short, so that every controller has games when the time is over.
            None if self.minutes.is_some() => FIRST_ROUND_GAMES.min(self.requested_games()),
            None => self.requested_games(),
        }
    }

    /// Returns the number of games per controller, for comparisons that end after a fixed number of
    /// games.
    fn requested_games(&self) -> u64 {
        self.games.unwrap_or(DEFAULT_GAMES)
    }

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
                NextStep::Stop(StopReason::Minutes)
            } else if interrupted {
                NextStep::Stop(StopReason::Interrupted)
            } else {
                let half_width = comparison.half_width();
                looks.push(InterimResult {
                    games,
                    half_width: Some(half_width).filter(|w| w.is_finite()),
                });
                self.next_step(games, &comparison, &verdicts)
            };
            match next {
                NextStep::Play(more) => {
                    games = more;
                    // A player whose comparisons all have a verdict needs no more games.
                    let decided = match self.until_verdict {
                        true => runs.decided(&arms, &verdicts),
                        false => vec![false; players],
                    };
                    let open = numbers.iter_mut().zip(decided).filter(|(_, decided)| !decided);
                    open.for_each(|(number, _)| *number = more);
                }
                NextStep::Stop(stopped) => {
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

    fn next_step(
        &self,
        games: u64,
        comparison: &Comparison,
        verdicts: &[SequentialLook],
    ) -> NextStep {
        let asked = self.requested_games();
        let open = verdicts.iter().any(|pair| pair.look.verdict == Verdict::Open);
        match self.rule() {
            None if self.until_verdict && !open => NextStep::Stop(StopReason::Verdict),
            None if self.until_verdict && games >= self.most() => {
                NextStep::Stop(StopReason::MostGames)
            }
            None if self.until_verdict => NextStep::Play(next_look(games, self.most())),
            // A folder may contain an unfinished round with more games than requested.
            None if games >= asked => NextStep::Stop(StopReason::Games),
            None if self.minutes.is_some() => NextStep::Play(games.saturating_mul(2).min(asked)),
            None => NextStep::Play(asked),
            Some(rule) => match rule.after(games, comparison.half_width()) {
                StopDecision::Reached => NextStep::Stop(StopReason::HalfWidth),
                StopDecision::Exhausted => NextStep::Stop(StopReason::MostGames),
                // Without finished games there is no interval, and more games with the same limits
                // would not help.
                StopDecision::Play(_) if !comparison.without_ends().is_empty() => {
                    NextStep::Stop(StopReason::NoEnds)
                }
                StopDecision::Play(more) => NextStep::Play(more),
            },
        }
    }

    /// Returns how the comparison ended. If it ended before its goal, prints the reason and advice.
    fn outcome(
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
            StopReason::Games | StopReason::HalfWidth | StopReason::Verdict => {
                return Outcome::Done;
            }
            StopReason::NoEnds => {
                (format!("{missed}: no game of {without_ends} ended: {remedy}"), Outcome::Missed)
            }
            StopReason::MostGames => {
                let raise = format!("raise --most-games ({most})");
                let advice = match (without_ends.is_empty(), self.until_verdict) {
                    (true, true) => format!("{raise}, or --margin"),
                    (true, false) => format!("{raise}, or --until-halfwidth"),
                    _ => format!("no game of {without_ends} ended: {remedy}; then {raise}"),
                };
                (format!("{missed}: {advice}"), Outcome::Missed)
            }
            StopReason::Minutes => {
                let message = format!(
                    "the time of --minutes is over: {kept}the same command resumes the comparison"
                );
                match self.until_verdict || self.until_halfwidth.is_some() {
                    true => (format!("{missed}: {message}"), Outcome::Missed),
                    false => (message, Outcome::Done),
                }
            }
            StopReason::Interrupted => (
                format!("interrupted: {kept}the same command resumes the comparison"),
                Outcome::Interrupted,
            ),
        };
        console.eprint_line(&message);
        outcome
    }
}

fn estimates_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let is_estimate = |folder: &Path| Ok::<_, Error>(kind_of(folder)? == Some(Kind::Estimate));
    if is_estimate(folder)? {
        return Ok(vec![folder.to_owned()]);
    }
    let estimated = read_estimated_conditions(folder)?;
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

struct Played {
    comparison: Comparison,
    looks: Vec<InterimResult>,
    verdicts: Vec<SequentialLook>,
    stopped: StopReason,
}

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

enum NextStep {
    Play(u64),
    Stop(StopReason),
}
