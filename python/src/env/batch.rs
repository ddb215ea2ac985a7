//! Batches of games. One call steps all games on several threads and writes the results into
//! arrays.

use std::sync::{Mutex, PoisonError};

use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use tetrastat::error::{Error, Result};

use super::game::{Game, PLACEMENT, Shape, Start, StepResult};
use super::state;

/// Minimum number of games per thread. With fewer games, another thread takes longer than it saves.
const GAMES_PER_THREAD: usize = 64;

/// Message that refuses an action because the game is over.
const OVER: &str = "the game is over, reset it";

/// Message that refuses an action because it is illegal.
const ILLEGAL: &str = "illegal now, use one that the action mask allows";

/// Autoreset modes of gymnasium: what happens to a game after its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Autoreset {
    /// The next step starts the next game and ignores the action for this game.
    NextStep,
    /// The step that ends a game also starts the next one. The last observation of the ended game
    /// is written to separate arrays.
    SameStep,
    /// The game waits until it is reset.
    Disabled,
}

/// Effect of an illegal action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Illegal {
    /// The game does not change, and the step earns the reward of illegal actions.
    Ignore,
    /// The action ends the game.
    End,
    /// The call fails, and no game of the batch is stepped.
    Raise,
}

/// Options that all games of a batch share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    pub autoreset: Autoreset,
    pub illegal: Illegal,
    /// Reward of a step with an illegal action.
    pub illegal_reward: f64,
    /// Number of steps after which a game is cut off; `None` for no limit.
    pub max_steps: Option<u64>,
}

/// Part of a flat array, with one row of `width` values for each game. A width of 0 means that the
/// array is not used.
pub(super) struct Rows<'a, T> {
    data: &'a mut [T],
    width: usize,
}

impl<'a, T> Rows<'a, T> {
    pub fn new(data: &'a mut [T], width: usize) -> Rows<'a, T> {
        Rows { data, width }
    }

    fn split(self, at: usize) -> (Rows<'a, T>, Rows<'a, T>) {
        let (head, tail) = self.data.split_at_mut(at * self.width);
        (Rows::new(head, self.width), Rows::new(tail, self.width))
    }

    fn row(&mut self, index: usize) -> &mut [T] {
        &mut self.data[index * self.width..][..self.width]
    }
}

/// Observation arrays of a range of games, with one row for each game.
pub(super) struct ObservationRows<'a> {
    pub cells: Rows<'a, u8>,
    pub dealt: Rows<'a, u8>,
    pub status: Rows<'a, f32>,
    pub features: Rows<'a, f32>,
    pub afterstates: Rows<'a, f32>,
    pub mask: Rows<'a, u8>,
    pub counts: Rows<'a, i64>,
}

/// Arrays that a step writes for a range of games, with one row for each game.
pub(super) struct StepRows<'a> {
    pub shown: ObservationRows<'a>,
    /// Last observations of ended games. A step writes them only if it also starts the next game.
    pub last: ObservationRows<'a>,
    pub reward: Rows<'a, f64>,
    /// Four flags per game: terminated, truncated, illegal action, and started a new game.
    pub flags: Rows<'a, u8>,
}

/// Splits a struct of [`Rows`] into two structs. The first one receives the first `$at` games.
macro_rules! split {
    ($name:ident, $value:expr, $at:expr, $($field:ident),+) => {{
        $(let $field = $value.$field.split($at);)+
        ($name { $($field: $field.0),+ }, $name { $($field: $field.1),+ })
    }};
}

impl<'a> ObservationRows<'a> {
    fn split(self, at: usize) -> (ObservationRows<'a>, ObservationRows<'a>) {
        split!(ObservationRows, self, at, cells, dealt, status, features, afterstates, mask, counts)
    }

