//! Conditions (settings of controller and game) of a study: numbered runs, each with a folder. The
//! study's file lists them by axes, whose cross product they are, and singly.
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

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toml::Table;

use crate::engine::{About, Comparable, RunState, is_same};
use crate::error::setting::OUT;
use crate::error::toml_problem;
use crate::prelude::*;
use crate::record::{
    Checkpoint, ConditionResults, ConditionRow, Progress, differences, exists, has_checkpoint,
    plain_name, remove_checkpoint, rounded, verify,
};
use crate::stats::Estimate;

/// Condition of a study: one setting of controller and game, whose run has a folder of its own.
#[derive(Clone, Debug)]
pub struct Condition<G> {
    /// Number of the condition (setting of controller and game) in its study, from 1.
    pub number: u64,
    /// Name of the study's subfolder for the games of one condition (one setting).
    pub folder: String,
    /// Configuration of one condition's games: controller, rules, board, and number of games.
    pub game: G,
}

impl<G: Comparable> Condition<G> {
    /// Creates one numbered condition of a study for each configuration in `games`. Refuses equal
    /// configurations, and different controllers with the same name.
    pub fn all(games: Vec<G>) -> Result<Vec<Condition<G>>> {
        let is_played = vec![true; games.len()];
        let [conditions, _] = Condition::split(games, &is_played)?;
        Ok(conditions)
    }

    /// Creates a study's conditions from `games`. Returns first the conditions to be played
    /// (`is_played`), then the conditions to be estimated.
    pub fn split(games: Vec<G>, is_played: &[bool]) -> Result<[Vec<Condition<G>>; 2]> {
        // All numbers have the same width, so that folders sort in the order of the conditions.
        let digits = games.len().to_string().len().max(3);
        let name = |(number, game): (u64, G)| {
            let folder = format!("{number:0digits$}-{}", plain_name(&game.about().label));
            Condition { number, folder, game }
        };
        let conditions: Vec<Condition<G>> = (1..).zip(games).map(name).collect();
        check_distinct(&conditions)?;
        refuse_names(&conditions)?;
        let (mut kept, mut others) = (Vec::new(), Vec::new());
        for (condition, &is_played) in conditions.into_iter().zip(is_played) {
            if is_played { &mut kept } else { &mut others }.push(condition);
        }
        // Tables of different runs are read as one, so they get equal columns. That needs all runs.
        let numbered = kept.iter_mut().map(|Condition { number, game, .. }| (*number, game));
        G::unify_log_columns(&mut numbered.collect::<Vec<_>>());
        Ok([kept, others])
    }

    /// Returns whether the condition's games are pending, unfinished or complete. A complete run
    /// that now needs more games becomes resumable.
    pub fn progress(&self, study: &Path) -> Result<Progress> {
        let folder = study.join(&self.folder);
        if exists(&folder.join("run.json"))? {
            let manifest = Manifest::<G>::read(&folder)?;
            let (mine, begun) = (self.game.recorded_config(), &manifest.config);
            // A run of fewer games is still the condition's run: it will be extended.
            let same = is_same(begun, &mine) || G::is_prefix_of(begun, &mine);
            self.refuse_other(&folder, begun, same)?;
            if manifest.status == Status::Complete && is_same(begun, &mine) {
                // If the program was killed just after the end of the run, a checkpoint may remain,
                // whole or in part.
                remove_checkpoint(&folder);
                refuse_damaged(&folder)?;
                return Ok(Progress::Complete);
            }
            self.grow(&folder)?;
        }
        if !has_checkpoint(&folder)? {
            return Ok(Progress::Pending);
        }
        let checkpoint = Checkpoint::<RunState<G>>::read(&folder)?;
        let same = is_same(&checkpoint.config, &self.game.recorded_config());
        self.refuse_other(&folder, &checkpoint.config, same)?;
        Ok(Progress::Unfinished)
    }

