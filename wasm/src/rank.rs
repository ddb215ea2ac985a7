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

use serde::Deserialize;
use serde_json::{Value as Json, json};
use tetrastat::error::{Error, Result};
use tetrastat::search::{RankedPlacement, Search};

use crate::asked::{AnyController, PlayerSettings, board, word};

/// Request to rank the placements of a piece.
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
    pub(crate) fn answer(&self) -> Result<Json> {
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
            let described = |entry| RankedPlacement::of_classic(player, stack, entry);
            let ranked = ranked.iter().map(described);
            let (names, scale) = (controller.term_names(), player.scorer().scale());
            let placements = placements("features", &names, scale, ranked)?;
            Ok(json!({
                "controller": controller.name, "board": board.to_hex(), "placements": placements,
            }))
        })?
    }
}

/// Returns placements as JSON. The values of the terms `names` are the object `kind`, and their
/// contributions to the score the object `products`. `scale` is the number of steps in one unit of
/// score.
pub(crate) fn placements(
    kind: &str,
    names: &[String],
    scale: f64,
    ranked: impl Iterator<Item = RankedPlacement>,
) -> Result<Vec<Json>> {
    let by_name = |values: Vec<f64>| -> Json { names.iter().cloned().zip(values).collect() };
    let placement = |entry: RankedPlacement| {
        let mut json =
            serde_json::to_value(&entry).map_err(|error| Error::Internal(error.to_string()))?;
        json[kind] = by_name(entry.values);
        json["products"] = by_name(entry.steps.into_iter().map(|it| it as f64 / scale).collect());
        Ok(json)
    };
    ranked.map(placement).collect()
}
