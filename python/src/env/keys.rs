//! Classic games by key presses: the engine's [`Environment`].

use tetrastat::board::{BoardSize, ROWS};
use tetrastat::environment::{Action, Environment, Falling, Transition};
use tetrastat::error::{Error, Result};
use tetrastat::queue::QueueKind;

use super::game::{Game, NO_PIECE, Played, Shape, Start, check_restored, damaged};
use crate::afterstates::Afterstate;

/// Options of classic games by key presses.
pub(super) struct Keys {
    pub size: BoardSize,
    /// Queue that deals the pieces. `None` stands for the piece generator of the teaching notebook
    /// `tetris_ia`.
    pub queue: Option<QueueKind>,
    pub previews: usize,
}

impl Keys {
    fn environment(&self, seed: u64) -> Result<Environment> {
        let Some(queue) = &self.queue else {
            let wrong =
                |_| Error::Config("the notebook's queue needs a seed below 2^32".to_owned());
            return Environment::notebook(self.size, u32::try_from(seed).map_err(wrong)?);
        };
        let mut environment = Environment::new(self.size, queue.clone(), seed)?;
        environment.show_next(self.previews);
        Ok(environment)
    }
}

impl Game for Keys {
    type State = Environment;
    type After = Afterstate;

    fn shape(&self) -> Shape {
        let (height, width) = (self.size.height(), self.size.width());
        Shape {
            planes: 2,
            height,
            width,
            dealt: 1 + self.previews,
            status: 2,
            actions: Action::ALL.len(),
            start_height: height,
        }
    }

    fn idle(&self) -> Result<Environment> {
        self.environment(0)
    }

    fn begin(&self, state: &mut Environment, start: &Start) -> Result<()> {
        // The notebook's games of a seed follow each other, so the next one is not started anew.
        let mut resets = 1;
        if !start.is_next {
            (*state, resets) = (self.environment(start.seed)?, start.game);
        }
        for _ in 0..resets {
            state.reset()?;
        }
        if let Some(board) = start.board {
            state.set(board, Falling::entering(state.falling().piece(), &board));
        }
        Ok(())
    }

    /// Returns true until the game is over. A blocked key has no effect, but is legal.
    fn is_legal(&self, state: &Environment, _: usize) -> bool {
        !state.is_over()
    }

    fn mask(&self, state: &Environment, out: &mut [u8]) {
        out.fill((!state.is_over()).into());
    }

    fn act(&self, state: &mut Environment, action: usize) -> Result<Played> {
        let Transition { reward: lines, locked, done, .. } = state.step(Action::ALL[action])?;
        Ok(Played {
            lines,
            pieces: locked.into(),
            lost: done,
            terminated: done,
            ..Played::default()
        })
    }

    fn rows(&self, state: &Environment) -> [u16; ROWS] {
        *state.board().rows()
    }

    fn falling(&self, state: &Environment, mut put: impl FnMut(usize, usize)) {
        if !state.is_over() {
            let cells = state.falling();
            cells.cells().for_each(|(column, row)| put(column as usize, row as usize));
        }
    }

    fn dealt(&self, state: &mut Environment, out: &mut [u8]) {
        out[0] = if state.is_over() { NO_PIECE } else { state.falling().piece() as u8 };
        if self.previews > 0 {
            let next = state.observe().next.into_iter().map(|piece| piece as u8);
            let next = next.chain(std::iter::repeat(NO_PIECE));
            out[1..].iter_mut().zip(next).for_each(|(shown, piece)| *shown = piece);
        }
    }

    /// Writes the column and the row of the falling piece's anchor to `out`.
    fn status(&self, state: &Environment, out: &mut [f32]) {
        let Falling { column, row, .. } = state.falling();
        out.copy_from_slice(&[column as f32, row as f32]);
    }

    fn latest(&self, state: &Environment) -> Afterstate {
        Afterstate::Board(*state.board())
    }

    fn branch(&self, state: &mut Environment, seed: u64) {
        state.branch(seed);
    }

    fn restore(&self, state: &mut Environment, _: bool) -> Result<()> {
        match &self.queue {
            Some(queue) => state.set_queue_kind(queue.clone()),
            None if state.is_notebook() => {}
            None => return Err(damaged()),
        }
        state.show_next(self.previews);
        check_restored(state.board(), self.size)
    }
}
