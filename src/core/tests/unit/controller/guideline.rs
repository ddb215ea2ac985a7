//! Tests of [`tetrastat_core::controller::guideline`].

use tetrastat_core::controller::*;

#[test]
fn every_preset_parses_under_its_own_name() {
    for name in GuidelineController::names() {
        let controller = GuidelineController::load(name).unwrap();
        assert_eq!(controller.name, name);
        assert!(!controller.title.is_empty() && !controller.source.is_empty());
    }
    let files = std::fs::read_dir("../../data/controllers/guideline").unwrap().count();
    assert_eq!(files, GUIDELINE_PRESETS.len());
}

#[test]
fn mistakes_are_named() {
    let message = |text: &str| {
        let error = GuidelineController::parse("mine.toml", text).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    let head = "name = 'x'\nmeasured = 'after-clear'\n";
    let weights = |text: &str| message(&format!("{head}[weights]\n{text}"));
    assert!(weights("hoels = 1").contains("unknown guideline term 'hoels'"));
    assert!(weights("holes = 'x'").contains("finite number"));
    assert!(weights("holes = 1e7").contains("at most 1000000"));
    assert!(message(&format!("{head}tie = 'dellacherie'\n[weights]\nholes = 1")).contains("tie"));
    assert!(message(&format!("{head}board_width = 8\n[weights]\nholes = 1")).contains("10 wide"));
    assert!(GuidelineController::load("bcts").unwrap_err().to_string().contains("capstone-blitz"));
}
