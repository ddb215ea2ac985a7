//! Table `games` of classic runs, the table `actions` of exact results, and the column `split`,
//! which divides games into training, validation and test data.
//! Frozen: bytes

use crate::prelude::*;
use crate::record::tables::field::rows_of;
use crate::record::tables::table;
use crate::record::{LoggedRow, for_each_row};
use crate::rng::{mix, stream_seed};
use crate::rules::Outcome;

tetrastat_core::names! {
    /// Reason for the end of a classic game.
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
    /// Returns true if a limit or the user ended the game, which could have continued.
    #[must_use]
    pub fn is_censored(self) -> bool {
        !matches!(self, EndReason::TopOut | EndReason::SpawnBlocked)
    }
}

/// Number of rows cleared in one game, with a mark if the game was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Number of rows cleared in the game.
    pub lines: u64,
    /// True if a limit or the user cut off the game, which would have cleared more rows.
    pub censored: bool,
}

table! {
    pub(crate) fn games_fields() of row;

    /// Row of the table `games`: the results of one classic game.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct GameRow {
        /// Index of the game in its run, from 0.
        pub game: u64 => count;
        /// Seed of the game's random queue, computed from the run's seed and `game`; hexadecimal
        /// text.
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
        /// Number of placements that cleared 1, 2, 3 and 4 rows at once.
        pub clears: [u64; 4];
        ..(1..=4).map(|rows| {
            let meaning = format!("number of placements that removed {rows} row(s) at once");
            let value = move |row: &GameRow| row.clears[rows - 1];
            Field::count(format!("clears_{rows}"), "placements", meaning, value)
        });
        /// Number of placed pieces of each kind, in the order of [`Piece::ALL`].
        pub pieces_of: [u64; 7];
        ..Piece::ALL.map(|kind| {
            let name = format!("pieces_{}", kind.name().to_ascii_lowercase());
            let value = move |row: &GameRow| row.pieces_of[kind.index()];
            Field::count(name, "pieces", format!("number of {kind} pieces placed"), value)
        });
        /// Maximum stack height after a placement in the game, before garbage rows enter.
        pub height_max: u64 => integer, "rows";
        /// Sum of the stack heights after each placement of the game.
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
    /// Creates the results of game `game` before its first piece, with all counts at 0.
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

    /// Adds a placement of `piece`, which cleared `lines` rows, to the results of the game.
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

    /// Returns the results of the game, completed by the reason for its end.
    #[must_use]
    pub fn ended(self, end_reason: EndReason) -> GameRow {
        GameRow { end_reason, ..self }
    }

    /// Returns the number of rows cleared in the game, marked if the game was cut off.
    #[must_use]
    pub fn lifetime(&self) -> Lifetime {
        Lifetime { lines: self.lines, censored: self.end_reason.is_censored() }
    }
}

