//! Builds the Markov chain of a controller's games, with every state that they can reach.

use foldhash::fast::FixedState;
use indexmap::IndexSet;
use rayon::prelude::*;

use super::chain::{Chain, Edge, EdgeTarget, MOST_STATES};
use super::choice::{Chooser, Move, moved};
use super::deals::QueueChain;
use super::memo::Memo;
use super::packed::Packed;
use super::{ExactWatch, SmallGame};
use crate::controller::Controller;
use crate::error::Result;
use crate::piece::Piece;
use crate::search::Search;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    board: Packed,
    context: u32,
    /// Piece to place; `None` if the search does not know the piece after it.
    current: Option<Piece>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ChoiceKey {
    board: Packed,
    piece: Piece,
    next: Piece,
}

/// Number of states whose transitions are computed before new states are numbered.
const BLOCK: usize = 1 << 14;

struct ChainBuilder<'a> {
    game: &'a SmallGame,
    deals: QueueChain,
    chooser: Chooser,
    /// Cache of the chosen placements. The queue's context does not affect a choice, so many states
    /// share it.
    moves: Memo<ChoiceKey, Move>,
}

impl Chain {
    /// Builds the Markov chain of the games that `controller` plays with `search`.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if there are more than `limit` states, or if the game has no
    /// finite chain. [`crate::error::Error::Controller`] if the controller does not fit the board.
    pub fn of(
        game: &SmallGame,
        controller: &Controller,
        search: Search,
        limit: usize,
        watch: &ExactWatch,
    ) -> Result<Chain> {
        game.check()?;
        let chooser = Chooser::new(controller, game.rules, search, game.start.size())?;
        let deals = QueueChain::of(&game.queue)?;
        let walk = ChainBuilder { game, deals, chooser, moves: Memo::default() };
        let mut found: IndexSet<State, FixedState> = IndexSet::default();
        // A state occurs as often as it is likely.
        let starts = walk.starts().map(|state| found.insert_full(state).0 as u32).collect();
        let mut chain = Chain::starting(starts);
        let limit = limit.min(MOST_STATES);
        while chain.states() < found.len() {
            let block = chain.states()..found.len().min(chain.states() + BLOCK);
            let steps: Vec<Vec<(State, Move)>> =
                // Choices are computed in parallel but states are numbered serially, because a
                // number depends on the order in which states are found.
                block.into_par_iter().map(|index| walk.steps(found[index])).collect();
            for steps in steps {
                chain.push(steps.into_iter().map(|(then, (to, lines))| {
                    let to = match to {
                        Ok(_) => EdgeTarget::State(found.insert_full(then).0 as u32),
                        Err(end) => end,
                    };
                    Edge::new(to, lines)
                }));
            }
            watch.update(chain.states(), found.len());
            if found.len() > limit {
                return Err(game.too_large(&controller.name, limit));
            }
        }
        Ok(chain)
    }
}

impl ChainBuilder<'_> {
    /// Returns the states in which a game can start, each equally likely.
    fn starts(&self) -> impl Iterator<Item = State> {
        let board = Packed::of(&self.game.start);
        let unseen = State { board, context: 0, current: None };
        let seen = self.deals.draws(0).iter().map(move |draw| State {
            board,
            context: draw.then,
            current: Some(draw.piece),
        });
        let sees = self.chooser.sees_next();
        seen.filter(move |_| sees).chain((!sees).then_some(unseen))
    }

    /// Returns the transitions out of `state`, each equally likely: the next state, and the move
    /// that leads to it.
    fn steps(&self, state: State) -> Vec<(State, Move)> {
        let draws = self.deals.draws(state.context).iter();
        draws
            .map(|draw| {
                let piece = state.current.unwrap_or(draw.piece);
                let question = ChoiceKey { board: state.board, piece, next: draw.piece };
                let played = self.play(question);
                let board = played.0.unwrap_or(state.board);
                let current = state.current.map(|_| draw.piece);
                (State { board, context: draw.then, current }, played)
            })
            .collect()
    }

    fn play(&self, question: ChoiceKey) -> Move {
        let choose = || {
            let board = question.board.board(self.game.start.size());
            let chosen = self.chooser.choose(&board, question.piece, question.next);
            chosen.as_ref().map_or((Err(EdgeTarget::Blocked), 0), moved)
        };
        // With one context and different pieces, every question occurs only once, so a cache would
        // only take memory.
        let occurs_once = self.deals.contexts() == 1 && self.deals.draws(0).len() <= 7;
        if occurs_once { choose() } else { self.moves.get(question, choose) }
    }
}
