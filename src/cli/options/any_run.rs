//! Runs of any game for studies and comparisons: read from a folder, or built from players on the
//! command line.

use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use serde_json::{Map, json};

use crate::cli::console::mistake::mistake;
use crate::cli::options::games::{OfGame, map_game};
use crate::cli::options::runs::GameOptions;
use crate::cli::options::settings::{ParsedArgs, Settings, options};
use crate::engine::{Job, game_of};
use crate::error::Result;
use crate::liap::LiapConfig;
use crate::sim::ClassicConfig;
use crate::sim::guideline::GuidelineConfig;
use crate::tbp::PREFIX;

/// A run of one of the games.
pub(crate) type AnyRun = OfGame<ClassicConfig, GuidelineConfig, LiapConfig>;

impl AnyRun {
    /// Reads the configuration of the run in `folder`, without its logs.
    pub(crate) fn read(folder: &Path) -> Result<AnyRun> {
        Ok(match &*game_of(folder)? {
            "guideline" => AnyRun::Guideline(GuidelineConfig {
                log: None,
                ..GuidelineConfig::read_entry(folder)?
            }),
            "liap" => AnyRun::Liap(LiapConfig::read_entry(folder)?),
            _ => AnyRun::Classic(ClassicConfig { log: None, ..ClassicConfig::read_entry(folder)? }),
        })
    }
}

/// Runs that all play the same game.
pub(crate) type AnyRuns = OfGame<Vec<ClassicConfig>, Vec<GuidelineConfig>, Vec<LiapConfig>>;

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
