//! `tetrastat features`: a board's feature values, and every placement of a piece.

use std::fmt::Write;
use std::str::FromStr;

use anyhow::Context;
use serde_json::{Map, Value as Json, json};

use super::feature_list;
use super::options::GameOptions;
use super::output::{Format, Outcome, print, print_json};
use crate::board::Board;
use crate::controller::{Controller, Scorer};
use crate::features::{Feature, picture};
use crate::kernels::Level;
use crate::piece::Piece;
use crate::placement::{Candidate, Placement};
use crate::search::{Player, Ranked, Search};

/// Show a board's features, and every placement of a piece with features and score; or list all
/// features
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    game: GameOptions,

    /// List every placement of this piece, best first
    #[arg(long)]
    piece: Option<Piece>,

    /// How placements are valued: `greedy`, `next` (with --next) or `expect`
    #[arg(
        long,
        default_value = "greedy",
        requires_if("next", "piece"),
        requires_if("expect", "piece")
    )]
    search: Search,

    /// The piece after it, for --search next
    #[arg(long, value_name = "PIECE", requires = "piece")]
    next: Option<Piece>,

    /// Show this placement of the piece, wherever it can rest or not: orientation, column of its
    /// leftmost cell, row of its lowest one, all from 0, rows from the floor
    #[arg(long, value_name = "ORIENTATION,COLUMN,ROW", requires = "piece", conflicts_with_all = ["search", "next"])]
    place: Option<Place>,

    /// A board as text instead of --board-file; `/` ends a row
    #[arg(long, value_name = "PICTURE", conflicts_with = "board_file")]
    picture: Option<Board>,

    /// Mark on the picture what these features count, and how much each part adds
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', conflicts_with = "piece")]
    explain: Vec<Feature>,

    /// List every feature, and every term of guideline games, with definition and source
    #[arg(long, conflicts_with_all = ["piece", "explain", "picture", "board_file"])]
    list: bool,

    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Where a piece is put.
#[derive(Clone, Copy, Debug)]
struct Place {
    orientation: u8,
    column: u8,
    row: u8,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let numbers: Vec<u8> =
            text.split(',').map_while(|part| part.trim().parse::<u8>().ok()).collect();
        match numbers[..] {
            [orientation, column, row] => Ok(Place { orientation, column, row }),
            _ => Err("give orientation, column and row, for example 2,0,2".to_owned()),
        }
    }
}

impl Place {
    /// The candidate, if the board has room for it; cells may be filled already.
    fn candidate(self, board: &Board, piece: Piece) -> anyhow::Result<Candidate> {
        let Place { orientation, column, row } = self;
        let shape = piece.orientations().get(usize::from(orientation));
        let inside = shape.is_some_and(|shape| {
            usize::from(column) + usize::from(shape.width) <= board.width()
                && usize::from(row) <= board.height()
        });
        anyhow::ensure!(
            inside,
            "--place: {piece} has orientations 0 to {}, and must lie inside the board of {}",
            piece.orientations().len() - 1,
            board.size()
        );
        Ok(Candidate { placement: Placement { orientation, column }, row })
    }
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        if self.list {
            feature_list::list(self.game.board.size(None)?, self.format)?;
            return Ok(Outcome::Done);
        }
        let board = self.board()?;
        anyhow::ensure!(
            self.search != Search::Next || self.next.is_some(),
            "--search next needs the next piece: give --next, for example --next O"
        );
        anyhow::ensure!(
            self.search == Search::Next || self.next.is_none(),
            "--next is for --search next: give both"
        );
        if !self.explain.is_empty() {
            return self.explain(&board);
        }
        let controller = self.game.controller()?;
        if let (Some(place), Some(piece)) = (self.place, self.piece) {
            return self.show_place(&board, &controller, place.candidate(&board, piece)?, piece);
        }
        let mut player = Player::new(
            &controller,
            self.game.board.rules()?,
            self.search,
            board.size(),
            Level::detect(),
        )?;
        let ranked = self.piece.map(|piece| player.rank_best_first(&board, piece, self.next));
        match self.format {
            Format::Text => print(&text(&board, &controller, &player, ranked.as_deref()))?,
            Format::Json => {
                print_json(&as_json(&board, &controller, &player, ranked.as_deref()))?;
            }
        }
        Ok(Outcome::Done)
    }

    /// One placement, with every feature there is.
    fn show_place(
        &self,
        board: &Board,
        controller: &Controller,
        candidate: Candidate,
        piece: Piece,
    ) -> anyhow::Result<Outcome> {
        let outcome = self.game.board.rules()?.play(board, piece, candidate);
        let measured = outcome.board(controller.measured);
        let scorer = Scorer::new(controller, board.size())?;
        let score = scorer.score(measured, &outcome.played).total as f64 / scorer.scale();
        let value = |feature: Feature| {
            let raw = feature.raw(measured, Some(&outcome.played)).unwrap_or(0);
            (feature, feature.in_units(raw, board.width()))
        };
        let values: Vec<(Feature, f64)> = Feature::all(board.size()).map(value).collect();
        match self.format {
            Format::Text => {
                let mut text = format!("{measured}\n");
                for (feature, value) in &values {
                    let _ = writeln!(text, "{:28} {value}", feature.to_string());
                }
                let _ = writeln!(text, "\nscore by {}: {score}", controller.name);
                print(&text)?;
            }
            Format::Json => {
                let features: Map<String, Json> =
                    values.iter().map(|(f, value)| (f.to_string(), (*value).into())).collect();
                let rows: Vec<String> = measured.to_string().lines().map(str::to_owned).collect();
                print_json(&json!({
                    "board": rows, "features": features, "lines": outcome.played.lines,
                    "loses": outcome.lost, "controller": controller.name, "score": score,
                }))?;
            }
        }
        Ok(Outcome::Done)
    }

    fn explain(&self, board: &Board) -> anyhow::Result<Outcome> {
        let mut text = String::new();
        let mut entries = Vec::new();
        for feature in &self.explain {
            anyhow::ensure!(
                feature.exists_on(board.size()),
                "a board of {} has no {feature}: leave it out",
                board.size()
            );
            let parts = feature.parts(board).with_context(|| {
                format!("{feature} is of a move, not of a board: see it with --piece")
            })?;
            let entry = feature.definition();
            let raw = feature.raw(board, None).unwrap_or(0);
            let value = feature.in_units(raw, board.width());
            let _ = writeln!(text, "{feature} {value}: {}\n", entry.definition);
            let _ = writeln!(text, "{}", picture(board, &parts));
            entries.push(json!({
                "feature": feature.to_string(), "value": value, "definition": entry.definition,
                "source": entry.source, "parts": parts,
            }));
        }
        match self.format {
            Format::Text => print(&text)?,
            Format::Json => print_json(&Json::from(entries))?,
        }
        Ok(Outcome::Done)
    }

    fn board(&self) -> anyhow::Result<Board> {
        let start = match self.picture {
            Some(board) => Some(board),
            None => self.game.board.start()?,
        };
        let size = self.game.board.size(start.as_ref())?;
        let board = start.unwrap_or_else(|| Board::empty(size));
        anyhow::ensure!(
            board.size() == size,
            "the picture is {} but --board is {size}: leave --board out",
            board.size()
        );
        Ok(board)
    }
}

