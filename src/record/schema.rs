//! The tables' columns: names, types, units and meanings, defined once. CSV headers and the code
//! book (`data/README.md`) come from here.

use std::fmt::Write;

use super::EndReason;
use crate::board::BoardSize;
use crate::features::{Feature, REGISTRY, Unit};
use crate::piece::Piece;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole number.
    Integer,
    /// Fraction.
    Real,
    /// One of the listed levels.
    Factor,
    /// Any text.
    Text,
    /// TRUE or FALSE.
    Logical,
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in the header.
    pub name: String,
    /// Type.
    pub kind: Kind,
    /// Unit, or `-`.
    pub unit: &'static str,
    /// What it is.
    pub meaning: String,
    /// Levels of a factor, in order.
    pub levels: Vec<String>,
    /// When it is `NA`, if ever.
    pub missing: &'static str,
}

impl Column {
    fn new(name: &str, kind: Kind, unit: &'static str, meaning: &str) -> Column {
        Column {
            name: name.to_owned(),
            kind,
            unit,
            meaning: meaning.to_owned(),
            levels: Vec::new(),
            missing: "never",
        }
    }

    fn levels(mut self, levels: impl IntoIterator<Item = String>) -> Column {
        self.levels = levels.into_iter().collect();
        self
    }

    fn missing(mut self, when: &'static str) -> Column {
        self.missing = when;
        self
    }
}

fn count(name: &str, unit: &'static str, meaning: &str) -> Column {
    Column::new(name, Kind::Integer, unit, meaning)
}

fn piece(name: &str, meaning: &str) -> Column {
    Column::new(name, Kind::Factor, "-", meaning).levels(Piece::ALL.map(|piece| piece.to_string()))
}

/// Columns of `games.csv`.
#[must_use]
pub fn games_columns() -> Vec<Column> {
    let mut columns = vec![
        count("game", "-", "index of the game in its run, from 0"),
        Column::new(
            "stream_seed",
            Kind::Text,
            "-",
            "seed of the game's queue, f(run seed, purpose, game), as hexadecimal text",
        ),
        count("pieces", "pieces", "pieces placed, the one that ended the game included"),
        count("lines", "rows", "rows removed; a lower bound when the game is censored"),
        Column::new("end_reason", Kind::Factor, "-", "how the game ended")
            .levels(EndReason::ALL.map(|reason| reason.name().to_owned())),
        Column::new(
            "censored",
            Kind::Logical,
            "-",
            "whether a limit or an interruption cut the game off",
        ),
    ];
    for rows in 1..=4 {
        let meaning = format!("placements that removed {rows} row(s) at once");
        columns.push(count(&format!("clears_{rows}"), "placements", &meaning));
    }
    for kind in Piece::ALL {
        let name = format!("pieces_{}", kind.letter().to_ascii_lowercase());
        columns.push(count(&name, "pieces", &format!("{kind} pieces placed")));
    }
    columns.push(count("height_max", "rows", "greatest stack height after a placement"));
    columns.push(
        Column::new("height_mean", Kind::Real, "rows", "mean stack height after a placement")
            .missing("no piece was placed"),
    );
    columns
}

/// Columns of `placements.csv` with these features.
#[must_use]
pub fn placements_columns(features: &[Feature], size: BoardSize) -> Vec<Column> {
    let mut columns = placement_columns();
    columns.extend(features.iter().map(|feature| feature_column(*feature)));
    for column in 0..size.width() {
        let meaning = format!("height of column {column} (0-based from the left) afterwards");
        columns.push(count(&format!("h{column}"), "rows", &meaning));
    }
    columns.push(Column::new(
        "board",
        Kind::Text,
        "-",
        "board afterwards: rows from the floor to the highest filled one, hexadecimal, bit 0 = leftmost column, joined by ':'",
    ));
    columns
}

fn placement_columns() -> Vec<Column> {
    vec![
        count("game", "-", "index of the game in its run, from 0"),
        count("piece_no", "-", "number of the piece in its game, from 1"),
        piece("piece", "the piece placed"),
        piece("next", "the piece after it").missing("the search does not use it"),
        count("orientation", "-", "index of the distinct rotation, from 0, in MDPTetris' order"),
        count("column", "-", "column of the piece's leftmost cell, from 0"),
        count("landing_row", "-", "row of the piece's lowest cell when it rests, from 0"),
        count("lines", "rows", "rows this placement removed"),
        count("lines_total", "rows", "rows removed in the game so far, these included"),
        Column::new("score", Kind::Real, "-", "value of the placement under the search")
            .missing("every placement loses, or every answer to every one does"),
        Column::new("margin", Kind::Real, "-", "score minus the best other placement's")
            .missing("no other placement has a comparable score"),
        count("candidates", "placements", "placements there were to choose from"),
    ]
}

fn feature_column(feature: Feature) -> Column {
    let definition = feature.definition();
    let kind = if definition.unit == Unit::One { Kind::Integer } else { Kind::Real };
    Column::new(&feature.to_string(), kind, "-", definition.definition)
}

/// The code book's tables, in Markdown.
#[must_use]
pub fn code_book() -> String {
    let mut text = String::new();
    let mut table = |title: &str, columns: &[Column]| {
        let _ = write!(
            text,
            "## {title}\n\n| variable | type | unit | meaning | levels | missing |\n|---|---|---|---|---|---|\n"
        );
        for column in columns {
            let kind = format!("{:?}", column.kind).to_lowercase();
            let levels =
                if column.levels.is_empty() { "-".to_owned() } else { column.levels.join(" ") };
            let Column { name, unit, meaning, missing, .. } = column;
            let _ =
                writeln!(text, "| {name} | {kind} | {unit} | {meaning} | {levels} | {missing} |");
        }
        text.push('\n');
    };
    table("games: one row per game", &games_columns());
    table("placements: one row per placement kept", &placement_columns());
    text.push_str(
        "Then one column per feature of the controller (below), `h0`, `h1`, ... (integer, rows: height \
         of each column afterwards) and `board` (text: the board afterwards, rows from the floor to \
         the highest filled one as hexadecimal numbers, bit 0 = leftmost column, joined by `:`; an \
         empty board is zeros).\n\n## features\n\n\
         | feature | step | good | definition | source |\n|---|---|---|---|---|\n",
    );
    for entry in REGISTRY {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            entry.name,
            step(entry.unit),
            format!("{:?}", entry.direction).to_lowercase(),
            entry.definition,
            entry.source
        );
    }
    text
}

fn step(unit: Unit) -> &'static str {
    match unit {
        Unit::One => "1",
        Unit::Half => "1/2",
        Unit::Quarter => "1/4",
        Unit::PerColumn => "1/width",
        Unit::TenThousandth => "0.0001",
    }
}
