//! Guideline games: placements with turns, kicks and spins, the hold and the previews.
//!
//! A table has one of two forms. Logs of guideline games name the corner of a piece (`column` and
//! `landing_row`) or its `cells`, and [`Form::Centre`] is the layout of the data set *Tetr.io Top
//! Players Replays*.

use super::input::{BOARD, BOARD_BEFORE, OF_LOGS, input_column, is_picture};
use super::{AnnotatedGame, Header, InputRow, Problem, Refused};
use crate::board::{Board, BoardSize};
use crate::error::{Error, Result};
use crate::matrix::{Matrix, ROWS, WIDTH};
use crate::piece::Piece;
use crate::placement::Spin;
use crate::record::{
    Column, ColumnType, ColumnValues, Columns, GuidelinePlacement, RowEncoder, Rows,
};
use crate::rules::guideline::positions::Position;
use crate::rules::guideline::{
    ComboState, GuidelineState, Hold, Landing, MAX_PREVIEWS, RotationState, shortest,
};
use crate::search::guideline::{BeamPlayer, Outlook, RankedLanding};
use crate::sim::guideline::GuidelineConfig;
use crate::text::numbers::thousands;

/// Form of a table: the columns with the position of the placed piece.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// `orientation`, `column` of the leftmost cell and `landing_row` of the lowest one.
    Corner,
    /// `cells`, as in logs.
    Cells,
    /// The turn `r`, and the column `x` and row `y` of the centre under SRS.
    Centre,
}

/// Column with the board of a table of the form [`Form::Centre`].
const PLAYFIELD: &str = "playfield";
/// Cell without a piece in a playfield, and a hold without a piece.
const NONE: char = 'N';

impl Form {
    fn of(names: &[String]) -> Form {
        let has = |name: &str| names.iter().any(|other| other == name);
        match (has(PLAYFIELD), has(BOARD_BEFORE), has("cells"), has("column")) {
            (true, false, ..) => Form::Centre,
            (_, _, true, false) => Form::Cells,
            _ => Form::Corner,
        }
    }

    /// Returns the names of the columns with the position: the turn, then the column and the row.
    fn position(self) -> &'static [&'static str] {
        match self {
            Form::Corner => &["orientation", "column", "landing_row"],
            Form::Cells => &["cells"],
            Form::Centre => &["r", "x", "y"],
        }
    }

    /// Returns the names of the columns for the numbers of rows removed, the spin, and the
    /// back-to-back and combo before the placement.
    fn facts(self) -> [&'static str; 4] {
        match self {
            Form::Centre => ["cleared", "t_spin", "btb", "combo"],
            Form::Corner | Form::Cells => ["lines", "t_spin", "b2b_before", "combo_before"],
        }
    }

    /// Returns the columns that are read, with their types.
    fn columns(self) -> Vec<Column> {
        let (text, integer, factor) = (ColumnType::Text, ColumnType::Integer, ColumnType::Factor);
        let of = |names: &[&str], kind| {
            names.iter().map(|name| input_column(name, kind)).collect::<Vec<_>>()
        };
        let [lines, spin, back_to_back, combo] = self.facts();
        let mut columns = of(&self.position()[..1], text);
        columns.extend(of(&self.position()[1..], integer));
        columns.extend(of(&[lines, combo], integer));
        columns.extend(of(&[spin], text));
        if self == Form::Centre {
            columns.extend(of(&[PLAYFIELD, "next"], text));
            columns.extend(of(&["placed", "hold"], factor));
            columns.extend(of(&[back_to_back], integer));
            columns.iter_mut().filter(|column| column.name == "hold").for_each(|hold| {
                hold.levels.push(NONE.into());
            });
            return columns;
        }
        columns.extend(of(&[BOARD_BEFORE, BOARD], text));
        columns.extend(of(&["piece", "hold_before", "hold_after"], factor));
        columns.extend((1..=MAX_PREVIEWS).map(|k| input_column(&format!("next_{k}"), factor)));
        columns.extend(of(&[back_to_back, "used_hold"], ColumnType::Logical));
        columns.extend(of(&["combo", "lines_total", OF_LOGS], integer));
        columns
    }
}

/// Places of the input columns.
pub struct Inputs {
    form: Form,
    board: usize,
    piece: usize,
    /// The columns of [`Form::position`].
    position: Vec<usize>,
    hold: Option<usize>,
    used_hold: Option<usize>,
    hold_after: Option<usize>,
    /// A column for each preview, or one text with all of them.
    next: Vec<usize>,
    lines: Option<usize>,
    spin: Option<usize>,
    back_to_back: Option<usize>,
    combo: Option<usize>,
    /// True if the combo is that after the placement.
    combo_after: bool,
    lines_total: Option<usize>,
    piece_no: Option<usize>,
    /// True if the table calls J what others call L.
    exchanged: bool,
}