    /// Writes the observations of `game` to its row, which has the number `index`.
    fn show<G: Game>(&mut self, index: usize, game: &mut G, meter: &mut G::Meter) {
        let Shape { features, dealt, .. } = game.shape();
        let mut write = |row: &mut [u8], how: &mut dyn FnMut(&mut G, &mut [u8])| {
            if !row.is_empty() {
                how(game, row);
            }
        };
        write(self.cells.row(index), &mut |game, row| game.cells(row));
        write(self.dealt.row(index), &mut |game, row| game.dealt(row));
        write(self.mask.row(index), &mut |game, row| game.mask(row));
        let (status, row) = (self.status.row(index), self.features.row(index));
        if !status.is_empty() {
            game.status(status);
        }
        if !row.is_empty() {
            observe(game, meter, row, features, dealt);
        }
        let row = self.afterstates.row(index);
        if !row.is_empty() {
            game.afterstates(meter, row);
        }
        let row = self.counts.row(index);
        if !row.is_empty() {
            row.copy_from_slice(&game.counts());
        }
    }
}

/// Writes a feature observation to `out`: `features` values, `dealt` pieces in one-hot coding, then
/// the status values.
fn observe<G: Game>(
    game: &mut G,
    meter: &mut G::Meter,
    out: &mut [f32],
    features: usize,
    dealt: usize,
) {
    let (own, out) = out.split_at_mut(features);
    game.features(meter, own);
    let (pieces, status) = out.split_at_mut(7 * dealt);
    let mut numbers = [0; 2 + tetrastat::rules::guideline::MAX_PREVIEWS];
    game.dealt(&mut numbers[..dealt]);
    pieces.fill(0.0);
    for (one_hot, &piece) in pieces.chunks_mut(7).zip(&numbers) {
        if let Some(of_piece) = one_hot.get_mut(usize::from(piece)) {
            *of_piece = 1.0;
        }
    }
    game.status(status);
}

/// A game of a batch, with the number of steps since its start.
#[derive(Clone)]
struct Slot<G> {
    game: G,
    is_over: bool,
    steps: u64,
}

impl<G: Game> Slot<G> {
    fn begin(&mut self, start: &Start) -> Result<()> {
        (self.is_over, self.steps) = (false, 0);
        self.game.begin(start)
    }

    /// Performs `action`, whether or not it is legal. The returned bool is true if it was illegal.
    fn act(&mut self, action: usize, policy: &Policy) -> Result<(StepResult, bool)> {
        let is_legal = self.game.is_legal(action);
        let mut acted = if is_legal {
            self.game.act(action)?
        } else {
            let terminated = policy.illegal == Illegal::End;
            StepResult { reward: policy.illegal_reward, terminated, truncated: false }
        };
        self.steps += 1;
        acted.truncated |= policy.max_steps.is_some_and(|most| self.steps >= most);
        self.is_over = acted.terminated || acted.truncated;
        Ok((acted, !is_legal))
    }
}

/// Stored form of a game of a batch.
#[derive(Serialize, Deserialize)]
struct SavedSlot<S> {
    game: S,
    is_over: bool,
    steps: u64,
}

/// Games of a batch that one thread steps, with the arrays that the step writes.
struct Part<'a, G: Game> {
    slots: &'a mut [Slot<G>],
    meter: &'a mut G::Meter,
    actions: &'a [i64],
    stepped: StepRows<'a>,
    policy: Policy,
}

impl<G: Game> Part<'_, G> {
    fn step(self) -> Result<()> {
        let Part { slots, meter, actions, mut stepped, policy } = self;
        for (index, (slot, &action)) in slots.iter_mut().zip(actions).enumerate() {
            let begins = slot.is_over && policy.autoreset == Autoreset::NextStep;
            let (acted, is_illegal) = if begins {
                slot.begin(&Start::default())?;
                (StepResult::default(), false)
            } else {
                slot.act(action as usize, &policy)?
            };
            let restarts = slot.is_over && policy.autoreset == Autoreset::SameStep;
            if restarts {
                stepped.last.show(index, &mut slot.game, meter);
                slot.begin(&Start::default())?;
            }
            stepped.shown.show(index, &mut slot.game, meter);
            stepped.reward.row(index)[0] = acted.reward;
            let flags = [acted.terminated, acted.truncated, is_illegal, begins || restarts];
            for (to, flag) in stepped.flags.row(index).iter_mut().zip(flags) {
                *to = u8::from(flag);
            }
        }
        Ok(())
    }
}

/// A batch of games of one kind.
pub(super) struct Batch<G: Game> {
    slots: Vec<Slot<G>>,
    /// Meters that measure features, one for each thread.
    meters: Vec<G::Meter>,
    policy: Policy,
    shape: Shape,
}

