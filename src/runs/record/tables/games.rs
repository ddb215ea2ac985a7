//! The `games` table: one row per game.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files::read_table;
use crate::piece::Piece;
use crate::record::Column;
use crate::record::ColumnType;
use crate::record::Rows;
use crate::record::tables::field::{Field, columns, fill};
use crate::rng::{Purpose, stream_seed};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndReason {
    /// A piece came to rest above the top row.
    TopOut,
    /// The next piece could not spawn.
    SpawnBlocked,
    /// The limit of pieces was reached; the game would have gone on.
    PieceLimit,
    /// The limit of lines was reached; the game would have gone on.
    LineLimit,
    /// The run was stopped; the game would have gone on.
    Interrupted,
}

impl EndReason {
    /// All, in the order of the data dictionary's levels.
    pub const ALL: [EndReason; 5] = [
        EndReason::TopOut,
        EndReason::SpawnBlocked,
        EndReason::PieceLimit,
        EndReason::LineLimit,
        EndReason::Interrupted,
    ];

    /// The name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EndReason::TopOut => "top_out",
            EndReason::SpawnBlocked => "spawn_blocked",
            EndReason::PieceLimit => "piece_limit",
            EndReason::LineLimit => "line_limit",
            EndReason::Interrupted => "interrupted",
        }
    }

    /// Whether a limit or the user cut the game off, so that its lines are a lower bound.
    #[must_use]
    pub fn is_censored(self) -> bool {
        !matches!(self, EndReason::TopOut | EndReason::SpawnBlocked)
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Lines of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Lines removed.
    pub lines: u64,
    /// Whether the game was cut off by a limit, so that it would have removed more.
    pub censored: bool,
}

/// One game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRow {
    /// 0-based index in the run.
    pub game: u64,
    /// Seed of its queue's stream.
    pub stream_seed: u64,
    /// Pieces placed.
    pub pieces: u64,
    /// Lines removed.
    pub lines: u64,
    /// How it ended.
    pub end_reason: EndReason,
    /// Placements that removed 1, 2, 3 and 4 rows.
    pub clears: [u64; 4],
    /// Pieces of each kind, in the order of [`Piece::ALL`].
    pub pieces_of: [u64; 7],
    /// Greatest height of the stack after a placement.
    pub height_max: u64,
    /// Sum over placements of the height of the stack after it.
    pub height_sum: u64,
}

impl GameRow {
    /// A game before its first piece.
    #[must_use]
    pub fn new(game: u64, run_seed: u64) -> GameRow {
        GameRow {
            game,
            stream_seed: stream_seed(run_seed, Purpose::Queue, game),
            pieces: 0,
            lines: 0,
            // Until it ends: [`GameRow::ended`] says how it did.
            end_reason: EndReason::TopOut,
            clears: [0; 4],
            pieces_of: [0; 7],
            height_max: 0,
            height_sum: 0,
        }
    }

    /// Adds a placement.
    pub fn place(&mut self, piece: Piece, lines: u64, stack_height: usize) {
        self.pieces += 1;
        self.lines += lines;
        // No placement without lines counts among the clears of 1 to 4.
        if let Some(clears) = (lines as usize).checked_sub(1) {
            self.clears[clears] += 1;
        }
        self.pieces_of[piece.index()] += 1;
        self.height_max = self.height_max.max(stack_height as u64);
        self.height_sum += stack_height as u64;
    }

    /// The row of a game that has ended.
    #[must_use]
    pub fn ended(self, end_reason: EndReason) -> GameRow {
        GameRow { end_reason, ..self }
    }

    /// Its lines, and whether they are a lower bound.
    #[must_use]
    pub fn lifetime(&self) -> Lifetime {
        Lifetime { lines: self.lines, censored: self.end_reason.is_censored() }
    }
}

/// Reads back the lines of each game of a finished run, in order of the games.
///
/// # Errors
/// [`Error::Io`] when its table can't be read, [`Error::Config`] when it is none of games.
pub fn read_lifetimes(folder: &Path) -> Result<Vec<Lifetime>> {
    let path = folder.join("games.csv");
    let text = read_table(&path).map_err(|e| Error::io("reading", &path, e))?;
    // Commas only part cells: no cell of this table is text that could have one.
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap_or_default();
    let place = |name: &str| names.iter().position(|other| *other == name);
    let (lines, censored) = (place("lines"), place("censored"));
    let lifetime = |cells: Vec<&str>| {
        let lines = cells.get(lines?)?.parse().ok()?;
        Some(Lifetime { lines, censored: *cells.get(censored?)? == "TRUE" })
    };
    rows.map(lifetime).collect::<Option<Vec<_>>>().ok_or_else(|| {
        Error::Config(format!("{} is no table of games: play the run anew", path.display()))
    })
}

