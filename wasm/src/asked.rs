//! Reads the parts that several requests share: controllers, boards, and players.

use std::cell::RefCell;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use tetrastat::board::{Board, BoardSize};
use tetrastat::controller::{Controller, GuidelineController, PRESETS, split_weights};
use tetrastat::error::{Error, Result};
use tetrastat::features::guideline::Term;
use tetrastat::kernels::Level;
use tetrastat::piece::Piece;
use tetrastat::rules::Rules;
use tetrastat::search::{Player, Search};

pub(crate) fn word<T: FromStr<Err = Error>>(given: Option<&str>, default: &str) -> Result<T> {
    given.unwrap_or(default).parse()
}

pub(crate) fn pieces(letters: &str) -> Result<Vec<Piece>> {
    letters.chars().map(|letter| letter.to_string().parse()).collect()
}

/// A controller in a request: a text (a preset's name or a TOML file's content), or an object.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum AnyController {
    Text(String),
    Parts(Parts),
}

/// A controller that a request writes as a JSON object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parts {
    #[serde(default)]
    name: Option<String>,
    measured: String,
    #[serde(default)]
    tie: Option<String>,
    weights: Map<String, Json>,
}

impl Parts {
    fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| "given".to_owned())
    }

    fn weights(&self) -> Result<Vec<(&String, f64)>> {
        let named = self.weights.iter().map(|(name, weight)| {
            let wrong = || Error::Config(format!("weight of {name} is {weight}: give a number"));
            Ok((name, weight.as_f64().ok_or_else(wrong)?))
        });
        named.collect()
    }

    fn terms(&self) -> Result<Vec<(Term, f64)>> {
        self.weights()?.into_iter().map(|(name, weight)| Ok((name.parse()?, weight))).collect()
    }
}

fn is_toml(text: &str) -> bool {
    text.contains('=')
}

impl AnyController {
    /// Returns the controller in `given`, or the first preset.
    pub(crate) fn classic(given: Option<&AnyController>) -> Result<Controller> {
        match given {
            None => Controller::load(PRESETS[0].name),
            Some(AnyController::Text(text)) if is_toml(text) => Controller::parse("given", text),
            Some(AnyController::Text(name)) => Controller::load(name),
            Some(AnyController::Parts(parts)) => {
                let (weights, at_height) =
                    split_weights(parts.weights()?).map_err(Error::Config)?;
                Ok(Controller {
                    tie: word(parts.tie.as_deref(), "first")?,
                    weights,
                    at_height,
                    ..Controller::new(parts.name(), parts.measured.parse()?)
                })
            }
        }
    }

    /// Returns the controller in `given`, or the preset `default`.
    pub(crate) fn guideline(
        given: Option<&AnyController>,
        default: &str,
    ) -> Result<GuidelineController> {
        match given {
            None => GuidelineController::load(default),
            Some(AnyController::Text(text)) if is_toml(text) => {
                GuidelineController::parse("given", text)
            }
            Some(AnyController::Text(name)) => GuidelineController::load(name),
            Some(AnyController::Parts(parts)) => {
                let controller = GuidelineController {
                    name: parts.name(),
                    title: String::new(),
                    source: String::new(),
                    published: None,
                    note: None,
                    measured: parts.measured.parse()?,
                    weights: parts.terms()?,
                    network: None,
                };
                controller.check()?;
                Ok(controller)
            }
        }
    }
}

pub(crate) fn is_picture(text: &str) -> bool {
    text.contains(['#', '.'])
}

/// Parses a picture or rows in hexadecimal. Without `text` the board is empty.
pub(crate) fn board(
    text: Option<&str>,
    width: Option<usize>,
    height: Option<usize>,
) -> Result<Board> {
    let size = || BoardSize::new(width.unwrap_or(10), height.unwrap_or(20));
    let board = match text {
        None => Board::empty(size()?),
        Some(text) if is_picture(text) => text.parse()?,
        Some(text) => Board::from_hex(size()?, text)?,
    };
    if board.stack_height() > board.height() {
        let text = "the board has cells above its top: remove them, or give a larger height";
        return Err(Error::Config(text.to_owned()));
    }
    Ok(board)
}

#[derive(Clone, PartialEq)]
pub(crate) struct PlayerSettings {
    pub(crate) controller: Controller,
    pub(crate) rules: Rules,
    pub(crate) search: Search,
    pub(crate) size: BoardSize,
}

thread_local! {
    /// Last player. Creating a player takes as long as some hundred decisions.
    static LAST: RefCell<Option<(PlayerSettings, Player)>> = const { RefCell::new(None) };
}

impl PlayerSettings {
    pub(crate) fn ask<T>(self, question: impl FnOnce(&Controller, &mut Player) -> T) -> Result<T> {
        LAST.with_borrow_mut(|last| {
            let (who, mut player) = match last.take() {
                Some((who, player)) if who == self => (who, player),
                _ => {
                    let PlayerSettings { controller, rules, search, size } = &self;
                    let player = Player::new(controller, *rules, *search, *size, Level::detect())?;
                    (self, player)
                }
            };
            let answer = question(&who.controller, &mut player);
            *last = Some((who, player));
            Ok(answer)
        })
    }
}
