//! Guideline games: placements with turns, kicks and spins, the hold and the previews.

use super::input::{BOARD_BEFORE, OF_LOGS, board_of, input_columns, is_picture};
use super::{AnnotatedGame, Header, InputRow, Problem, RowResult};
use crate::board::{Board, BoardSize};
use crate::error::{Error, Result};
use crate::matrix::{Matrix, ROWS, WIDTH};
use crate::piece::Piece;
use crate::placement::Spin;
use crate::record::{
    ChosenPlacement, Column, ColumnType, Columns, GuidelineGameRow, GuidelineHistory,
    GuidelinePlacement, RowEncoder, Rows,
};
use crate::rules::guideline::positions::Position;
use crate::rules::guideline::{
    ComboState, GuidelineState, Hold, Landing, MAX_PREVIEWS, RotationState, shortest,
};
use crate::search::guideline::{BeamPlayer, Outlook, RankedLanding};
use crate::sim::guideline::GuidelineConfig;
use crate::text::numbers::thousands;

/// Guideline game of the placements in a table.
#[derive(Clone, Debug)]
pub struct GuidelineAnnotation {
    /// Games with the rules, the controller and the search that compares the placements.
    pub config: GuidelineConfig,
    form: Form,
    /// True if the table calls J what the guideline calls L.
    exchanged: bool,
}

/// Form of a table: the columns with the position of the placed piece.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// `orientation`, `column` of the leftmost cell and `landing_row` of the lowest, as in logs.
    Corner,
    /// `cells`, as in logs.
    Cells,
    /// The turn `r`, and the column `x` and row `y` of the centre, as in the set *Tetr.io Top
    /// Players Replays*. Hold and previews are those after the placement.
    Centre,
}

impl Form {
    fn of(names: &[String]) -> Form {
        let has = |name: &str| names.iter().any(|other| other == name);
        match (has(PLAYFIELD) && !has(BOARD_BEFORE), has("cells") && !has("column")) {
            (true, _) => Form::Centre,
            (_, true) => Form::Cells,
            _ => Form::Corner,
        }
    }

    /// Returns the columns with the numbers of rows removed, and with back-to-back and combo before
    /// the placement.
    fn facts(self) -> [&'static str; 3] {
        match self {
            Form::Centre => ["cleared", "btb", "combo"],
            Form::Corner | Form::Cells => ["lines", "b2b_before", "combo_before"],
        }
    }
}

/// Column with the board of a table of the form [`Form::Centre`].
const PLAYFIELD: &str = "playfield";
/// Letters of the filled cells of a playfield.
const FILLED: &str = "IOTSZJLG";
/// Letter of empty cells of a playfield, and of an empty hold.
const EMPTY: &str = "N";
/// Columns with the previews of a log.
const NEXT: [&str; MAX_PREVIEWS] = [
    "next_1", "next_2", "next_3", "next_4", "next_5", "next_6", "next_7", "next_8", "next_9",
    "next_10", "next_11", "next_12", "next_13", "next_14", "next_15",
];

impl GuidelineAnnotation {
    /// Creates an annotation by the controller and the search of `config`, under its rules.
    #[must_use]
    pub fn new(config: GuidelineConfig) -> GuidelineAnnotation {
        GuidelineAnnotation { config, form: Form::Corner, exchanged: false }
    }

    /// Returns the piece that the table calls `piece`.
    fn named(&self, piece: Piece) -> Piece {
        match piece {
            Piece::J if self.exchanged => Piece::L,
            Piece::L if self.exchanged => Piece::J,
            piece => piece,
        }
    }

    /// Returns the matrix before the placement.
    fn matrix(&self, row: InputRow<'_>) -> RowResult<Matrix> {
        let name = if self.form == Form::Centre { PLAYFIELD } else { BOARD_BEFORE };
        let matrix = match row.text(name) {
            text if self.form == Form::Centre => playfield(text),
            "" => return Err(Problem::Missing.into()),
            text if is_picture(text) => text.parse().map(Some),
            text => BoardSize::new(WIDTH, ROWS - 4)
                .and_then(|size| Matrix::from_board(&Board::from_hex(size, text)?))
                .map(Some),
        };
        let matrix = matrix.map_err(|error| row.refuse(name, &error))?.ok_or(Problem::Overflow)?;
        if matrix.full_rows() == 0 { Ok(matrix) } else { Err(Problem::FullRow.into()) }
    }

