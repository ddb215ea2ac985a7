//! Implements guideline games for estimates by splitting. Games last until no piece can be placed,
//! and points are ignored.

use std::sync::LazyLock;

use super::splittable::{check_policy, check_queue, check_start};
use super::{Importance, Splittable};
use crate::error::setting::{MODE, PIECES};
use crate::error::{Error, Result};
use crate::features::guideline::Term;
use crate::matrix::{Matrix, ROWS, VISIBLE};
use crate::piece::Piece;
use crate::placement::Step;
use crate::queue::Queue;
use crate::rng::{Purpose, Stream};
use crate::rules::guideline::{GuidelineState, MoveGenerator};
use crate::search::guideline::{BeamPlayer, Outlook, Weights};
use crate::sim::guideline::{GuidelineConfig, Mode, look};

/// Guideline game between two pieces: the matrix, the hold, the chain of clears (combo,
/// back-to-back), and the known part of the queue (previews and rest of the bag).
#[derive(Clone, Debug)]
pub struct GuidelinePath {
    state: GuidelineState,
    queue: Queue,
}

/// Player that chooses placements in guideline games, with its list of known pieces.
pub struct Chooser {
    player: BeamPlayer,
    known: Vec<Piece>,
}

impl Splittable for GuidelineConfig {
    type Player = Chooser;
    type Path = GuidelinePath;

    fn check(&self, importance: Importance) -> Result<()> {
        self.validate()?;
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        if self.mode != (Mode::Endless { pieces: u32::MAX }) {
            return fail(&format!(
                "an estimate needs endless games without {PIECES}: give {MODE} endless"
            ));
        }
        if self.unseen.futures > 0 {
            return fail("an estimate searches only visible pieces: leave out beam-futures");
        }
        check_policy(self.policy)?;
        check_start(self.garbage)?;
        check_queue(&self.queue)?;
        match importance {
            Importance::Value => fail(
                "importance 'value' is for classic games: here use one of cells, height, holes",
            ),
            Importance::Cells | Importance::Height | Importance::Holes => Ok(()),
        }
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn rows(&self) -> usize {
        VISIBLE
    }

    fn highest_stack(&self) -> usize {
        ROWS
    }

    fn player(&self) -> Result<Chooser> {
        let movegen = MoveGenerator::new(*self.rules, self.moves, self.level);
        let player = BeamPlayer::new(movegen, Weights::new(&self.controller), self.beam, None);
        Ok(Chooser { player: player.stopping_early(), known: Vec::new() })
    }

    fn begin(&self, seed: u64, index: u64) -> GuidelinePath {
        let state = GuidelineState { matrix: self.start(index), ..GuidelineState::default() };
        GuidelinePath { state, queue: Queue::new(self.queue.clone(), seed, index) }
    }

    fn fork(path: &GuidelinePath, seed: u64, index: u64) -> GuidelinePath {
        let mut fork = path.clone();
        fork.queue.branch(Stream::new(seed, Purpose::Branches, index));
        fork
    }

    fn step(&self, chooser: &mut Chooser, path: &mut GuidelinePath) -> Result<Step> {
        let Chooser { player, known } = chooser;
        look(&self.rules, &mut path.queue, known)?;
        // Without a placement the game ends, but its board is needed to measure the stack.
        let Some(decision) = player.decide(&path.state, Outlook::seen(known)) else {
            let stack = path.state.matrix.stack_height() as u8;
            return Ok(Step { lines: 0, stack, lost: true });
        };
        // A placement takes one piece, or two if it filled an empty hold.
        for _ in 0..decision.choice.taken {
            path.queue.deal()?;
        }
        let placed = decision.placed;
        // The line count in the state is reset, because that of a long game would overflow.
        // Replications count lines themselves.
        path.state = GuidelineState { lines: 0, ..placed.next_state() };
        let stack = path.state.matrix.stack_height() as u8;
        Ok(Step { lines: placed.clear.lines, stack, lost: placed.lost })
    }

    fn importance(&self, importance: Importance, _: &Chooser, path: &GuidelinePath) -> usize {
        of_matrix(importance, &path.state.matrix)
    }
}

static HOLES: LazyLock<Option<Term>> = LazyLock::new(|| "holes".parse().ok());

fn of_matrix(importance: Importance, matrix: &Matrix) -> usize {
    match importance {
        Importance::Cells => matrix.cells() as usize,
        Importance::Height => matrix.stack_height(),
        // [`Importance::Value`] never arrives here, because validation rejects it.
        Importance::Holes | Importance::Value => {
            HOLES.and_then(|holes| holes.of_matrix(matrix, None)).unwrap_or_default() as usize
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importance_by_hand() {
        let matrix: Matrix = "##........\n#.........\n.#........".parse().unwrap();
        let of = |importance| of_matrix(importance, &matrix);
        assert_eq!([Importance::Cells, Importance::Height, Importance::Holes].map(of), [4, 3, 2]);
    }
}