fn text(
    board: &Board,
    controller: &Controller,
    player: &Player,
    ranked: Option<&[Ranked]>,
) -> String {
    let mut text = format!("{board}\n");
    for (feature, value) in board_values(board) {
        let _ = writeln!(text, "{:28} {value}", feature.to_string());
    }
    if let (None, Some(score)) = (ranked, board_score(board, controller)) {
        let _ = writeln!(text, "\nscore of this board by {}: {score}", controller.name);
    }
    if let Some(ranked) = ranked {
        let _ = writeln!(text, "\n{} placements by {}, best first:", ranked.len(), controller.name);
        text.push_str(&placements_table(controller, player, ranked));
    }
    text
}

/// What a controller gives for a board alone, if none of its features is of a move.
fn board_score(board: &Board, controller: &Controller) -> Option<f64> {
    let term = |&(feature, weight): &(Feature, f64)| {
        Some(weight * feature.in_units(feature.raw(board, None)?, board.width()))
    };
    controller.weights.iter().map(term).sum()
}

/// Features that need no placement, in whole units.
fn board_values(board: &Board) -> impl Iterator<Item = (Feature, f64)> {
    Feature::all(board.size()).filter_map(move |feature| {
        feature.raw(board, None).map(|raw| (feature, feature.in_units(raw, board.width())))
    })
}

fn placement_values(controller: &Controller, player: &Player, entry: &Ranked) -> Vec<f64> {
    let measured = player.measured_board(&entry.outcome);
    let value = |&(feature, _): &(Feature, f64)| {
        let raw = feature.raw(measured, Some(&entry.outcome.played)).unwrap_or(0);
        feature.in_units(raw, measured.width())
    };
    controller.weights.iter().map(value).collect()
}

fn placements_table(controller: &Controller, player: &Player, ranked: &[Ranked]) -> String {
    let names: Vec<String> = controller.weights.iter().map(|(f, _)| f.to_string()).collect();
    let mut table = format!(
        "{:>11} {:>6} {:>3} {:>5} {:>14}",
        "orientation", "column", "row", "lines", "score"
    );
    for name in &names {
        let _ = write!(table, " {name}");
    }
    table.push('\n');
    for entry in ranked {
        let played = &entry.outcome.played;
        let score = match entry.value.score(player.scorer().scale()) {
            _ if entry.outcome.lost => "loses".to_owned(),
            Some(score) => format!("{score:.6}"),
            None => "no answer".to_owned(),
        };
        let placement = played.candidate.placement;
        let _ = write!(
            table,
            "{:>11} {:>6} {:>3} {:>5} {score:>14}",
            placement.orientation, placement.column, played.candidate.row, played.lines
        );
        for (name, value) in names.iter().zip(placement_values(controller, player, entry)) {
            let _ = write!(table, " {value:>width$}", width = name.len());
        }
        table.push('\n');
    }
    table
}

fn as_json(
    board: &Board,
    controller: &Controller,
    player: &Player,
    ranked: Option<&[Ranked]>,
) -> Json {
    let features: Map<String, Json> =
        board_values(board).map(|(feature, value)| (feature.to_string(), value.into())).collect();
    let rows: Vec<String> = board.to_string().lines().map(str::to_owned).collect();
    let placements = ranked.map(|ranked| {
        let entry = |entry: &Ranked| {
            let played = &entry.outcome.played;
            let names = controller.weights.iter().map(|(feature, _)| feature.to_string());
            let values = placement_values(controller, player, entry).into_iter().map(Json::from);
            json!({
                "orientation": played.candidate.placement.orientation,
                "column": played.candidate.placement.column,
                "landing_row": played.candidate.row,
                "lines": played.lines,
                "loses": entry.outcome.lost,
                "unanswered": (!entry.outcome.lost).then_some(entry.value.unanswered),
                "score": entry.value.score(player.scorer().scale()),
                "features": names.zip(values).collect::<Map<String, Json>>(),
            })
        };
        ranked.iter().map(entry).collect::<Vec<_>>()
    });
    json!({ "board": rows, "features": features, "controller": controller.name, "score": board_score(board, controller), "placements": placements })
}
