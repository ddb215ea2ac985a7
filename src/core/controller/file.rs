//! Reads controllers of classic games from TOML, and compiles the presets of `data/controllers/`
//! into the program. The crate's folder has a link to them, because a published crate includes only
//! files in its folder.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;
use std::result::Result;

use serde::Deserialize;
use serde::de::{Deserializer, IntoDeserializer, Visitor};

use super::external::host_player;
use super::{
    Controller, GUIDELINE_PRESETS, NetworkText, Patterns, PatternsText, Tie, split_weights,
};
use crate::error::setting::RULES;
use crate::error::{self, Error, name_problem, reason, toml_problem};
use crate::features::Measured;
use crate::files;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) source: String,
    pub(super) published: Option<String>,
    pub(super) note: Option<String>,
    #[serde(default, deserialize_with = "measured")]
    measured: Option<Measured>,
    #[serde(default, deserialize_with = "tie")]
    pub(super) tie: Tie,
    pub(super) board_width: Option<usize>,
    #[serde(default)]
    pub(super) weights: toml::Table,
    pub(super) network: Option<NetworkText>,
    pub(super) patterns: Option<PatternsText>,
}

fn measured<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Measured>, D::Error> {
    word(deserializer, &Measured::NAMES).map(Some)
}

fn tie<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tie, D::Error> {
    word(deserializer, &Tie::NAMES)
}

fn word<'de, D, T>(deserializer: D, names: &'static [&'static str]) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Names(&'static [&'static str]);

    impl Visitor<'_> for Names {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "\"{}\"", self.0.join("\" or \""))
        }

        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<String, E> {
            Ok(name.to_owned())
        }
    }

    let name = deserializer.deserialize_str(Names(names))?;
    T::deserialize(name.into_deserializer())
}

fn is_in_patterns(text: &str, error: &toml::de::Error) -> bool {
    let line = text[..error.span().map_or(0, |span| span.start)].matches('\n').count();
    // A list over several lines may begin lines with brackets, but not with a bracket and a letter.
    let is_head =
        |line: &&str| line.trim_start_matches('[').starts_with(|c: char| c.is_ascii_alphabetic());
    let heads = text.lines().take(line + 1).filter(|line| line.starts_with('[')).filter(is_head);
    heads.last().is_some_and(|head| head.trim_start_matches('[').starts_with("patterns"))
}

impl File {
    /// Parses a controller file from the TOML in `text`, without checking the weights.
    pub(super) fn parse(origin: &str, text: &str) -> error::Result<File> {
        let wrong = |problem: String| Error::Controller { name: origin.to_owned(), problem };
        let file: File = toml::from_str(text).map_err(|error| {
            let more = match is_in_patterns(text, &error) {
                true => "see docs/reference/evaluators.md",
                false => "see data/controllers/ for examples",
            };
            wrong(format!("{} ({more})", toml_problem(text, &error)))
        })?;
        if file.measured.is_none() {
            let text = "measured is missing: write measured = \"after-clear\" (features are \
                measured with full rows removed) or measured = \"before-clear\" (with full rows \
                still standing)";
            return Err(wrong(text.to_owned()));
        }
        if let Some(problem) = name_problem(&file.name) {
            return Err(wrong(format!("name: {problem}")));
        }
        if file.weights.is_empty() && file.patterns.is_none() {
            let text = "[weights] is empty: give at least one feature = weight, for example holes \
                = -4.0 (`tetrastat show features` names all)";
            return Err(wrong(text.to_owned()));
        }
        Ok(file)
    }

    pub(super) fn measured(&self) -> Measured {
        self.measured.unwrap_or(Measured::AfterClear)
    }
}

impl Controller {
    /// Loads a controller: a preset, a player of the host program, or a file, if `name_or_path` is
    /// a path or ends in `.toml`.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::controller::Controller;
    /// let bcts = Controller::load("bcts")?;
    /// assert_eq!(bcts.weights.len(), 8);
    /// let unknown = Controller::load("bctz").unwrap_err().to_string();
    /// assert_eq!(unknown, "unknown controller 'bctz': did you mean 'bcts'?");
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    pub fn load(name_or_path: &str) -> error::Result<Controller> {
        // Presets come before files, so that a preset's name has one meaning in every folder.
        if let Some(preset) = PRESETS.iter().find(|preset| preset.name == name_or_path) {
            return preset.controller();
        }
        if let Some(player) = host_player(name_or_path) {
            return player;
        }
        let path = Path::new(name_or_path);
        if path.extension().is_some_and(|extension| extension == "toml") || path.is_file() {
            let text = files::read_text(path, files::CONTROLLER)?;
            let read = |name: &str| {
                let wrong = |problem: &str| Error::Controller {
                    name: name_or_path.to_owned(),
                    problem: format!("[patterns] tables = \"{}\": {problem}", name.escape_debug()),
                };
                if name.contains(['/', '\\']) {
                    return Err(wrong("name a file in the same folder"));
                }
                let bytes = files::read_bytes(&path.with_file_name(name), files::PATTERNS);
                bytes.map(Some).map_err(|error| match error {
                    Error::Io { cause, .. } if cause.kind() == ErrorKind::NotFound => {
                        wrong("there is no such file: keep it beside the controller file")
                    }
                    Error::Io { cause, .. } => wrong(&format!(
                        "{}: name a file of tables in the same folder",
                        reason(&cause)
                    )),
                    error => error,
                })
            };
            return Controller::parse_with(name_or_path, &text, read);
        }
        let names = PRESETS.iter().map(|preset| preset.name).chain(["a .toml file"]);
        if GUIDELINE_PRESETS.iter().any(|preset| preset.name == name_or_path) {
            let names = names.collect::<Vec<_>>().join(", ");
            return Err(Error::Config(format!(
                "controller '{name_or_path}' plays guideline games (simulate and watch with \
                 {RULES} guideline or another preset): here use one of {names}"
            )));
        }
        Err(Error::unknown_or_file("controller", name_or_path, names))
    }

