//! Restores the configuration of a run of guideline games from its `run.json`.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::clock::Clock;
use super::config::{GuidelineConfig, GuidelineEntry, Mode, Unseen};
use crate::board::{Board, BoardSize};
use crate::controller::{GuidelineController, Network};
use crate::error::{Error, Result, quoted};
use crate::features::Measured;
use crate::matrix::{Matrix, VISIBLE, WIDTH};
use crate::queue::QueueKind;
use crate::record::{not_as_written, read_manifest, recorded_seed, recorded_weights};
use crate::rules::guideline::{Moves, RuleOptions, RuleSet};
use crate::search::Policy;
use crate::search::guideline::Beam;
use crate::tbp::{Bot, DEFAULT_ANSWER_TIME};

#[derive(Deserialize)]
struct Recorded {
    config: GuidelineEntry,
}

/// Returns true if `folder` contains a run of guideline games.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] if `run.json` is missing or cannot be read.
pub fn is_guideline_run(folder: &Path) -> Result<bool> {
    let manifest: Value = read_manifest(&folder.join("run.json"))?;
    Ok(manifest["config"]["game"] == "guideline")
}

/// Reads the configuration of a run of guideline games from its folder.
///
/// # Errors
/// [`Error::Config`] if `run.json` belongs to another game, names something unknown to this
/// program, or has numbers that no run can have.
pub fn read_guideline_config(folder: &Path) -> Result<GuidelineConfig> {
    let path = folder.join("run.json");
    let Recorded { config } = read_manifest(&path)?;
    config.restored().map_err(|error| not_as_written(&path, error))
}

impl GuidelineConfig {
    /// Parses the configuration of a run from the value of `config` in its `run.json` or
    /// checkpoint.
    ///
    /// # Errors
    /// The errors of [`read_guideline_config`].
    pub fn of(config: &Value) -> Result<GuidelineConfig> {
        let unknown = |error: serde_json::Error| Error::Config(format!("config: {error}"));
        let entry: GuidelineEntry = serde_json::from_value(config.clone()).map_err(unknown)?;
        entry.restored()
    }
}

impl GuidelineEntry {
    /// Restores and checks the configuration. For games played by a person, neither weights nor a
    /// beam are checked, because they have none.
    fn restored(&self) -> Result<GuidelineConfig> {
        let config = self.unchecked()?;
        if self.is_of_person() {
            // A person's games lack the beam and the number of games, so the check gets valid
            // values.
            GuidelineConfig { beam: Beam::GREEDY, games: 1, ..config.clone() }.validate()?;
        } else {
            if config.bot.is_none() {
                config.controller.check()?;
            }
            config.validate()?;
        }
        Ok(config)
    }

    fn is_of_person(&self) -> bool {
        self.weights.is_empty() && self.search.is_empty()
    }

    /// Returns the rules: a preset or the rules from a file, with the recorded options applied to
    /// them.
    fn restored_rules(&self) -> Result<RuleSet> {
        let rules = match (&self.preset, &self.rule_set) {
            (_, Some(file)) => RuleSet::of(file)?,
            (Some(preset), None) => RuleSet::named(preset)?,
            (None, None) => RuleSet::named(&self.rules)?,
        };
        Ok(rules.with(&RuleOptions {
            kicks: Some(self.kicks.parse()?),
            half_turns: Some(self.half_turns),
            hold: Some(self.hold),
            previews: Some(self.previews),
            ..RuleOptions::default()
        }))
    }