impl<G: Game> Batch<G> {
    /// Creates a batch that at most `threads` threads step. `games` must not be empty.
    pub fn new(games: Vec<G>, policy: Policy, threads: usize) -> Result<Batch<G>> {
        let Some(first) = games.first() else {
            return Err(Error::Config("no games: give num_envs at least 1".to_owned()));
        };
        let parts = threads.min(games.len().div_ceil(GAMES_PER_THREAD)).max(1);
        let (shape, meters) = (first.shape(), meters_of(first, parts));
        let slot = |game| Slot { game, is_over: false, steps: 0 };
        let slots = games.into_iter().map(slot).collect();
        Ok(Batch { slots, meters, policy, shape })
    }
}

/// Creates the meters of `parts` threads.
fn meters_of<G: Game>(game: &G, parts: usize) -> Vec<G::Meter> {
    (0..parts).map(|_| game.meter()).collect()
}

/// Interface of batches of any kind of game.
pub(super) trait AnyBatch: Send + Sync {
    /// Returns the sizes of the observations and actions of one game.
    fn shape(&self) -> Shape;

    /// Returns the number of threads that step the games.
    fn parts(&self) -> usize;

    /// Returns a copy, whose games continue independently.
    fn boxed_clone(&self) -> Box<dyn AnyBatch>;

