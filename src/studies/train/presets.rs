//! Presets: training settings as published by a source or found in its program.
//!
//! The files in `data/training/presets/` are compiled in.

use serde::Deserialize;
use toml::Table;

use super::{Bounds, OptimiserSettings, Problem};
use crate::error::{Error, Result, toml_problem};
use crate::rules::guideline::GUIDELINE_NAMES;

/// Preset: the training settings of one source.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingPreset {
    /// Name of the preset's file.
    #[serde(skip)]
    pub name: &'static str,
    /// Publication or program that the settings come from, and the details that it leaves open.
    pub source: String,
    /// Games that the source trained on, and the score that it used.
    pub objective: String,
    /// Result that the source reported.
    pub reported: String,
    /// Settings of the optimiser.
    #[serde(rename = "optimiser")]
    pub options: OptimiserSettings,
    /// Bounds of each weight. A single pair applies to all weights; an empty list means no bounds.
    #[serde(default)]
    pub bounds: Vec<Bounds>,
    /// Other settings, with the keys of a training file. A comment in the preset's file names
    /// differences from the source.
    #[serde(rename = "options")]
    pub keys: Table,
}

impl TrainingPreset {
    /// Reads the preset called `name`.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the names of all presets if there is no such preset.
    /// [`Error::Config`] if the preset's file is damaged.
    pub fn named(name: &str) -> Result<TrainingPreset> {
        let names = || PRESETS.iter().map(|(name, _)| *name);
        let found = PRESETS.iter().find(|(known, _)| *known == name);
        let (name, text) = found.ok_or_else(|| Error::unknown("training preset", name, names()))?;
        let damaged = |e| Error::Config(format!("{name}.toml: {}", toml_problem(text, &e)));
        Ok(TrainingPreset { name, ..toml::from_str(text).map_err(damaged)? })
    }

    /// Returns true if the preset trains guideline games, whose features are called terms.
    #[must_use]
    pub fn is_guideline(&self) -> bool {
        let rules = self.keys.get("rules").and_then(|rules| rules.as_str());
        rules.is_some_and(|rules| GUIDELINE_NAMES.contains(&rules))
    }

    /// Returns the search problem for `dimension` weights, with the preset's bounds.
    #[must_use]
    pub fn problem(&self, dimension: usize) -> Problem {
        let problem = Problem::new(dimension);
        match &self.bounds[..] {
            [] => problem,
            [all] => problem.within(vec![*all; dimension]),
            each => problem.within(each.to_vec()),
        }
    }
}

macro_rules! presets {
    ($($name:literal)*) => {
        /// Name of every preset, with the content of its file.
        pub const PRESETS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../data/presets/", $name, ".toml")))),*];
    };
}

presets! {
    "notebook" "guide" "capstone" "capstone-sprint" "capstone-blitz" "capstone-blitz-full"
    "unity" "unity-newer"
    "thiery-scherrer" "rvce"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;

    /// The guide's bounds are in the order of its features: height, lines, holes, bumpiness.
    #[test]
    fn the_guides_bounds_stand_in_the_order_of_its_features() {
        assert!(TrainingPreset::named("none").unwrap_err().to_string().contains("thiery-scherrer"));
        let guide = TrainingPreset::named("guide").unwrap();
        let controller = Controller::load("guide-ga").unwrap();
        let names: Vec<String> = controller.weights.iter().map(|(f, _)| f.to_string()).collect();
        assert_eq!(names, ["aggregate_height", "complete_rows", "holes", "bumpiness"]);
        for ((_, weight), bounds) in controller.weights.iter().zip(guide.bounds) {
            assert!(bounds.contains(*weight));
        }
    }
}
