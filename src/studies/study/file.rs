//! A study's file: axes, their cross product, and single conditions.
//!
//! ```toml
//! controllers = ["bcts", "dt20"]     # an axis: the plural of a setting, with a list
//! boards = ["10x10", "10x20"]
//! games = 100                        # a setting of all conditions
//!
//! [[condition]]                      # an additional condition with its own settings
//! controller = "dellacherie"
//! board = "10x20"
//! rules = "standard"
//! ```

use toml::{Table, Value};

use crate::error::{Error, Result, toml_problem};

/// Names of the axes of a study file, each with the setting that it varies. In the cross product
/// the values of the last axis vary fastest.
pub const AXES: [(&str, &str); 10] = [
    ("controllers", "controller"),
    ("rules", "rules"),
    ("modes", "mode"),
    ("boards", "board"),
    ("garbage", "garbage"),
    ("queues", "queue"),
    ("searches", "search"),
    ("policies", "policy"),
    ("players", "players"),
    ("seeds", "seed"),
];

const CONDITION: &str = "condition";
/// Maximum number of conditions, limited because each condition has a folder.
const MOST: usize = 10_000;

struct Axis {
    name: &'static str,
    setting: &'static str,
    values: Vec<Value>,
}

/// Parses `text`, a study file. Its keys are not checked.
///
/// # Errors
/// [`Error::Config`] if it is not TOML, or has too many conditions.
pub fn parse(text: &str) -> Result<Table> {
    // The conditions are counted before parsing, which takes minutes for very many.
    let headers = text.lines().filter(|line| line.trim_start().starts_with("[[")).count();
    if headers > MOST {
        return fail(too_many());
    }
    text.parse().map_err(|error| Error::Config(toml_problem(text, &error)))
}

/// Returns the settings of each condition in `shared`, a parsed study file. The conditions of the
/// cross product come first, then the `[[condition]]` tables in their order. The values of settings
/// are not checked.
///
/// # Errors
/// [`Error::Config`] naming the wrong key and the correct form.
pub fn conditions(mut shared: Table) -> Result<Vec<Table>> {
    let singles = singles(&mut shared)?;
    let mut axes = Vec::new();
    for (name, setting) in AXES {
        axes.extend(axis(&mut shared, name, setting)?);
    }
    let mut conditions = if axes.is_empty() { Vec::new() } else { product(&shared, &axes)? };
    if conditions.len() + singles.len() > MOST {
        return fail(too_many());
    }
    for (number, single) in (1..).zip(singles) {
        conditions.push(complete(&shared, &axes, number, single)?);
    }
    if conditions.is_empty() {
        return fail(
            "no conditions: give a list, for example controllers = [\"bcts\", \"dt20\"], or a \
             [[condition]] table",
        );
    }
    Ok(conditions)
}

fn fail<T>(problem: impl Into<String>) -> Result<T> {
    Err(Error::Config(problem.into()))
}

fn too_many() -> String {
    format!("more than {MOST} conditions: make several studies of it")
}

/// Removes the `[[condition]]` tables from `shared`, the parsed study file, and returns them.
fn singles(shared: &mut Table) -> Result<Vec<Table>> {
    let singles = shared.remove(CONDITION).unwrap_or(Value::Array(Vec::new()));
    singles.try_into().or_else(|_| fail("condition: write each as a table below [[condition]]"))
}

fn axis(shared: &mut Table, name: &'static str, setting: &'static str) -> Result<Option<Axis>> {
    let is_list = |key: &str| shared.get(key).is_some_and(Value::is_array);
    // An axis without a plural of its own (`rules`) is one value or a list under the same key.
    if name != setting {
        if shared.contains_key(name) && shared.contains_key(setting) {
            return fail(format!("{name} and {setting} exclude each other: leave one out"));
        }
        if is_list(setting) {
            return fail(format!("{setting} is one value: for a list write {name} = [...]"));
        }
        if shared.contains_key(name) && !is_list(name) {
            return fail(format!("{name} is a list: write {name} = [...], or {setting} = ..."));
        }
    }
    if !is_list(name) {
        return Ok(None);
    }
    let Some(Value::Array(values)) = shared.remove(name) else { return Ok(None) };
    if values.is_empty() {
        return fail(format!("{name} is empty: give at least one, or leave it out"));
    }
    let is_plain = |value: &Value| value.is_str() || value.is_integer();
    if let Some(wrong) = values.iter().find(|value| !is_plain(value)) {
        return fail(format!("{name} holds {wrong}: write text or whole numbers"));
    }
    Ok(Some(Axis { name, setting, values }))
}

