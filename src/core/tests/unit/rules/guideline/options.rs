//! Tests of [`tetrastat_core::rules::guideline::options`].

use tetrastat_core::rules::guideline::Kicks;
use tetrastat_core::rules::guideline::*;

#[test]
fn presets_have_names_and_are_playable() {
    for name in GUIDELINE_NAMES {
        let rules: Guideline = name.parse().unwrap();
        assert_eq!(rules.to_string(), name);
        rules.check().unwrap();
    }
    let changed = Guideline { half_turns: true, ..Guideline::official() };
    assert_eq!(changed.to_string(), "guideline (changed)");
    assert_eq!(changed.preset(), Some("guideline"));
    let capstone = Guideline { kicks: Kicks::SrsPlus, previews: 2, ..Guideline::capstone() };
    assert_eq!(capstone.preset(), Some("capstone"));
    assert_eq!(Guideline { kept_rows: 30, ..capstone }.preset(), None);
    assert!("x".parse::<Guideline>().is_err());
    assert!(Guideline { previews: 16, ..changed }.check().is_err());
}
