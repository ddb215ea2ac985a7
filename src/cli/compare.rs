//! `tetrastat compare`: controllers on common seeds, with intervals and paired tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::compare_report::{Format, Look, Report, Stopped};
use super::complaint::complain;
use super::help::prose;
use super::interrupt::stop_flag;
use super::options::{BoardOptions, TieOption, Workers, count, share};
use super::output::{Outcome, thousands};
use super::run_options::PlayOptions;
use super::study;
use crate::error::Error;
use crate::search::Search;
use crate::sim::{Job, RunConfig};
use crate::stats::{Comparison, Step, Stopping};
use crate::study::Contest;

/// Games of each controller unless the user says otherwise.
const GAMES: u64 = 100;
/// Games of each controller at most, when they are played until intervals are narrow.
const MOST_GAMES: u64 = 1_000_000;

/// What `--help` shows below the options.
const HELP: &str = "Game i is dealt the same pieces whoever plays it. Lines and pieces (and other counts that add up) have the exact
interval for exponential lifetimes, with censored games as exposure; when Cox-Oakes or Anderson-Darling
speaks against that, and for other columns, the interval is by bootstrap-t over games. Pairs are compared game by
game: difference and ratio of means by a paired bootstrap-t, p by a sign-flip test, or by log-rank when games
were cut off, adjusted for all pairs by Holm's method. A controller of which no game ended has no mean, and no rank
unless its lower bound lies above the other means.

--until-halfwidth plays all controllers to the same number of games, looks at 32 of each, then at
as many as the widest interval asks for (a quarter to three times as many more), until every 95 % interval is
narrow enough. It stops, too, when after a look no game of some controller has ended, or --most-games are played:
then the result is printed, one line on stderr says which limit to raise, and the exit code is 3.

With --out the same command goes on with what was killed or interrupted, and one that asks for more games
or a narrower interval plays only what is missing.";

