//! Enumerates every position of a small game that any player, or one controller, can reach.

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;
use indexmap::{IndexMap, IndexSet};
use rayon::prelude::*;

use super::chain::{Chain, Edge, EdgeTarget, MOST_STATES};
use super::deals::{Draw, QueueChain};
use super::optimal::{Chooser, Move, moved, outcomes};
use super::{ExactWatch, SmallGame};
use crate::error::setting::BOARD;
use crate::placement::Placements;
use crate::prelude::*;
use crate::rules::Outcome;

/// States that any player can reach in a small game: pairs of a board and a state of the queue.
#[derive(Debug)]
pub(super) struct StateSpace {
    game: SmallGame,
    placements: Placements,
    boards: IndexSet<PackedBoard, FixedState>,
    /// Distinct placements of each piece on each board, in the order that decides ties.
    options: Vec<Edge>,
    offsets: Vec<usize>,
    deals: QueueChain,
    states: Vec<(u32, u32)>,
    /// Index in `states` of each pair of board and queue state; [`NONE`] for impossible pairs.
    numbers: Vec<u32>,
}

const BLOCK: usize = 1 << 14;
const NONE: u32 = u32::MAX;

impl StateSpace {
    pub(super) fn enumerate(
        game: &SmallGame,
        limit: usize,
        watch: &ExactWatch,
    ) -> Result<StateSpace> {
        game.check()?;
        let deals = QueueChain::new(&game.queue)?;
        let mut universe = StateSpace {
            game: game.clone(),
            placements: Placements::new(game.start.size().width()),
            boards: IndexSet::default(),
            options: Vec::new(),
            offsets: vec![0],
            numbers: Vec::new(),
            states: Vec::new(),
            deals,
        };
        universe.find_boards(limit.min(MOST_STATES), watch)?;
        universe.find_states();
        Ok(universe)
    }

    fn find_boards(&mut self, limit: usize, watch: &ExactWatch) -> Result<()> {
        self.boards.insert(PackedBoard::from_board(&self.game.start));
        let mut done = 0;
        while done < self.boards.len() {
            let block = done..self.boards.len().min(done + BLOCK);
            done = block.end;
            let moves = |index: usize| {
                self.outcomes(index as u32)
                    .map(|(_, outcomes)| outcomes.iter().map(moved).collect())
            };
            let found: Vec<[Vec<Move>; 7]> = block.into_par_iter().map(moves).collect();
            for of_piece in found.into_iter().flatten() {
                let first = self.options.len();
                for (to, lines) in of_piece {
                    let board =
                        to.map(|after| EdgeTarget::State(self.boards.insert_full(after).0 as u32));
                    let edge = Edge::new(board.unwrap_or_else(|end| end), lines);
                    // Placements with the same resulting board and number of lines are one choice.
                    // The lists are short, so a linear search is faster than a set.
                    if !self.options[first..].contains(&edge) {
                        self.options.push(edge);
                    }
                }
                self.offsets.push(self.options.len());
            }
            watch.update(done, self.boards.len());
            if self.boards.len() * self.deals.contexts() > limit {
                return Err(self.game.too_large("the optimal player", limit));
            }
        }
        Ok(())
    }

    fn find_states(&mut self) {
        self.numbers = vec![NONE; self.boards.len() * self.deals.contexts()];
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

    /// Returns a transition for each placement of the drawn piece; none if it can't enter.
    pub(super) fn choices(&self, state: usize, draw: usize) -> impl Iterator<Item = Edge> {
        let draw = self.draws(state)[draw];
        let options = &self.options[self.range(self.states[state].0, draw.piece)];
        options.iter().map(move |edge| self.to_state(edge.to(), edge.lines() as u8, draw.then))
    }

    fn to_state(&self, to: EdgeTarget, lines: u8, context: u32) -> Edge {
        let to = match to {
            EdgeTarget::State(board) => EdgeTarget::State(self.numbers[self.index(board, context)]),
            end => end,
        };
        Edge::new(to, lines)
    }

    pub(super) fn edge(&self, outcome: &Outcome, context: u32) -> Edge {
        let (to, lines) = moved(outcome);
        let number = |after| self.boards.get_index_of(&after).unwrap_or_default() as u32;
        let to = to.map(|after| EdgeTarget::State(number(after)));
        self.to_state(to.unwrap_or_else(|end| end), lines, context)
    }

    pub(super) fn board(&self, board: u32) -> Board {
        self.boards[board as usize].board(self.game.start.size())
    }

    pub(super) fn sorted_boards(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.boards.len() as u32).collect();
        numbers.par_sort_by_key(|&number| *self.board(number).rows());
        numbers
    }

    pub(super) fn outcomes(&self, board: u32) -> [(Piece, Vec<Outcome>); 7] {
        let board = self.board(board);
        Piece::ALL.map(|piece| (piece, outcomes(&self.game.rules, &self.placements, &board, piece)))
    }

    pub(super) fn contexts_after(&self, board: u32, piece: Piece) -> BTreeSet<u32> {
        let contexts = 0..self.deals.contexts() as u32;
        let reached = contexts.filter(|&context| self.numbers[self.index(board, context)] != NONE);
        let draws = reached.flat_map(|context| self.deals.draws(context));
        draws.filter(|draw| draw.piece == piece).map(|draw| draw.then).collect()
    }

