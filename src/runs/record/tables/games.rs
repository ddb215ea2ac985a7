//! `games` table: one row per game.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::tables::field::{Field, rows_of};
use crate::record::tables::table::table;
use crate::record::{LoggedRow, each_row};
use crate::rng::{Purpose, stream_seed};

tetrastat_core::names! {
    /// Reason for the end of a game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum EndReason {
        /// A piece came to rest above the top row, or a garbage row lifted a cell above it.
        TopOut = "top_out",
        /// The next piece could not spawn.
        SpawnBlocked = "spawn_blocked",
        /// The limit of pieces was reached; the game could have continued.
        PieceLimit = "piece_limit",
        /// The limit of lines was reached; the game could have continued.
        LineLimit = "line_limit",
        /// The run was stopped; the game could have continued.
        Interrupted = "interrupted",
    }
}

impl EndReason {
    /// Returns true if a limit or the user ended the game, so that its lines are a lower bound.
    #[must_use]
    pub fn is_censored(self) -> bool {
        !matches!(self, EndReason::TopOut | EndReason::SpawnBlocked)
    }
}

/// Lines of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Number of rows cleared.
    pub lines: u64,
    /// True if a limit ended the game, which would have cleared more rows.
    pub censored: bool,
}

table! {
    pub(crate) fn games_fields() of row;

    /// Row of `games`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct GameRow {
        /// Index of the game in its run, from 0.
        pub game: u64 => count;
        /// Seed of the game's queue as hexadecimal text, computed from the run's seed, the purpose
        /// of the random stream and `game`.
        pub stream_seed: u64 => text = format!("0x{:016x}", row.stream_seed);
        /// Number of pieces placed, including the piece that ended the game. A piece that could not
        /// spawn is not counted.
        pub pieces: u64 => count, "pieces";
        /// Number of rows removed in the game; a lower bound if the game is censored.
        pub lines: u64 => count, "rows";
        /// Reason for the end of the game.
        pub end_reason: EndReason => factor(EndReason::NAMES) = row.end_reason as usize;
        /// True if a limit or an interruption cut the game off.
        censored: logical = row.end_reason.is_censored();
        /// Number of placements that cleared 1, 2, 3 and 4 rows.
        pub clears: [u64; 4];
        ..(1..=4).map(|rows| {
            let meaning = format!("number of placements that removed {rows} row(s) at once");
            let value = move |row: &GameRow| row.clears[rows - 1];
            Field::count(format!("clears_{rows}"), "placements", meaning, value)
        });
        /// Number of pieces of each kind, in the order of [`Piece::ALL`].
        pub pieces_of: [u64; 7];
        ..Piece::ALL.map(|kind| {
            let name = format!("pieces_{}", kind.name().to_ascii_lowercase());
            let value = move |row: &GameRow| row.pieces_of[kind.index()];
            Field::count(name, "pieces", format!("number of {kind} pieces placed"), value)
        });
        /// Maximum stack height after a placement in the game, before garbage rows enter.
        pub height_max: u64 => integer, "rows";
        /// Sum of the stack heights after each placement.
        pub height_sum: u64;
        /// Mean stack height over the placements of the game, each measured after the placement.
        height_mean: real, "rows" =
            (row.pieces > 0).then(|| row.height_sum as f64 / row.pieces as f64),
            missing "no piece was placed";
        /// Number of garbage rows removed in the game.
        pub garbage_cleared: u64 => integer, "rows";
        /// Number of garbage rows on the board at the end of the game.
        pub garbage_left: u64 => integer, "rows";
        /// 1 if a limit ended the game, 0 if the game was lost.
        survived: integer = (row.end_reason != EndReason::Interrupted)
            .then(|| u64::from(row.end_reason.is_censored())), missing "the run was stopped";
    }
}

