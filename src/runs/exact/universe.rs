//! Enumerates every position of a small game that any player can reach.

use foldhash::fast::FixedState;
use indexmap::IndexSet;
use rayon::prelude::*;

use super::chain::{Chain, Edge, EdgeTarget, MOST_STATES};
use super::choice::{Move, moved, outcomes};
use super::deals::{Draw, QueueChain};
use super::packed::Packed;
use super::{ExactWatch, SmallGame};
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::Placements;

/// All boards that any player can reach, and the placements of each piece on them. A state is a
/// board together with the queue's context: what affects its next pieces.
pub(super) struct StateSpace {
    /// Distinct results of the placements of each piece on each board, as edges to boards. Within a
    /// piece and board, they are in the order that decides ties.
    options: Vec<Edge>,
    /// Index in `options` of the first placement of each board and piece. One more entry marks the
    /// end.
    offsets: Vec<usize>,
    deals: QueueChain,
    /// Number of the board and number of the queue's context of every state.
    states: Vec<(u32, u32)>,
    /// Number of the state for each board and context, at index `board * contexts + context`;
    /// [`NONE`] if that state is not reachable.
    numbers: Vec<u32>,
}

/// Number of boards whose placements are computed before new boards are numbered.
const BLOCK: usize = 1 << 14;
/// Marker for a board and context that are not a reachable state.
const NONE: u32 = u32::MAX;

impl StateSpace {
    /// Finds all reachable boards and states.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if there are more than `limit`, or if the queue has no
    /// finite chain.
    pub(super) fn of(game: &SmallGame, limit: usize, watch: &ExactWatch) -> Result<StateSpace> {
        game.check()?;
        let deals = QueueChain::of(&game.queue)?;
        let mut universe = StateSpace {
            options: Vec::new(),
            offsets: vec![0],
            numbers: Vec::new(),
            states: Vec::new(),
            deals,
        };
        let boards = universe.find_boards(game, limit.min(MOST_STATES), watch)?;
        universe.find_states(boards);
        Ok(universe)
    }

    fn find_boards(&mut self, game: &SmallGame, limit: usize, watch: &ExactWatch) -> Result<usize> {
        let size = game.start.size();
        let placements = Placements::new(size.width());
        let mut boards: IndexSet<Packed, FixedState> = IndexSet::default();
        boards.insert(Packed::of(&game.start));
        let mut done = 0;
        while done < boards.len() {
            let block = done..boards.len().min(done + BLOCK);
            done = block.end;
            let moves = |index: usize| {
                let board = boards[index].board(size);
                Piece::ALL.map(|piece| {
                    let outcomes = outcomes(&game.rules, &placements, &board, piece);
                    outcomes.iter().map(moved).collect()
                })
            };
            let found: Vec<[Vec<Move>; 7]> = block.into_par_iter().map(moves).collect();
            for of_piece in found.into_iter().flatten() {
                let first = self.options.len();
                for (to, lines) in of_piece {
                    let board =
                        to.map(|after| EdgeTarget::State(boards.insert_full(after).0 as u32));
                    let edge = Edge::new(board.unwrap_or_else(|end| end), lines);
                    // Placements with the same resulting board and number of lines are one choice.
                    // The lists are short, so a linear search is faster than a set.
                    if !self.options[first..].contains(&edge) {
                        self.options.push(edge);
                    }
                }
                self.offsets.push(self.options.len());
            }
            watch.update(done, boards.len());
            if boards.len() * self.deals.contexts() > limit {
                return Err(game.too_large("the optimal player", limit));
            }
        }
        Ok(boards.len())
    }

    /// Numbers the reachable states in breadth-first order. `boards` is the number of boards.
    fn find_states(&mut self, boards: usize) {
        self.numbers = vec![NONE; boards * self.deals.contexts()];
        self.number(0, 0);
        let mut done = 0;
        while done < self.states.len() {
            let (board, context) = self.states[done];
            for index in 0..self.deals.draws(context).len() {
                let draw = self.deals.draws(context)[index];
                for option in self.range(board, draw.piece) {
                    if let Some(after) = self.options[option].state() {
                        self.number(after as u32, draw.then);
                    }
                }
            }
            done += 1;
        }
    }

    fn number(&mut self, board: u32, context: u32) {
        let index = self.index(board, context);
        if self.numbers[index] == NONE {
            self.numbers[index] = self.states.len() as u32;
            self.states.push((board, context));
        }
    }

    fn index(&self, board: u32, context: u32) -> usize {
        board as usize * self.deals.contexts() + context as usize
    }

    fn range(&self, board: u32, piece: Piece) -> std::ops::Range<usize> {
        let entry = 7 * board as usize + piece.index();
        self.offsets[entry]..self.offsets[entry + 1]
    }

    fn draws(&self, state: usize) -> &[Draw] {
        self.deals.draws(self.states[state].1)
    }

    /// Returns the possible placements as edges to states, for the draw with index `draw` in
    /// `state`. There are none if the piece cannot enter the board.
    pub(super) fn choices(&self, state: usize, draw: usize) -> impl Iterator<Item = Edge> {
        let draw = self.draws(state)[draw];
        self.options[self.range(self.states[state].0, draw.piece)].iter().map(move |edge| {
            let to = match edge.to() {
                EdgeTarget::State(board) => {
                    EdgeTarget::State(self.numbers[self.index(board, draw.then)])
                }
                end => end,
            };
            Edge::new(to, edge.lines() as u8)
        })
    }

    /// Returns the Markov chain of the player that always takes the first choice of
    /// [`StateSpace::choices`].
    pub(super) fn first_choices(&self) -> Chain {
        let mut chain = Chain::starting(vec![0]);
        for state in 0..self.states.len() {
            let first = |draw| self.choices(state, draw).next();
            let blocked = Edge::new(EdgeTarget::Blocked, 0);
            chain.push((0..self.draws(state).len()).map(|draw| first(draw).unwrap_or(blocked)));
        }
        chain
    }

    /// Returns the number of states in which some player can avoid losing forever, whatever pieces
    /// come.
    pub(super) fn safe(&self) -> usize {
        // At first all states count as safe. States without a safe placement for some piece are
        // removed until nothing changes, which leaves the largest closed set.
        let mut safe = vec![true; self.states.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for state in (0..safe.len()).rev() {
                let mut draws = 0..self.draws(state).len();
                let lives = |edge: Edge| edge.state().is_some_and(|to| safe[to]);
                if safe[state] && !draws.all(|draw| self.choices(state, draw).any(lives)) {
                    safe[state] = false;
                    changed = true;
                }
            }
        }
        safe.iter().filter(|safe| **safe).count()
    }
}