    pub(super) fn first_choices(&self) -> Chain {
        let mut chain = Chain::from_starts(vec![0]);
        for state in 0..self.states.len() {
            let first = |draw| self.choices(state, draw).next();
            let blocked = Edge::new(EdgeTarget::Blocked, 0);
            chain.push((0..self.draws(state).len()).map(|draw| first(draw).unwrap_or(blocked)));
        }
        chain
    }

    /// Returns the number of states in which some player can survive forever, whatever pieces come.
    pub(super) fn count_safe_states(&self) -> usize {
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

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    board: PackedBoard,
    context: u32,
    current: Option<Piece>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ChoiceKey {
    board: PackedBoard,
    piece: Piece,
    next: Piece,
}

struct ChainBuilder<'a> {
    game: &'a SmallGame,
    deals: QueueChain,
    chooser: Chooser,
    moves: Cache<ChoiceKey, Move>,
}

impl Chain {
    /// Builds the Markov chain of a controller's games, of at most `limit` states.
    pub fn build(
        game: &SmallGame,
        controller: &Controller,
        search: Search,
        limit: usize,
        watch: &ExactWatch,
    ) -> Result<Chain> {
        game.check()?;
        let chooser = Chooser::new(controller, game.rules, search, game.start.size())?;
        let deals = QueueChain::new(&game.queue)?;
        let walk = ChainBuilder { game, deals, chooser, moves: Cache::default() };
        let mut found: IndexSet<State, FixedState> = IndexSet::default();
        // A state occurs as often as it is likely.
        let starts = walk.starts().map(|state| found.insert_full(state).0 as u32).collect();
        let mut chain = Chain::from_starts(starts);
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
    fn starts(&self) -> impl Iterator<Item = State> {
        let board = PackedBoard::from_board(&self.game.start);
        let unseen = State { board, context: 0, current: None };
        let seen = self.deals.draws(0).iter().map(move |draw| State {
            board,
            context: draw.then,
            current: Some(draw.piece),
        });
        let sees = self.chooser.sees_next();
        seen.filter(move |_| sees).chain((!sees).then_some(unseen))
    }

    fn steps(&self, state: State) -> Vec<(State, Move)> {
        let draws = self.deals.draws(state.context).iter();
        draws
            .map(|draw| {
                let piece = state.current.unwrap_or(draw.piece);
                let key = ChoiceKey { board: state.board, piece, next: draw.piece };
                let played = self.play(key);
                let board = played.0.unwrap_or(state.board);
                let current = state.current.map(|_| draw.piece);
                (State { board, context: draw.then, current }, played)
            })
            .collect()
    }

    fn play(&self, key: ChoiceKey) -> Move {
        let choose = || {
            let board = key.board.board(self.game.start.size());
            let chosen = self.chooser.choose(&board, key.piece, key.next);
            chosen.as_ref().map_or((Err(EdgeTarget::Blocked), 0), moved)
        };
        // With one context and different pieces, every key occurs only once, so a cache would
        // only take memory.
        let occurs_once = self.deals.contexts() == 1 && self.deals.draws(0).len() <= 7;
        if occurs_once { choose() } else { self.moves.get(key, choose) }
    }
}

/// Largest number of cells of a board for which exact results can be computed.
pub const MAX_CELLS: usize = 64;

/// Board of a small game packed into one integer, one bit per cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PackedBoard(u64);

impl PackedBoard {
    /// Packs a board of at most [`MAX_CELLS`] cells, which the caller must have checked.
    pub(super) fn from_board(board: &Board) -> PackedBoard {
        let width = board.width();
        let rows = board.rows()[..board.height()].iter().enumerate();
        PackedBoard(rows.fold(0, |cells, (row, &bits)| cells | u64::from(bits) << (row * width)))
    }

    pub(super) fn board(self, size: BoardSize) -> Board {
        let mut board = Board::empty(size);
        let mut cells = self.0;
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize;
            board = board.with(cell % size.width(), cell / size.width());
            cells &= cells - 1;
        }
        board
    }

    pub(super) fn check(size: BoardSize) -> Result<()> {
        let cells = size.width() * size.height();
        if cells <= MAX_CELLS {
            return Ok(());
        }
        Err(Error::Config(format!(
            "a board {size} has {cells} cells, and more than {MAX_CELLS} have too many states to \
             enumerate: give a smaller {BOARD}, for example 4x6"
        )))
    }
}

pub(super) struct Cache<K, V> {
    values: Mutex<IndexMap<K, V, FixedState>>,
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Cache { values: Mutex::new(IndexMap::default()) }
    }
}

impl<K: Hash + Eq, V: Copy> Cache<K, V> {
    pub(super) fn get(&self, key: K, value: impl FnOnce() -> V) -> V {
        let lock = || self.values.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is not held during the computation, so no thread waits. Two threads may compute
        // the same value.
        let known = lock().get(&key).copied();
        known.unwrap_or_else(|| {
            let value = value();
            lock().insert(key, value);
            value
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_read_back() {
        for picture in ["..../..../#..#/.##.", "#......./.......#/#......./.#####.."] {
            let board: Board = picture.parse().unwrap();
            assert_eq!(PackedBoard::from_board(&board).board(board.size()), board);
        }
        assert!(PackedBoard::check("8x8".parse().unwrap()).is_ok());
        let error = PackedBoard::check("10x20".parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains("200 cells") && error.contains("smaller board"), "{error}");
    }
}
