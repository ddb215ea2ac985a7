//! One-piece games to be watched: placements, the game in play, its explanation and its replay.

mod explain;
mod replay;

use std::path::Path;

pub use explain::OnePieceExplainer;
use replay::RebuiltGame;

use super::game::{Placing, Scene, Watched};
use super::step::{StepView, WatchedStep, cells_of};
use super::timeline::Recorded;
use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::record::{EndReason, PlacedTurn};
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

/// Shows the placement it has seen.
struct Seen<'a>(&'a mut dyn FnMut(WatchedStep<OnePieceScene>));

impl Watched for RunConfig {
    type Scene = OnePieceScene;
    type InPlay = OnePieceInPlay;
    type Explainer = OnePieceExplainer;
    type Rebuilt = RebuiltGame;

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

impl Recorder for Seen<'_> {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn see(&mut self, turn: &PlacedTurn) {
        let PlacedTurn { board, next, decision, piece_no, lines_total, .. } = *turn;
        let scene = OnePieceScene { board: *board, next, outcome: decision.outcome };
        (self.0)(WatchedStep { piece_no, lines_total, scene });
    }
}

impl Placing for OnePieceInPlay {
    type Scene = OnePieceScene;

    fn place(
        &mut self,
        see: &mut dyn FnMut(WatchedStep<OnePieceScene>),
    ) -> Result<Option<&'static str>> {
        let OnePieceInPlay { config, player, game } = self;
        Ok(place_next(config, player, game, &mut Seen(see))?.map(words))
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
    fn view(&self) -> StepView {
        let OnePieceScene { board, next, outcome } = self;
        let (piece, lines) = (outcome.played.piece, outcome.played.lines);
        StepView {
            before: *board,
            height: board.height(),
            piece,
            cells: cells_of(outcome.played.candidate, piece),
            lines,
            lost: outcome.lost,
            score: None,
            next: next.iter().copied().collect(),
            hold: None,
            after: outcome.after,
        }
    }
}
