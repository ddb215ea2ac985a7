//! The configuration of a run of guideline games, read back from its `run.json`.

use std::path::Path;

use serde::Deserialize;

use super::clock::Clock;
use super::config::{GuidelineConfig, GuidelineEntry, Mode};
use crate::controller::GuidelineController;
use crate::error::{Error, Result};
use crate::features::Measured;
use crate::features::guideline::Term;
use crate::kernels::Level;
use crate::record::read_manifest;
use crate::rules::guideline::{Guideline, Moves};
use crate::search::guideline::Beam;
use crate::sim::CHECKPOINT_EVERY;

#[derive(Deserialize)]
struct Recorded {
    command: Vec<String>,
    config: GuidelineEntry,
}

#[derive(Deserialize)]
struct Kind {
    config: KindOfConfig,
}

#[derive(Deserialize)]
struct KindOfConfig {
    game: Option<String>,
}

/// Whether a run folder holds guideline games.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] when `run.json` is missing or cannot be read.
pub fn is_guideline_run(folder: &Path) -> Result<bool> {
    let kind: Kind = read_manifest(&folder.join("run.json"))?;
    Ok(kind.config.game.as_deref() == Some("guideline"))
}

/// What a run of guideline games played.
///
/// # Errors
/// [`Error::Config`] when `run.json` is of another game, or names what this program has not.
pub fn read_guideline_config(folder: &Path) -> Result<GuidelineConfig> {
    let Recorded { command, config } = read_manifest(&folder.join("run.json"))?;
    config.restored(&command)
}

impl GuidelineEntry {
    /// The configuration; `command` tells on which preset changed rules are built.
    fn restored(&self, command: &[String]) -> Result<GuidelineConfig> {
        let capstone = command.iter().any(|word| word.ends_with("capstone"));
        let preset = match &*self.rules {
            "guideline (changed)" if capstone => Guideline::capstone(),
            "guideline (changed)" => Guideline::official(),
            name => name.parse()?,
        };
        let pieces = self.max_pieces.unwrap_or(u32::MAX);
        let time_us = self.seconds.map_or(u64::MAX, |seconds| (seconds * 1e6).round() as u64);
        Ok(GuidelineConfig {
            controller: self.restored_controller()?,
            rules: Guideline {
                kicks: self.kicks.parse()?,
                half_turns: self.half_turns,
                hold: self.hold,
                previews: self.previews,
                ..preset
            },
            // A person may do all that the rules allow.
            moves: if self.movement.is_empty() { Moves::All } else { self.movement.parse()? },
            beam: Beam { width: self.beam_width, depth: self.beam_depth },
            finisher: self.finisher,
            mode: match &*self.mode {
                "sprint" => Mode::Sprint { lines: self.sprint_lines.unwrap_or_default() },
                "blitz" => Mode::Blitz { pieces, time_us },
                _ => Mode::Endless { pieces },
            },
            clock: match (self.timing, self.pieces_per_second) {
                (Some(timing), _) => Clock::Inputs(timing),
                (None, rate) => Clock::Rate(rate.unwrap_or(2.0)),
            },
            games: self.games,
            seed: self.restored_seed()?,
            log: None,
            checkpoint_every: CHECKPOINT_EVERY,
            threads: 1,
            level: Level::detect(),
        })
    }

    fn restored_seed(&self) -> Result<u64> {
        let digits = self.seed.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
        match digits {
            Some(Ok(seed)) => Ok(seed),
            _ => Err(Error::Config(format!("run.json: seed '{}': restore it", self.seed))),
        }
    }

    fn restored_controller(&self) -> Result<GuidelineController> {
        let wrong =
            |name: &str| Error::Config(format!("run.json: the weight of {name} is no number"));
        let weight = |(name, weight): (&String, &serde_json::Value)| {
            Ok((name.parse::<Term>()?, weight.as_f64().ok_or_else(|| wrong(name))?))
        };
        let before = self.measured == Measured::BeforeClear.to_string();
        Ok(GuidelineController {
            name: self.controller.clone(),
            title: String::new(),
            source: self.source.clone(),
            published: None,
            note: None,
            measured: if before { Measured::BeforeClear } else { Measured::AfterClear },
            weights: self.weights.iter().map(weight).collect::<Result<Vec<_>>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::guideline::Kicks;

    #[test]
    fn a_configuration_comes_back_as_it_was_written() {
        let controller = GuidelineController::load("capstone-blitz").unwrap();
        let config = GuidelineConfig {
            controller,
            rules: Guideline { kicks: Kicks::SrsPlus, previews: 3, ..Guideline::capstone() },
            moves: Moves::All,
            beam: Beam { width: 9, depth: 4 },
            finisher: 0,
            mode: Mode::Blitz { pieces: 77, time_us: u64::MAX },
            clock: Clock::Rate(2.5),
            games: 3,
            seed: 0xfeed_f00d_dead_beef,
            log: None,
            checkpoint_every: CHECKPOINT_EVERY,
            threads: 2,
            level: Level::detect(),
        };
        let text = serde_json::to_string(&config.entry()).unwrap();
        let entry: GuidelineEntry = serde_json::from_str(&text).unwrap();
        let restored = entry.restored(&["--rules".to_owned(), "capstone".to_owned()]).unwrap();
        assert_eq!(restored.entry(), entry);
        assert_eq!(restored.rules, config.rules);
        let sprint = GuidelineConfig { mode: Mode::Sprint { lines: 40 }, ..config };
        assert_eq!(sprint.entry().restored(&[]).unwrap().mode, sprint.mode);
    }
}
