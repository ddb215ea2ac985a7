//! Classic games by key presses: the engine's [`Environment`], with rewards added.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tetrastat::board::BoardSize;
use tetrastat::environment::{Action, Environment, Falling, Observation};
use tetrastat::error::{Error, Result};
use tetrastat::queue::QueueKind;

use super::cells::{RowOrder, write_plane};
use super::game::{
    Game, NO_PIECE, Reward, Shape, Start, StepResult, check_restored, check_start, piece_letters,
};
use super::meter::{FeatureSelection, Meter};
use super::state::{GameOptions, damaged};

/// Options that all games by key presses of a batch share.
pub(super) struct Setup {
    /// Queue that deals the pieces. `None` stands for the piece generator of the teaching notebook
    /// `tetris_ia`.
    pub queue: Option<QueueKind>,
    pub previews: usize,
    pub reward: Reward,
    pub wanted: FeatureSelection,
    pub order: RowOrder,
    options: GameOptions,
}

impl Setup {
    /// Creates the options of a batch.
    ///
    /// # Errors
    /// Returns [`Error::Config`] if a feature needs a placement, because a key press is no
    /// placement.
    pub fn new(
        queue: Option<QueueKind>,
        previews: usize,
        reward: Reward,
        wanted: FeatureSelection,
        order: RowOrder,
    ) -> Result<Setup> {
        if let Some(feature) = wanted.features.iter().find(|feature| feature.is_of_move()) {
            return Err(Error::Config(format!(
                "feature '{feature}' needs a placement: games played by keys have only board \
                 features"
            )));
        }
        let options = GameOptions::new([
            ("actions", "keys".to_owned()),
            ("board", wanted.size.to_string()),
            ("queue", queue.as_ref().map_or("notebook".to_owned(), QueueKind::describe)),
        ]);
        Ok(Setup { queue, previews, reward, wanted, order, options })
    }

    fn environment(&self, seed: u64) -> Result<Environment> {
        let size: BoardSize = self.wanted.size;
        let Some(queue) = &self.queue else {
            let wrong =
                |_| Error::Config("the notebook's queue needs a seed below 2^32".to_owned());
            return Environment::notebook(size, u32::try_from(seed).map_err(wrong)?);
        };
        let mut environment = Environment::new(size, queue.clone(), seed)?;
        environment.show_next(self.previews);
        Ok(environment)
    }
}

/// A classic game by key presses.
#[derive(Clone)]
pub(super) struct Keys {
    setup: Arc<Setup>,
    environment: Environment,
    seen: Observation,
    seed: u64,
    done: bool,
    lines: i64,
    pieces: i64,
}

impl Keys {
    pub fn new(setup: Arc<Setup>) -> Result<Keys> {
        let mut environment = setup.environment(0)?;
        let seen = environment.observe();
        Ok(Keys { setup, environment, seen, seed: 0, done: false, lines: 0, pieces: 0 })
    }
}

/// Stored form of [`Keys`].
#[derive(Serialize, Deserialize)]
pub(super) struct SavedKeys {
    environment: Environment,
    seed: u64,
    done: bool,
    lines: i64,
    pieces: i64,
}

impl Game for Keys {
    type Meter = Meter;
    type Saved = SavedKeys;

    fn meter(&self) -> Meter {
        self.setup.wanted.meter()
    }

    fn shape(&self) -> Shape {
        let FeatureSelection { features, size, .. } = &self.setup.wanted;
        Shape {
            planes: 2,
            height: size.height(),
            width: size.width(),
            dealt: 1 + self.setup.previews,
            status: 2,
            features: features.len(),
            actions: Action::ALL.len(),
            start_height: size.height(),
        }
    }

