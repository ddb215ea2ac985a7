//! Tests of the options and presets of rules.

use std::path::Path;

use tetrastat_core::rules::guideline::*;

#[test]
fn presets_are_files_and_playable() {
    let files = std::fs::read_dir("../../data/rules").unwrap().count();
    assert_eq!(files, GUIDELINE_NAMES.len());
    for name in GUIDELINE_NAMES {
        let rules: RuleSet = name.parse().unwrap();
        assert_eq!((rules.to_string(), rules.preset_name()), (name.to_owned(), Some(name)));
        assert_eq!(rules.file(), None);
        rules.check().unwrap();
    }
    let capstone = Guideline {
        i_spawn_row: 21,
        falls_at_once: false,
        kept_rows: 24,
        lock_out: false,
        front_walls: false,
        fifth_kick: FifthKick::Alone,
        multiplied_zero_spins: true,
        perfect_tetris: PerfectTetris::Total4000,
        ..Guideline::official()
    };
    assert_eq!(Guideline::capstone(), capstone);
    assert!("x".parse::<RuleSet>().is_err());
    assert!("simplified".parse::<RuleSet>().unwrap_err().to_string().contains("classic"));
}

#[test]
fn options_lie_over_rules_and_change_their_name() {
    let plus = RuleOptions { kicks: Some(Kicks::SrsPlus), ..RuleOptions::default() };
    let seen = RuleOptions { hold: Some(false), previews: Some(2), ..RuleOptions::default() };
    for rules in [RuleSet::official(), RuleSet::capstone()] {
        assert_eq!(*rules.with(&RuleOptions::default()), *rules);
        assert_eq!(rules.with(&seen).to_string(), rules.to_string());
        assert_eq!((rules.with(&seen).hold, rules.with(&seen).previews), (false, 2));
        let changed = rules.with(&plus);
        assert_eq!(changed.to_string(), format!("{rules} (changed)"));
        assert_eq!(changed.preset_name(), rules.preset_name());
    }
}

#[test]
fn a_file_needs_only_what_differs() {
    let rules = RuleSet::parse("my/six.toml", "previews = 6\nhold = false").unwrap();
    assert_eq!(rules.to_string(), "six");
    assert_eq!(*rules, Guideline { previews: 6, hold: false, ..Guideline::official() });
    let text = "name = 'mine'\nsource = 'me'\npreset = 'capstone'\nkicks = 'srs+'";
    let rules = RuleSet::parse("six.toml", text).unwrap();
    assert_eq!((&*rules.to_string(), rules.preset_name()), ("mine", None));
    assert_eq!(*rules, Guideline { kicks: Kicks::SrsPlus, ..Guideline::capstone() });
    let file = rules.file().unwrap();
    let written = toml::to_string(&file).unwrap();
    assert_eq!(RuleSet::parse("other.toml", &written).unwrap(), rules);
    assert_eq!(RuleSet::from_options(&file).unwrap(), rules);
}

#[test]
fn wrong_files_are_refused_with_the_remedy() {
    for (text, words) in [
        ("previws = 6", &["rules my.toml: line 1", "previws", "previews"][..]),
        ("x = 1", &["unknown key 'x'", "kicks", "perfect_tetris", "preset", "data/rules/"]),
        ("previews = 16", &["16 previews: use 0 to 15"]),
        ("previews = 300", &["line 1"]),
        ("hold = 'no'", &["line 1", "boolean"]),
        ("kicks = 'ars'", &["line 1", "ars", "srs+"]),
        ("fifth_kick = 'never'", &["with-corners", "alone"]),
        ("kept_rows = 40", &["use 22 to 32"]),
        ("preset = 'standard'", &["unknown preset 'standard'", "guideline", "capstone"]),
        ("name = 'capstone'", &["'capstone' is a preset"]),
        ("name = ''", &["name"]),
    ] {
        let message = RuleSet::parse("my.toml", text).unwrap_err().to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{text}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    assert!(RuleSet::load("no-such.toml").unwrap_err().to_string().contains("no-such.toml"));
    assert!(!RuleSet::is_file("capstone") || Path::new("capstone").is_file());
}