    /// Returns the placement without its spin. Its cells may be filled.
    fn landing(&self, row: InputRow<'_>) -> RowResult<Landing> {
        let is_centre = self.form == Form::Centre;
        let name = if is_centre { "placed" } else { "piece" };
        let piece = self.named(row.piece(name).ok_or(Problem::Missing)?);
        if self.form == Form::Cells {
            let text = row.text("cells");
            let landing = cells_of(text).and_then(|cells| Landing::from_cells(piece, cells));
            let problem = if text.is_empty() { Problem::Missing } else { Problem::Outside };
            return Ok(landing.ok_or(problem)?);
        }
        let [turn, x, y] =
            if is_centre { ["r", "x", "y"] } else { ["orientation", "column", "landing_row"] };
        let [x, y] = [row.integer(x)?, row.integer(y)?];
        let (x, y) = x.zip(y).ok_or(Problem::Missing)?;
        // The turn may be a text or a number.
        let number = row.integer(turn)?.map(|number| number.to_string());
        let state = match number.as_deref().unwrap_or(row.text(turn)) {
            "" => return Err(Problem::Missing.into()),
            "0" | "N" => RotationState::Spawn,
            "1" | "R" | "E" => RotationState::Right,
            "2" | "S" => RotationState::Half,
            "3" | "L" | "W" => RotationState::Left,
            _ => return Err(Problem::Outside.into()),
        };
        let landing = if is_centre { Landing::centred } else { Landing::at };
        Ok(landing(piece, state, x, y).ok_or(Problem::Outside)?)
    }

    /// Returns the hold before the placement of `piece`, and the known pieces from the current one.
    ///
    /// In [`Form::Centre`], a piece that came from the hold was exchanged for the piece there now.
    /// The two choices are then the same as if the piece had been the current one.
    fn queue(&self, row: InputRow<'_>, piece: Piece) -> Result<(Hold, Vec<Piece>)> {
        let letters = |name: &'static str| {
            row.text(name).chars().map(move |letter| {
                let piece = letter.to_string().parse::<Piece>();
                piece.map(|piece| self.named(piece)).map_err(|error| row.refuse(name, &error))
            })
        };
        let mut known = vec![piece];
        known.extend(letters("next").collect::<Result<Vec<_>>>()?);
        known.extend(NEXT.iter().map_while(|name| row.piece(name)));
        known.truncate(1 + usize::from(self.config.rules.previews));
        let mut hold = match (row.text("hold"), row.piece("hold_before")) {
            (EMPTY, _) => Hold::Empty,
            (_, Some(piece)) => Hold::Piece(piece),
            // A log leaves out an empty hold.
            (_, None) if row.has("hold_before") => Hold::Empty,
            _ => letters("hold").next().transpose()?.map_or(Hold::Unknown, Hold::Piece),
        };
        if row.integer("used_hold")? == Some(1) {
            match (hold, row.piece("hold_after")) {
                (Hold::Piece(held), Some(current)) if held == piece => known[0] = current,
                (Hold::Empty, Some(current)) => known.insert(0, current),
                _ => hold = Hold::Unknown,
            }
        }
        Ok((hold, known))
    }

    /// Returns back-to-back and combo before the placement. Those that are unknown are none.
    fn combo_state(&self, row: InputRow<'_>) -> Result<ComboState> {
        let [_, back_to_back, combo] = self.form.facts();
        let combo = match row.integer(combo)? {
            // A log has the combo after the placement.
            None if row.has(OF_LOGS) => row.integer("combo")?.unwrap_or(0) - 1,
            combo => combo.unwrap_or(0),
        };
        let chain = row.integer("b2b_chain")?.or(row.integer(back_to_back)?);
        let longest = self.config.rules.attack.longest_chain();
        Ok(ComboState {
            chain: chain.unwrap_or(0).clamp(0, longest.into()) as u8,
            combo: combo.clamp(0, u8::MAX.into()) as u8,
        })
    }
}

