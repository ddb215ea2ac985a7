//! JSON of checkpoints: what is read is written as it was, and games that it left open either go on or are refused.
#![no_main]

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use libfuzzer_sys::fuzz_target;
use tetrastat_core::controller::Controller;
use tetrastat_runs::engine::{Checkpoint, Job as _};
use tetrastat_runs::record::verify_checksum;
use tetrastat_runs::sim::{ClassicConfig, Game as _, Limits, Unrecorded, play_game};

static CONFIG: LazyLock<ClassicConfig> = LazyLock::new(|| {
    let lee = Controller::load("lee").unwrap();
    let limits = Limits { pieces: Some(20), lines: None };
    ClassicConfig { limits, seed: 3, ..ClassicConfig::new(lee, "10x20".parse().unwrap()) }
});

fuzz_target!(|bytes: &[u8]| {
    let text = verify_checksum(bytes).or(std::str::from_utf8(bytes).ok());
    let read = text.and_then(|text| serde_json::from_str::<Checkpoint<ClassicConfig>>(text).ok());
    let Some(checkpoint) = read else { return };
    let written = serde_json::to_string(&checkpoint).unwrap();
    let again: Checkpoint<ClassicConfig> = serde_json::from_str(&written).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), written);
    for open in checkpoint.open {
        let Ok(game) = CONFIG.restored(open) else { continue };
        let mut player = tetrastat_runs::sim::Game::player(&*CONFIG).unwrap();
        let _ = play_game(&CONFIG, &mut player, game, &AtomicBool::new(false), &mut Unrecorded);
    }
});
