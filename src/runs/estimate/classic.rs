//! Implements classic games for estimates by splitting.

use std::sync::LazyLock;

use super::splittable::{check_policy, check_queue, check_start};
use super::{Importance, Splittable};
use crate::board::Board;
use crate::controller::Scorer;
use crate::error::{Error, Result};
use crate::features::Feature;
use crate::placement::Step;
use crate::queue::Queue;
use crate::rng::{Purpose, Stream};
use crate::search::{Player, Search};
use crate::sim::ClassicConfig;

/// Classic game between two pieces: the board, and the queue as far as it is known. Known are the
/// pieces seen, and the rest of the bag or the counts of pieces dealt. The alignment puts the
/// board's rows into one cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct ClassicPath {
    board: Board,
    queue: Queue,
}

impl Splittable for ClassicConfig {
    type Player = Player;
    type Path = ClassicPath;

    fn check(&self, importance: Importance) -> Result<()> {
        self.validate()?;
        if importance == Importance::Value && self.controller.external.is_some() {
            let text = "importance 'value' needs a controller whose weights value boards: here use \
                one of cells, height, holes";
            return Err(Error::Config(text.to_owned()));
        }
        check_policy(self.policy)?;
        check_start(self.garbage)?;
        check_queue(&self.queue)
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn rows(&self) -> usize {
        self.size.height()
    }

    fn highest_stack(&self) -> usize {
        self.size.height()
    }

    fn player(&self) -> Result<Player> {
        self.player()
    }

    fn begin(&self, seed: u64, index: u64) -> ClassicPath {
        ClassicPath {
            board: self.start_board(index),
            queue: Queue::new(self.queue.clone(), seed, index),
        }
    }

    fn fork(path: &ClassicPath, seed: u64, index: u64) -> ClassicPath {
        let mut fork = path.clone();
        fork.queue.branch(Stream::new(seed, Purpose::Branches, index));
        fork
    }

    fn step(&self, player: &mut Player, path: &mut ClassicPath) -> Result<Step> {
        let piece = path.queue.deal()?;
        // The next piece is drawn only if the search needs it. A drawn piece would be the same in
        // all branches of a path that splits.
        let next = if self.search == Search::Next { path.queue.peek(0) } else { None };
        let step = player.step(&mut path.board, piece, next);
        if step.is_none() {
            player.check_external()?;
        }
        Ok(step.unwrap_or(Step { lines: 0, stack: path.board.stack_height() as u8, lost: true }))
    }

    fn importance(&self, importance: Importance, player: &Player, path: &ClassicPath) -> usize {
        of_board(importance, &path.board, player.scorer())
    }
}

/// Number of steps of [`Importance::Value`] per sum of the controller's absolute weights.
const VALUE_STEPS: i64 = 8;
/// Largest [`Importance::Value`]. The limit is needed because rises are counted step by step, and a
/// controller's scores have no bound.
const LARGEST_VALUE: i64 = 4096;

static HOLES: LazyLock<Option<Feature>> = LazyLock::new(|| "holes".parse().ok());

fn of_board(importance: Importance, board: &Board, scorer: &Scorer) -> usize {
    match importance {
        // Counting all stored rows lets the compiler use a few vector instructions.
        Importance::Cells => board.rows().iter().map(|row| row.count_ones() as usize).sum(),
        Importance::Height => board.stack_height(),
        Importance::Value => value(board, scorer),
        Importance::Holes => {
            let holes = HOLES.as_ref().and_then(|holes| holes.raw(board, None));
            holes.unwrap_or_default() as usize
        }
    }
}

/// Returns the cost of a board: the negative score by the controller, in steps that do not depend
/// on the scale of its weights. Rewards of moves are left out, because they are not part of the
/// board.
fn value(board: &Board, scorer: &Scorer) -> usize {
    let (mut score, mut weights) = (0, 0);
    for (feature, weight) in
        scorer.terms(board.stack_height()).iter().filter(|(feature, _)| !feature.is_reward())
    {
        score += weight * i64::from(feature.raw(board, None).unwrap_or(0));
        weights += weight.abs();
    }
    if let Some((patterns, weight)) = scorer.patterns() {
        score += weight * patterns.value(board);
        weights += weight * patterns.largest() / patterns.layout().lookups().len() as i64;
    }
    // In units of the sum of weights, a controller and a copy with all weights doubled have equal
    // levels.
    (-score * VALUE_STEPS / weights.max(1)).clamp(0, LARGEST_VALUE) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;

    /// The board has four cells in three rows. With weights -1 for holes and -3 for rows with
    /// holes, one hole costs 4 of a sum of 4, which is 8 steps.
    #[test]
    fn importance_by_hand() {
        let board: Board = "....\n##..\n#...\n.#..".parse().unwrap();
        let controller = Controller::parse(
            "here",
            "name = \"h\"\nmeasured = \"after-clear\"\n[weights]\nholes = -1\nrows_with_holes = \
             -3\nlanding_height = -9\n",
        );
        let scorer = Scorer::new(&controller.unwrap(), board.size()).unwrap();
        let of = |importance: Importance| of_board(importance, &board, &scorer);
        assert_eq!((of(Importance::Cells), of(Importance::Height)), (4, 3));
        // Column 0 has a hole in row 0, column 1 has one in row 1.
        assert_eq!((of(Importance::Holes), of(Importance::Value)), (2, 8 * (2 + 2 * 3) / 4));
    }
}
