//! Reads controllers of guideline games: weighted terms, in TOML like classic controllers. The
//! presets are in `data/controllers/guideline/`. A term with the name of a classic feature has the
//! meaning of that feature, so `capstone-sprint` is one file for both kinds of games.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file::{File, check_finite, number};
use super::{ControllerPreset, HOST_PREFIX, Network, PRESETS, Tie};
use crate::error::setting::RULES;
use crate::error::{Error, Result, name_problem};
use crate::features::Measured;
use crate::features::guideline::Term;
use crate::files;

/// A controller of guideline games: terms and their weights, and optionally a network.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::controller::GuidelineController;
/// let blitz = GuidelineController::load("tetrastat-blitz")?;
/// assert_eq!(blitz.name, "tetrastat-blitz");
/// assert!(blitz.network.is_none() && !blitz.weights.is_empty());
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuidelineController {
    /// Short name of the controller, used in output and file names.
    pub name: String,
    /// Description of the controller in one line.
    #[serde(skip)]
    pub title: String,
    /// Source of the weights, for example a paper.
    pub source: String,
    /// Results that the source reports, if any.
    #[serde(skip)]
    pub published: Option<String>,
    /// Remark for users of the controller, if any.
    #[serde(skip)]
    pub note: Option<String>,
    /// Matrix that the terms are measured on: before or after full rows are removed.
    pub measured: Measured,
    /// Weight of each term, in the file's order.
    #[serde(with = "crate::names::weights")]
    pub weights: Vec<(Term, f64)>,
    /// Network that also evaluates the states of a beam search, if any.
    pub network: Option<Box<Network>>,
}

macro_rules! presets {
    ($($name:literal)*) => {
        /// The presets of guideline games, except `capstone-sprint`, which is in [`PRESETS`].
        pub const GUIDELINE_PRESETS: &[ControllerPreset] = &[$(ControllerPreset {
            name: $name,
            toml: include_str!(concat!("../controllers/guideline/", $name, ".toml")),
            tables: &[],
        }),*];
    };
}

presets! {
    "capstone-blitz" "tetrastat-sprint" "tetrastat-blitz" "tetrastat-blitz-greedy"
    "tetrastat-blitz-hold" "tetrastat-blitz-network" "tetrastat-blitz-triples" "tetrastat-attack"
}

/// Name of the only preset for both classic and guideline games.
const SHARED: &str = "capstone-sprint";

/// Largest permitted absolute value of a weight. Sums over all terms would stay exact far beyond
/// this limit.
const LARGEST: f64 = 1e6;

impl GuidelineController {
    /// Returns the names of the presets of guideline games.
    pub fn names() -> impl Iterator<Item = &'static str> {
        [SHARED].into_iter().chain(GUIDELINE_PRESETS.iter().map(|preset| preset.name))
    }

    /// Returns the names of the terms in the file's order.
    #[must_use]
    pub fn term_names(&self) -> Vec<String> {
        self.weights.iter().map(|(term, _)| term.to_string()).collect()
    }

    /// Loads the preset named `name_or_path`, or a user's file if `name_or_path` is the path of a
    /// file or ends in `.toml`.
    ///
    /// # Errors
    /// Returns [`Error::Unknown`] for an unknown name, [`Error::Io`] or [`Error::Controller`] for
    /// an unusable file, and [`Error::Config`] for a preset of classic games.
    pub fn load(name_or_path: &str) -> Result<GuidelineController> {
        let shared = PRESETS.iter().filter(|preset| preset.name == SHARED);
        let mut presets = shared.chain(GUIDELINE_PRESETS);
        if let Some(preset) = presets.find(|preset| preset.name == name_or_path) {
            return GuidelineController::parse(preset.name, preset.toml);
        }
        if name_or_path.starts_with(HOST_PREFIX) {
            return Err(Error::Config(format!(
                "controller '{name_or_path}' is a Python function, which gives values to boards of \
                 classic games only: give {RULES} simplified or standard, or a controller of \
                 guideline games"
            )));
        }
        let path = Path::new(name_or_path);
        if path.extension().is_some_and(|extension| extension == "toml") || path.is_file() {
            let text = files::read_text(path, files::CONTROLLER)?;
            return GuidelineController::parse(name_or_path, &text);
        }
        let names = GuidelineController::names().chain(["a .toml file"]);
        if PRESETS.iter().any(|preset| preset.name == name_or_path) {
            let names = names.collect::<Vec<_>>().join(", ");
            return Err(Error::Config(format!(
                "controller '{name_or_path}' plays classic games ({RULES} simplified or standard): \
                 for guideline games use one of {names}"
            )));
        }
        Err(Error::unknown_or_file("guideline controller", name_or_path, names))
    }

    /// Parses a controller from TOML; errors name its `origin`, for example a file name.
    ///
    /// # Errors
    /// Returns [`Error::Controller`] for TOML, names, terms or weights that are not valid.
    pub fn parse(origin: &str, text: &str) -> Result<GuidelineController> {
        let wrong = |problem: String| Error::Controller { name: origin.to_owned(), problem };
        let file = File::read(origin, text)?;
        if file.patterns.is_some() {
            return Err(wrong(
                "[patterns]: only classic games have them; leave them out".to_owned(),
            ));
        }
        if file.tie != Tie::First {
            return Err(wrong("tie: guideline games know only \"first\"; leave it out".to_owned()));
        }
        if file.board_width.is_some_and(|width| width != 10) {
            return Err(wrong("board_width: guideline games are 10 wide; leave it out".to_owned()));
        }
        let weigh = |(name, value): (&String, &toml::Value)| {
            let term: Term = name.parse().map_err(|error: Error| wrong(error.to_string()))?;
            Ok((term, number(name, value).map_err(wrong)?))
        };
        let weights = file.weights.iter().map(weigh).collect::<Result<Vec<_>>>()?;
        let measured = file.measured();
        let File { name, title, source, published, note, network, .. } = file;
        let of_network = |problem| wrong(format!("[network] {problem}"));
        let network = network.map(Network::new).transpose().map_err(of_network)?.map(Box::new);
        let controller = GuidelineController {
            name,
            title,
            source,
            published,
            note,
            measured,
            weights,
            network,
        };
        controller.check_weights().map_err(wrong)?;
        Ok(controller)
    }

    /// Checks the name and the weights of a controller that was not read from TOML.
    ///
    /// # Errors
    /// Returns [`Error::Controller`] for a name that [`name_problem`] rejects, for a weight that is
    /// too large, or without weights.
    pub fn check(&self) -> Result<()> {
        let named =
            name_problem(&self.name).map_or(Ok(()), |problem| Err(format!("name: {problem}")));
        named
            .and_then(|()| self.check_weights())
            .map_err(|problem| Error::Controller { name: self.name.clone(), problem })
    }

    /// Checks the weights. Returns an error message about the first invalid weight, or if there are
    /// no weights.
    fn check_weights(&self) -> std::result::Result<(), String> {
        if self.weights.is_empty() {
            return Err("no weights: give at least one".to_owned());
        }
        for &(name, weight) in &self.weights {
            check_finite(name, weight)?;
            if weight.abs() > LARGEST {
                return Err(format!("weight of {name} is {weight:?}: at most {LARGEST}"));
            }
        }
        Ok(())
    }
}
