//! Games whose placements a controller can score (annotate): classic games, and guideline games
//! with turns, kicks, spins, hold and previews.

use super::{
    AnnotatedGame, BOARD_BEFORE, InputHeader, InputRow, LOG_ONLY_COLUMN, Problem, RowResult,
    board_column, input_columns, is_picture,
};
use crate::error::setting::SEARCH;
use crate::matrix::{ROWS, WIDTH};
use crate::placement::{Placement, Spin};
use crate::prelude::*;
use crate::record::{
    ChosenPlacement, GuidelineGameRow, GuidelineHistory, GuidelinePlacement, PlacementEncoder,
    PlacementRecord,
};
use crate::rules::guideline::positions::Position;
use crate::rules::guideline::{
    ComboState, GuidelineState, Hold, Landing, MAX_PREVIEWS, RotationState, shortest,
};
use crate::search::Player;
use crate::search::guideline::{BeamPlayer, QueueView, RankedLanding};
use crate::sim::guideline::GuidelineConfig;
use crate::text::numbers::thousands;

/// Settings for scoring the placements of classic games that a user's table lists.
#[derive(Clone, Debug)]
pub struct ClassicAnnotation {
    /// Controller that scores every possible placement, including the one in the table.
    pub controller: Controller,
    /// Rules of classic games, which determine where a piece may be placed.
    pub rules: Rules,
    /// Look-ahead of the controller; to see the next piece, it needs the table's column `next_1`.
    pub search: Search,
    /// Size of the table's boards; `None` to take it from the first board's picture, or else 10x20.
    pub size: Option<BoardSize>,
}

impl ClassicAnnotation {
    fn size(&self) -> Result<BoardSize> {
        self.size.map_or_else(|| BoardSize::new(10, 20), Ok)
    }

    fn board(&self, row: InputRow<'_>) -> Result<Option<Board>> {
        let board = match row.text(BOARD_BEFORE) {
            "" => return Ok(None),
            text if is_picture(text) => Board::from_picture(text, Some(self.size()?)),
            text => Board::from_hex(self.size()?, text),
        };
        board.map(Some).map_err(|error| row.value_error(BOARD_BEFORE, &error))
    }
}

impl AnnotatedGame for ClassicAnnotation {
    type Player = Player;
    type Record = PlacementRecord;

    fn columns(names: &[String]) -> Vec<Column> {
        input_columns(&[
            (ColumnType::Text, &[board_column(names)]),
            (ColumnType::Factor, &["piece", "next_1"]),
            (ColumnType::Integer, &["orientation", "column", "landing_row"]),
        ])
    }

    fn needed(names: &[String]) -> Vec<&'static str> {
        vec![board_column(names), "piece", "orientation", "column"]
    }

    fn prepare(&mut self, header: &InputHeader<'_>, rows: &Rows) -> Result<()> {
        if self.search == Search::Next {
            header.need("next_1", &format!("the next piece of {SEARCH} next"))?;
        }
        let mut texts = (0..rows.len()).map(|row| InputRow { header, rows, row, before: 0 });
        let picture =
            texts.find_map(|row| Some(row.text(BOARD_BEFORE)).filter(|it| is_picture(it)));
        // The message of the row with a wrong picture names the problem.
        let of_picture = picture.and_then(|text| Board::from_picture(text, None).ok());
        self.size = self.size.or(of_picture.map(|board| board.size()));
        Ok(())
    }

    fn encoder(&self, columns: &Columns, given: &[String]) -> Result<RowEncoder<Self::Record>> {
        PlacementEncoder::annotating(&self.controller, self.size()?, columns, given)
    }

    fn player(&self) -> Result<Player> {
        Player::new(&self.controller, self.rules, self.search, self.size()?, Level::detect())
    }

    fn record(&self, player: &mut Player, row: InputRow<'_>) -> RowResult<PlacementRecord> {
        let (board, piece) = (self.board(row)?, row.piece("piece"));
        let [orientation, column, landing_row] =
            ["orientation", "column", "landing_row"].map(|name| row.integer(name));
        let landing_row = landing_row?;
        let (Some(before), Some(piece), Some(orientation), Some(column)) =
            (board, piece, orientation?, column?)
        else {
            return Err(Problem::Missing.into());
        };
        let stack = before.stack_height();
        if stack > before.height() {
            return Err(Problem::Overflow.into());
        }
        if before.full_rows_among(0..stack) != 0 {
            return Err(Problem::FullRow.into());
        }
        let placement = u8::try_from(orientation).ok().zip(u8::try_from(column).ok());
        let placement = placement.map(|(orientation, column)| Placement { orientation, column });
        let shape = placement.and_then(|placement| {
            let shape = piece.orientations().get(usize::from(placement.orientation))?;
            let end = usize::from(placement.column) + usize::from(shape.width);
            (end <= before.width()).then_some((placement, shape))
        });
        let Some((placement, shape)) = shape.filter(|_| landing_row.is_none_or(|row| row >= 0))
        else {
            return Err(Problem::Outside.into());
        };
        let next = row.piece("next_1");
        let decision = player.assess(&before, piece, next, placement);
        player.check_external()?;
        let decision = decision.filter(|decision| {
            let row = decision.outcome.played.candidate.row;
            landing_row.is_none_or(|stated| stated == i64::from(row))
        });
        let Some(decision) = decision else {
            let is_free = |row: i64| {
                before.is_free(shape, usize::from(placement.column), row.max(0) as usize)
            };
            let problem = match landing_row {
                Some(row) if !is_free(row) => Problem::Overlap,
                Some(row) if row > 0 && is_free(row - 1) => Problem::Floating,
                _ => Problem::Unreachable,
            };
            return Err(problem.into());
        };
        let scorer = player.scorer();
        Ok(PlacementRecord {
            game: 0,
            stream_seed: 0,
            piece_no: 0,
            piece,
            next,
            lines_total: 0,
            since_i: None,
            deals_bags: false,
            garbage: 0,
            patterns: player.pattern_value(&decision.outcome),
            decision,
            before,
            measured: scorer.measured(),
            scale: scorer.scale(),
        })
    }

    fn describe(&self) -> String {
        let size = self.size().map(|size| size.to_string()).unwrap_or_default();
        format!("{} ({} {}, {size})", self.controller.name, self.rules, self.search)
    }
}

