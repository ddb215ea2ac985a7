//! The `games` table: one row per game.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::tables::field::{Field, rows_of};
use crate::record::tables::table::table;
use crate::record::{RowReader, read_table};
use crate::rng::{Purpose, stream_seed};

tetrastat_core::names! {
    /// How a game ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum EndReason {
        /// A piece came to rest above the top row.
        TopOut = "top_out",
        /// The next piece could not spawn.
        SpawnBlocked = "spawn_blocked",
        /// The limit of pieces was reached; the game would have gone on.
        PieceLimit = "piece_limit",
        /// The limit of lines was reached; the game would have gone on.
        LineLimit = "line_limit",
        /// The run was stopped; the game would have gone on.
        Interrupted = "interrupted",
    }
}

impl EndReason {
    /// Whether a limit or the user cut the game off, so that its lines are a lower bound.
    #[must_use]
    pub fn is_censored(self) -> bool {
        !matches!(self, EndReason::TopOut | EndReason::SpawnBlocked)
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

table! {
    /// Returns the columns of `games`.
    pub(crate) fn games_fields() of row;

    /// One game.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct GameRow {
        /// Index of the game in its run, from 0.
        pub game: u64 => count;
        /// Seed of the game's queue, f(run seed, purpose, game), as hexadecimal text.
        pub stream_seed: u64 => text = format!("0x{:016x}", row.stream_seed);
        /// Pieces placed, the one that ended the game included.
        pub pieces: u64 => count, "pieces";
        /// Rows removed; a lower bound when the game is censored.
        pub lines: u64 => count, "rows";
        /// How the game ended.
        pub end_reason: EndReason => factor(EndReason::NAMES) = row.end_reason as usize;
        /// Whether a limit or an interruption cut the game off.
        censored: logical = row.end_reason.is_censored();
        /// Placements that removed 1, 2, 3 and 4 rows.
        pub clears: [u64; 4];
        ..(1..=4).map(|rows| {
            let meaning = format!("placements that removed {rows} row(s) at once");
            let value = move |row: &GameRow| row.clears[rows - 1];
            Field::count(format!("clears_{rows}"), "placements", meaning, value)
        });
        /// Pieces of each kind, in the order of [`Piece::ALL`].
        pub pieces_of: [u64; 7];
        ..Piece::ALL.map(|kind| {
            let name = format!("pieces_{}", kind.name().to_ascii_lowercase());
            let value = move |row: &GameRow| row.pieces_of[kind.index()];
            Field::count(name, "pieces", format!("{kind} pieces placed"), value)
        });
        /// Greatest stack height after a placement.
        pub height_max: u64 => integer, "rows";
        /// Sum over placements of the height of the stack after it.
        pub height_sum: u64;
        /// Mean stack height after a placement.
        height_mean: real, "rows" =
            (row.pieces > 0).then(|| row.height_sum as f64 / row.pieces as f64),
            missing "no piece was placed";
    }
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

/// A game that was read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedRow {
    /// 0-based index in the run.
    pub game: u64,
    /// Pieces placed.
    pub pieces: u64,
    /// Its lines.
    pub lifetime: Lifetime,
}

/// Reads back the games of a table, in its order.
///
/// # Errors
/// [`Error::Io`] when it can't be read, [`Error::Config`] when it is none of games.
pub fn read_games(path: &Path) -> Result<Vec<EndedRow>> {
    read_rows(path, |reader, row| {
        let count = |name: &str| u64::try_from(reader.whole(name, row)?).ok();
        let censored = reader.whole("censored", row)? == 1;
        let lifetime = Lifetime { lines: count("lines")?, censored };
        Some(EndedRow { game: count("game")?, pieces: count("pieces")?, lifetime })
    })
}

/// Reads back a table of games row by row. `read` returns `None` if the row is of another table.
pub(crate) fn read_rows<T>(
    path: &Path,
    read: impl Fn(&RowReader, usize) -> Option<T>,
) -> Result<Vec<T>> {
    let mut games = Vec::new();
    read_table(path, |columns, rows| {
        let reader = RowReader { path, before: games.len(), columns, rows: &rows };
        for row in 0..rows.len() {
            games.push(read(&reader, row).ok_or_else(|| {
                let path = path.display();
                Error::Config(format!("{path} is no table of games: start the run anew"))
            })?);
        }
        Ok(())
    })?;
    Ok(games)
}

/// The values of a column of `games` that holds numbers; a missing one is NaN.
///
/// # Errors
/// [`Error::Unknown`] with the columns there are.
pub fn game_values(column: &str, games: &[GameRow]) -> Result<Vec<f64>> {
    numbers(games_fields(), column, games)
}

/// Returns the values of the field called `name`, which must hold numbers.
pub(crate) fn numbers<S>(mut fields: Vec<Field<S>>, name: &str, games: &[S]) -> Result<Vec<f64>> {
    // A game's number is one, too, but nothing is measured by it.
    fields.retain(|field| field.column.kind.is_number() && field.column.name != "game");
    let Some(field) = fields.iter().find(|field| field.column.name == name) else {
        let names = fields.iter().map(|field| &*field.column.name);
        return Err(Error::unknown("column of games", name, names));
    };
    Ok(rows_of(std::slice::from_ref(field), games).columns[0].as_numbers())
}
