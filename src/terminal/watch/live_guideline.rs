//! A guideline game, played while it is watched: placement by placement what `simulate` plays.

use super::film::Source;
use super::step::{GuidelineScene, Scene, Step};
use crate::error::Result;
use crate::record::{GuidelineEnd, GuidelinePlacement};
use crate::rules::guideline::{Choice, Standing};
use crate::sim::guideline::{Game, GuidelineConfig, InPlay};

/// A guideline game in play.
pub struct LiveGuideline {
    game: Game,
    play: InPlay,
    end: Option<GuidelineEnd>,
}

impl LiveGuideline {
    /// The game of this index before its first piece.
    ///
    /// # Errors
    /// As [`GuidelineConfig::validate`].
    pub fn new(config: &GuidelineConfig, index: u64) -> Result<LiveGuideline> {
        config.validate()?;
        let game = Game::new(config);
        let play = game.begin(index);
        Ok(LiveGuideline { game, play, end: None })
    }

    fn place(&mut self) -> Result<Option<Step>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let state = *self.play.state();
        let mut step = None;
        self.end =
            self.game.place_next(&mut self.play, &mut |seen| step = Some(step_of(seen, state)))?;
        Ok(step)
    }
}

/// A placement on a state.
fn step_of(seen: &GuidelinePlacement, state: Standing) -> Step {
    let after = seen.placed.after;
    let choice = Choice {
        piece: seen.landing.piece,
        held: seen.held,
        hold: seen.hold[1],
        taken: after.taken,
    };
    let scene = GuidelineScene {
        state,
        known: seen.decision.map_or(Vec::new(), |decision| decision.known.to_vec()),
        choice,
        landing: seen.landing,
        placed: *seen.placed,
        value: seen.found.map(|found| found.value),
        score: seen.score,
    };
    Step {
        piece_no: seen.piece_no.into(),
        lines_total: after.lines.into(),
        scene: Scene::Guideline(Box::new(scene)),
    }
}

impl Source for LiveGuideline {
    fn advance(&mut self) -> Result<Option<Step>> {
        self.place()
    }

    fn ending(&self) -> String {
        self.end.map_or("stopped", GuidelineEnd::words).to_owned()
    }
}