/// Settings for scoring the placements of guideline games that a user's table lists.
#[derive(Clone, Debug)]
pub struct GuidelineAnnotation {
    /// Configuration of guideline games: rules, controller and search that score the placements.
    pub config: GuidelineConfig,
    form: Form,
    /// True if the table calls the piece J `L` and the piece L `J`.
    exchanged: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Form of table that states a piece's orientation, leftmost column and lowest row.
    Corner,
    /// Form of table that states the columns and rows of a piece's four cells.
    Cells,
    /// Form of the data set *Tetr.io Top Players Replays*: orientation and centre cell of a piece,
    /// with hold and previews after the placement.
    Centre,
}

impl Form {
    fn from_columns(names: &[String]) -> Form {
        let has = |name: &str| names.iter().any(|other| other == name);
        match (has(PLAYFIELD) && !has(BOARD_BEFORE), has("cells") && !has("column")) {
            (true, _) => Form::Centre,
            (_, true) => Form::Cells,
            _ => Form::Corner,
        }
    }

    /// Returns names of three table columns: a placement's removed rows, back-to-back and combo.
    fn fact_columns(self) -> [&'static str; 3] {
        match self {
            Form::Centre => ["cleared", "btb", "combo"],
            Form::Corner | Form::Cells => ["lines", "b2b_before", "combo_before"],
        }
    }
}

const PLAYFIELD: &str = "playfield";
const FILLED: &str = "IOTSZJLG";
const EMPTY: &str = "N";
const NEXT: [&str; MAX_PREVIEWS] = [
    "next_1", "next_2", "next_3", "next_4", "next_5", "next_6", "next_7", "next_8", "next_9",
    "next_10", "next_11", "next_12", "next_13", "next_14", "next_15",
];

impl GuidelineAnnotation {
    /// Creates settings for scoring placements by the controller, search and rules of `config`.
    #[must_use]
    pub fn new(config: GuidelineConfig) -> GuidelineAnnotation {
        GuidelineAnnotation { config, form: Form::Corner, exchanged: false }
    }

