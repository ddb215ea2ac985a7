//! `{"rank": {"controller", "rules", "search", "board", "width", "height", "piece", "next"}}`
//! returns every placement of a piece with its score, best first. Placements with equal scores are
//! in the order in which the engine would choose them.
//!
//! The answer has `controller` (its name), `board` (hexadecimal) and `placements`. Each placement
//! has
//!
//! - `piece`, `orientation`, `column`, `landing_row`, `lines`, `loses`, `unanswered` and `score`,
//!   as in `tetrastat show board --format json`;
//! - `cells`: column and row of each cell;
//! - `cleared_rows`: numbers of the removed rows before their removal;
//! - `after`: the board after the placement in hexadecimal;
//! - `features`: values by name;
//! - `products`: weight x value of each feature. They are exact, and their sum is the score of the
//!   placement without look-ahead.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use tetrastat::error::{Error, Result};
use tetrastat::search::{RankedPlacement, Search};

use crate::asked::{AnyController, PlayerSettings, board, word};
use crate::text;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    controller: Option<AnyController>,
    rules: Option<String>,
    search: Option<String>,
    board: Option<String>,
    width: Option<usize>,
    height: Option<usize>,
    piece: String,
    next: Option<String>,
}

impl Request {
    pub(crate) fn answer(&self) -> Result<String> {
        let board = board(self.board.as_deref(), self.width, self.height)?;
        let piece = self.piece.parse()?;
        let next = self.next.as_deref().map(str::parse).transpose()?;
        let who = PlayerSettings {
            controller: AnyController::classic(self.controller.as_ref())?,
            rules: word(self.rules.as_deref(), "simplified")?,
            search: word(self.search.as_deref(), "greedy")?,
            size: board.size(),
        };
        if who.search == Search::Next && next.is_none() {
            return Err(Error::Config("search next needs the next piece: give next".to_owned()));
        }
        who.ask(|controller, player| {
            let stack = board.stack_height();
            let ranked = player.rank_best_first(&board, piece, next);
            let ranked = ranked.iter().map(|it| RankedPlacement::from_classic(player, stack, it));
            let terms = &TermNames {
                kind: "features",
                names: controller.term_names(),
                scale: player.scorer().scale(),
            };
            let placements = ranked.map(|entry| Placement::new(terms, entry)).collect();
            text(&Answer { controller: &controller.name, board: Some(board.to_hex()), placements })
        })?
    }
}

#[derive(Serialize)]
pub(crate) struct Answer<'a> {
    pub(crate) controller: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) board: Option<String>,
    pub(crate) placements: Vec<Placement<'a>>,
}

/// The names of a controller's features, and how their values are written.
pub(crate) struct TermNames {
    /// Key of the values in an answer.
    pub(crate) kind: &'static str,
    pub(crate) names: Vec<String>,
    /// Number of steps in one unit of score.
    pub(crate) scale: f64,
}

/// A placement, with the value and the contribution of each feature.
#[derive(Serialize)]
pub(crate) struct Placement<'a> {
    #[serde(flatten)]
    entry: RankedPlacement,
    #[serde(flatten)]
    by_name: ByName<'a>,
}

impl<'a> Placement<'a> {
    pub(crate) fn new(terms: &'a TermNames, mut entry: RankedPlacement) -> Placement<'a> {
        let values = std::mem::take(&mut entry.values);
        let products = entry.steps.iter().map(|&steps| steps as f64 / terms.scale).collect();
        Placement { by_name: ByName { terms, values, products }, entry }
    }
}

struct ByName<'a> {
    terms: &'a TermNames,
    values: Vec<f64>,
    products: Vec<f64>,
}

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(2))?;
        map.serialize_entry(self.terms.kind, &Named(&self.terms.names, &self.values))?;
        map.serialize_entry("products", &Named(&self.terms.names, &self.products))?;
        map.end()
    }
}

/// Numbers with their names, an object in JSON.
struct Named<'a>(&'a [String], &'a [f64]);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().zip(self.1))
    }
}