impl GameRow {
    /// Creates the row of a game before its first piece.
    #[must_use]
    pub fn new(game: u64, run_seed: u64) -> GameRow {
        GameRow {
            game,
            stream_seed: stream_seed(run_seed, Purpose::Queue, game),
            pieces: 0,
            lines: 0,
            // A placeholder that [`GameRow::ended`] replaces.
            end_reason: EndReason::TopOut,
            clears: [0; 4],
            pieces_of: [0; 7],
            height_max: 0,
            height_sum: 0,
            garbage_cleared: 0,
            garbage_left: 0,
        }
    }

    /// Adds a placement.
    pub fn place(&mut self, piece: Piece, lines: u64, stack_height: usize) {
        self.pieces += 1;
        self.lines += lines;
        // A placement without lines is not counted in `clears`.
        if let Some(clears) = (lines as usize).checked_sub(1) {
            self.clears[clears] += 1;
        }
        self.pieces_of[piece.index()] += 1;
        self.height_max = self.height_max.max(stack_height as u64);
        self.height_sum += stack_height as u64;
    }

    /// Returns the row of a finished game.
    #[must_use]
    pub fn ended(self, end_reason: EndReason) -> GameRow {
        GameRow { end_reason, ..self }
    }

    /// Returns the lines and whether they are a lower bound.
    #[must_use]
    pub fn lifetime(&self) -> Lifetime {
        Lifetime { lines: self.lines, censored: self.end_reason.is_censored() }
    }
}

/// Computes the reward of a Sprint in the project Capstone: -pieces if it was won, otherwise
/// pieces + 5 lines - 550.
#[must_use]
pub fn sprint_reward(won: bool, pieces: u64, lines: u64) -> i64 {
    let (pieces, lines) = (pieces as i64, lines as i64);
    if won { -pieces } else { pieces + 5 * lines - 550 }
}

/// Finished game read from a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedRow {
    /// Index in the run, from 0.
    pub game: u64,
    /// Number of pieces.
    pub pieces: u64,
    /// Lines of the game.
    pub lifetime: Lifetime,
    /// Number of placements that removed one row, two, three and four.
    pub clears: [u64; 4],
}

/// Reads the games of a table, in its order.
///
/// # Errors
/// [`Error::Io`] if it can't be read, [`Error::Config`] if it is not a table of games.
pub fn read_games(path: &Path) -> Result<Vec<EndedRow>> {
    read_rows(path, |row| {
        let count = |name: &str| u64::try_from(row.whole(name)?).ok();
        let censored = row.whole("censored")? == 1;
        let lifetime = Lifetime { lines: count("lines")?, censored };
        let mut clears = [0; 4];
        for (rows, clears) in (1..).zip(&mut clears) {
            *clears = count(&format!("clears_{rows}"))?;
        }
        Some(EndedRow { game: count("game")?, pieces: count("pieces")?, lifetime, clears })
    })
}

/// Reads a table of games row by row. `read` returns `None` if the row belongs to another table.
pub(crate) fn read_rows<T>(path: &Path, read: impl Fn(&LoggedRow) -> Option<T>) -> Result<Vec<T>> {
    let mut games = Vec::new();
    each_row(path, |row| {
        games.push(read(row).ok_or_else(|| {
            let path = path.display();
            Error::Config(format!("{path} is not a table of games: start a new run"))
        })?);
        Ok(())
    })?;
    Ok(games)
}

/// Returns the values of games in the numeric column `name`, with NaN for missing ones.
///
/// # Errors
/// [`Error::Unknown`] with the existing columns.
pub fn game_values<S>(mut fields: Vec<Field<S>>, name: &str, games: &[S]) -> Result<Vec<f64>> {
    // The game's number is numeric but measures nothing.
    fields.retain(|field| field.column.kind.is_number() && field.column.name != "game");
    let Some(field) = fields.iter().find(|field| field.column.name == name) else {
        let names = fields.iter().map(|field| &*field.column.name);
        return Err(Error::unknown("column of games", name, names));
    };
    Ok(rows_of(std::slice::from_ref(field), games).columns[0].as_numbers())
}
