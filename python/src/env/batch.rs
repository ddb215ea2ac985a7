//! Many games stepped at once, on all cores, into arrays.

use std::sync::{Mutex, PoisonError};

use rayon::ThreadPool;
use tetrastat::error::{Error, Result};

use super::game::{Acted, Game, PLACEMENT, Shape, Start};

/// Fewest games that a thread is worth.
const PART: usize = 64;

/// What becomes of a game that is over (gymnasium's autoreset modes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Autoreset {
    /// The next step begins the next game, whatever its action.
    NextStep,
    /// The next game begins in the same step; the last observation is kept apart.
    SameStep,
    /// It waits to be reset.
    Disabled,
}

/// What an illegal action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Illegal {
    /// Nothing: the step earns the reward of illegal actions.
    Ignore,
    /// It ends the game.
    End,
    /// Nothing is stepped: an error.
    Raise,
}

/// What holds of all games of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    pub autoreset: Autoreset,
    pub illegal: Illegal,
    /// Reward of an illegal action.
    pub illegal_reward: f64,
    /// Steps after which a game is cut off.
    pub max_steps: Option<u64>,
}

/// Rows of an array, one for each game; no array when they have no width.
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

/// What is shown of games.
pub(super) struct Shown<'a> {
    pub cells: Rows<'a, u8>,
    pub dealt: Rows<'a, u8>,
    pub status: Rows<'a, f32>,
    pub features: Rows<'a, f32>,
    pub afterstates: Rows<'a, f32>,
    pub mask: Rows<'a, u8>,
    pub counts: Rows<'a, i64>,
}

/// What a step fills.
pub(super) struct Stepped<'a> {
    pub shown: Shown<'a>,
    /// What was shown last of games that ended in a step that began their next.
    pub last: Shown<'a>,
    pub reward: Rows<'a, f64>,
    /// Whether it is over by its rules, was cut off, was given an illegal action, was begun.
    pub flags: Rows<'a, u8>,
}

/// Splits all fields of a struct of rows.
macro_rules! split {
    ($name:ident, $value:expr, $at:expr, $($field:ident),+) => {{
        $(let $field = $value.$field.split($at);)+
        ($name { $($field: $field.0),+ }, $name { $($field: $field.1),+ })
    }};
}

impl<'a> Shown<'a> {
    fn split(self, at: usize) -> (Shown<'a>, Shown<'a>) {
        split!(Shown, self, at, cells, dealt, status, features, afterstates, mask, counts)
    }

    /// Shows a game.
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

/// Features, the pieces one-hot, the numbers besides.
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

/// A game and how it stands.
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

    /// Steps the game; whether the action was illegal.
    fn act(&mut self, action: usize, policy: &Policy) -> Result<(Acted, bool)> {
        let is_legal = self.game.is_legal(action);
        let mut acted = if is_legal {
            self.game.act(action)?
        } else {
            let terminated = policy.illegal == Illegal::End;
            Acted { reward: policy.illegal_reward, terminated, truncated: false }
        };
        self.steps += 1;
        acted.truncated |= policy.max_steps.is_some_and(|most| self.steps >= most);
        self.is_over = acted.terminated || acted.truncated;
        Ok((acted, !is_legal))
    }
}

/// A part of the games, with what its thread needs.
struct Part<'a, G: Game> {
    slots: &'a mut [Slot<G>],
    meter: &'a mut G::Meter,
    actions: &'a [i64],
    stepped: Stepped<'a>,
    policy: Policy,
}

