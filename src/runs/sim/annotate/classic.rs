//! Classic games: placements by straight drops.

use super::input::{BOARD, BOARD_BEFORE, input_column, is_picture};
use super::{AnnotatedGame, Header, InputRow, Problem, Refused};
use crate::board::{Board, BoardSize};
use crate::controller::Controller;
use crate::error::Result;
use crate::error::setting::SEARCH;
use crate::kernels::Level;
use crate::placement::Placement;
use crate::record::{
    Column, ColumnType, Columns, PlacementEncoder, PlacementRecord, RowEncoder, Rows,
};
use crate::rules::Rules;
use crate::search::{Player, Search};

/// Classic game of the placements in a table.
#[derive(Clone, Debug)]
pub struct ClassicAnnotation {
    /// Controller that compares the placements.
    pub controller: Controller,
    /// Rules that determine the possible placements.
    pub rules: Rules,
    /// Look-ahead of the controller. [`Search::Next`] needs the input column `next_1`.
    pub search: Search,
    /// Size of the boards. Without it, the size is that of the first board that is a picture
    /// ([`Board::from_picture`]), and otherwise 10x20.
    pub size: Option<BoardSize>,
}

/// Places of the input columns, and the size of the boards.
pub struct Inputs {
    board: usize,
    piece: usize,
    orientation: usize,
    column: usize,
    landing_row: Option<usize>,
    next: Option<usize>,
    size: BoardSize,
}

impl Inputs {
    fn places(&self) -> [(Option<usize>, ColumnType); 6] {
        [
            (Some(self.board), ColumnType::Text),
            (Some(self.piece), ColumnType::Factor),
            (Some(self.orientation), ColumnType::Integer),
            (Some(self.column), ColumnType::Integer),
            (self.landing_row, ColumnType::Integer),
            (self.next, ColumnType::Factor),
        ]
    }

    /// Parses the board of a row, a picture or hexadecimal rows. Returns `None` if it is missing.
    fn board(&self, row: InputRow<'_>) -> Result<Option<Board>> {
        let board = match row.text(self.board) {
            "" => return Ok(None),
            text if is_picture(text) => Board::from_picture(text, Some(self.size)),
            text => Board::from_hex(self.size, text),
        };
        board.map(Some).map_err(|error| row.refuse(self.board, &error))
    }
}

impl AnnotatedGame for ClassicAnnotation {
    type Inputs = Inputs;
    type Player = Player;
    type Record = PlacementRecord;

    fn typed(_: &[String]) -> Vec<Column> {
        let (text, factor, integer) = (ColumnType::Text, ColumnType::Factor, ColumnType::Integer);
        let texts = [BOARD_BEFORE, BOARD].map(|name| input_column(name, text));
        let factors = ["piece", "next_1"].map(|name| input_column(name, factor));
        let integers = ["orientation", "column", "landing_row"];
        let integers = integers.map(|name| input_column(name, integer));
        texts.into_iter().chain(factors).chain(integers).collect()
    }

    fn inputs(&self, header: &Header<'_>, rows: &Rows) -> Result<Inputs> {
        let board = header.board()?;
        let mut texts = (0..rows.len()).map(|row| InputRow { header, rows, row, before: 0 });
        let picture = texts.find_map(|row| Some(row.text(board)).filter(|text| is_picture(text)));
        let size = match (self.size, picture) {
            (Some(size), _) => size,
            (None, Some(picture)) => Board::from_picture(picture, None).map_or_else(
                // The message of the row that has this board names the problem.
                |_| BoardSize::new(10, 20),
                |board| Ok(board.size()),
            )?,
            (None, None) => BoardSize::new(10, 20)?,
        };
        let inputs = Inputs {
            board,
            piece: header.of_placement("piece")?,
            orientation: header.of_placement("orientation")?,
            column: header.of_placement("column")?,
            landing_row: header.place("landing_row"),
            next: match self.search {
                Search::Next => {
                    Some(header.need("next_1", &format!("the next piece of {SEARCH} next"))?)
                }
                Search::Greedy | Search::Expect => header.place("next_1"),
            },
            size,
        };
        header.check(inputs.places())?;
        Ok(inputs)
    }

    fn given(inputs: &Inputs) -> Vec<usize> {
        inputs.places().into_iter().filter_map(|(place, _)| place).collect()
    }

    fn encoder(
        &self,
        inputs: &Inputs,
        columns: &Columns,
        given: &[String],
    ) -> Result<RowEncoder<PlacementRecord>> {
        PlacementEncoder::annotating(&self.controller, inputs.size, columns, given)
    }

    fn player(&self, inputs: &Inputs) -> Result<Player> {
        Player::new(&self.controller, self.rules, self.search, inputs.size, Level::detect())
    }

    fn record(
        &self,
        inputs: &Inputs,
        player: &mut Player,
        row: InputRow<'_>,
    ) -> std::result::Result<PlacementRecord, Refused> {
        let (board, piece) = (inputs.board(row)?, row.piece(inputs.piece));
        let orientation = row.integer(inputs.orientation)?;
        let column = row.integer(inputs.column)?;
        let landing_row = row.optional(inputs.landing_row)?;
        let (Some(before), Some(piece), Some(orientation), Some(column)) =
            (board, piece, orientation, column)
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
        let next = inputs.next.and_then(|place| row.piece(place));
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
            patterns: player.pattern_value(&decision.outcome),
            decision,
            before,
            measured: scorer.measured(),
            scale: scorer.scale(),
        })
    }

    fn describe(&self, inputs: &Inputs) -> String {
        format!("{} {}, {}", self.rules, self.search, inputs.size)
    }
}