    /// Parses a controller of classic games from TOML; error messages name its `origin`.
    pub fn parse(origin: &str, text: &str) -> error::Result<Controller> {
        Controller::parse_with(origin, text, |_| Ok(None))
    }

    fn parse_with(
        origin: &str,
        text: &str,
        read: impl FnOnce(&str) -> error::Result<Option<Vec<u8>>>,
    ) -> error::Result<Controller> {
        let wrong = |problem: String| Error::Controller { name: origin.to_owned(), problem };
        let file = File::parse(origin, text)?;
        if file.network.is_some() {
            let text = "[network]: only guideline games have one; leave it out";
            return Err(wrong(text.to_owned()));
        }
        let weight = |(name, value): (&String, &toml::Value)| {
            Ok((name.clone(), number(name, value).map_err(wrong)?))
        };
        let named = file.weights.iter().map(weight).collect::<error::Result<Vec<_>>>()?;
        let (weights, at_height) = split_weights(named).map_err(wrong)?;
        let measured = file.measured();
        let of_patterns = |problem| wrong(format!("[patterns] {problem}"));
        let patterns = match &file.patterns {
            None => None,
            Some(text) => {
                let tables = text.file().map(read).transpose()?.flatten();
                Some(Patterns::from_text(text, tables).map_err(of_patterns)?)
            }
        };
        Ok(Controller {
            name: file.name,
            title: file.title,
            source: file.source,
            published: file.published,
            note: file.note,
            measured,
            tie: file.tie,
            board_width: file.board_width,
            weights,
            at_height,
            patterns,
            external: None,
        })
    }
}

impl ControllerPreset {
    /// Returns the preset as a controller, parsed from its TOML text.
    pub fn controller(&self) -> error::Result<Controller> {
        Controller::parse_with(self.name, self.toml, |_| Ok(Some(self.tables.to_vec())))
    }
}

pub(super) fn number(name: &str, value: &toml::Value) -> Result<f64, String> {
    match value {
        toml::Value::Integer(integer) => Ok(*integer as f64),
        toml::Value::Float(float) => check_finite(name, *float).map(|()| *float),
        _ => Err(not_finite(name, value)),
    }
}

pub(super) fn check_finite(name: impl fmt::Display, weight: f64) -> Result<(), String> {
    if weight.is_finite() { Ok(()) } else { Err(not_finite(name, weight)) }
}

fn not_finite(name: impl fmt::Display, weight: impl fmt::Display) -> String {
    format!("weight of {name} is {weight}: give a finite number, for example -1.5")
}

/// A preset controller that is compiled into the program.
#[derive(Clone, Copy, Debug)]
pub struct ControllerPreset {
    /// Name of the preset controller.
    pub name: &'static str,
    /// Text of the controller's TOML file.
    pub toml: &'static str,
    /// Contents of the file of pattern tables that the preset names; empty if it names none.
    pub tables: &'static [u8],
}

macro_rules! presets {
    // A preset with tables of patterns also names their file: `"mine" + "mine.bin"`.
    (@tables) => { &[] };
    (@tables $tables:literal) => { include_bytes!(concat!("../controllers/", $tables)) };
    ($($name:literal $(+ $tables:literal)?)*) => {
        /// All preset controllers of classic games, in the order of `tetrastat show controllers`.
        pub const PRESETS: &[ControllerPreset] = &[$(ControllerPreset {
            name: $name,
            toml: include_str!(concat!("../controllers/", $name, ".toml")),
            tables: presets!(@tables $($tables)?),
        }),*];
    };
}

presets! {
    "bcts" "dellacherie" "dellacherie-ce" "dellacherie-cmaes" "bdu" "dt10" "dt10-wells" "dt20"
    "dt20-wells" "rvce"
    "el-tetris" "el-tetris-sky" "el-tetris-eroded" "lee" "guide-basic" "guide-dellacherie"
    "guide-thiery" "guide-ga"
    "notebook-4" "notebook-8" "notebook-ones" "capstone-sprint" "unity" "tetrastat-10x10"
    "tetrastat-10x10-columns" "tetrastat-10x20" "tetrastat-sz"
}