    fn unchecked(&self) -> Result<GuidelineConfig> {
        let pieces = self.max_pieces.unwrap_or(u32::MAX);
        let time_us = self.seconds.map_or(u64::MAX, |seconds| (seconds * 1e6).round() as u64);
        Ok(GuidelineConfig {
            // A person may use all movements that the rules allow.
            moves: if self.movement.is_empty() { Moves::All } else { self.movement.parse()? },
            beam: Beam {
                width: self.beam_width,
                depth: self.beam_depth,
                perfect_clears: self.beam_perfect_clears,
            },
            policy: Policy::of_recorded(self.policy.as_deref())?,
            finisher: self.finisher,
            futures: self.futures,
            unseen: Unseen { futures: self.beam_futures, pieces: self.beam_future_pieces },
            mode: match &*self.mode {
                "sprint" => Mode::Sprint { lines: self.sprint_lines.unwrap_or_default() },
                "blitz" => Mode::Blitz { pieces, time_us },
                "endless" => Mode::Endless { pieces },
                mode => return Err(Error::Config(format!("mode '{}'", quoted(mode)))),
            },
            clock: match (self.timing, self.pieces_per_second) {
                (Some(timing), _) => Clock::Inputs(timing),
                (None, rate) => Clock::Rate(rate.unwrap_or(2.0)),
            },
            start: self.restored_start()?,
            garbage: self.garbage,
            queue: match &self.queue {
                Some(queue) => QueueKind::parse_described(queue)?,
                None => QueueKind::Bag,
            },
            games: self.games,
            seed: recorded_seed(&self.seed)?,
            // A restored configuration describes games that were played, so no bot has to answer.
            bot: self.bot.clone().map(|entry| Bot { entry, answer_time: DEFAULT_ANSWER_TIME }),
            ..GuidelineConfig::new(self.restored_controller()?, self.restored_rules()?)
        })
    }

    fn restored_start(&self) -> Result<Option<Matrix>> {
        let Some(start) = &self.start else { return Ok(None) };
        let board = Board::from_hex(BoardSize::new(WIDTH, VISIBLE)?, start)?;
        Matrix::from_board(&board).map(Some)
    }

    fn restored_controller(&self) -> Result<GuidelineController> {
        let weight = |(name, weight): (&str, f64)| Ok((name.parse()?, weight));
        let weights = recorded_weights(&self.weights)?.into_iter().map(weight);
        let before = self.measured == Measured::BeforeClear.to_string();
        Ok(GuidelineController {
            name: self.controller.clone(),
            title: String::new(),
            source: self.source.clone(),
            published: None,
            note: None,
            measured: if before { Measured::BeforeClear } else { Measured::AfterClear },
            weights: weights.collect::<Result<_>>()?,
            network: self
                .network
                .clone()
                .map(Network::new)
                .transpose()
                .map_err(Error::Config)?
                .map(Box::new),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::guideline::Kicks;

    #[test]
    fn a_configuration_comes_back_as_it_was_written() {
        // A controller with a network is stored completely, so a run can be resumed without the
        // file.
        let controller = GuidelineController::load("tetrastat-blitz-network").unwrap();
        let rules = RuleSet::capstone().with(&RuleOptions {
            kicks: Some(Kicks::SrsPlus),
            previews: Some(3),
            ..RuleOptions::default()
        });
        let config = GuidelineConfig {
            beam: Beam { perfect_clears: 500, ..Beam::new(9, 4) },
            unseen: Unseen { futures: 4, pieces: 3 },
            mode: Mode::Blitz { pieces: 77, time_us: u64::MAX },
            clock: Clock::Rate(2.5),
            start: Some("####.#####/###.......".parse().unwrap()),
            queue: QueueKind::script("IOT", true).unwrap(),
            policy: Policy::Misdrop(0.25),
            games: 3,
            seed: 0xfeed_f00d_dead_beef,
            threads: 2,
            ..GuidelineConfig::new(controller, rules)
        };
        let text = serde_json::to_string(&config.entry()).unwrap();
        let entry: GuidelineEntry = serde_json::from_str(&text).unwrap();
        assert_eq!(entry.preset.as_deref(), Some("capstone"));
        let restored = entry.restored().unwrap();
        assert_eq!(restored.entry(), entry);
        assert_eq!(restored.rules, config.rules);
        assert!(config.controller.network.is_some());
        assert_eq!(restored.controller.network, config.controller.network);
        assert_eq!((restored.start, &restored.queue), (config.start, &config.queue));
        assert_eq!(restored.policy, config.policy);
        let sprint = GuidelineConfig { mode: Mode::Sprint { lines: 40 }, ..config };
        assert_eq!(sprint.entry().restored().unwrap().mode, sprint.mode);
    }
}
