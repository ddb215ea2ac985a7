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

/// Returns a controller with a network of zeros, in which `line` replaces one line of its table.
fn with_network(name: &str, line: &str) -> String {
    let row = vec!["0"; HIDDEN].join(" ");
    let rows = |count: usize| format!("['{}']", vec![&*row; count].join("', '"));
    let units = vec!["0"; SECOND].join(" ");
    let lines = [
        ("share", "share = 0.5".to_owned()),
        ("point", "point = 0.001".to_owned()),
        ("first", format!("first = {}", rows(INPUTS + 1))),
        ("second", format!("second = {}", rows(SECOND))),
        ("second_bias", format!("second_bias = '{units}'")),
        ("third", format!("third = '{units}'")),
        ("third_bias", "third_bias = 0".to_owned()),
    ];
    let lines = lines.map(|(of, own)| if of == name { line.to_owned() } else { own });
    format!(
        "name = 'x'\nmeasured = 'after-clear'\n[weights]\nholes = -1\n[network]\n{}\n",
        lines.join("\n")
    )
}

#[test]
fn mistakes_in_networks_are_named() {
    let parsed = GuidelineController::parse("mine", &with_network("", "")).unwrap();
    assert_eq!(parsed.network.unwrap().text().share, 0.5);
    let message = |name: &str, line: &str| {
        let text = with_network(name, line);
        let error = GuidelineController::parse("mine.toml", &text).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    assert!(message("share", "share = 1.5").contains("from 0 to 1"));
    assert!(message("share", "share = nan").contains("from 0 to 1"));
    assert!(message("point", "point = 0.0").contains("above 0"));
    assert!(message("first", "first = ['1 2']").contains("first has 1 rows: give 578"));
    assert!(message("third", "third = '1 2'").contains("third has 2 numbers: give 32"));
    assert!(message("third", "third = '1 x'").contains("'x' is no whole number"));
    assert!(message("third_bias", "").contains("third_bias"));
    let large = vec!["32767"; HIDDEN].join(" ");
    let first = format!("first = ['{}']", vec![&*large; INPUTS + 1].join("', '"));
    assert!(message("first", &first).contains("add up to"));
    // A weight within the type by itself, but not added over all inputs.
    let large = vec!["200"; HIDDEN].join(" ");
    let first = format!("first = ['{}']", vec![&*large; INPUTS + 1].join("', '"));
    // Inputs that exclude each other count once: 160 cells or holes, 16 rows, 9 steps, the hold, 7
    // pieces of the bag, back-to-back, and the biases.
    assert!(message("first", &first).contains("add up to 39000"));
    let classic = with_network("", "");
    let error = Controller::parse("mine.toml", &classic).unwrap_err().to_string();
    assert!(error.contains("only guideline games"), "{error}");
}
