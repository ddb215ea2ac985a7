//! Describes the games of studies and comparisons for the command line.

use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::{Context, anyhow, ensure};
use serde_json::{Map, Value, json};

use crate::cli::console::mistake::mistake;
use crate::cli::console::progress::{ProgressStatus, of_count, of_games};
use crate::cli::options::games::{OfGame, map_game};
use crate::cli::options::runs::GameOptions;
use crate::cli::options::settings::{ParsedArgs, Settings, options};
use crate::engine::{Comparable, Game, Totals};
use crate::error::Result;
use crate::liap::LiapConfig;
use crate::queue::QueueKind;
use crate::record::read_manifest;
use crate::search::Policy;
use crate::sim::guideline::GuidelineConfig;
use crate::sim::{ClassicConfig, ClassicGames};
use crate::stats::remedy_without_ends;
use crate::tbp::PREFIX;
use crate::text::numbers::thousands;

/// A run configuration that the commands of studies and comparisons can run and print.
pub(crate) trait Playable: Comparable {
    /// Returns the progress of a run, computed from its counters `totals`.
    fn status(&self, totals: &Totals) -> ProgressStatus;

    /// Returns the limit of pieces per game; `None` if there is no limit.
    fn most_pieces(&self) -> Option<u64>;

    /// Returns the advice that is printed if no game ended. It names the options that limit games,
    /// with their values.
    fn remedy_without_ends(&self) -> String;

    /// Returns the name of the queue if it deals the same pieces in every game. Returns `None` for
    /// random queues.
    fn common_sequence_option(&self) -> Option<String>;

    /// Returns the settings of the run as texts, without the controller.
    fn heading(&self) -> Vec<String>;

    /// Keys of the configuration that reports show, besides the controller.
    const SHOWN: &'static [&'static str];

    /// Returns the settings of the run as JSON, without the controller.
    fn shown(&self) -> Map<String, Value> {
        let entry = json!(self.entry());
        Self::SHOWN.iter().map(|name| ((*name).to_owned(), entry[*name].clone())).collect()
    }
}

/// Returns the settings of classic games as texts, without the controller.
pub(crate) fn classic_heading(config: &ClassicConfig) -> Vec<String> {
    classic_heading_with(config, format!("search {}", config.search))
}

/// Returns the settings of classic games as texts, without the controller. `search` describes the
/// search.
pub(crate) fn classic_heading_with(config: &ClassicConfig, search: String) -> Vec<String> {
    let ClassicConfig { rules, size, garbage, queue, policy, seed, .. } = config;
    let size = [format!("{rules} {size}")].into_iter().chain(garbage_words(*garbage));
    let settings = size.chain([format!("queue {queue}"), search]);
    let policy = (*policy != Policy::Best).then(|| format!("policy {policy}"));
    settings.chain(policy).chain([format!("seed {seed}")]).collect()
}

/// Returns the words for garbage rows at the start, or `None` without any.
fn garbage_words(rows: usize) -> Option<String> {
    (rows > 0).then(|| format!("garbage {rows}"))
}

impl Playable for ClassicGames {
    const SHOWN: &'static [&'static str] = &[
        "rules",
        "board",
        "queue",
        "search",
        "policy",
        "garbage",
        "seed",
        "max_pieces",
        "max_lines",
    ];

    fn status(&self, totals: &Totals) -> ProgressStatus {
        of_games(self.config(), totals)
    }

    fn most_pieces(&self) -> Option<u64> {
        self.config().limits.pieces
    }

    fn remedy_without_ends(&self) -> String {
        let option = |name: &str, limit: Option<u64>| {
            limit.map(|limit| format!("--{name} ({}; none for no limit)", thousands(limit)))
        };
        let limits = self.config().limits;
        let (pieces, lines) =
            (option("max-pieces", limits.pieces), option("max-lines", limits.lines));
        remedy_without_ends(&pieces.into_iter().chain(lines).collect::<Vec<_>>().join(" and "))
    }

    fn common_sequence_option(&self) -> Option<String> {
        let queue = &self.config().queue;
        (!queue.is_random()).then(|| queue.to_string())
    }

    fn heading(&self) -> Vec<String> {
        classic_heading(self.config())
    }
}

impl Playable for GuidelineConfig {
    const SHOWN: &'static [&'static str] = &[
        "rules",
        "mode",
        "sprint_lines",
        "max_pieces",
        "seconds",
        "queue",
        "search",
        "policy",
        "garbage",
        "seed",
    ];

    fn status(&self, totals: &Totals) -> ProgressStatus {
        let range = self.work_items();
        let all = range.end - range.start;
        let games = of_count("games", all, &totals.played);
        let pieces = totals.pieces.load(Ordering::Relaxed);
        let of_limit = self
            .most_pieces()
            .map_or(0.0, |most| pieces as f64 / (most as f64 * all.max(1) as f64));
        ProgressStatus {
            share: games.share.map(|share| share.max(of_limit).min(1.0)),
            counted: Some((pieces, "pieces")),
            ..games
        }
    }

    fn most_pieces(&self) -> Option<u64> {
        let most = self.mode.pieces();
        (most < u32::MAX).then_some(most.into())
    }

    fn remedy_without_ends(&self) -> String {
        "raise --pieces, or take another controller".to_owned()
    }

    fn common_sequence_option(&self) -> Option<String> {
        (!self.queue.is_random()).then(|| self.queue.to_string())
    }

    fn heading(&self) -> Vec<String> {
        let mut heading = vec![
            format!("{} {}", self.rules, self.mode.name()),
            format!("search {}", self.beam.name()),
            format!("seed {}", self.seed),
        ];
        if self.policy != Policy::Best {
            heading.insert(2, format!("policy {}", self.policy));
        }
        if let Some(garbage) = garbage_words(self.garbage) {
            heading.insert(1, garbage);
        }
        if self.queue != QueueKind::Bag {
            heading.insert(1, format!("queue {}", self.queue));
        }
        heading
    }
}

