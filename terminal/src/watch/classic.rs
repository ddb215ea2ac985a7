//! Provides classic games for `watch`: live games and recorded ones.

use std::path::Path;

use super::game::{NextPlacement, Recorded, Watched};
use crate::engine::Job as _;
use crate::error::Result;
use crate::explain::WatchedStep;
use crate::explain::classic::{ClassicExplainer, ClassicScene, RebuiltGame, explainer};
use crate::record::{EndReason, PlacementRecord, read_placements};
use crate::search::Player;
use crate::sim::{ClassicConfig, EachPlacement, Game as _, Snapshot};

impl Watched for ClassicConfig {
    type Scene = ClassicScene;
    type Explainer = ClassicExplainer;
    type Rebuilt = RebuiltGame;

    fn title(&self, game: u64) -> String {
        let ClassicConfig { controller, rules, size, queue, search, policy, seed, .. } = self;
        let (name, policy) = (&controller.name, policy.label(" · "));
        format!("{name} · {rules} {size} · {queue} · {search}{policy} · seed {seed} · game {game}")
    }

    fn begin(&self, game: u64) -> Result<NextPlacement<ClassicScene>> {
        self.validate()?;
        let ClassicConfig { controller, rules, search, size, level, .. } = self;
        let mut player = Player::new(controller, *rules, *search, *size, *level)?;
        let (config, mut game) = (self.clone(), Snapshot::first(self, game));
        Ok(Box::new(move || {
            let mut step = None;
            let see = |placement: &PlacementRecord, ()| step = Some(step_of(placement));
            let stepped = config.step(&mut player, &mut game, &mut EachPlacement(see))?;
            Ok((step, stepped.end.map(words)))
        }))
    }

    fn explainer(&self) -> Result<ClassicExplainer> {
        ClassicExplainer::new(&self.controller, self.rules, self.search, self.size)
    }

    fn recorded(folder: &Path, game: u64) -> Result<Recorded<ClassicConfig>> {
        let config = ClassicConfig::read_entry(folder)?;
        let rows = read_placements(folder, game)?;
        let rebuilt = RebuiltGame::new(&config, game);
        let explainer = explainer(&config).ok();
        Ok(Recorded { title: config.title(game), explainer, rows, rebuilt })
    }
}

fn step_of(placement: &PlacementRecord) -> WatchedStep<ClassicScene> {
    let &PlacementRecord { before, next, decision, piece_no, lines_total, .. } = placement;
    let scene = ClassicScene { board: before, next, outcome: decision.outcome };
    WatchedStep { piece_no, lines_total, scene }
}

/// Describes the reason why a game is over.
fn words(end: EndReason) -> &'static str {
    match end {
        EndReason::TopOut => "game over: it rests above the top row",
        EndReason::SpawnBlocked => "game over: the next piece cannot enter",
        EndReason::PieceLimit => "the limit of pieces is reached",
        EndReason::LineLimit => "the limit of lines is reached",
        EndReason::Interrupted => "stopped",
    }
}