    fn grow(&self, folder: &Path) -> Result<()> {
        let (manifest, mine) = (Manifest::<G>::read(folder)?, self.game.recorded_config());
        // A stopped run has a checkpoint, from which it resumes as it is.
        if manifest.status != Status::Complete || !G::is_prefix_of(&manifest.config, &mine) {
            return Ok(());
        }
        // The run was extended already; a new checkpoint would lose the games played since then.
        if has_checkpoint(folder)?
            && is_same(&Checkpoint::<RunState<G>>::read(folder)?.config, &mine)
        {
            return Ok(());
        }
        // A kill during the write leaves half a checkpoint.
        remove_checkpoint(folder);
        refuse_damaged(folder)?;
        let end = G::extension_point(G::games(&manifest.config));
        Checkpoint::after(&manifest, end, &self.game).write(folder)
    }

    /// Returns how many games the condition's run was last asked to play; `None` before its start.
    pub fn games_begun(&self, study: &Path) -> Result<Option<u64>> {
        let folder = study.join(&self.folder);
        // The checkpoint comes first: an extended run has both files, and the checkpoint is newer.
        if has_checkpoint(&folder)? {
            return Ok(Some(G::games(&Checkpoint::<RunState<G>>::read(&folder)?.config)));
        }
        let played = exists(&folder.join("run.json"))?;
        played.then(|| Ok(G::games(&Manifest::<G>::read(&folder)?.config))).transpose()
    }

    fn refuse_other(&self, folder: &Path, begun: &G::Entry, same: bool) -> Result<()> {
        if same {
            return Ok(());
        }
        let differing = differences(&json!(begun), &json!(self.game.recorded_config()));
        Err(Error::Config(format!(
            "{} holds another run than condition {}: {differing}; restore the files that the \
             condition names (controllers, boards, scripts), or choose another {OUT}",
            folder.display(),
            self.number
        )))
    }

    /// Returns the condition's row of `conditions.csv`; only the `status` `Complete` gives results.
    pub fn row(&self, study: &Path, status: Progress) -> Result<ConditionRow> {
        let folder = study.join(&self.folder);
        let results = match status {
            Progress::Complete => self.results(&folder)?,
            Progress::Pending | Progress::Unfinished => None,
        };
        // Columns must be known before a game is played, so empty totals define them.
        let none = G::totals(&self.game.empty_count());
        let measure = self.game.about().measure;
        Ok(ConditionRow {
            condition: self.number,
            folder: self.folder.clone(),
            status,
            config: json!(self.game.recorded_config()),
            results,
            measure: measure.to_owned(),
            whole: self.game.is_whole(measure),
            counted: self.counts(&none).keys().cloned().collect(),
        })
    }

    fn results(&self, folder: &Path) -> Result<Option<ConditionResults>> {
        let manifest = Manifest::<G>::read(folder)?;
        let about = self.game.about();
        let measure = self.game.measure_named(about.measure)?;
        let observed = self.game.observed(folder, &measure)?;
        let (is_random, seed) = (about.is_random(), about.seed);
        let estimate = Estimate::new(&observed, measure.scale, is_random, seed);
        let estimate = Estimate { mean: rounded(estimate.mean), ..estimate };
        let totals = self.counts(&manifest.totals);
        Ok((!observed.is_empty()).then_some(ConditionResults { estimate, totals }))
    }

    fn counts(&self, totals: &G::Totals) -> Map<String, Value> {
        let mut counts = match json!(totals) {
            Value::Object(counts) => counts,
            _ => Map::new(),
        };
        let results = self.game.result_table().map(|table| table.file).unwrap_or_default();
        counts.shift_remove(results.split('.').next().unwrap_or_default());
        counts
    }
}

fn refuse_damaged(folder: &Path) -> Result<()> {
    let damaged = verify(folder)?.into_iter().find(|finding| finding.problem.is_some());
    let Some(finding) = damaged else { return Ok(()) };
    let (folder, problem) = (folder.display(), finding.problem.unwrap_or_default());
    Err(Error::Config(format!(
        "{folder}: {}: {problem}: remove this folder, and the study plays it again",
        finding.name
    )))
}