impl Inputs {
    fn of(header: &Header<'_>) -> Result<Inputs> {
        let names: Vec<String> = header.columns.iter().map(|column| column.name.clone()).collect();
        let form = Form::of(&names);
        let of_log = |name: &str| header.place(name).filter(|_| form != Form::Centre);
        let [lines, spin, back_to_back, combo] = form.facts().map(|name| header.place(name));
        let (board, piece, hold, next) = match form {
            Form::Centre => {
                let next = header.place("next").into_iter().collect();
                (header.of_placement(PLAYFIELD)?, "placed", "hold", next)
            }
            Form::Corner | Form::Cells => {
                let next = (1..=MAX_PREVIEWS).map_while(|k| header.place(&format!("next_{k}")));
                (header.board()?, "piece", "hold_before", next.collect())
            }
        };
        let piece_no = of_log(OF_LOGS);
        let after = of_log("combo").filter(|_| combo.is_none() && piece_no.is_some());
        let position = form.position().iter().map(|name| header.of_placement(name));
        let inputs = Inputs {
            form,
            board,
            piece: header.of_placement(piece)?,
            position: position.collect::<Result<_>>()?,
            hold: header.place(hold),
            used_hold: of_log("used_hold"),
            hold_after: of_log("hold_after"),
            next,
            lines,
            spin,
            back_to_back,
            combo: combo.or(after),
            combo_after: after.is_some(),
            lines_total: of_log("lines_total"),
            piece_no,
            exchanged: false,
        };
        // The turn may be a text or a number.
        let turn = inputs.position[0];
        let is_read = |column: &Column| {
            let place = header.place(&column.name);
            (place.filter(|&place| place != turn || form == Form::Cells), column.kind)
        };
        header.check(form.columns().iter().map(is_read))?;
        Ok(inputs)
    }

    /// Returns the piece that the table calls `piece`.
    fn named(&self, piece: Piece) -> Piece {
        match piece {
            Piece::J if self.exchanged => Piece::L,
            Piece::L if self.exchanged => Piece::J,
            piece => piece,
        }
    }

    fn piece(&self, row: InputRow<'_>, place: usize) -> Option<Piece> {
        row.piece(place).map(|piece| self.named(piece))
    }

    /// Returns the matrix before the placement.
    fn matrix(&self, row: InputRow<'_>) -> std::result::Result<Matrix, Refused> {
        let text = row.text(self.board);
        let matrix = match text {
            _ if self.form == Form::Centre => playfield(text),
            "" => return Err(Problem::Missing.into()),
            text if is_picture(text) => text.parse().map(Some),
            text => BoardSize::new(WIDTH, ROWS - 4)
                .and_then(|size| Board::from_hex(size, text))
                .and_then(|board| Matrix::from_board(&board))
                .map(Some),
        };
        let matrix = matrix.map_err(|error| row.refuse(self.board, &error))?;
        let matrix = matrix.ok_or(Problem::Overflow)?;
        if matrix.full_rows() == 0 { Ok(matrix) } else { Err(Problem::FullRow.into()) }
    }

    /// Returns the placement without its spin. Its cells may be filled.
    fn landing(&self, row: InputRow<'_>) -> std::result::Result<Landing, Refused> {
        let piece = self.piece(row, self.piece).ok_or(Problem::Missing)?;
        if self.form == Form::Cells {
            let text = row.text(self.position[0]);
            let cells = Some(text).filter(|text| !text.is_empty()).ok_or(Problem::Missing)?;
            let landing = cells_of(cells).and_then(|cells| Landing::of_cells(piece, cells));
            return Ok(landing.ok_or(Problem::Outside)?);
        }
        let word = row.word(self.position[0])?;
        let x = row.integer(self.position[1])?.ok_or(Problem::Missing)?;
        let y = row.integer(self.position[2])?.ok_or(Problem::Missing)?;
        let state = match &*word {
            "" => return Err(Problem::Missing.into()),
            "0" | "N" => RotationState::Spawn,
            "1" | "R" | "E" => RotationState::Right,
            "2" | "S" => RotationState::Half,
            "3" | "L" | "W" => RotationState::Left,
            _ => return Err(Problem::Outside.into()),
        };
        let landing = match (self.form, piece, state) {
            (Form::Centre, Piece::O, state) => {
                // Under SRS the centre of O is the lower left cell, and turns with the piece.
                let (right, up) = [(0, 0), (0, 1), (1, 1), (1, 0)][state.index()];
                Landing::centred(piece, RotationState::Spawn, x - right, y - up)
            }
            (Form::Centre, ..) => Landing::centred(piece, state, x, y),
            _ => Landing::at(piece, state, x, y),
        };
        Ok(landing.ok_or(Problem::Outside)?)
    }

