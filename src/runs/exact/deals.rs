//! Represents queues as finite Markov chains: the pieces that may come next, each equally likely,
//! and the state of the queue (its context) afterwards.

use crate::error::setting::{CYCLE, QUEUE};
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::queue::QueueKind;

/// A possible next piece, and the number of the queue's context after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Draw {
    pub(super) piece: Piece,
    pub(super) then: u32,
}

/// Possible draws of a queue in each of its contexts. A context is what affects the next pieces; a
/// game starts in context 0.
#[derive(Debug)]
pub(super) struct QueueChain {
    draws: Vec<Vec<Draw>>,
}

impl QueueChain {
    /// Builds the contexts of a queue: one for `uniform` and `sz-random`, two for `sz`. `bag` has
    /// 127, one for each set of pieces already dealt from the bag. A repeating script has one for
    /// each of its pieces.
    ///
    /// # Errors
    /// [`Error::Config`] for queues that have no finite number of contexts, or that end.
    pub(super) fn of(queue: &QueueKind) -> Result<QueueChain> {
        let draws = match queue {
            QueueKind::Uniform => vec![Piece::ALL.map(|piece| Draw { piece, then: 0 }).to_vec()],
            QueueKind::Bag => (0..FULL_BAG).map(from_bag).collect(),
            QueueKind::AlternatingSz => cycle(&[Piece::S, Piece::Z]),
            QueueKind::RandomSz => {
                vec![[Piece::S, Piece::Z].map(|piece| Draw { piece, then: 0 }).to_vec()]
            }
            QueueKind::Script { pieces, cycle: true } => cycle(pieces),
            QueueKind::Script { cycle: false, .. } => {
                return Err(refused(&format!("a script that ends has no exact mean: add {CYCLE}")));
            }
            QueueKind::LeastDealt => {
                return Err(refused(&format!(
                    "least-dealt counts pieces without bound, so its games are no finite chain: \
                     use {QUEUE} uniform, bag, sz or sz-random"
                )));
            }
        };
        Ok(QueueChain { draws })
    }

    /// Returns the possible draws in a context, each with equal probability.
    pub(super) fn draws(&self, context: u32) -> &[Draw] {
        &self.draws[context as usize]
    }

    pub(super) fn contexts(&self) -> usize {
        self.draws.len()
    }
}

const FULL_BAG: u32 = 0b111_1111;

/// Returns the possible draws from a bag. Bit i of `dealt` is 1 if piece i is no longer in the bag.
///
/// ```text
/// context 0b000_0101: I and T are dealt (bits 0 and 2), five pieces are left, each with 1/5;
/// dealing O leads to 0b000_0111. The seventh would lead to 0b111_1111, which is a new bag: 0.
/// ```
fn from_bag(dealt: u32) -> Vec<Draw> {
    let left = Piece::ALL.into_iter().filter(|piece| dealt >> piece.index() & 1 == 0);
    let draw = |piece: Piece| Draw { piece, then: (dealt | 1 << piece.index()) % FULL_BAG };
    left.map(draw).collect()
}

fn cycle(pieces: &[Piece]) -> Vec<Vec<Draw>> {
    let n = pieces.len() as u32;
    (1..).zip(pieces).map(|(after, &piece)| vec![Draw { piece, then: after % n }]).collect()
}

fn refused(text: &str) -> Error {
    Error::Config(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bag_deals_each_piece_once() {
        let bag = QueueChain::of(&QueueKind::Bag).unwrap();
        assert_eq!(bag.contexts(), 127);
        for last in Piece::ALL {
            let mut context = 0;
            for piece in Piece::ALL.into_iter().filter(|&piece| piece != last) {
                let draw = bag.draws(context).iter().find(|draw| draw.piece == piece).unwrap();
                context = draw.then;
            }
            assert_eq!(bag.draws(context), [Draw { piece: last, then: 0 }]);
        }
    }

    #[test]
    fn a_script_begins_again_or_is_refused() {
        let script = |cycle| QueueChain::of(&QueueKind::script("OI", cycle).unwrap());
        let cycled = script(true).unwrap();
        assert_eq!(cycled.draws(0), [Draw { piece: Piece::O, then: 1 }]);
        assert_eq!(cycled.draws(1), [Draw { piece: Piece::I, then: 0 }]);
        assert!(script(false).unwrap_err().to_string().contains("add cycle"));
        assert!(QueueChain::of(&QueueKind::LeastDealt).is_err());
    }
}
