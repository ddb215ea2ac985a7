//! A stream of games that learns in its own copy of the tables.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::reader::{BoardReader, BoardSums};
use super::tables::OwnTables;
use super::{Interval, LearningSettings};
use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::{Candidate, Placements};
use crate::queue::Queue;
use crate::rng::{Purpose, stream_seed};
use crate::sim::ClassicConfig;

/// What all streams share and none changes.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) settings: LearningSettings,
    pub(super) config: ClassicConfig,
    pub(super) reader: BoardReader,
    pub(super) placements: Placements,
}

impl Course {
    /// Creates the queue of the game `game` of stream `stream`.
    fn queue(&self, stream: u64, game: u64) -> Queue {
        let seed = stream_seed(self.config.seed, Purpose::TrainingGames, stream);
        Queue::new(self.config.queue.clone(), seed, game)
    }
}

/// State of a stream between two rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StreamState {
    /// Number of the stream.
    number: u64,
    /// Number of the game in progress among those of the stream.
    game: u64,
    queue: Queue,
    board: Board,
    pieces: u64,
    lines: u64,
    /// Boards of the game after its last placements, the latest last, as far as traces reach.
    recent: Vec<Board>,
}

/// A stream of games.
#[derive(Debug)]
pub(super) struct StreamPlayer {
    state: StreamState,
    pub(super) own: OwnTables,
    /// Entries of the boards in `StreamState::recent`.
    traces: VecDeque<Vec<u32>>,
    sums: BoardSums,
    candidates: Vec<Candidate>,
    pub(super) interval: Interval,
}

/// The best placement of a piece.
struct Best {
    candidate: Candidate,
    full: u32,
    /// Lines and the discounted value after the placement.
    value: f32,
}

impl StreamPlayer {
    /// Creates the stream `number` before its first game.
    pub(super) fn new(course: &Course, number: u64, own: OwnTables) -> StreamPlayer {
        let state = StreamState {
            number,
            game: 0,
            queue: course.queue(number, 0),
            board: course.config.start_board(),
            pieces: 0,
            lines: 0,
            recent: Vec::new(),
        };
        StreamPlayer::restored(course, state, own)
    }

    /// Creates the stream with a stored state.
    pub(super) fn restored(course: &Course, mut state: StreamState, own: OwnTables) -> StreamPlayer {
        state.queue.set_kind(course.config.queue.clone());
        let mut player = StreamPlayer {
            traces: VecDeque::new(),
            sums: course.reader.sums(),
            candidates: Vec::new(),
            interval: Interval::default(),
            own,
            state,
        };
        for board in &player.state.recent {
            course.reader.read(board, &player.own.tables.values, &mut player.sums);
            player.traces.push_back(player.sums.indices.clone());
        }
        player
    }

    /// Returns the state of the stream.
    pub(super) fn state(&self) -> &StreamState {
        &self.state
    }

    /// Plays and learns `count` decisions with the learning rate `rate` of each entry.
    pub(super) fn play(&mut self, course: &Course, rate: f32, count: u64) -> Result<()> {
        (0..count).try_for_each(|_| self.decide(course, rate))
    }

    /// Plays and learns one decision.
    fn decide(&mut self, course: &Course, rate: f32) -> Result<()> {
        let state = &mut self.state;
        let piece = course.config.rules.deal(&mut state.queue, &state.board)?;
        course.reader.read(&state.board, &self.own.tables.values, &mut self.sums);
        let best = {
            let rules = &course.config.rules;
            rules.candidates(&course.placements, &state.board, piece, &mut self.candidates);
            let gamma = course.settings.gamma as f32;
            let (height, mut best) = (state.board.height(), None::<Best>);
            for &candidate in &self.candidates {
                let top = candidate.top(piece);
                // A piece that ends above the board's top loses unless the rules remove its rows.
                if top > height && !survives_above(course, &state.board, piece, candidate) {
                    continue;
                }
                let row = usize::from(candidate.row);
                let full = candidate.lock(&state.board, piece).full_rows_among(row..top);
                let value = course.reader.after(
                    &self.sums,
                    &self.own.tables.values,
                    candidate.shape(piece),
                    (usize::from(candidate.placement.column), row),
                    full,
                );
                let value = full.count_ones() as f32 + gamma * value;
                if best.as_ref().is_none_or(|best| value > best.value) {
                    best = Some(Best { candidate, full, value });
                }
            }
            best
        };
        // The value of the start board changes nothing, since no placement led to it.
        if state.pieces > 0 {
            let target = best.as_ref().map_or(0.0, |best| best.value);
            let error = target - self.sums.value;
            self.interval.add_error(error);
            self.learn(course, rate, error);
        }
        let Some(best) = best else {
            self.interval.add_game(self.state.lines);
            self.begin_game(course);
            return Ok(());
        };
        let state = &mut self.state;
        state.board = best.candidate.lock(&state.board, piece).without_rows(best.full);
        state.pieces += 1;
        state.lines += u64::from(best.full.count_ones());
        let limits = course.config.limits;
        let is_over = limits.pieces.is_some_and(|limit| state.pieces >= limit)
            || limits.lines.is_some_and(|limit| state.lines >= limit);
        if is_over {
            self.interval.add_cut_game(self.state.lines);
            self.begin_game(course);
        }
        Ok(())
    }

    /// Moves the values of the last boards by `error`.
    fn learn(&mut self, course: &Course, rate: f32, error: f32) {
        let LearningSettings { lambda, gamma, .. } = course.settings;
        if lambda == 0.0 {
            self.own.learn(&self.sums.indices, rate, error);
            return;
        }
        let mut past = if self.traces.len() == course.settings.horizon() {
            self.state.recent.remove(0);
            self.traces.pop_front().unwrap_or_default()
        } else {
            Vec::new()
        };
        past.clone_from(&self.sums.indices);
        self.traces.push_back(past);
        self.state.recent.push(self.state.board);
        let (decay, mut error) = ((lambda * gamma) as f32, error);
        for indices in self.traces.iter().rev() {
            self.own.learn(indices, rate, error);
            error *= decay;
        }
    }

    fn begin_game(&mut self, course: &Course) {
        let state = &mut self.state;
        state.game += 1;
        state.queue = course.queue(state.number, state.game);
        state.board = course.config.start_board();
        (state.pieces, state.lines) = (0, 0);
        state.recent.clear();
        self.traces.clear();
    }
}

/// Returns true if `piece` at `candidate`, which reaches above the top of `board`, does not end the
/// game.
fn survives_above(
    course: &Course,
    board: &Board,
    piece: Piece,
    candidate: Candidate,
) -> bool {
    let mut after = *board;
    !course.config.rules.place(&mut after, piece, candidate).lost
}