    /// Returns the hold before the placement of `piece`, and the known pieces from the current one.
    ///
    /// A table of the form [`Form::Centre`] has the hold and the previews after the placement. A
    /// piece that came from the hold was exchanged for the piece there now, so the two choices are
    /// the same as if the piece had been the current one.
    fn queue(&self, row: InputRow<'_>, piece: Piece) -> Result<(Hold, Vec<Piece>)> {
        let mut known = vec![piece];
        for &place in &self.next {
            if let ColumnValues::Text(_) = &row.rows.columns[place] {
                for letter in row.text(place).chars() {
                    let piece = letter.to_string().parse::<Piece>();
                    known.push(self.named(piece.map_err(|error| row.refuse(place, &error))?));
                }
            } else {
                let Some(piece) = self.piece(row, place) else { break };
                known.push(piece);
            }
        }
        let hold = match self.hold.map(|place| (self.piece(row, place), row.integer(place))) {
            None => Hold::Unknown,
            Some((Some(piece), _)) => Hold::Piece(piece),
            // A log leaves out an empty hold.
            Some((None, Ok(None))) if self.form == Form::Centre => Hold::Unknown,
            Some((None, _)) => Hold::Empty,
        };
        if row.optional(self.used_hold)? != Some(1) {
            return Ok((hold, known));
        }
        let current = self.hold_after.and_then(|place| self.piece(row, place));
        match (hold, current) {
            (Hold::Piece(held), Some(current)) if held == piece => known[0] = current,
            (Hold::Empty, Some(current)) => known.insert(0, current),
            _ => return Ok((Hold::Unknown, known)),
        }
        Ok((hold, known))
    }

    /// Returns back-to-back and combo before the placement; those that are unknown are none.
    fn combo_state(&self, row: InputRow<'_>) -> Result<ComboState> {
        let combo = row.optional(self.combo)?.unwrap_or(0) - i64::from(self.combo_after);
        Ok(ComboState {
            back_to_back: row.optional(self.back_to_back)?.is_some_and(|length| length > 0),
            combo: combo.clamp(0, u8::MAX.into()) as u8,
        })
    }
}