    /// Returns the index of the first game that refuses its action in `actions`, with the reason. A
    /// game refuses if it is over and waits for a reset, or if the action is illegal and raises
    /// errors.
    fn find_refusal(&self, actions: &[i64]) -> Option<(usize, &'static str)>;

    /// Steps each game by its entry in `actions`. The results are written to `stepped`.
    fn step(&mut self, pool: Option<&ThreadPool>, actions: &[i64], stepped: StepRows)
    -> Result<()>;

    /// Starts each game whose entry in `starts` is not `None`, and writes its first observation to
    /// `shown`.
    fn begin(&mut self, starts: &[Option<Start>], shown: ObservationRows) -> Result<()>;

    /// Replaces the pieces that are not visible yet. Each game gets its own, which depend on
    /// `seed`.
    fn branch(&mut self, seed: u64);

    /// Returns the state of the games with the numbers `games` as bytes.
    fn save(&self, games: &[usize]) -> Result<Vec<u8>>;

    /// Replaces the games with the numbers `games` by those of `state`: each by its own, or all by
    /// a single one. No game changes if an error is returned.
    fn load(&mut self, state: &[u8], games: &[usize]) -> Result<()>;

    /// Writes the observations of the games with the numbers `games` to `shown`.
    fn show(&mut self, games: &[usize], shown: ObservationRows);

    /// Returns a picture of the game number `index` as text.
    fn picture(&mut self, index: usize) -> String;

    /// Writes the planes of cells of the game number `index` to `out`.
    fn cells(&self, index: usize, out: &mut [u8]);

    /// Writes the action mask of the game number `index` to `out`.
    fn mask(&self, index: usize, out: &mut [u8]);

    /// Writes the features of the placement of every action of the game number `index` to `out`.
    fn afterstates(&mut self, index: usize, out: &mut [f32]);

    /// Returns the placements of the game number `index`. There is one row of [`PLACEMENT`] values
    /// for each action, all -1 if the action is illegal.
    fn placements(&mut self, index: usize) -> Vec<i64>;
}

impl<G: Game + 'static> AnyBatch for Batch<G> {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn parts(&self) -> usize {
        self.meters.len()
    }

    fn boxed_clone(&self) -> Box<dyn AnyBatch> {
        let Batch { policy, shape, .. } = *self;
        let meters =
            self.slots.first().map_or(Vec::new(), |slot| meters_of(&slot.game, self.meters.len()));
        Box::new(Batch { slots: self.slots.clone(), meters, policy, shape })
    }

    fn find_refusal(&self, actions: &[i64]) -> Option<(usize, &'static str)> {
        let Policy { autoreset, illegal, .. } = self.policy;
        self.slots.iter().zip(actions).enumerate().find_map(|(index, (slot, &action))| {
            match slot.is_over {
                true if autoreset == Autoreset::Disabled => Some((index, OVER)),
                true => None,
                false if illegal == Illegal::Raise && !slot.game.is_legal(action as usize) => {
                    Some((index, ILLEGAL))
                }
                false => None,
            }
        })
    }

    fn step(
        &mut self,
        pool: Option<&ThreadPool>,
        actions: &[i64],
        stepped: StepRows,
    ) -> Result<()> {
        let policy = self.policy;
        if let [meter] = &mut self.meters[..] {
            return Part { slots: &mut self.slots, meter, actions, stepped, policy }.step();
        }
        let size = self.slots.len().div_ceil(self.meters.len());
        let StepRows { mut shown, mut last, mut reward, mut flags } = stepped;
        let mut parts = Vec::with_capacity(self.meters.len());
        let slots = self.slots.chunks_mut(size).zip(actions.chunks(size));
        for ((slots, actions), meter) in slots.zip(&mut self.meters) {
            let whole = StepRows { shown, last, reward, flags };
            let (stepped, rest) = split!(StepRows, whole, slots.len(), shown, last, reward, flags);
            StepRows { shown, last, reward, flags } = rest;
            parts.push(Part { slots, meter, actions, stepped, policy });
        }
        let Some(pool) = pool else { return parts.into_iter().try_for_each(Part::step) };
        let first = parts.pop();
        let failure = Mutex::new(None);
        let note = |done: Result<()>| {
            if let Err(error) = done {
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        };
        pool.in_place_scope(|scope| {
            for part in parts {
                scope.spawn(|_| note(part.step()));
            }
            note(first.map_or(Ok(()), Part::step));
        });
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(()), Err)
    }

    fn begin(&mut self, starts: &[Option<Start>], mut shown: ObservationRows) -> Result<()> {
        for (index, (slot, start)) in self.slots.iter_mut().zip(starts).enumerate() {
            if let Some(start) = start {
                slot.begin(start)?;
                shown.show(index, &mut slot.game, &mut self.meters[0]);
            }
        }
        Ok(())
    }

    fn branch(&mut self, seed: u64) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            slot.game.branch(seed.wrapping_add(index as u64));
        }
    }

    fn save(&self, games: &[usize]) -> Result<Vec<u8>> {
        let saved = |&index: &usize| {
            let Slot { game, is_over, steps } = &self.slots[index];
            SavedSlot { game: game.saved(), is_over: *is_over, steps: *steps }
        };
        state::write(self.slots[0].game.options(), games.iter().map(saved).collect())
    }

    fn load(&mut self, state: &[u8], games: &[usize]) -> Result<()> {
        let first = &self.slots[0].game;
        let saved: Vec<SavedSlot<G::Saved>> = state::read(first.options(), state)?;
        let restored = |SavedSlot { game, is_over, steps }| {
            Ok(Slot { game: first.restored(game)?, is_over, steps })
        };
        let slots = saved.into_iter().map(restored).collect::<Result<Vec<Slot<G>>>>()?;
        match &slots[..] {
            [slot] => games.iter().for_each(|&index| self.slots[index] = slot.clone()),
            _ if slots.len() == games.len() => {
                for (slot, &index) in slots.into_iter().zip(games) {
                    self.slots[index] = slot;
                }
            }
            _ => {
                return Err(Error::Config(format!(
                    "state: it has {} games: give it one game, or as many as the {} to set",
                    slots.len(),
                    games.len()
                )));
            }
        }
        Ok(())
    }

    fn show(&mut self, games: &[usize], mut shown: ObservationRows) {
        for &index in games {
            shown.show(index, &mut self.slots[index].game, &mut self.meters[0]);
        }
    }

    fn picture(&mut self, index: usize) -> String {
        self.slots[index].game.picture()
    }

    fn cells(&self, index: usize, out: &mut [u8]) {
        self.slots[index].game.cells(out);
    }

    fn mask(&self, index: usize, out: &mut [u8]) {
        self.slots[index].game.mask(out);
    }

    fn afterstates(&mut self, index: usize, out: &mut [f32]) {
        self.slots[index].game.afterstates(&mut self.meters[0], out);
    }

    fn placements(&mut self, index: usize) -> Vec<i64> {
        let mut out = vec![-1; PLACEMENT * self.shape.actions];
        self.slots[index].game.placements(&mut out);
        out
    }
}