/// The values of a column of `games` that holds numbers; a missing one is NaN.
///
/// # Errors
/// [`Error::Unknown`] with the columns there are.
pub fn game_values(column: &str, games: &[GameRow]) -> Result<Vec<f64>> {
    number_field(column).map(|field| numbers(&field, games))
}

/// The values of a field that holds numbers.
pub(crate) fn numbers<S>(field: &Field<S>, games: &[S]) -> Vec<f64> {
    let mut rows = Rows::new([&field.column]);
    fill(std::slice::from_ref(field), games, None, &mut rows);
    rows.columns[0].as_numbers()
}

/// The field of a column that holds numbers.
fn number_field(name: &str) -> Result<Field<GameRow>> {
    number_among(games_fields(), name)
}

/// The one of these fields that holds numbers and has this name.
pub(crate) fn number_among<S>(mut fields: Vec<Field<S>>, name: &str) -> Result<Field<S>> {
    let is_number = |field: &Field<S>| {
        let kind = field.column.kind;
        // A game's number is one, too, but nothing is measured by it.
        matches!(kind, ColumnType::Integer | ColumnType::Count | ColumnType::Real)
            && field.column.name != "game"
    };
    fields.retain(is_number);
    match fields.iter().position(|field| field.column.name == name) {
        Some(place) => Ok(fields.swap_remove(place)),
        None => {
            let names = fields.iter().map(|field| &*field.column.name);
            Err(Error::unknown("column of games", name, names))
        }
    }
}

/// Turns games into columns.
pub struct GameEncoder(Vec<Field<GameRow>>);

impl Default for GameEncoder {
    fn default() -> GameEncoder {
        GameEncoder(games_fields())
    }
}

impl GameEncoder {
    /// The columns of the table.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        columns(&self.0)
    }

    /// The row of a game.
    #[must_use]
    pub fn rows(&self, game: &GameRow) -> Rows {
        let mut rows = Rows::new(self.0.iter().map(|field| &field.column));
        fill(&self.0, std::slice::from_ref(game), None, &mut rows);
        rows
    }
}

/// The columns of `games`.
pub(crate) fn games_fields() -> Vec<Field<GameRow>> {
    let mut fields = vec![
        Field::count("game", "-", "index of the game in its run, from 0", |row: &GameRow| row.game),
        Field::text(
            "stream_seed",
            "seed of the game's queue, f(run seed, purpose, game), as hexadecimal text",
            |row: &GameRow, text| text.extend(format!("0x{:016x}", row.stream_seed).bytes()),
        ),
        Field::count(
            "pieces",
            "pieces",
            "pieces placed, the one that ended the game included",
            |row: &GameRow| row.pieces,
        ),
        Field::count(
            "lines",
            "rows",
            "rows removed; a lower bound when the game is censored",
            |row: &GameRow| row.lines,
        ),
        Field::factor("end_reason", "how the game ended", EndReason::ALL, |row: &GameRow| {
            EndReason::ALL.iter().position(|reason| *reason == row.end_reason)
        }),
        Field::logical(
            "censored",
            "-",
            "whether a limit or an interruption cut the game off",
            |row: &GameRow| row.end_reason.is_censored(),
        ),
    ];
    for rows in 1..=4 {
        let meaning = format!("placements that removed {rows} row(s) at once");
        let value = move |row: &GameRow| row.clears[rows - 1];
        fields.push(Field::count(format!("clears_{rows}"), "placements", meaning, value));
    }
    for kind in Piece::ALL {
        let name = format!("pieces_{}", kind.name().to_ascii_lowercase());
        let value = move |row: &GameRow| row.pieces_of[kind.index()];
        fields.push(Field::count(name, "pieces", format!("{kind} pieces placed"), value));
    }
    fields.push(Field::integer(
        "height_max",
        "rows",
        "greatest stack height after a placement",
        |row: &GameRow| row.height_max as i64,
    ));
    fields.push(
        Field::real(
            "height_mean",
            "rows",
            "mean stack height after a placement",
            |row: &GameRow| (row.pieces > 0).then(|| row.height_sum as f64 / row.pieces as f64),
        )
        .missing("no piece was placed"),
    );
    fields
}
