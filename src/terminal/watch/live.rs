//! A game of the one-piece rules, played while it is watched: piece by piece what `simulate` plays.

use std::sync::atomic::AtomicBool;

use super::film::Source;
use super::step::{ClassicScene, Scene, Step};
use crate::error::Result;
use crate::record::EndReason;
use crate::record::Turn;
use crate::search::Player;
use crate::sim::{Recorder, RunConfig, Snapshot, Unrecorded, place_next, play_game};

/// A game in play.
pub struct Live {
    config: RunConfig,
    player: Player,
    game: Snapshot,
    end: Option<EndReason>,
}

/// Tells how far a game is.
struct Counted<'a>(&'a dyn Fn(u64));

impl Recorder for Counted<'_> {
    fn wants(&self, _: u64) -> bool {
        false
    }

    fn see(&mut self, _: &Turn) {}

    fn look(&mut self, game: &Snapshot) {
        self.0(game.row.pieces);
    }
}

/// Keeps the placement it has seen.
struct Seen(Option<Step>);

impl Recorder for Seen {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn see(&mut self, turn: &Turn) {
        let Turn { board, next, decision, .. } = *turn;
        let scene = ClassicScene { board: *board, next, outcome: decision.outcome };
        self.0 = Some(Step {
            piece_no: turn.piece_no,
            lines_total: turn.lines_total,
            scene: Scene::Classic(Box::new(scene)),
        });
    }
}

impl Live {
    /// The game of this index before its first piece.
    ///
    /// # Errors
    /// As [`RunConfig::validate`].
    pub fn new(config: RunConfig, game: u64) -> Result<Live> {
        config.validate()?;
        let RunConfig { controller, rules, search, size, level, .. } = &config;
        let player = Player::new(controller, *rules, *search, *size, *level)?;
        let game = Snapshot::first(&config, game);
        Ok(Live { config, player, game, end: None })
    }

    /// The same game before its last `kept` placements: it is played to its end first, as fast as it
    /// goes, and `made` is told now and then how many placements that are.
    ///
    /// # Errors
    /// As [`Live::new`], and [`crate::error::Error::ScriptEnded`].
    pub fn before_the_end(
        config: RunConfig,
        game: u64,
        kept: u64,
        made: &dyn Fn(u64),
    ) -> Result<Live> {
        let mut live = Live::new(config, game)?;
        let Live { config, player, .. } = &mut live;
        let go = AtomicBool::new(false);
        let first = Snapshot::first(config, game);
        let played = play_game(config, player, first, &go, &mut Counted(made))?;
        let skipped = played.pieces.saturating_sub(kept);
        while live.game.row.pieces < skipped {
            live.place(&mut Unrecorded)?;
        }
        Ok(live)
    }

    fn place(&mut self, recorder: &mut impl Recorder) -> Result<()> {
        let Live { config, player, game, end } = self;
        *end = place_next(config, player, game, recorder)?;
        Ok(())
    }
}

impl Source for Live {
    fn advance(&mut self) -> Result<Option<Step>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let mut seen = Seen(None);
        self.place(&mut seen)?;
        Ok(seen.0)
    }

    fn ending(&self) -> String {
        match self.end {
            Some(EndReason::TopOut) => "game over: it rests above the top row".to_owned(),
            Some(EndReason::SpawnBlocked) => "game over: the next piece cannot enter".to_owned(),
            Some(EndReason::PieceLimit) => "the limit of pieces is reached".to_owned(),
            Some(EndReason::LineLimit) => "the limit of lines is reached".to_owned(),
            Some(EndReason::Interrupted) | None => "stopped".to_owned(),
        }
    }
}
