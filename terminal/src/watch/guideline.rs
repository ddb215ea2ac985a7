//! Provides guideline games for `watch`: live games and recorded ones.

use std::path::Path;

use super::game::{NextPlacement, Recorded, Watched};
use crate::engine::Job as _;
use crate::error::Result;
use crate::explain::WatchedStep;
use crate::explain::guideline::{
    GuidelineExplainer, GuidelineScene, RebuiltGuidelineGame, explainer,
};
use crate::queue::QueueKind;
use crate::record::{
    GuidelineDecision, GuidelineEnd, GuidelinePlacement, logged_end, read_landings,
};
use crate::sim::guideline::{GuidelineConfig, GuidelinePlayer, PERSON};
use crate::sim::{self, EachPlacement, Game as _};

impl Watched for GuidelineConfig {
    type Scene = GuidelineScene;
    type Explainer = GuidelineExplainer;
    type Rebuilt = RebuiltGuidelineGame;

    fn title(&self, game: u64) -> String {
        let GuidelineConfig { controller, rules, mode, seed, queue, .. } = self;
        let search = self.beam.name();
        let played = format!("{} · {rules} {}", controller.name, mode.name());
        // A human player has no search.
        let search =
            if controller.name == PERSON { String::new() } else { format!(" · {search}") };
        let queue = if *queue == QueueKind::Bag { String::new() } else { format!(" · {queue}") };
        let policy = self.policy.label(" · ");
        format!("{played}{queue}{search}{policy} · seed {seed} · game {game}")
    }

    fn begin(&self, game: u64) -> Result<NextPlacement<GuidelineScene>> {
        self.validate()?;
        let mut player = GuidelinePlayer::new(self);
        let (config, mut play) = (self.clone(), sim::Game::begin(self, self.seed, game));
        Ok(Box::new(move || {
            let mut step = None;
            let see = |seen: &GuidelinePlacement, decision: GuidelineDecision<'_>| {
                step = Some(step_of(seen, decision));
            };
            let stepped = config.step(&mut player, &mut play, &mut EachPlacement(see))?;
            Ok((step, stepped.end.map(GuidelineEnd::words)))
        }))
    }

    fn explainer(&self) -> Result<GuidelineExplainer> {
        Ok(GuidelineExplainer::new(self))
    }

    fn recorded(folder: &Path, game: u64) -> Result<Recorded<GuidelineConfig>> {
        let config = GuidelineConfig::read_entry(folder)?;
        let rows = read_landings(folder, game)?;
        // The logged end applies only if it came after exactly these placements.
        let end = logged_end(folder, game)
            .filter(|&(_, pieces)| pieces as usize == rows.len())
            .map(|(end, _)| end);
        let rebuilt = RebuiltGuidelineGame::new(&config, game, end);
        Ok(Recorded { title: config.title(game), explainer: explainer(&config), rows, rebuilt })
    }
}

/// Converts a placement and its decision to a step of a timeline, with the data for screen and
/// explanation.
fn step_of(
    seen: &GuidelinePlacement,
    GuidelineDecision { state, outlook }: GuidelineDecision,
) -> WatchedStep<GuidelineScene> {
    let &GuidelinePlacement { choice, landing, placed, score, .. } = seen;
    let value = seen.found.and_then(|found| found.value);
    let known = outlook.known.to_vec();
    let scene = GuidelineScene { state: *state, known, choice, landing, placed, value, score };
    let lines_total = placed.after.lines.into();
    WatchedStep { piece_no: seen.piece_no.into(), lines_total, scene }
}
