//! Player of one stream, a sequence of games that learns while it plays.

use std::collections::VecDeque;

use super::tables::{StreamTables, WindowFinder};
use super::{Interval, LearningSettings};
use crate::kernels::{PatternKernel, PatternScratch};
use crate::placement::{Candidate, Placements};
use crate::prelude::*;
use crate::rng::stream_seed;
use crate::sim::ClassicConfig;

pub(super) struct LearningSetup {
    pub(super) settings: LearningSettings,
    pub(super) config: ClassicConfig,
    pub(super) kernel: PatternKernel,
    pub(super) windows: WindowFinder,
    pub(super) placements: Placements,
}

impl LearningSetup {
    fn queue(&self, stream: u64, game: u64) -> Queue {
        Queue::new(self.config.queue.clone(), self.seed(stream), game)
    }

    fn seed(&self, stream: u64) -> u64 {
        stream_seed(self.config.seed, Purpose::TrainingGames, stream)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StreamState {
    number: u64,
    game: u64,
    queue: Queue,
    board: Board,
    pieces: u64,
    lines: u64,
    /// Boards after recent placements, the latest last, whose values can still be corrected.
    recent: Vec<Board>,
}

pub(super) struct StreamPlayer {
    state: StreamState,
    pub(super) own: StreamTables,
    traces: VecDeque<Vec<u32>>,
    scratch: PatternScratch<f64>,
    pub(super) interval: Interval,
}

impl StreamPlayer {
    pub(super) fn new(setup: &LearningSetup, number: u64, own: StreamTables) -> StreamPlayer {
        let state = StreamState {
            number,
            game: 0,
            queue: setup.queue(number, 0),
            board: setup.config.start_board(0).0,
            pieces: 0,
            lines: 0,
            recent: Vec::new(),
        };
        StreamPlayer::restored(setup, state, own)
    }

    pub(super) fn restored(
        setup: &LearningSetup,
        mut state: StreamState,
        own: StreamTables,
    ) -> StreamPlayer {
        state.queue.set_kind(setup.config.queue.clone());
        let mut player = StreamPlayer {
            traces: VecDeque::new(),
            scratch: setup.kernel.scratch(&own.tables.values),
            interval: Interval::default(),
            own,
            state,
        };
        for board in &player.state.recent {
            let mut indices = Vec::new();
            setup.windows.find(board, &mut indices);
            player.traces.push_back(indices);
        }
        player
    }

    pub(super) fn state(&self) -> &StreamState {
        &self.state
    }

    pub(super) fn play(
        &mut self,
        setup: &LearningSetup,
        rate: f64,
        exploration: f64,
        count: u64,
    ) -> Result<()> {
        (0..count).try_for_each(|_| self.decide(setup, rate, exploration))
    }

    fn decide(&mut self, setup: &LearningSetup, rate: f64, exploration: f64) -> Result<()> {
        let StreamPlayer { state, own, scratch, .. } = self;
        let (kernel, values) = (&setup.kernel, &own.tables.values[..]);
        let piece = setup.config.rules.deal(&mut state.queue, &state.board)?;
        // The tables have changed since the last decision.
        kernel.refresh(values, scratch);
        let count = kernel.evaluate(values, &state.board, piece, scratch);
        let gamma = setup.settings.gamma;
        let mut best: Option<(usize, f64)> = None;
        for lane in (0..count).filter(|lane| scratch.lost() >> lane & 1 == 0) {
            let value = f64::from(scratch.lines()[lane]) + gamma * scratch.values()[lane];
            if best.is_none_or(|(_, best)| value > best) {
                best = Some((lane, value));
            }
        }
        // The value of the start board changes nothing, since no placement led to it.
        if state.pieces > 0 {
            let value = kernel.value(values, &state.board, scratch);
            let error = (best.map_or(0.0, |(_, best)| best) - value) as f32;
            self.interval.add_error(error);
            self.learn(setup, rate, error);
        }
        let Some((mut lane, _)) = best else {
            self.interval.add_game(self.state.lines);
            self.begin_game(setup);
            return Ok(());
        };
        if exploration > 0.0 {
            let StreamState { number, game, pieces, .. } = self.state;
            let mut draws = Policy::stream(setup.seed(number), game, pieces);
            if draws.unit() < exploration {
                let lost = self.scratch.lost();
                let survivors: Vec<usize> =
                    (0..count).filter(|lane| lost >> lane & 1 == 0).collect();
                lane = survivors[draws.below(survivors.len() as u32) as usize];
                // Errors after a random placement say nothing about the boards before it.
                self.state.recent.clear();
                self.traces.clear();
            }
        }
        let candidate = Candidate {
            placement: setup.placements.of_piece(piece)[lane],
            row: self.scratch.rows()[lane],
        };
        let state = &mut self.state;
        let step = setup.config.rules.place(&mut state.board, piece, candidate);
        state.pieces += 1;
        state.lines += u64::from(step.lines);
        let limits = setup.config.limits;
        let is_over = limits.pieces.is_some_and(|limit| state.pieces >= limit)
            || limits.lines.is_some_and(|limit| state.lines >= limit);
        if is_over {
            self.interval.add_cut_game(self.state.lines);
            self.begin_game(setup);
        }
        Ok(())
    }

    fn learn(&mut self, setup: &LearningSetup, rate: f64, error: f32) {
        let LearningSettings { lambda, gamma, .. } = setup.settings;
        if self.traces.len() == setup.settings.horizon() {
            self.state.recent.remove(0);
            // The memory of the oldest board serves the newest one.
            self.traces.rotate_left(1);
        } else {
            self.traces.push_back(Vec::new());
        }
        self.state.recent.push(self.state.board);
        if let Some(indices) = self.traces.back_mut() {
            setup.windows.find(&self.state.board, indices);
        }
        let (decay, mut error) = ((lambda * gamma) as f32, error);
        for indices in self.traces.iter().rev() {
            let rate = rate / setup.windows.divisor(indices) as f64;
            self.own.learn(indices, rate as f32, error);
            error *= decay;
        }
    }

    fn begin_game(&mut self, setup: &LearningSetup) {
        let state = &mut self.state;
        state.game += 1;
        state.queue = setup.queue(state.number, state.game);
        state.board = setup.config.start_board(0).0;
        (state.pieces, state.lines) = (0, 0);
        state.recent.clear();
        self.traces.clear();
    }
}