/// Computes the reward of a Sprint in the project Camden-Bergquist/Capstone: -pieces if won,
/// otherwise pieces + 5 lines - 550.
#[must_use]
pub fn sprint_reward(won: bool, pieces: u64, lines: u64) -> i64 {
    let (pieces, lines) = (pieces as i64, lines as i64);
    if won { -pieces } else { pieces + 5 * lines - 550 }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndedRow {
    pub game: u64,
    pub pieces: u64,
    pub lifetime: Lifetime,
    pub clears: [u64; 4],
}

pub(crate) fn read_games(path: &Path) -> Result<Vec<EndedRow>> {
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

pub(crate) fn read_rows<T>(path: &Path, read: impl Fn(&LoggedRow) -> Option<T>) -> Result<Vec<T>> {
    let mut games = Vec::new();
    for_each_row(path, |row| {
        games.push(read(row).ok_or_else(|| {
            let path = path.display();
            Error::Config(format!("{path} is not a table of games: start a new run"))
        })?);
        Ok(())
    })?;
    Ok(games)
}

/// Returns the values of one numeric column of the table `games`, a value per game, NaN if missing.
pub fn game_values<S>(mut fields: Vec<Field<S>>, name: &str, games: &[S]) -> Result<Vec<f64>> {
    // The game's number is numeric but measures nothing.
    fields.retain(|field| field.column.kind.is_number() && field.column.name != "game");
    let Some(field) = fields.iter().find(|field| field.column.name == name) else {
        let names = fields.iter().map(|field| &*field.column.name);
        return Err(Error::unknown("column of games", name, names));
    };
    Ok(rows_of(std::slice::from_ref(field), games).columns[0].as_numbers())
}

table! {
    pub(crate) fn action_fields() of row;
    /// Row of the table `actions`: a placement and its exact expected result under optimal play.
    #[derive(Clone, Debug)]
    pub(crate) struct ActionRow {
        pub before: Board;
        /// Board before the placement, in the format of `board` in `placements`.
        board_before: written = |text| row.before.write_hex(text);
        /// Piece to be placed.
        pub piece: Piece => factor(Piece::ALL);
        /// State of the queue after `piece` is dealt. 0: the pieces are independent, or the next
        /// one begins a new bag or sequence. `bag`: sum over the pieces dealt from the current bag,
        /// where I counts 1, O 2, T 4, S 8, Z 16, J 32 and L 64. Other bags: the same sum, where a
        /// piece counts the product of n + 1 over the pieces before it, of which the bag has n.
        /// `nes`, `repeat`: number of `piece`, 1 (I) to 7 (L). `sz`, scripts: number of pieces
        /// dealt from the sequence.
        pub queue_state: u32 => integer;
        pub outcome: Outcome;
        /// Number of the piece's rotation, from 0, as drawn under Orientations in data/README.md.
        orientation: integer = row.outcome.played.candidate.placement.orientation;
        /// Column of the piece's leftmost cell, from 0.
        column: integer = row.outcome.played.candidate.placement.column;
        /// Number of rows that the placement removes.
        lines: integer, "rows" = row.outcome.played.lines;
        /// True if the placement ends the game.
        lost: logical = row.outcome.lost;
        /// Exact mean number of rows removed by this placement and by optimal later placements.
        /// With `--optimal pieces`, mean number of pieces placed from this one on.
        pub value: f64 => real, "rows or pieces";
        /// True if no other placement of the piece has a larger value, apart from rounding.
        best: logical = row.regret == 0.0;
        /// Value of the piece's best placement minus `value`; 0 for a best placement.
        pub regret: f64 => real, "rows or pieces";
    }
}

/// Constant mixed into a game's seed to assign the game to training, validation or test data.
const SPLIT_SALT: u64 = 12;

const SPLITS: [&str; 3] = ["train", "validation", "test"];

fn split(stream_seed: u64) -> usize {
    match mix(stream_seed ^ SPLIT_SALT) % 10 {
        0..=7 => 0,
        8 => 1,
        _ => 2,
    }
}

pub(crate) fn named_split_field<S: 'static>(stream_seed: fn(&S) -> u64) -> Field<S> {
    let mut field = split_field(stream_seed).named_only();
    field.column.meaning.push_str(". `split` is only written if requested by name");
    field
}

pub(crate) fn split_field<S: 'static>(stream_seed: fn(&S) -> u64) -> Field<S> {
    let meaning = format!(
        "part of the data for machine learning; with d = splitmix64(`stream_seed` XOR \
         {SPLIT_SALT}) mod 10 it is `train` for d = 0 to 7, `validation` for 8 and `test` for 9 \
         (see Splits in data/README.md); all rows of a game, and all games of one seed and number, \
         have the same split"
    );
    Field::factor("split", meaning, SPLITS, move |row| split(stream_seed(row)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream_seed};

    /// Tests the splits (training, validation, test) of three games against values from Python.
    #[test]
    fn splits_of_games_computed_elsewhere() {
        assert_eq!(stream_seed(1, Purpose::Queue, 0), 0x5775_264a_9a7e_1b09);
        let found = |game| SPLITS[split(stream_seed(1, Purpose::Queue, game))];
        assert_eq!([0, 7, 8].map(found), ["train", "test", "validation"]);
    }

    /// Tests the share of each split: more than 4.5 standard deviations off has probability 7e-6.
    #[test]
    fn shares_of_10_000_games() {
        let mut counts = [0.0; SPLITS.len()];
        (0..10_000).for_each(|game| counts[split(stream_seed(1, Purpose::Queue, game))] += 1.0);
        for (count, p) in counts.into_iter().zip([0.8, 0.1, 0.1]) {
            let sd = f64::sqrt(1e4 * p * (1.0 - p));
            assert!(f64::abs(count - 1e4 * p) < 4.5 * sd, "{counts:?}");
        }
    }
}
