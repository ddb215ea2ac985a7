//! Tests of [`tetrastat_core::controller::file`].

use tetrastat_core::board::BoardSize;
use tetrastat_core::controller::{Controller, PRESETS};

fn message(text: &str) -> String {
    let message = Controller::parse("mine.toml", text).unwrap_err().to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn every_preset_parses_under_its_own_name() {
    for preset in PRESETS {
        let controller = preset.controller().unwrap();
        assert_eq!(controller.name, preset.name);
        assert!(!controller.title.is_empty() && !controller.source.is_empty());
    }
}

#[test]
fn every_preset_file_is_compiled_in() {
    let entries = std::fs::read_dir("../../data/controllers").unwrap();
    let files = entries.filter(|entry| entry.as_ref().unwrap().path().is_file());
    assert_eq!(files.count(), PRESETS.len());
}

#[test]
fn mistakes_are_named() {
    let head = "name = 'x'\nmeasured = 'after-clear'\n[weights]\n";
    assert!(message(&format!("{head}hoels = 1")).contains("unknown feature 'hoels'"));
    assert!(message(&format!("{head}holes = 'abc'")).contains("weight of holes is \"abc\""));
    assert!(message(&format!("{head}holes = abc")).contains("line 4"));
    assert!(message(&format!("{head}holes = nan")).contains("finite"));
    assert!(message(head).contains("[weights] is empty"));
    assert!(message(&format!("{head}'holes@8' = 1")).contains("give holes too"));
    for height in ["0", "29", "x", "", "8@9", "08", "+8"] {
        let text = message(&format!("{head}holes = 1\n'holes@{height}' = 1"));
        assert!(text.contains("give the height of the stack, 1 to 28 rows"), "{text}");
    }
    assert!(
        message(&format!("{head}holes = 1\n'hoels@3' = 1")).contains("unknown feature 'hoels'")
    );
    assert!(message("name = ''\nmeasured = 'after-clear'\n[weights]\n").contains("name"));
    assert!(message("name = 'x'\n[weights]\nholes=1").contains("measured"));
    assert!(message("nmae = 'x'\n").contains("line 1"));
    assert!(message("name='x'\nmeasured='sometimes'\n[weights]\nholes=1").contains("line 2"));
}

#[test]
fn columns_beyond_the_wall_and_other_widths_are_refused() {
    let narrow = BoardSize::new(8, 20).unwrap();
    let bdu = Controller::load("bdu").unwrap();
    assert!(bdu.check(narrow).unwrap_err().to_string().contains("10 wide, not 8"));
    assert!(bdu.check(BoardSize::new(10, 10).unwrap()).is_ok());
    let text = "name='x'\nmeasured='after-clear'\n[weights]\nheight_8=1";
    let own = Controller::parse("x", text).unwrap();
    assert!(own.check(narrow).unwrap_err().to_string().contains("height_8"));
}