impl<G: Game> Part<'_, G> {
    fn step(self) -> Result<()> {
        let Part { slots, meter, actions, mut stepped, policy } = self;
        for (index, (slot, &action)) in slots.iter_mut().zip(actions).enumerate() {
            let begins = slot.is_over && policy.autoreset == Autoreset::NextStep;
            let (acted, is_illegal) = if begins {
                slot.begin(&Start::default())?;
                (Acted::default(), false)
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

/// Games of one kind.
pub(super) struct Batch<G: Game> {
    slots: Vec<Slot<G>>,
    /// One for each thread.
    meters: Vec<G::Meter>,
    policy: Policy,
    shape: Shape,
}

impl<G: Game> Batch<G> {
    /// At least one game, and a part of them for each of so many threads.
    pub fn new(games: Vec<G>, policy: Policy, threads: usize) -> Result<Batch<G>> {
        let Some(first) = games.first() else {
            return Err(Error::Config("no games: give num_envs at least 1".to_owned()));
        };
        let parts = threads.min(games.len().div_ceil(PART)).max(1);
        let (shape, meters) = (first.shape(), (0..parts).map(|_| first.meter()).collect());
        let slot = |game| Slot { game, is_over: false, steps: 0 };
        let slots = games.into_iter().map(slot).collect();
        Ok(Batch { slots, meters, policy, shape })
    }
}

/// A batch whatever its games are.
pub(super) trait AnyBatch: Send + Sync {
    /// How large what is shown is.
    fn shape(&self) -> Shape;

    /// Threads that share the games.
    fn parts(&self) -> usize;

    /// The first game that was given an illegal action where that is an error, or that is over and waits to be reset.
    fn refused(&self, actions: &[i64]) -> Option<(usize, &'static str)>;

    /// Steps all games.
    fn step(&mut self, pool: Option<&ThreadPool>, actions: &[i64], stepped: Stepped) -> Result<()>;

    /// Begins those games that have a start.
    fn begin(&mut self, starts: &[Option<Start>], shown: Shown) -> Result<()>;

    /// A picture of a game.
    fn picture(&mut self, index: usize) -> String;

    /// The planes of a game.
    fn cells(&self, index: usize, out: &mut [u8]);

    /// The features of all actions of a game.
    fn afterstates(&mut self, index: usize, out: &mut [f32]);

    /// The placements of a game, rows of -1 where there is none.
    fn placements(&mut self, index: usize) -> Vec<i64>;
}

impl<G: Game> AnyBatch for Batch<G> {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn parts(&self) -> usize {
        self.meters.len()
    }

    fn refused(&self, actions: &[i64]) -> Option<(usize, &'static str)> {
        let Policy { autoreset, illegal, .. } = self.policy;
        self.slots.iter().zip(actions).enumerate().find_map(|(index, (slot, &action))| {
            match slot.is_over {
                true if autoreset == Autoreset::Disabled => Some((index, "is over: reset it")),
                true => None,
                false if illegal == Illegal::Raise && !slot.game.is_legal(action as usize) => {
                    Some((index, "has no such placement now: take one of its action mask"))
                }
                false => None,
            }
        })
    }

    fn step(&mut self, pool: Option<&ThreadPool>, actions: &[i64], stepped: Stepped) -> Result<()> {
        let size = self.slots.len().div_ceil(self.meters.len());
        let policy = self.policy;
        let Stepped { mut shown, mut last, mut reward, mut flags } = stepped;
        let mut parts = Vec::with_capacity(self.meters.len());
        let slots = self.slots.chunks_mut(size).zip(actions.chunks(size));
        for ((slots, actions), meter) in slots.zip(&mut self.meters) {
            let whole = Stepped { shown, last, reward, flags };
            let (stepped, rest) = split!(Stepped, whole, slots.len(), shown, last, reward, flags);
            Stepped { shown, last, reward, flags } = rest;
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

    fn begin(&mut self, starts: &[Option<Start>], mut shown: Shown) -> Result<()> {
        for (index, (slot, start)) in self.slots.iter_mut().zip(starts).enumerate() {
            if let Some(start) = start {
                slot.begin(start)?;
                shown.show(index, &mut slot.game, &mut self.meters[0]);
            }
        }
        Ok(())
    }

    fn picture(&mut self, index: usize) -> String {
        self.slots[index].game.picture()
    }

    fn cells(&self, index: usize, out: &mut [u8]) {
        self.slots[index].game.cells(out);
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
