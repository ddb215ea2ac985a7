//! Defines the cases and the checksum of guideline games.

use sha2::{Digest, Sha256};

use super::checksum::start_of;
use super::{BenchRow, Case, Section};
use crate::controller::GuidelineController;
use crate::error::Result;
use crate::kernels::Level;
use crate::record::{GuidelineDecision, GuidelinePlacement};
use crate::rules::guideline::{Moves, RuleSet};
use crate::search::guideline::Beam;
use crate::sim::guideline::{GuidelineConfig, GuidelinePlayer, Mode, SPRINT_LINES};
use crate::sim::{Game, OnPlacement, Stepped, play_to_end};

const SPRINT: Mode = Mode::Sprint { lines: SPRINT_LINES };
const BLITZ: Mode = Mode::Blitz { pieces: 360, time_us: u64::MAX };

/// Benchmark cases: name of the controller, mode and search.
const CASES: [(&str, Mode, Beam); 3] = [
    ("tetrastat-sprint", SPRINT, Beam::GREEDY),
    ("tetrastat-blitz-greedy", BLITZ, Beam::GREEDY),
    ("tetrastat-blitz", BLITZ, Beam::new(16, 6)),
];

fn config(controller: &str, mode: Mode, beam: Beam, level: Level) -> Result<GuidelineConfig> {
    let moves = if mode == SPRINT { Moves::HardDrops } else { Moves::All };
    let controller = GuidelineController::load(controller)?;
    let usual = GuidelineConfig::new(controller, RuleSet::official());
    Ok(GuidelineConfig { moves, beam, mode, level, ..usual })
}

/// Returns the cases of guideline games at every instruction level of this CPU. Each case plays
/// games until the requested number of pieces is placed.
pub(super) fn cases() -> Result<Vec<Case<'static>>> {
    let mut cases = Vec::new();
    for (name, mode, beam) in CASES {
        for level in Level::available() {
            let config = config(name, mode, beam, level)?;
            let row = BenchRow {
                level: level.to_string(),
                search: config.beam.name().to_owned(),
                ..BenchRow::new(Section::GUIDELINE, format!("{name} {}", mode.name()))
            };
            let mut player = GuidelinePlayer::new(&config);
            let run = move |pieces: u64| {
                let (mut placed, mut looked_at, mut game) = (0, 0, 0);
                while placed < pieces {
                    let mut state = config.begin(config.seed, game);
                    game += 1;
                    let see = |seen: &GuidelinePlacement, _: GuidelineDecision<'_>| {
                        placed += 1;
                        looked_at += seen.found.map_or(0, |found| found.examined);
                    };
                    let mut each = OnPlacement(see);
                    while let Ok(Stepped { end: None, .. }) =
                        config.step(&mut player, &mut state, &mut each)
                    {
                        if u64::from(state.row().pieces) >= pieces {
                            break;
                        }
                    }
                }
                (placed, looked_at)
            };
            cases.push(Case { row, run: Box::new(run) });
        }
    }
    Ok(cases)
}

/// Returns the checksum of guideline games at instruction level `level`: the first 16 hexadecimal
/// digits of SHA-256 over the board after every placement. The games are 4 Sprints and 4 Blitzes
/// under each of the two rule presets.
///
/// # Errors
/// None in a released build, because the games are fixed.
pub fn guideline_checksum(level: Level) -> Result<String> {
    let mut hash = Sha256::new();
    let short = Mode::Blitz { pieces: 60, time_us: u64::MAX };
    let games = [
        ("tetrastat-sprint", SPRINT, Beam::GREEDY, 4),
        ("tetrastat-blitz-greedy", BLITZ, Beam::GREEDY, 2),
        ("capstone-blitz", short, Beam::new(6, 3), 2),
    ];
    for rules in [RuleSet::official(), RuleSet::capstone()] {
        for (name, mode, beam, many) in games {
            let config =
                GuidelineConfig { rules: rules.clone(), ..config(name, mode, beam, level)? };
            let mut player = GuidelinePlayer::new(&config);
            let mut each = OnPlacement(|seen: &GuidelinePlacement, _: GuidelineDecision<'_>| {
                let board = seen.placed.after.matrix.to_board();
                board.rows().iter().for_each(|row| hash.update(row.to_le_bytes()));
            });
            for game in 0..many {
                play_to_end(&config, &mut player, config.begin(config.seed, game), &mut each)?;
            }
        }
    }
    Ok(start_of(hash))
}
