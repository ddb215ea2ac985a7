//! Enumerates every position of a game, for any player.

use foldhash::fast::FixedState;
use indexmap::IndexSet;
use rayon::prelude::*;

use super::chain::{Chain, Edge, MOST_STATES, To};
use super::choice::{Move, moved, outcomes};
use super::deals::{Deals, Draw};
use super::packed::Packed;
use super::{ExactWatch, SmallGame};
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::Placements;

/// All boards that any play can reach, with the placements of each piece on them. States are boards
/// with the queue's context.
pub(super) struct Universe {
    /// Placements of each piece on each board: distinct edges to boards, in the order that decides
    /// ties.
    options: Vec<Edge>,
    /// Index in `options` at which each board and piece begins, with one more entry for the end.
    offsets: Vec<usize>,
    deals: Deals,
    /// Board and context of every state.
    states: Vec<(u32, u32)>,
    /// State of each board and context, at `board * contexts + context`.
    numbers: Vec<u32>,
}

/// Number of boards whose placements are computed at once.
const BLOCK: usize = 1 << 14;
/// Marker for a missing state.
const NONE: u32 = u32::MAX;

impl Universe {
    /// Finds all boards and states.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if there are more than `limit`.
    pub(super) fn of(game: &SmallGame, limit: usize, watch: &ExactWatch) -> Result<Universe> {
        game.check()?;
        let deals = Deals::of(&game.queue)?;
        let mut universe = Universe {
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
                    let board = to.map(|after| To::State(boards.insert_full(after).0 as u32));
                    let edge = Edge::new(board.unwrap_or_else(|end| end), lines);
                    // Placements with the same board and lines are one choice. The lists are short,
                    // so a set would not pay.
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

    /// Numbers the reachable states, breadth first.
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

    /// Returns the choices for a draw as edges to states; there are none if the piece cannot enter.
    pub(super) fn choices(&self, state: usize, draw: usize) -> impl Iterator<Item = Edge> {
        let draw = self.draws(state)[draw];
        self.options[self.range(self.states[state].0, draw.piece)].iter().map(move |edge| {
            let to = match edge.to() {
                To::State(board) => To::State(self.numbers[self.index(board, draw.then)]),
                end => end,
            };
            Edge::new(to, edge.lines() as u8)
        })
    }

    /// Returns the chain of the player that always takes its first choice.
    pub(super) fn first_choices(&self) -> Chain {
        let mut chain = Chain::starting(vec![0]);
        for state in 0..self.states.len() {
            let first = |draw| self.choices(state, draw).next();
            let blocked = Edge::new(To::Blocked, 0);
            chain.push((0..self.draws(state).len()).map(|draw| first(draw).unwrap_or(blocked)));
        }
        chain
    }

    /// Returns the number of states from which some player never loses, for any pieces.
    pub(super) fn safe(&self) -> usize {
        // All states start as safe. Those without a safe answer to some piece are removed until
        // nothing changes, which leaves the largest closed set.
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
