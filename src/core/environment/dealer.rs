//! Deals the pieces of an environment: from a queue, or as the teaching notebook `tetris_ia` does.

use rand_mt::Mt;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::piece::Piece;
use crate::queue::{Queue, QueueKind};

/// The source of the pieces in an environment for reinforcement learning.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Dealer {
    /// A new piece queue for each game, all derived from one seed.
    Queue {
        /// Rule by which the queue deals pieces; not stored, so callers must set it again after
        /// loading.
        #[serde(skip)]
        kind: QueueKind,
        /// Seed from which the random stream of every game is derived.
        seed: u64,
        /// Number of the next game, from 0, which selects its random pieces.
        game: u64,
        /// Queue that deals the pieces of the current game.
        queue: Queue,
    },
    /// The dealer of the teaching notebook `tetris_ia`.
    Notebook(NotebookDealer),
}

impl Dealer {
    /// Creates a source of pieces with a queue of `kind`, which begins with game 0 of `seed`.
    #[must_use]
    pub fn from_queue(kind: QueueKind, seed: u64) -> Dealer {
        Dealer::Queue { queue: Queue::new(kind.clone(), seed, 0), kind, seed, game: 1 }
    }

    pub(super) fn seed(&mut self, new: u64) {
        match self {
            Dealer::Queue { seed, game, .. } => (*seed, *game) = (new, 0),
            Dealer::Notebook(dealer) => dealer.seed(new as u32),
        }
    }

    pub(super) fn next_game(&mut self) {
        if let Dealer::Queue { kind, seed, game, queue } = self {
            *queue = Queue::new(kind.clone(), *seed, *game);
            *game += 1;
        }
    }

    pub(super) fn deal(&mut self) -> Result<Piece> {
        match self {
            Dealer::Queue { queue, .. } => queue.deal(),
            Dealer::Notebook(dealer) => Ok(dealer.deal()),
        }
    }

    pub(super) fn peek(&mut self, ahead: usize) -> Option<Piece> {
        match self {
            Dealer::Queue { queue, .. } => queue.peek(ahead),
            Dealer::Notebook(_) => None,
        }
    }
}

/// The dealer of the teaching notebook `tetris_ia`, which prefers pieces dealt less often, counted
/// across games and seeds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "StoredNotebookDealer", into = "StoredNotebookDealer")]
pub struct NotebookDealer {
    numbers: Box<Mt>,
    seed: u32,
    /// Number of draws from the dealer's random number generator since it was seeded.
    drawn: u64,
    /// Number of times that each piece was dealt, in the order of [`NOTEBOOK_ORDER`].
    dealt: [u32; 7],
}

#[derive(Serialize, Deserialize)]
struct StoredNotebookDealer {
    seed: u32,
    drawn: u64,
    dealt: [u32; 7],
}

impl From<NotebookDealer> for StoredNotebookDealer {
    fn from(dealer: NotebookDealer) -> StoredNotebookDealer {
        let NotebookDealer { seed, drawn, dealt, .. } = dealer;
        StoredNotebookDealer { seed, drawn, dealt }
    }
}

impl From<StoredNotebookDealer> for NotebookDealer {
    fn from(stored: StoredNotebookDealer) -> NotebookDealer {
        let mut dealer = NotebookDealer { dealt: stored.dealt, ..NotebookDealer::new(stored.seed) };
        for _ in 0..stored.drawn {
            dealer.draw();
        }
        dealer
    }
}

/// Order in which the notebook `tetris_ia` adds up piece weights, with its names S and Z exchanged.
const NOTEBOOK_ORDER: [Piece; 7] =
    [Piece::T, Piece::J, Piece::L, Piece::S, Piece::Z, Piece::I, Piece::O];

impl NotebookDealer {
    /// Creates the notebook's dealer with `seed` for its generator, before any piece is dealt.
    #[must_use]
    pub fn new(seed: u32) -> NotebookDealer {
        NotebookDealer { numbers: Box::new(Mt::new(seed)), seed, drawn: 0, dealt: [0; 7] }
    }

    fn seed(&mut self, seed: u32) {
        *self.numbers = Mt::new(seed);
        (self.seed, self.drawn) = (seed, 0);
    }

    fn draw(&mut self) -> u32 {
        self.drawn += 1;
        self.numbers.next_u32()
    }

    /// Deals a random piece; pieces dealt less often so far are likelier.
    // Deals the piece at which the running sum of weights reaches a number from 1 to (sum - 1). A
    // weight is 5 + (largest count) - (own count).
    fn deal(&mut self) -> Piece {
        let most = self.dealt.into_iter().max().unwrap_or(0);
        let weights = self.dealt.map(|dealt| 5 + most - dealt);
        let mut left = 1 + i64::from(self.below(weights.iter().sum::<u32>() - 1));
        let reached = weights.iter().position(|&weight| {
            left -= i64::from(weight);
            left <= 0
        });
        let index = reached.unwrap_or(NOTEBOOK_ORDER.len() - 1);
        self.dealt[index] += 1;
        NOTEBOOK_ORDER[index]
    }

    /// Returns a random number below `n`, drawn as by NumPy's `RandomState.randint`.
    // As many bits as n - 1 has, drawn again while the number is too large.
    fn below(&mut self, n: u32) -> u32 {
        // For n = 1 the shift would be 32, which is invalid, so one bit is drawn until it is 0.
        let mask = u32::MAX >> (n - 1).leading_zeros().min(31);
        loop {
            let drawn = self.draw() & mask;
            if drawn < n {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_numpys() {
        let mut numbers = Mt::new(42);
        let draws = [0; 3].map(|_| numbers.next_u32());
        assert_eq!(draws, [1_608_637_542, 3_421_126_067, 4_083_286_876]);
    }

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