/// Parses a playfield: the cells row by row, from the lowest row and the left. Returns `None` if a
/// cell above the rows of a matrix is filled.
fn playfield(text: &str) -> Result<Option<Matrix>> {
    let mut matrix = Matrix::EMPTY;
    for (place, cell) in text.chars().enumerate().filter(|&(_, cell)| !EMPTY.contains(cell)) {
        match place / WIDTH {
            _ if !FILLED.contains(cell) => {
                let text = format!("cell '{cell}' is none of the letters {FILLED}{EMPTY}");
                return Err(Error::Config(text));
            }
            ROWS.. => return Ok(None),
            row => matrix = matrix.with(place % WIDTH, row),
        }
    }
    Ok(Some(matrix))
}

/// Parses the cells of a piece: four times column:row, joined by ';'.
fn cells_of(text: &str) -> Option<[(usize, usize); 4]> {
    let cells = text.split(';').map(|cell| {
        let (column, row) = cell.split_once(':')?;
        Some((column.parse().ok()?, row.parse().ok()?))
    });
    cells.collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// Returns the problem of a piece at `landing` that covers a filled cell or has no ground below.
fn check(matrix: &Matrix, landing: Landing) -> std::result::Result<(), Problem> {
    let (at, piece) = (Position::from(landing), landing.piece);
    match (at.fits(matrix, piece), at.rests(matrix, piece)) {
        (false, _) => Err(Problem::Overlap),
        (true, false) => Err(Problem::Floating),
        (true, true) => Ok(()),
    }
}

/// Player of one thread, with the comparisons of the rows so far.
pub struct Player {
    player: BeamPlayer,
    /// For removed rows, spin and attack: numbers of placements where the table states them, and of
    /// those where it differs from the computed ones.
    compared: [[u64; 2]; 3],
}

impl AnnotatedGame for GuidelineAnnotation {
    type Player = Player;
    type Record = GuidelinePlacement;
    const COMPARED: &[&str] =
        &["lines", "t_spin", "b2b_before", "b2b_chain", "combo_before", "combo", "attack"];

    fn columns(names: &[String]) -> Vec<Column> {
        let (text, integer, factor) = (ColumnType::Text, ColumnType::Integer, ColumnType::Factor);
        match Form::of(names) {
            Form::Centre => input_columns(&[
                (text, &[PLAYFIELD, "hold", "next", "t_spin"]),
                (integer, &["x", "y", "cleared", "btb", "combo", "attack"]),
                (factor, &["placed"]),
            ]),
            Form::Corner | Form::Cells => input_columns(&[
                (text, &[board_of(names), "t_spin"]),
                (integer, &["column", "landing_row", "lines", "combo", "combo_before"]),
                (integer, &["lines_total", "attack", "b2b_chain", OF_LOGS]),
                (factor, &["piece", "hold_before", "hold_after"]),
                (factor, &NEXT),
                (ColumnType::Logical, &["used_hold", "b2b_before"]),
            ]),
        }
    }

    fn needed(names: &[String]) -> Vec<&'static str> {
        match Form::of(names) {
            Form::Corner => {
                vec![board_of(names), "piece", "orientation", "column", "landing_row"]
            }
            Form::Cells => vec![board_of(names), "piece", "cells"],
            Form::Centre => vec![PLAYFIELD, "placed", "r", "x", "y"],
        }
    }

    fn prepare(&mut self, header: &Header<'_>, rows: &Rows) -> Result<()> {
        self.form = Form::of(&header.names);
        let mut resting = |exchanged: bool| {
            self.exchanged = exchanged;
            let rests = |&row: &usize| {
                let row = InputRow { header, rows, row, before: 0 };
                let found = self.landing(row).ok().zip(self.matrix(row).ok());
                found.is_some_and(|(landing, matrix)| check(&matrix, landing).is_ok())
            };
            (0..rows.len()).filter(rests).count()
        };
        let [own, other] = [false, true].map(&mut resting);
        self.exchanged = self.form == Form::Centre && other > own;
        Ok(())
    }

    fn encoder(&self, columns: &Columns, given: &[String]) -> Result<RowEncoder<Self::Record>> {
        RowEncoder::annotating_guideline(columns, given)
    }

    fn player(&self) -> Result<Player> {
        Ok(Player { player: self.config.chooser(), compared: Default::default() })
    }

    fn record(&self, player: &mut Player, row: InputRow<'_>) -> RowResult<GuidelinePlacement> {
        let Player { player, compared } = player;
        let (matrix, landing) = (self.matrix(row)?, self.landing(row)?);
        check(&matrix, landing)?;
        let (hold, known) = self.queue(row, landing.piece)?;
        let removed = i64::from(landing.lock(&matrix).clear().1);
        let lines = row.integer("lines_total")?.unwrap_or(0).saturating_sub(removed);
        let lines = lines.clamp(0, i32::MAX.into()) as u32;
        let combo_state = self.combo_state(row)?;
        let state = GuidelineState { matrix, hold, taken: 0, combo_state, lines };
        let before = row.integer(OF_LOGS)?.unwrap_or(1) - 1;
        let left = i64::from(self.config.mode.pieces()).saturating_sub(before).max(1) as usize;
        let ranked = player.rank(&state, Outlook { left, ..Outlook::seen(&known) });
        let wanted = landing.canonical();
        let is_wanted = |one: &RankedLanding| Landing { spin: Spin::None, ..one.landing } == wanted;
        let chosen = ranked.iter().position(is_wanted).ok_or(Problem::Unreachable)?;
        let RankedLanding { choice, landing, placed, .. } = ranked[chosen];
        let spins = [["N", "none"], ["M", "mini"], ["F", "full"]];
        let spin = spins.iter().position(|names| names.contains(&row.text("t_spin")));
        let lines = row.integer(self.form.facts()[0])?;
        let stated = [lines, spin.map(|spin| spin as i64), row.integer("attack")?];
        let found = [i64::from(placed.clear.lines), landing.spin as i64, i64::from(placed.attack)];
        for (counts, (stated, found)) in compared.iter_mut().zip(stated.into_iter().zip(found)) {
            counts[0] += u64::from(stated.is_some());
            counts[1] += u64::from(stated.is_some_and(|stated| stated != found));
        }
        let chosen = ChosenPlacement {
            choice,
            landing,
            placed,
            found: Some(player.result_of(&ranked, chosen)),
            planned: false,
            best: RankedLanding::best(&ranked).map(|best| (best.landing, best.choice.held)),
        };
        let path = shortest(&self.config.rules, &matrix, landing).unwrap_or_default();
        let mut history = GuidelineHistory::new(GuidelineGameRow::new(0, 0));
        Ok(history.record(&state, chosen, path, 0, [None; MAX_PREVIEWS]))
    }

    fn describe(&self) -> String {
        let GuidelineConfig { controller, rules, beam, .. } = &self.config;
        format!("{} ({rules} {})", controller.name, beam.name())
    }

    fn notes(&self, players: &[&Player]) -> Vec<String> {
        let note = "J and L are exchanged: most pieces rest only if a J in the input is an L";
        let mut notes = Vec::from_iter(self.exchanged.then(|| note.to_owned()));
        for (fact, name) in [self.form.facts()[0], "t_spin", "attack"].into_iter().enumerate() {
            let sum = |of: usize| players.iter().map(|one| one.compared[fact][of]).sum::<u64>();
            let [rows, differing] = [sum(0), sum(1)];
            if differing > 0 {
                notes.push(format!(
                    "{} of {} rows have another value in column {name} than the computed one",
                    thousands(differing),
                    thousands(rows)
                ));
            }
        }
        notes
    }
}
