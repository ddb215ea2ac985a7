//! Classic games: placements by straight drops.

use super::input::{BOARD_BEFORE, board_of, input_columns, is_picture};
use super::{AnnotatedGame, Header, InputRow, Problem, RowResult};
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

impl ClassicAnnotation {
    fn size(&self) -> Result<BoardSize> {
        self.size.map_or_else(|| BoardSize::new(10, 20), Ok)
    }

    /// Parses the board of a row, a picture or hexadecimal rows. Returns `None` if it is missing.
    fn board(&self, row: InputRow<'_>) -> Result<Option<Board>> {
        let board = match row.text(BOARD_BEFORE) {
            "" => return Ok(None),
            text if is_picture(text) => Board::from_picture(text, Some(self.size()?)),
            text => Board::from_hex(self.size()?, text),
        };
        board.map(Some).map_err(|error| row.refuse(BOARD_BEFORE, &error))
    }
}

impl AnnotatedGame for ClassicAnnotation {
    type Player = Player;
    type Record = PlacementRecord;

    fn columns(names: &[String]) -> Vec<Column> {
        input_columns(&[
            (ColumnType::Text, &[board_of(names)]),
            (ColumnType::Factor, &["piece", "next_1"]),
            (ColumnType::Integer, &["orientation", "column", "landing_row"]),
        ])
    }

    fn needed(names: &[String]) -> Vec<&'static str> {
        vec![board_of(names), "piece", "orientation", "column"]
    }

    fn prepare(&mut self, header: &Header<'_>, rows: &Rows) -> Result<()> {
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