    fn begin(&mut self, start: &Start) -> Result<()> {
        if let Some(board) = &start.board {
            check_start(board)?;
        }
        if start.seed.is_some() || start.game.is_some() {
            self.seed = start.seed.unwrap_or(self.seed);
            self.environment = self.setup.environment(self.seed)?;
            for _ in 0..start.game.unwrap_or(0) {
                self.environment.reset()?;
            }
        } else {
            self.environment.reset()?;
        }
        self.seen = self.environment.observe();
        if let Some(board) = start.board {
            let falling = Falling::entering(self.seen.falling.piece(), &board);
            self.environment.set(board, falling);
            self.seen = self.environment.observe();
        }
        (self.done, self.lines, self.pieces) = (false, 0, 0);
        Ok(())
    }

    /// Returns true until the game is over. A blocked key has no effect, but is legal.
    fn is_legal(&self, _: usize) -> bool {
        !self.done
    }

    fn act(&mut self, action: usize) -> Result<StepResult> {
        let step = self.environment.step(Action::ALL[action])?;
        self.lines += i64::from(step.reward);
        self.pieces += i64::from(step.locked);
        (self.seen, self.done) = (step.observation, step.done);
        let reward = if step.locked { self.setup.reward.of(step.reward, step.done) } else { 0.0 };
        Ok(StepResult { reward, terminated: step.done, truncated: false })
    }

    fn counts(&self) -> [i64; 3] {
        [self.lines, self.pieces, 0]
    }

    fn cells(&self, out: &mut [u8]) {
        let board = &self.seen.board;
        let (settled, falling) = out.split_at_mut(out.len() / 2);
        write_plane(&board.rows()[..board.height()], board.width(), self.setup.order, settled);
        falling.fill(0);
        if self.done {
            return;
        }
        for (column, row) in self.seen.falling.cells() {
            // A plane has no rows for cells above the top of the board.
            if row < board.height() as i32 {
                let line = self.setup.order.row(row as usize, board.height());
                falling[line * board.width() + column as usize] = 1;
            }
        }
    }

    fn dealt(&mut self, out: &mut [u8]) {
        out.fill(NO_PIECE);
        if !self.done {
            out[0] = self.seen.falling.piece() as u8;
        }
        for (shown, &piece) in out[1..].iter_mut().zip(&self.seen.next) {
            *shown = piece as u8;
        }
    }

    /// Writes the column and the row of the falling piece's anchor to `out`.
    fn status(&self, out: &mut [f32]) {
        let Falling { column, row, .. } = self.seen.falling;
        out.copy_from_slice(&[column as f32, row as f32]);
    }

    fn mask(&self, out: &mut [u8]) {
        out.fill(u8::from(!self.done));
    }

    fn features(&mut self, meter: &mut Meter, out: &mut [f32]) {
        meter.of_board(&self.seen.board, None, out);
    }

    fn afterstates(&mut self, _: &mut Meter, out: &mut [f32]) {
        out.fill(0.0);
    }

    fn placements(&mut self, _: &mut [i64]) {}

    fn picture(&mut self) -> String {
        let mut dealt = vec![0; 1 + self.setup.previews];
        self.dealt(&mut dealt);
        let [lines, pieces, _] = self.counts();
        let picture = self.environment.render();
        format!("{picture}{}  {lines} lines, {pieces} pieces\n", piece_letters(&dealt))
    }

    fn options(&self) -> &GameOptions {
        &self.setup.options
    }

    fn saved(&self) -> SavedKeys {
        let Keys { environment, seed, done, lines, pieces, .. } = self.clone();
        SavedKeys { environment, seed, done, lines, pieces }
    }

    fn restored(&self, saved: SavedKeys) -> Result<Keys> {
        let SavedKeys { mut environment, seed, done, lines, pieces } = saved;
        let setup = self.setup.clone();
        match &setup.queue {
            Some(queue) => environment.set_queue_kind(queue.clone()),
            None if environment.is_notebook() => {}
            None => return Err(damaged()),
        }
        environment.show_next(setup.previews);
        let seen = environment.observe();
        check_restored(&seen.board, setup.wanted.size)?;
        Ok(Keys { setup, environment, seen, seed, done, lines, pieces })
    }
}
