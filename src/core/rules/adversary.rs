//! Deals the pieces of games, among them those of an adversary that looks at the board.
//!
//! The adversary follows HATETRIS (qntm, 2010). For each piece it finds the placement after which
//! the stack, without full rows, is lowest. It deals the piece whose lowest stack is highest. A
//! placement that ends the game, and a piece without a placement, count as the highest stack. The
//! first of equal pieces in the order S Z O I L J T is dealt.
//!
//! Placements are those of the game's [`Rules`]. In HATETRIS a piece also slides under overhangs,
//! and later versions avoid a piece that would repeat a board.

use super::Rules;
use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::Placements;
use crate::queue::{Queue, QueueKind};

impl Rules {
    /// Deals the next piece of `queue` in a game with these rules on `board`.
    ///
    /// # Errors
    /// Returns [`Error::ScriptEnded`](crate::error::Error::ScriptEnded) if a script without `cycle`
    /// has no piece left.
    #[inline]
    pub fn deal(&self, queue: &mut Queue, board: &Board) -> Result<Piece> {
        if matches!(queue.kind(), QueueKind::Adversary) {
            return Ok(queue.deal_chosen(self.worst_piece(board)));
        }
        queue.deal()
    }

    /// Returns the piece that an adversary deals on `board`, as the module describes.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::{board::Board, piece::Piece, rules::Rules};
    /// // S makes a stack of two rows, as others do, and precedes them.
    /// assert_eq!(Rules::simplified().worst_piece(&Board::empty("10x20".parse()?)), Piece::S);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[must_use]
    pub fn worst_piece(&self, board: &Board) -> Piece {
        let (placements, mut candidates) = (Placements::new(board.width()), Vec::new());
        let lowest_stack = |&piece: &Piece| {
            self.candidates(&placements, board, piece, &mut candidates);
            let stack = |&candidate| {
                let step = self.place(&mut board.clone(), piece, candidate);
                if step.lost { u8::MAX } else { step.stack }
            };
            candidates.iter().map(stack).min().unwrap_or(u8::MAX)
        };
        // The last of equal pieces is found, so the order is reversed.
        let pieces = [Piece::T, Piece::J, Piece::L, Piece::I, Piece::O, Piece::Z, Piece::S];
        pieces.into_iter().max_by_key(lowest_stack).unwrap_or(Piece::S)
    }
}
