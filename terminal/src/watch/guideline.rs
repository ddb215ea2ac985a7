//! Guideline games for `watch`: the game in play and the recorded one.

use std::path::Path;

use super::game::{Placing, Watched};
use super::timeline::Recorded;
use crate::error::Result;
use crate::explain::WatchedStep;
use crate::explain::guideline::{
    GuidelineExplainer, GuidelineScene, RebuiltGuidelineGame, explainer,
};
use crate::queue::QueueKind;
use crate::record::{GuidelineEnd, GuidelinePlacement, logged_end, read_landings};
use crate::rules::guideline::{Choice, GuidelineState};
use crate::sim::guideline::{GuidelineConfig, GuidelinePlayer, InPlay, read_guideline_config};

/// A game in play.
pub struct GuidelineInPlay {
    game: GuidelinePlayer,
    play: InPlay,
}

impl Watched for GuidelineConfig {
    type Scene = GuidelineScene;
    type InPlay = GuidelineInPlay;
    type Explainer = GuidelineExplainer;
    type Rebuilt = RebuiltGuidelineGame;

    fn title(&self, game: u64) -> String {
        let GuidelineConfig { controller, rules, mode, seed, queue, .. } = self;
        let search = self.search();
        let played = format!("{} · {rules} {}", controller.name, mode.name());
        // A person does not search.
        let search = if self.beam.depth == 0 { String::new() } else { format!(" · {search}") };
        let queue = if *queue == QueueKind::Bag { String::new() } else { format!(" · {queue}") };
        format!("{played}{queue}{search} · seed {seed} · game {game}")
    }

    fn begin(&self, game: u64) -> Result<GuidelineInPlay> {
        self.validate()?;
        let player = GuidelinePlayer::new(self);
        let play = player.begin(game);
        Ok(GuidelineInPlay { game: player, play })
    }

    fn explainer(&self) -> Result<GuidelineExplainer> {
        Ok(GuidelineExplainer::new(self))
    }

    fn recorded(folder: &Path, game: u64) -> Result<Recorded<GuidelineConfig>> {
        let config = read_guideline_config(folder)?;
        let rows = read_landings(folder, game)?;
        // The logged end applies only if it came after exactly these placements.
        let end = logged_end(folder, game)
            .filter(|&(_, pieces)| pieces as usize == rows.len())
            .map(|(end, _)| end);
        let rebuilt = RebuiltGuidelineGame::new(&config, end);
        Ok(Recorded { title: config.title(game), explainer: explainer(&config), rows, rebuilt })
    }
}

impl Placing for GuidelineInPlay {
    type Scene = GuidelineScene;

    fn place(
        &mut self,
        see: &mut dyn FnMut(WatchedStep<GuidelineScene>),
    ) -> Result<Option<&'static str>> {
        let state = *self.play.state();
        let mut shown = |seen: &GuidelinePlacement| see(step_of(seen, state));
        let end = self.game.place_next(&mut self.play, &mut shown)?;
        Ok(end.map(GuidelineEnd::words))
    }
}

/// A placement on a state.
fn step_of(seen: &GuidelinePlacement, state: GuidelineState) -> WatchedStep<GuidelineScene> {
    let after = seen.placed.after;
    let choice = Choice {
        piece: seen.landing.piece,
        held: seen.held,
        hold: seen.hold[1],
        taken: after.taken,
    };
    let scene = GuidelineScene {
        state,
        known: seen.decision.map_or(Vec::new(), |decision| decision.outlook.known.to_vec()),
        choice,
        landing: seen.landing,
        placed: *seen.placed,
        value: seen.found.map(|found| found.value),
        score: seen.score,
    };
    WatchedStep { piece_no: seen.piece_no.into(), lines_total: after.lines.into(), scene }
}