/// Returns one table of settings for each combination of the axes' values, with the settings in
/// `shared`. The values of the last axis vary fastest.
fn product(shared: &Table, axes: &[Axis]) -> Result<Vec<Table>> {
    // The size is checked first: the product of a few long lists would not fit into memory.
    let size = axes.iter().try_fold(1usize, |size, axis| size.checked_mul(axis.values.len()));
    if size.is_none_or(|size| size > MOST) {
        return fail(too_many());
    }
    let with = |table: &Table, setting: &str, value: &Value| {
        let mut table = table.clone();
        table.insert(setting.to_owned(), value.clone());
        table
    };
    Ok(axes.iter().fold(vec![shared.clone()], |tables, Axis { setting, values, .. }| {
        let with_each = |table| values.iter().map(move |value| with(table, setting, value));
        tables.iter().flat_map(with_each).collect()
    }))
}

/// Returns the settings of `single`, the `[[condition]]` table with this `number`. They are
/// completed by the settings in `shared` and by the axes with only one value.
fn complete(shared: &Table, axes: &[Axis], number: usize, single: Table) -> Result<Table> {
    let mut table = shared.clone();
    for Axis { name, setting, values } in axes {
        match &values[..] {
            // The condition's own value takes precedence.
            _ if single.contains_key(*setting) => {}
            // An axis with one value holds for all conditions.
            [value] => _ = table.insert((*setting).to_owned(), value.clone()),
            _ => {
                return fail(format!(
                    "[[condition]] {number} has no {setting}, and {name} has {} values: add \
                     {setting} = ...",
                    values.len()
                ));
            }
        }
    }
    table.extend(single);
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let line = |table: &Table| table.to_string().trim().replace('\n', "; ");
        conditions(parse(text).unwrap()).unwrap().iter().map(line).collect()
    }

    fn refused(text: &str, words: &[&str]) {
        let message = parse(text).and_then(conditions).unwrap_err().to_string();
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }

    #[test]
    fn the_last_axis_varies_fastest() {
        let found = read("games = 2\nseeds = [1, 2]\ncontrollers = ['a', 'b']");
        let expected = |controller: &str, seed: u8| {
            format!("games = 2; controller = \"{controller}\"; seed = {seed}")
        };
        let order = [("a", 1), ("a", 2), ("b", 1), ("b", 2)];
        assert_eq!(found, order.map(|(controller, seed)| expected(controller, seed)));
    }

    #[test]
    fn single_conditions_stand_last_and_override() {
        let found = read(
            "games = 2\nrules = 'standard'\nboards = ['10x10']\n[[condition]]\n\
             games = 3\n[[condition]]\nboard = '8x8'",
        );
        let expected = [
            "games = 2; rules = \"standard\"; board = \"10x10\"",
            "games = 3; rules = \"standard\"; board = \"10x10\"",
            "games = 2; rules = \"standard\"; board = \"8x8\"",
        ];
        assert_eq!(found, expected);
        assert_eq!(read("[[condition]]\nseed = 1"), ["seed = 1"]);
    }

    #[test]
    fn mistakes_are_named() {
        refused("", &["no conditions", "controllers = ["]);
        refused("games = 1", &["no conditions"]);
        refused("seeds = [1\n", &["line "]);
        refused("seeds = []", &["seeds is empty"]);
        refused("seeds = 1", &["seeds is a list", "seed = ..."]);
        refused("seed = [1]", &["seed is one value", "seeds = [...]"]);
        refused("seed = 1\nseeds = [1]", &["seeds and seed exclude"]);
        refused("seeds = [true]", &["seeds holds true"]);
        refused("condition = 1", &["[[condition]]"]);
        refused("seeds = [1, 2]\n[[condition]]\ngames = 1", &["[[condition]] 1 has no seed"]);
        let many = format!("seeds = {:?}\nboards = {0:?}", [0; 200]);
        refused(&many, &["more than 10000"]);
    }
}