/// Compare controllers on common seeds: ranks, intervals and paired tests
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(super) struct Args {
    /// Presets (see `tetrastat controllers`) or TOML files, two or more
    #[arg(required = true, value_name = "NAME|FILE")]
    controllers: Vec<String>,

    #[command(flatten)]
    tie: TieOption,

    #[command(flatten)]
    board: BoardOptions,

    /// How far to look ahead: `greedy`, `next` (known next piece) or `expect` (mean over seven)
    #[arg(long, default_value = "greedy")]
    search: Search,

    #[command(flatten)]
    play: PlayOptions,

    #[command(flatten)]
    workers: Workers,

    /// Games of each controller [default: 100]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..), conflicts_with = "until_halfwidth")]
    games: Option<u64>,

    /// Play until half the width of every 95 % interval is at most this share of its mean, for example 3%
    #[arg(long, value_name = "P%", value_parser = share)]
    until_halfwidth: Option<f64>,

    /// Games of each controller at most [default: 1000000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(2..), requires = "until_halfwidth")]
    most_games: Option<u64>,

    /// What is compared: a column of games that holds numbers [default: lines]
    #[arg(long, value_name = "COLUMN")]
    measure: Option<String>,

    /// Keep the games: a new folder, or that of the same comparison, which goes on
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// How to print the comparison; csv has one row per mean, difference and ratio
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let configs = self.configs()?;
        let first = configs[0].clone();
        self.refuse_certain(&first)?;
        let kept = self.out.is_some();
        let fresh;
        let path = match &self.out {
            Some(out) => out,
            None => {
                let failed = |e| Error::io("creating a folder in", std::env::temp_dir(), e);
                fresh = tempfile::tempdir().map_err(failed)?;
                &fresh.path().join("compare")
            }
        };
        let contest = Contest::new(path, jobs(configs)?, self.measure.as_deref())?;
        let stop = stop_flag()?;
        let (comparison, looks, stopped) = self.play(&contest, &stop)?;
        let folder = kept.then_some(path.as_path());
        let report = Report {
            config: &first,
            measure: &contest.measure().column,
            scale: contest.measure().scale,
            comparison: &comparison,
            looks: &looks,
            target: self.until_halfwidth,
            stopped,
            folder,
        };
        report.print(self.format)?;
        Ok(self.ended(stopped, &comparison, &first, folder))
    }

    fn configs(&self) -> anyhow::Result<Vec<RunConfig>> {
        let config = |name: &String| {
            let BoardOptions { rules, place } = &self.board;
            let controller = self.tie.controller(name)?;
            self.play.config(controller, place, (*rules, self.search), 1, &self.workers)
        };
        self.controllers.iter().map(config).collect()
    }

    /// Equal games have no interval that could become narrow.
    fn refuse_certain(&self, config: &RunConfig) -> Result<(), Error> {
        if self.until_halfwidth.is_some() && !config.queue.is_random() {
            let queue = &config.queue;
            return Err(Error::Config(format!(
                "queue {queue} deals every game the same pieces, so that there is no interval to narrow: give --games 1, or another --queue"
            )));
        }
        Ok(())
    }

    fn rule(&self) -> Option<Stopping> {
        let most = self.most_games.unwrap_or(MOST_GAMES);
        self.until_halfwidth.map(|half_width| Stopping { half_width, most })
    }

    /// Plays and looks until enough is played.
    fn play(
        &self,
        contest: &Contest<Job>,
        stop: &AtomicBool,
    ) -> anyhow::Result<(Comparison, Vec<Look>, Stopped)> {
        let rule = self.rule();
        let asked = self.games.unwrap_or(GAMES);
        // A look that was begun is finished first.
        let begun = contest.begun()?;
        let mut games = if begun > 0 { begun } else { rule.map_or(asked, |rule| rule.first()) };
        let mut looks = Vec::new();
        loop {
            let mut study = contest.open(games)?;
            study::play(&mut study, stop)?;
            let whole = study.complete() == study.rows().len();
            if whole && self.out.is_some() {
                study.collect()?;
            }
            let comparison = contest.compare()?;
            if !whole || stop.load(Ordering::Relaxed) {
                return Ok((comparison, looks, Stopped::Interrupted));
            }
            let half_width = comparison.half_width();
            looks.push(Look { games, half_width: Some(half_width).filter(|w| w.is_finite()) });
            let stopped = match rule {
                None if games >= asked => Stopped::Games,
                None => {
                    games = asked;
                    continue;
                }
                Some(rule) => match rule.after(games, half_width) {
                    Step::Reached => Stopped::HalfWidth,
                    Step::Exhausted => Stopped::MostGames,
                    Step::Play(_) if !comparison.without_ends().is_empty() => Stopped::NoEnds,
                    Step::Play(more) => {
                        games = more;
                        continue;
                    }
                },
            };
            return Ok((comparison, looks, stopped));
        }
    }

    /// Says on stderr when what was asked for was not reached, and which limit to raise.
    fn ended(
        &self,
        stopped: Stopped,
        comparison: &Comparison,
        config: &RunConfig,
        folder: Option<&Path>,
    ) -> Outcome {
        let limits = limits(config);
        let wanted = 100.0 * self.until_halfwidth.unwrap_or_default();
        let missed = format!("the half-width of {wanted} % was not reached");
        match (stopped, folder) {
            (Stopped::Games | Stopped::HalfWidth, _) => Outcome::Done,
            (Stopped::NoEnds, _) => {
                let names = comparison.without_ends().join(", ");
                complain(&format!("{missed}: no game of {names} ended: raise {limits}"));
                Outcome::Missed
            }
            (Stopped::MostGames, _) => {
                let most = thousands(self.most_games.unwrap_or(MOST_GAMES));
                let names = comparison.without_ends();
                complain(&match names[..] {
                    [] => format!("{missed}: raise --most-games ({most}), or ask for a wider one"),
                    _ => format!(
                        "{missed}: no game of {} ended: raise {limits}, and --most-games ({most})",
                        names.join(", ")
                    ),
                });
                Outcome::Missed
            }
            (Stopped::Interrupted, Some(folder)) => {
                let folder = folder.display();
                complain(&format!(
                    "interrupted: the games are kept in {folder}; the same command goes on"
                ));
                Outcome::Interrupted
            }
            (Stopped::Interrupted, None) => {
                complain(
                    "interrupted: the games are not kept; with --out DIR the same command goes on",
                );
                Outcome::Interrupted
            }
        }
    }
}

fn jobs(configs: Vec<RunConfig>) -> Result<Vec<Job>, Error> {
    configs.into_iter().map(Job::unlogged).collect()
}

/// The limits that cut games off, as options.
fn limits(config: &RunConfig) -> String {
    let option = |name: &str, limit: Option<u64>| {
        limit.map(|limit| format!("--{name} ({}; none for no limit)", thousands(limit)))
    };
    let pieces = option("max-pieces", config.limits.pieces);
    let lines = option("max-lines", config.limits.lines);
    pieces.into_iter().chain(lines).collect::<Vec<_>>().join(" and ")
}
