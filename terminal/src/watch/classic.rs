//! Provides classic games for `watch`: live games and recorded ones.

use std::path::Path;

use super::game::{NextPlacement, Recorded, Watched};
use crate::engine::Game;
use crate::error::Result;
use crate::explain::WatchedStep;
use crate::explain::classic::{ClassicExplainer, ClassicScene, RebuiltGame, explainer};
use crate::record::{EndReason, PlacementRecord, read_placements};
use crate::search::Player;
use crate::sim::{ClassicConfig, ClassicGames, Recorder, Snapshot, place_next};

/// A recorder that stores only the last placement of a game.
struct LastPlacement(Option<WatchedStep<ClassicScene>>);

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
            let mut seen = LastPlacement(None);
            let end = place_next(&config, &mut player, &mut game, &mut seen)?;
            Ok((seen.0, end.map(words)))
        }))
    }

    fn explainer(&self) -> Result<ClassicExplainer> {
        ClassicExplainer::new(&self.controller, self.rules, self.search, self.size)
    }

    fn recorded(folder: &Path, game: u64) -> Result<Recorded<ClassicConfig>> {
        let config = ClassicGames::read_entry(folder)?;
        let rows = read_placements(folder, game)?;
        let rebuilt = RebuiltGame::new(&config, game);
        let explainer = explainer(&config).ok();
        Ok(Recorded { title: config.title(game), explainer, rows, rebuilt })
    }
}

impl Recorder for LastPlacement {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn see(&mut self, placement: &PlacementRecord) {
        let &PlacementRecord { before, next, decision, piece_no, lines_total, .. } = placement;
        let scene = ClassicScene { board: before, next, outcome: decision.outcome };
        self.0 = Some(WatchedStep { piece_no, lines_total, scene });
    }
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
