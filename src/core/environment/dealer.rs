//! Who deals an environment's pieces.

use rand_mt::Mt;

use crate::error::Result;
use crate::piece::Piece;
use crate::queue::{Queue, QueueKind};

/// Who deals an environment's pieces: a queue, as runs have, or the notebook's own dealer, which no run has.
#[derive(Clone, Debug)]
pub enum Dealer {
    /// A queue of the engine, game after game of a seed.
    Queue {
        /// Who deals.
        kind: QueueKind,
        /// The seed that every game's stream derives from.
        seed: u64,
        /// The next game.
        game: u64,
        /// This game's pieces.
        queue: Queue,
    },
    /// The notebook's dealer.
    Notebook(NotebookDealer),
}

impl Dealer {
    /// Game 0 of a seed.
    #[must_use]
    pub fn of_queue(kind: QueueKind, seed: u64) -> Dealer {
        Dealer::Queue { queue: Queue::new(kind.clone(), seed, 0), kind, seed, game: 1 }
    }

    /// Sets the seed of the games that follow; the notebook's counts stay.
    pub(super) fn seed(&mut self, new: u64) {
        match self {
            Dealer::Queue { seed, game, .. } => (*seed, *game) = (new, 0),
            Dealer::Notebook(dealer) => dealer.seed(new as u32),
        }
    }

    /// Begins the next game's pieces; the notebook's dealer goes on as if there were no games.
    pub(super) fn next_game(&mut self) {
        if let Dealer::Queue { kind, seed, game, queue } = self {
            *queue = Queue::new(kind.clone(), *seed, *game);
            *game += 1;
        }
    }

    /// The next piece.
    pub(super) fn deal(&mut self) -> Result<Piece> {
        match self {
            Dealer::Queue { queue, .. } => queue.deal(),
            Dealer::Notebook(dealer) => Ok(dealer.deal()),
        }
    }

    /// A piece that comes later, without dealing it; the notebook's dealer does not know it yet.
    pub(super) fn peek(&mut self, ahead: usize) -> Option<Piece> {
        match self {
            Dealer::Queue { queue, .. } => queue.peek(ahead),
            Dealer::Notebook(_) => None,
        }
    }
}

/// The notebook's dealer: pieces dealt seldom so far are likelier, counts are kept from game to game and
/// seed to seed, and chance comes from NumPy's `RandomState` (MT19937).
#[derive(Clone, Debug)]
pub struct NotebookDealer {
    /// In a box, since its 624 words would make every dealer as large.
    numbers: Box<Mt>,
    /// How often each was dealt, in the order of [`WALK`].
    dealt: [u32; 7],
}

/// Its order of pieces, by our names: its Z is our S.
const WALK: [Piece; 7] = [Piece::T, Piece::J, Piece::L, Piece::S, Piece::Z, Piece::I, Piece::O];

impl NotebookDealer {
    /// With nothing dealt yet.
    #[must_use]
    pub fn new(seed: u32) -> NotebookDealer {
        NotebookDealer { numbers: Box::new(Mt::new(seed)), dealt: [0; 7] }
    }

    fn seed(&mut self, seed: u32) {
        *self.numbers = Mt::new(seed);
    }

    /// The next piece: weights 5 + most dealt - dealt; r of 1 to their sum - 1; the first at which the
    /// weights so far reach r.
    fn deal(&mut self) -> Piece {
        let most = self.dealt.into_iter().max().unwrap_or(0);
        let weights = self.dealt.map(|dealt| 5 + most - dealt);
        let mut left = 1 + i64::from(self.below(weights.iter().sum::<u32>() - 1));
        let reached = weights.iter().position(|&weight| {
            left -= i64::from(weight);
            left <= 0
        });
        let place = reached.unwrap_or(WALK.len() - 1);
        self.dealt[place] += 1;
        WALK[place]
    }

    /// A number below `n` as `RandomState.randint` draws it: of as many bits as n - 1 has, again while too
    /// large.
    fn below(&mut self, n: u32) -> u32 {
        // Of n = 1 no bit is left, but a shift by 32 is none: one bit is drawn, again while it is 1.
        let mask = u32::MAX >> (n - 1).leading_zeros().min(31);
        loop {
            let drawn = self.numbers.next_u32() & mask;
            if drawn < n {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the notebook prints them: the first draws of seed 42.
    #[test]
    fn the_generator_is_numpys() {
        let mut numbers = Mt::new(42);
        let draws = [0; 3].map(|_| numbers.next_u32());
        assert_eq!(draws, [1_608_637_542, 3_421_126_067, 4_083_286_876]);
    }

    /// As the notebook prints them: an I is dealt first, seed 42 is set again, and O S L J Z Z Z J J Z S I Z T L O T Z I Z
    /// follow, where the notebook's S is our Z.
    #[test]
    fn the_notebooks_pieces() {
        let mut dealer = NotebookDealer::new(42);
        assert_eq!(dealer.deal(), Piece::I);
        dealer.seed(42);
        let dealt: String = (0..20).map(|_| dealer.deal().name()).collect();
        let theirs = dealt.replace('S', "z").replace('Z', "S").replace('z', "Z");
        assert_eq!(theirs, "OSLJZZZJJZSIZTLOTZIZ");
    }
}
