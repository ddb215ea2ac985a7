//! Conditions that reproduce the published tables, from `data/reproduce.toml` (compiled in).

use toml::{Table, Value};

use crate::error::{Error, Result, toml_problem};

const FILE: &str = include_str!("../data/reproduce.toml");

/// Prefix of settings in `data/reproduce.toml` that apply only to the brief form, which plays fewer
/// and shorter games.
const QUICK: &str = "quick_";

/// Names of all published tables that can be reproduced; tables of classic games come first.
pub const TABLES: [&str; 8] =
    ["10x10", "generators", "original", "ladder", "lee", "10x20", "sprint", "blitz"];

/// Number of tables of classic games, which come first in [`TABLES`]. Classic and guideline tables
/// need separate studies, since a study has one kind of game.
pub const CLASSIC_TABLES: usize = 6;

/// Condition of a reproduction: a run that reproduces numbers of a published table.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Name of the condition.
    pub name: String,
    /// Name of the table that the condition belongs to.
    pub table: String,
    /// Settings of the run, with the keys of a study file.
    pub settings: Table,
}

/// Returns the conditions of the named tables, or of all tables if `tables` is empty. `quick`
/// selects fewer and shorter games.
///
/// # Errors
/// [`Error::Unknown`] if a table does not exist.
pub fn plan(tables: &[String], quick: bool) -> Result<Vec<Planned>> {
    for name in tables {
        if !TABLES.contains(&&**name) {
            return Err(Error::unknown("table", name, TABLES));
        }
    }
    let mut file: Table = FILE.parse().map_err(|error| damaged(&toml_problem(FILE, &error)))?;
    let Some(Value::Array(conditions)) = file.remove("condition") else {
        return Err(damaged("no conditions"));
    };
    let planned = conditions.into_iter().map(|condition| planned(condition, quick));
    let mut planned = planned.collect::<Result<Vec<_>>>()?;
    planned.retain(|condition| tables.is_empty() || tables.contains(&condition.table));
    Ok(planned)
}

fn damaged(problem: &str) -> Error {
    Error::Config(format!("data/reproduce.toml: {problem}"))
}

fn planned(condition: Value, quick: bool) -> Result<Planned> {
    let Value::Table(mut given) = condition else { return Err(damaged("no table")) };
    let mut text = |key: &str| match given.remove(key) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(damaged(&format!("a condition has no {key}"))),
    };
    let (name, table) = (text("name")?, text("table")?);
    let mut settings = Table::new();
    for (key, value) in given {
        match key.strip_prefix(QUICK) {
            None => drop(settings.entry(key).or_insert(value)),
            Some(key) if quick => drop(settings.insert(key.to_owned(), value)),
            Some(_) => {}
        }
    }
    Ok(Planned { name, table, settings })
}

/// Returns the text of a study file with `conditions`, all played under `seed`.
///
/// # Errors
/// [`Error::Config`] if the settings can't be written as TOML. A test checks that they can.
pub fn study_text(conditions: &[Planned], seed: u64) -> Result<String> {
    let mut file = Table::new();
    file.insert("seed".to_owned(), Value::String(format!("{seed:#x}")));
    file.insert("placements".to_owned(), Value::String("none".to_owned()));
    let tables = conditions.iter().map(|condition| Value::Table(condition.settings.clone()));
    file.insert("condition".to_owned(), Value::Array(tables.collect()));
    toml::to_string(&file).map_err(|error| damaged(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::reproduce::published;

    #[test]
    fn every_published_number_is_of_a_condition_that_is_played_so() {
        let conditions = plan(&[], false).unwrap();
        let names: BTreeSet<&str> = conditions.iter().map(|planned| &*planned.name).collect();
        assert_eq!(names.len(), conditions.len(), "two conditions have one name");
        let tables: BTreeSet<&str> = conditions.iter().map(|planned| &*planned.table).collect();
        assert_eq!(tables, BTreeSet::from(TABLES));
        for row in published().unwrap() {
            let found = conditions.iter().find(|planned| planned.name == row.condition);
            let settings =
                &found.unwrap_or_else(|| panic!("{} is not played", row.condition)).settings;
            let is = |key: &str, default: &str, published: &str| {
                let played = settings.get(key).map_or(default, |value| value.as_str().unwrap());
                assert_eq!(played, published, "{key} of {}", row.condition);
            };
            is("controller", "", &row.controller);
            is("rules", "simplified", &row.rules);
            is("board", "10x20", &row.board);
            let rules = settings.get("rules").and_then(Value::as_str);
            let deals = if rules == Some("capstone") { "bag" } else { "uniform" };
            is("queue", deals, &row.queue);
            is("search", "greedy", &row.search);
        }
    }

    #[test]
    fn the_brief_form_has_its_own_settings() {
        let tables = ["10x20".to_owned()];
        let [whole, quick] = [false, true].map(|quick| plan(&tables, quick).unwrap());
        assert_eq!(whole.len(), quick.len());
        for (whole, quick) in whole.iter().zip(&quick) {
            assert_eq!(whole.name, quick.name);
            assert!(quick.settings["games"].as_integer() < Some(1_000), "{quick:?}");
            assert_ne!(whole.settings["max_pieces"], quick.settings["max_pieces"]);
            assert!(!quick.settings.keys().any(|key| key.starts_with(QUICK)));
        }
        assert!(plan(&["11x11".to_owned()], false).unwrap_err().to_string().contains("10x10"));
    }
}
