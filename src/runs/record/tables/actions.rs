//! `actions`: exact values of all placements on a small board.

use crate::board::Board;
use crate::piece::Piece;
use crate::record::tables::table::table;
use crate::rules::Outcome;

table! {
    /// Returns the columns of `actions`.
    pub(crate) fn action_fields() of row;
    /// Row of `actions`: a placement of a piece on a board, and its exact value.
    #[derive(Clone, Debug)]
    pub struct ActionRow {
        /// Board before the placement.
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
        /// Outcome of the placement.
        pub outcome: Outcome;
        /// Orientation of the piece: number of its distinct rotation, from 0, as drawn under
        /// Orientations in data/README.md.
        orientation: integer = row.outcome.played.candidate.placement.orientation;
        /// Column of the piece's leftmost cell, from 0.
        column: integer = row.outcome.played.candidate.placement.column;
        /// Number of rows that the placement removes.
        lines: integer, "rows" = row.outcome.played.lines;
        /// True if the placement ends the game.
        lost: logical = row.outcome.lost;
        /// Exact mean number of rows removed from this placement on, including `lines`, if all
        /// later placements are optimal. With `--optimal pieces`, mean number of pieces, including
        /// this one.
        pub value: f64 => real, "rows or pieces";
        /// True if no placement of the piece has a larger value. Values that differ only by
        /// rounding are equal.
        best: logical = row.regret == 0.0;
        /// Largest value of a placement of the piece minus `value`; 0 if `best`.
        pub regret: f64 => real, "rows or pieces";
    }
}
