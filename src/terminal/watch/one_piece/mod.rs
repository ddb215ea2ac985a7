//! One-piece games to be watched: placements, the game in play, its explanation and its replay.

mod explain;
mod replay;

use std::path::Path;

pub use explain::OnePieceExplainer;
use replay::Rebuilt;

use super::film::Recorded;
use super::game::{Placing, Watched};
use super::step::{Scene, Step, cells_of};
use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::record::{EndReason, Turn};
use crate::rules::Outcome;
use crate::search::Player;
use crate::sim::{Recorder, RunConfig, Snapshot, place_next};

/// A placement under `simplified` or `standard` rules.
#[derive(Clone, Debug, PartialEq)]
pub struct OnePieceScene {
    /// The board before it.
    pub board: Board,
    /// The next piece, if the search knew it.
    pub next: Option<Piece>,
    /// What the placement led to.
    pub outcome: Outcome,
}

/// A game in play.
pub struct OnePieceInPlay {
    config: RunConfig,
    player: Player,
    game: Snapshot,
}

/// Keeps the placement it has seen.
struct Seen(Option<Step<OnePieceScene>>);

impl Watched for RunConfig {
    type Scene = OnePieceScene;
    type InPlay = OnePieceInPlay;
    type Explainer = OnePieceExplainer;
    type Rebuilt = Rebuilt;

    fn title(&self, game: u64) -> String {
        let RunConfig { controller, rules, size, queue, search, seed, .. } = self;
        let words = [&*controller.name, &queue.to_string(), &seed.to_string()];
        replay::title(words, *rules, *size, *search, game)
    }

    fn begin(&self, game: u64) -> Result<OnePieceInPlay> {
        self.validate()?;
        let RunConfig { controller, rules, search, size, level, .. } = self;
        let player = Player::new(controller, *rules, *search, *size, *level)?;
        Ok(OnePieceInPlay { config: self.clone(), player, game: Snapshot::first(self, game) })
    }

    fn explainer(&self) -> Result<OnePieceExplainer> {
        OnePieceExplainer::new(&self.controller, self.rules, self.search, self.size)
    }

    fn recorded(folder: &Path, game: u64) -> Result<Recorded<RunConfig>> {
        replay::recorded(folder, game)
    }
}

impl Recorder for Seen {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn see(&mut self, turn: &Turn) {
        let Turn { board, next, decision, piece_no, lines_total, .. } = *turn;
        let scene = OnePieceScene { board: *board, next, outcome: decision.outcome };
        self.0 = Some(Step { piece_no, lines_total, scene });
    }
}

impl Placing for OnePieceInPlay {
    type Scene = OnePieceScene;

    fn place(&mut self) -> Result<(Option<Step<OnePieceScene>>, Option<&'static str>)> {
        let OnePieceInPlay { config, player, game } = self;
        let mut seen = Seen(None);
        let end = place_next(config, player, game, &mut seen)?;
        Ok((seen.0, end.map(words)))
    }
}

/// Why a game is over.
fn words(end: EndReason) -> &'static str {
    match end {
        EndReason::TopOut => "game over: it rests above the top row",
        EndReason::SpawnBlocked => "game over: the next piece cannot enter",
        EndReason::PieceLimit => "the limit of pieces is reached",
        EndReason::LineLimit => "the limit of lines is reached",
        EndReason::Interrupted => "stopped",
    }
}

impl Scene for OnePieceScene {
    fn piece(&self) -> Piece {
        self.outcome.played.piece
    }

    fn cells(&self) -> [(usize, usize); 4] {
        cells_of(self.outcome.played.candidate, self.piece())
    }

    fn size(&self) -> (usize, usize) {
        (self.board.width(), self.board.height())
    }

    fn is_settled(&self, column: usize, row: usize) -> bool {
        self.board.is_filled(column, row)
    }

    fn lines(&self) -> u8 {
        self.outcome.played.lines
    }

    fn is_lost(&self) -> bool {
        self.outcome.lost
    }

    fn next(&self) -> Vec<Piece> {
        self.next.into_iter().collect()
    }

    fn after(&self) -> String {
        self.outcome.after.to_hex()
    }
}