/// Parses a playfield: the cells row by row, from the lowest row and the left. Returns `None` if a
/// cell above the rows of a matrix is filled.
fn playfield(text: &str) -> Result<Option<Matrix>> {
    let mut matrix = Matrix::EMPTY;
    for (place, cell) in text.chars().enumerate() {
        match cell {
            NONE => {}
            'I' | 'O' | 'T' | 'S' | 'Z' | 'J' | 'L' | 'G' if place / WIDTH >= ROWS => {
                return Ok(None);
            }
            'I' | 'O' | 'T' | 'S' | 'Z' | 'J' | 'L' | 'G' => {
                matrix = matrix.with(place % WIDTH, place / WIDTH);
            }
            cell => {
                return Err(Error::Config(format!("cell '{cell}' is none of I O T S Z J L G N")));
            }
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

/// Parses the name of a spin in a table: a letter, or the name in logs.
fn spin_of(name: &str) -> Option<Spin> {
    match name {
        "N" | "none" => Some(Spin::None),
        "M" | "mini" => Some(Spin::Mini),
        "F" | "full" => Some(Spin::Full),
        _ => None,
    }
}

/// True if `landing` is free in `matrix` and has ground below.
fn rests(matrix: &Matrix, landing: Landing) -> bool {
    let at = Position::from(landing);
    at.fits(matrix, landing.piece) && at.rests(matrix, landing.piece)
}

/// Player of one thread, with the comparisons of the rows so far.
pub struct Player {
    player: BeamPlayer,
    /// Numbers of rows whose lines and whose spin are known and computed, and of those that differ.
    compared: [[u64; 2]; 2],
}

impl AnnotatedGame for GuidelineConfig {
    type Inputs = Inputs;
    type Player = Player;
    type Record = GuidelinePlacement;

    fn typed(names: &[String]) -> Vec<Column> {
        Form::of(names).columns()
    }

    fn inputs(&self, header: &Header<'_>, rows: &Rows) -> Result<Inputs> {
        let mut inputs = Inputs::of(header)?;
        if inputs.form == Form::Centre {
            let mut resting = |exchanged: bool| {
                inputs.exchanged = exchanged;
                let rests = |row: &usize| {
                    let row = InputRow { header, rows, row: *row, before: 0 };
                    let found = inputs.landing(row).ok().zip(inputs.matrix(row).ok());
                    found.is_some_and(|(landing, matrix)| rests(&matrix, landing))
                };
                (0..rows.len()).filter(rests).count()
            };
            inputs.exchanged = resting(true) > resting(false);
        }
        Ok(inputs)
    }

    fn given(inputs: &Inputs) -> Vec<usize> {
        let Inputs { board, piece, hold, used_hold, hold_after, .. } = *inputs;
        let others = [Some(board), Some(piece), hold, used_hold, hold_after].into_iter().flatten();
        others.chain(inputs.position.iter().copied()).chain(inputs.next.iter().copied()).collect()
    }

    fn encoder(
        &self,
        _: &Inputs,
        columns: &Columns,
        given: &[String],
    ) -> Result<RowEncoder<GuidelinePlacement>> {
        RowEncoder::annotating_guideline(columns, given)
    }

    fn player(&self, _: &Inputs) -> Result<Player> {
        Ok(Player { player: self.chooser(), compared: Default::default() })
    }

    fn record(
        &self,
        inputs: &Inputs,
        Player { player, compared }: &mut Player,
        row: InputRow<'_>,
    ) -> std::result::Result<GuidelinePlacement, Refused> {
        let (matrix, landing) = (inputs.matrix(row)?, inputs.landing(row)?);
        let (piece, rules) = (landing.piece, *self.rules);
        if !rests(&matrix, landing) {
            let is_free = Position::from(landing).fits(&matrix, piece);
            return Err(if is_free { Problem::Floating } else { Problem::Overlap }.into());
        }
        let (hold, mut known) = inputs.queue(row, piece)?;
        known.truncate(1 + usize::from(rules.previews));
        let lines = landing.lock(&matrix).clear().1;
        let total = row.optional(inputs.lines_total)?.unwrap_or(0) - i64::from(lines);
        let state = GuidelineState {
            matrix,
            hold,
            taken: 0,
            combo_state: inputs.combo_state(row)?,
            lines: u32::try_from(total).unwrap_or(0),
        };
        let before = row.optional(inputs.piece_no)?.unwrap_or(1).max(1) - 1;
        let left = i64::from(self.mode.pieces()).saturating_sub(before).max(1) as usize;
        let ranked = player.rank(&state, Outlook { left, ..Outlook::seen(&known) });
        let wanted = landing.canonical();
        let is_wanted = |one: &RankedLanding| Landing { spin: Spin::None, ..one.landing } == wanted;
        let chosen = ranked.iter().position(is_wanted).ok_or(Problem::Unreachable)?;
        let RankedLanding { choice, landing, placed, .. } = ranked[chosen];
        if let Some(stated) = row.optional(inputs.lines)? {
            let differs = stated != i64::from(placed.clear.lines);
            compared[0] = [compared[0][0] + 1, compared[0][1] + u64::from(differs)];
        }
        if let Some(stated) = inputs.spin.and_then(|place| spin_of(row.text(place))) {
            let differs = stated != landing.spin;
            compared[1] = [compared[1][0] + 1, compared[1][1] + u64::from(differs)];
        }
        Ok(GuidelinePlacement {
            game: 0,
            stream_seed: 0,
            piece_no: 0,
            time_us: 0,
            landing,
            choice,
            hold_before: hold,
            next: [None; MAX_PREVIEWS],
            since_i: 0,
            dealt: 1,
            before: state.combo_state,
            placed,
            path: shortest(&rules, &matrix, landing).unwrap_or_default(),
            found: Some(player.result_of(&ranked, chosen)),
            best: RankedLanding::best(&ranked).map(|best| (best.landing, best.choice.held)),
            score: 0,
        })
    }

    fn describe(&self, _: &Inputs) -> String {
        format!("{} {}", self.rules, self.beam.name())
    }

    fn notes(inputs: &Inputs, players: &[&Player]) -> Vec<String> {
        let mut notes = Vec::new();
        if inputs.exchanged {
            let note = "J and L are exchanged: most pieces rest only if J in the input is an L";
            notes.push(note.to_owned());
        }
        let [name, spin, ..] = inputs.form.facts();
        for (fact, (name, computed)) in [(name, "lines"), (spin, "t_spin")].into_iter().enumerate()
        {
            let sum = |of: usize| players.iter().map(|one| one.compared[fact][of]).sum();
            let [rows, differing]: [u64; 2] = [0, 1].map(sum);
            if differing > 0 {
                let [rows, differing] = [rows, differing].map(thousands);
                notes.push(format!(
                    "{differing} of {rows} rows differ in {name} of the input and the computed \
                     {computed}"
                ));
            }
        }
        notes
    }
}
