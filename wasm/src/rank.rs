//! `{"rank": {"controller", "rules", "search", "board", "width", "height", "piece", "next"}}`
//! returns every placement of a piece with its score, best first. Placements with equal scores are
//! in the order in which the engine would choose them.
//!
//! The answer has `controller` (its name), `board` (hexadecimal) and `placements`. Each placement
//! has
//!
//! - `orientation`, `column`, `landing_row`, `lines`, `cleared_rows` (row numbers before their
//!   removal), `loses`, `unanswered` and `score`, as in `tetrastat show board --format json`;
//! - `after`: the board after the placement in hexadecimal;
//! - `features`: values by name;
//! - `products`: weight x value of each feature. They are exact, and their sum is the score of the
//!   placement without look-ahead.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use tetrastat::error::{Error, Result};
use tetrastat::placement::Candidate;
use tetrastat::search::{Player, Ranked, Search};

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
            let ranked = player.rank_best_first(&board, piece, next);
            let placements: Vec<Json> =
                ranked.iter().map(|entry| placement(player, board.stack_height(), entry)).collect();
            json!({
                "controller": controller.name, "board": board.to_hex(), "placements": placements,
            })
        })
    }
}

fn placement(player: &Player, stack: usize, entry: &Ranked) -> Json {
    let Ranked { outcome, value } = entry;
    let (measured, scorer) = (player.measured_board(outcome), player.scorer());
    let (mut features, mut products) = (Map::new(), Map::new());
    for (feature, weight) in scorer.terms(stack) {
        let raw = feature.raw(measured, Some(&outcome.played)).unwrap_or(0);
        features.insert(feature.to_string(), feature.in_units(raw, measured.width()).into());
        let product = (weight * i64::from(raw)) as f64 / scorer.scale();
        products.insert(feature.to_string(), product.into());
    }
    if let Some(value) = player.pattern_value(outcome) {
        features.insert("patterns".to_owned(), value.into());
        products.insert("patterns".to_owned(), value.into());
    }
    let full = outcome.before.full_rows();
    let Candidate { placement, row } = outcome.played.candidate;
    json!({
        "orientation": placement.orientation,
        "column": placement.column,
        "landing_row": row,
        "lines": outcome.played.lines,
        "cleared_rows": (0..32)
            .filter(|row| outcome.played.lines > 0 && full >> row & 1 == 1)
            .collect::<Vec<u8>>(),
        "loses": outcome.lost,
        "unanswered": (!outcome.lost).then_some(value.unanswered),
        "score": value.score(scorer.scale()),
        "after": outcome.after.to_hex(),
        "features": features,
        "products": products,
    })
}