    fn named(&self, piece: Piece) -> Piece {
        match piece {
            Piece::J if self.exchanged => Piece::L,
            Piece::L if self.exchanged => Piece::J,
            piece => piece,
        }
    }

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
        let matrix =
            matrix.map_err(|error| row.value_error(name, &error))?.ok_or(Problem::Overflow)?;
        if matrix.full_rows() == 0 { Ok(matrix) } else { Err(Problem::FullRow.into()) }
    }

    /// Returns where the piece of a table row comes to rest; it may overlap filled cells.
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

    /// Returns the hold and the visible pieces before the placement of a table row. In
    /// [`Form::Centre`], the hold after the placement serves as well.
    fn queue(&self, row: InputRow<'_>, piece: Piece) -> Result<(Hold, Vec<Piece>)> {
        let letters = |name: &'static str| {
            row.text(name).chars().map(move |letter| {
                let piece = letter.to_string().parse::<Piece>();
                piece.map(|piece| self.named(piece)).map_err(|error| row.value_error(name, &error))
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

    /// Returns back-to-back and combo before the placement of a table row; 0 if unknown.
    fn combo_state(&self, row: InputRow<'_>) -> Result<ComboState> {
        let [_, back_to_back, combo] = self.form.fact_columns();
        let combo = match row.integer(combo)? {
            // A log has the combo after the placement.
            None if row.has(LOG_ONLY_COLUMN) => row.integer("combo")?.unwrap_or(0) - 1,
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

/// Parses a table's text of a board, bottom row first; `None` if a cell is above the stored rows.
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

fn cells_of(text: &str) -> Option<[(usize, usize); 4]> {
    let cells = text.split(';').map(|cell| {
        let (column, row) = cell.split_once(':')?;
        Some((column.parse().ok()?, row.parse().ok()?))
    });
    cells.collect::<Option<Vec<_>>>()?.try_into().ok()
}

fn check(matrix: &Matrix, landing: Landing) -> std::result::Result<(), Problem> {
    let (at, piece) = (Position::from(landing), landing.piece);
    match (at.fits(matrix, piece), at.rests(matrix, piece)) {
        (false, _) => Err(Problem::Overlap),
        (true, false) => Err(Problem::Floating),
        (true, true) => Ok(()),
    }
}

pub struct GuidelineAnnotator {
    player: BeamPlayer,
    /// For lines, spin and attack: number of rows with a stated value, and with a wrong value.
    compared: [[u64; 2]; 3],
}

impl AnnotatedGame for GuidelineAnnotation {
    type Player = GuidelineAnnotator;
    type Record = GuidelinePlacement;
    const COMPARED: &[&str] =
        &["lines", "t_spin", "b2b_before", "b2b_chain", "combo_before", "combo", "attack"];

    fn columns(names: &[String]) -> Vec<Column> {
        let (text, integer, factor) = (ColumnType::Text, ColumnType::Integer, ColumnType::Factor);
        match Form::from_columns(names) {
            Form::Centre => input_columns(&[
                (text, &[PLAYFIELD, "hold", "next", "t_spin"]),
                (integer, &["x", "y", "cleared", "btb", "combo", "attack"]),
                (factor, &["placed"]),
            ]),
            Form::Corner | Form::Cells => input_columns(&[
                (text, &[board_column(names), "t_spin"]),
                (integer, &["column", "landing_row", "lines", "combo", "combo_before"]),
                (integer, &["lines_total", "attack", "b2b_chain", LOG_ONLY_COLUMN]),
                (factor, &["piece", "hold_before", "hold_after"]),
                (factor, &NEXT),
                (ColumnType::Logical, &["used_hold", "b2b_before"]),
            ]),
        }
    }

    fn needed(names: &[String]) -> Vec<&'static str> {
        match Form::from_columns(names) {
            Form::Corner => {
                vec![board_column(names), "piece", "orientation", "column", "landing_row"]
            }
            Form::Cells => vec![board_column(names), "piece", "cells"],
            Form::Centre => vec![PLAYFIELD, "placed", "r", "x", "y"],
        }
    }

    fn prepare(&mut self, header: &InputHeader<'_>, rows: &Rows) -> Result<()> {
        self.form = Form::from_columns(&header.names);
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

    fn player(&self) -> Result<GuidelineAnnotator> {
        Ok(GuidelineAnnotator { player: self.config.chooser(), compared: Default::default() })
    }

    fn record(
        &self,
        player: &mut GuidelineAnnotator,
        row: InputRow<'_>,
    ) -> RowResult<GuidelinePlacement> {
        let GuidelineAnnotator { player, compared } = player;
        let (matrix, landing) = (self.matrix(row)?, self.landing(row)?);
        check(&matrix, landing)?;
        let (hold, known) = self.queue(row, landing.piece)?;
        let removed = i64::from(landing.lock(&matrix).clear().1);
        let lines = row.integer("lines_total")?.unwrap_or(0).saturating_sub(removed);
        let lines = lines.clamp(0, i32::MAX.into()) as u32;
        let combo_state = self.combo_state(row)?;
        let state = GuidelineState { matrix, hold, taken: 0, combo_state, lines };
        let before = row.integer(LOG_ONLY_COLUMN)?.unwrap_or(1) - 1;
        let left = i64::from(self.config.mode.pieces()).saturating_sub(before).max(1) as usize;
        let ranked = player.rank(&state, QueueView { left, ..QueueView::visible(&known) });
        let wanted = landing.canonical();
        let is_wanted = |one: &RankedLanding| Landing { spin: Spin::None, ..one.landing } == wanted;
        let chosen = ranked.iter().position(is_wanted).ok_or(Problem::Unreachable)?;
        let RankedLanding { choice, landing, placed, .. } = ranked[chosen];
        let spins = [["N", "none"], ["M", "mini"], ["F", "full"]];
        let spin = spins.iter().position(|names| names.contains(&row.text("t_spin")));
        let lines = row.integer(self.form.fact_columns()[0])?;
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

    fn notes(&self, players: &[&GuidelineAnnotator]) -> Vec<String> {
        let note = "J and L are exchanged: most pieces rest only if a J in the input is an L";
        let mut notes = Vec::from_iter(self.exchanged.then(|| note.to_owned()));
        for (fact, name) in
            [self.form.fact_columns()[0], "t_spin", "attack"].into_iter().enumerate()
        {
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
