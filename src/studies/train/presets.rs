//! Presets: training settings as published by a source or found in its program.
//!
//! The files in `data/training/presets/` are compiled in.

use serde::Deserialize;
use toml::Table;

use crate::error::{Error, Result, toml_problem};

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
    /// Method and options of the training, as in a settings file. A comment in the preset's file
    /// names differences from the source.
    pub options: Table,
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

    /// Returns the names of the presets for `method`.
    pub fn names(method: &str) -> impl Iterator<Item = &'static str> {
        // Every command lists them when the program starts, so no file is parsed here.
        let line = format!("method = \"{method}\"");
        let is_of = move |(_, text): &&(&str, &str)| text.lines().any(|other| other == line);
        PRESETS.iter().filter(is_of).map(|(name, _)| *name)
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
    use crate::train::Bounds;

    /// The guide's bounds are in the order of its features: height, lines, holes, bumpiness.
    #[test]
    fn the_guides_bounds_stand_in_the_order_of_its_features() {
        assert!(TrainingPreset::named("none").unwrap_err().to_string().contains("thiery-scherrer"));
        let guide = TrainingPreset::named("guide").unwrap();
        let bounds = guide.options["bounds"].as_str().unwrap().split('/');
        let bounds = bounds.map(|bounds| bounds.parse::<Bounds>().unwrap());
        let controller = Controller::load("guide-ga").unwrap();
        let names: Vec<String> = controller.weights.iter().map(|(f, _)| f.to_string()).collect();
        assert_eq!(names, ["aggregate_height", "complete_rows", "holes", "bumpiness"]);
        for ((_, weight), bounds) in controller.weights.iter().zip(bounds) {
            assert!(bounds.contains(*weight));
        }
    }

    #[test]
    fn every_preset_has_a_method() {
        let of_methods = crate::train::METHOD_NAMES.into_iter().flat_map(TrainingPreset::names);
        assert_eq!(of_methods.count(), PRESETS.len());
    }
}