fn check_distinct<G: Comparable>(conditions: &[Condition<G>]) -> Result<()> {
    let mut seen = BTreeMap::new();
    for Condition { number, folder, game } in conditions {
        // Recorded configurations are compared, so that two spellings of one setting count as
        // equal.
        let entry = serde_json::to_string(&game.recorded_config()).unwrap_or_default();
        if let Some(first) = seen.insert(entry, number) {
            return Err(Error::Config(format!(
                "conditions {first} and {number} ({folder}) are the same: leave one out"
            )));
        }
    }
    Ok(())
}

/// Refuses controller names with a comma or quotation mark, and one name for two controllers.
fn refuse_names<G: Comparable>(conditions: &[Condition<G>]) -> Result<()> {
    let mut seen: BTreeMap<String, Value> = BTreeMap::new();
    for condition in conditions {
        let About { player: name, identity: is, .. } = condition.game.about();
        let fail = |problem: &str| {
            let (name, problem) = (name.clone(), problem.to_owned());
            Err(Error::Controller { name, problem })
        };
        if name.contains([',', '"']) {
            return fail("a table cannot hold its name: write it without commas and quotes");
        }
        // A controller may occur in several conditions; two controllers must not share a name.
        if *seen.entry(name.clone()).or_insert_with(|| is.clone()) != is {
            return fail("two controllers of the study have this name: give each its own");
        }
    }
    Ok(())
}

/// Plural and singular names of the settings that a study can vary; the last setting varies
/// fastest.
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
const MOST: usize = 10_000;

struct Axis {
    name: &'static str,
    setting: &'static str,
    values: Vec<toml::Value>,
}

/// Parses the text of a study file as TOML, without checking its keys.
pub fn parse(text: &str) -> Result<Table> {
    // The conditions are counted before parsing, which takes minutes for very many.
    let headers = text.lines().filter(|line| line.trim_start().starts_with("[[")).count();
    if headers > MOST {
        return fail(too_many());
    }
    text.parse().map_err(|error| Error::Config(toml_problem(text, &error)))
}

/// Returns each condition's settings: combinations of listed values, then `[[condition]]` tables.
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

fn singles(shared: &mut Table) -> Result<Vec<Table>> {
    let singles = shared.remove(CONDITION).unwrap_or(toml::Value::Array(Vec::new()));
    singles.try_into().or_else(|_| fail("condition: write each as a table below [[condition]]"))
}

fn axis(shared: &mut Table, name: &'static str, setting: &'static str) -> Result<Option<Axis>> {
    let is_list = |key: &str| shared.get(key).is_some_and(toml::Value::is_array);
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
    let Some(toml::Value::Array(values)) = shared.remove(name) else { return Ok(None) };
    if values.is_empty() {
        return fail(format!("{name} is empty: give at least one, or leave it out"));
    }
    let is_plain = |value: &toml::Value| value.is_str() || value.is_integer();
    if let Some(wrong) = values.iter().find(|value| !is_plain(value)) {
        return fail(format!("{name} holds {wrong}: write text or whole numbers"));
    }
    Ok(Some(Axis { name, setting, values }))
}

fn product(shared: &Table, axes: &[Axis]) -> Result<Vec<Table>> {
    // The size is checked first: the product of a few long lists would not fit into memory.
    let size = axes.iter().try_fold(1usize, |size, axis| size.checked_mul(axis.values.len()));
    if size.is_none_or(|size| size > MOST) {
        return fail(too_many());
    }
    let with = |table: &Table, setting: &str, value: &toml::Value| {
        let mut table = table.clone();
        table.insert(setting.to_owned(), value.clone());
        table
    };
    Ok(axes.iter().fold(vec![shared.clone()], |tables, Axis { setting, values, .. }| {
        let with_each = |table| values.iter().map(move |value| with(table, setting, value));
        tables.iter().flat_map(with_each).collect()
    }))
}

/// Adds the settings that hold for a whole study to the settings of one `[[condition]]` table.
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