impl Playable for LiapConfig {
    const SHOWN: &'static [&'static str] = &["players", "target", "max_rounds", "guard", "seed"];

    fn status(&self, totals: &Totals) -> ProgressStatus {
        let (what, all) = self.asked();
        of_count(what, all, &totals.played)
    }

    fn most_pieces(&self) -> Option<u64> {
        None
    }

    fn remedy_without_ends(&self) -> String {
        "raise --max-rounds".to_owned()
    }

    fn common_sequence_option(&self) -> Option<String> {
        None
    }

    fn heading(&self) -> Vec<String> {
        let [target, seed] = [self.rules.target.to_string(), self.seed.to_string()];
        let players = self.seats.map(|seat| seat.player.name()).join(" ");
        vec![
            "LIAP matches".to_owned(),
            format!("players {players}"),
            format!("to {target} points"),
            format!("seed {seed}"),
        ]
    }
}

/// A run of one of the games.
pub(crate) type AnyRun = OfGame<ClassicGames, GuidelineConfig, LiapConfig>;

impl AnyRun {
    /// Reads the configuration of the run in `folder`, without its logs.
    pub(crate) fn read(folder: &Path) -> Result<AnyRun> {
        let manifest: Value = read_manifest(&folder.join("run.json"))?;
        Ok(match manifest["config"]["game"].as_str() {
            Some("guideline") => AnyRun::Guideline(GuidelineConfig::read_entry(folder)?),
            Some("liap") => AnyRun::Liap(LiapConfig::read_entry(folder)?),
            _ => AnyRun::Classic(ClassicGames::unlogged(ClassicGames::read_entry(folder)?)?),
        })
    }
}

/// Runs that all play the same game.
pub(crate) type AnyRuns = OfGame<Vec<ClassicGames>, Vec<GuidelineConfig>, Vec<LiapConfig>>;

impl AnyRuns {
    /// Groups `runs` that all play the same game. Returns `None` if they play different games.
    pub(crate) fn alike(runs: Vec<AnyRun>) -> Option<AnyRuns> {
        let none = |run: &AnyRun| map_game!(run, _ => Vec::new());
        let mut all = runs.first().map_or(AnyRuns::Classic(Vec::new()), none);
        for run in runs {
            match (&mut all, run) {
                (AnyRuns::Classic(all), AnyRun::Classic(run)) => all.push(run),
                (AnyRuns::Guideline(all), AnyRun::Guideline(run)) => all.push(run),
                (AnyRuns::Liap(all), AnyRun::Liap(run)) => all.push(run),
                _ => return None,
            }
        }
        Some(all)
    }

    /// Builds one run for each of the `players` that are compared. The runs write no log, and share
    /// the options `given`. A player is a controller `NAME`, or `NAME:key=value,key=value` with
    /// options of its own.
    ///
    /// # Errors
    /// An option is invalid, or the players do not all play one game (classic, guideline or LIAP).
    pub(crate) fn of(players: &[String], given: &Settings) -> anyhow::Result<AnyRuns> {
        let mut runs = Vec::new();
        for player in players {
            let (controller, own) = split_player(player)?;
            let all = own.merge_over(given.of_options::<GameOptions>());
            let read = ParsedArgs::<GameOptions>::read(&all);
            let ParsedArgs { options, settings, .. } =
                read.map_err(|error| anyhow!("{player}: {}", mistake(&error)))?;
            options.falling.any.rules.games().check::<GameOptions>(&settings)?;
            runs.push(options.run(controller)?);
        }
        AnyRuns::alike(runs).context(
            "different games have different measures: compare games of one --rules at a time",
        )
    }
}

/// Splits a player such as `bcts:board=10x10` into the controller and its own options.
fn split_player(player: &str) -> anyhow::Result<(&str, Settings)> {
    // Names of options and `=` follow the colon. A colon inside a path or a value has neither.
    let is_key = |c: char| c.is_ascii_alphanumeric() || " -_,".contains(c);
    let begins = |own: &str| own.split_once('=').is_some_and(|(keys, _)| keys.chars().all(is_key));
    // The first colon of `tbp:COMMAND` is part of the name. The options of the bot in its command
    // have spaces before them.
    let is_bot = player.starts_with(PREFIX);
    let is_own =
        |place: &usize| !is_bot || !player[*place..].contains(' ') && *place >= PREFIX.len();
    let places = player.match_indices(':').map(|(place, _)| place).filter(is_own);
    let Some(place) = places.into_iter().find(|place| begins(&player[place + 1..])) else {
        return Ok((player, Settings::default()));
    };
    let (controller, own) = (&player[..place], &player[place + 1..]);
    // Options that all players share, because games are compared pair by pair on one seed.
    const OF_ALL: [&str; 3] = ["seed", "threads", "simd"];
    let mut given = Map::new();
    for pair in own.split(',') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, "true"));
        let key = key.trim().trim_start_matches("--").replace('-', "_");
        ensure!(
            !OF_ALL.contains(&key.as_str()),
            "{player}: {key} is the same for all players: give --{key} after the players"
        );
        let value = if value == "true" { json!(true) } else { json!(value) };
        given.insert(key, value);
    }
    let settings = Settings::from_object(&options::<GameOptions>(), Path::new(""), &given, &[]);
    let settings = settings.with_context(|| player.to_owned())?;
    Ok((controller, settings))
}
