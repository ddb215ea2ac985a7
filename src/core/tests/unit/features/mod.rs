//! Tests of [`tetrastat_core::features`].

mod explain;
mod guideline;

use std::collections::BTreeSet;
use tetrastat_core::board::BoardSize;
use tetrastat_core::features::*;

#[test]
fn names_are_unique_and_read_back() {
    let size = BoardSize::new(16, 28).unwrap();
    let names: BTreeSet<String> = Feature::all(size).map(|f| f.to_string()).collect();
    assert_eq!(names.len(), Feature::all(size).count());
    for feature in Feature::all(size) {
        assert_eq!(feature.to_string().parse::<Feature>().unwrap(), feature);
    }
}

#[test]
fn every_entry_says_what_it_is_and_where_it_comes_from() {
    for entry in REGISTRY {
        assert!(!entry.definition.is_empty() && !entry.source.is_empty(), "{}", entry.name);
    }
}

#[test]
fn columns_beyond_the_wall_do_not_exist() {
    let narrow = BoardSize::new(5, 10).unwrap();
    assert!(!"height_5".parse::<Feature>().unwrap().exists_on(narrow));
    assert!("height_4".parse::<Feature>().unwrap().exists_on(narrow));
    assert!(!"height_diff_4".parse::<Feature>().unwrap().exists_on(narrow));
    assert!("nonsense".parse::<Feature>().unwrap_err().to_string().contains("wells"));
}
