//! Tables on the web page of an output folder, with evenly spaced rows, and facts: names and values
//! of a run's configuration and circumstances.

use std::fs::File;
use std::io::Read;

use serde::Serialize;
use serde_json::{Number, Value, json};

use super::games::Picker;
use crate::error::{Error, Result};
use crate::record::{
    BoundedLines, Column, ColumnType, RowFilter, Rows, TableFile, invalid_content_error,
};

const MISSING: &str = "NA";
const MIN_ROWS: usize = 20;

#[derive(Clone, Debug, Serialize)]
pub(super) struct Heading {
    name: String,
    kind: &'static str,
    unit: String,
    meaning: String,
}

impl Heading {
    pub(super) fn new(column: &Column) -> Heading {
        Heading {
            name: column.name.clone(),
            kind: column.kind.name(),
            unit: column.unit.to_string(),
            meaning: column.meaning.clone(),
        }
    }
}

/// Table on a web page, with all rows of its file or, for example, only every second.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    name: String,
    file: String,
    columns: Vec<Heading>,
    rows: usize,
    /// Distance in the file between rows that the page shows: 1 for all rows, 2 for every second.
    step: usize,
    data: Vec<Vec<Value>>,
}

impl Table {
    /// Creates an empty table for at most `most` (or 20, if more) evenly spaced rows of `file`.
    fn new(file: &TableFile, most: usize) -> Table {
        let rows = file.rows().and_then(|rows| usize::try_from(rows).ok()).unwrap_or(0);
        let mut step = 1;
        while rows.div_ceil(step) > most.max(MIN_ROWS) {
            step *= 2;
        }
        Table {
            name: file.table().to_owned(),
            file: file.name().to_owned(),
            columns: Vec::new(),
            rows: 0,
            step,
            data: Vec::new(),
        }
    }

    /// Reads at most `most` (or 20, if more) evenly spaced rows of `file` into a web page's table.
    /// `picker` takes the log rows of shown games.
    pub(super) fn read(
        file: &TableFile,
        most: usize,
        mut picker: Option<&mut Picker>,
    ) -> Result<Table> {
        let mut table = Table::new(file, most);
        let games = picker.as_ref().map(|picker| picker.ranges()).unwrap_or_default();
        let filter = RowFilter { every: table.step as u64, first_row: 0, games };
        let rows = file.seek(&filter, &mut |columns, rows, numbers| {
            table.take(columns, rows, numbers, most);
            if let Some(picker) = &mut picker {
                picker.take(columns, rows);
            }
            Ok(())
        })?;
        table.rows = rows.unwrap_or_default() as usize;
        Ok(table)
    }

    /// Reads a CSV table without column descriptions. Columns with only numbers are numeric.
    pub(super) fn read_plain(file: &TableFile, most: usize) -> Result<Table> {
        let path = file.path();
        let failed = |error: csv::Error| invalid_content_error(path, error);
        let mut table = Table::new(file, most);
        let opened = File::open(path).map_err(|error| Error::io("reading", path, error))?;
        let mut reader = csv::Reader::from_reader(BoundedLines::new(
            opened.take(file.length().unwrap_or(u64::MAX)),
        ));
        let names: Vec<String> =
            reader.headers().map_err(failed)?.iter().map(str::to_owned).collect();
        let (mut rows, mut record) = (Vec::new(), csv::StringRecord::new());
        while reader.read_record(&mut record).map_err(failed)? {
            if table.rows.is_multiple_of(table.step) {
                rows.push(record.clone());
            }
            table.rows += 1;
            if rows.len() > most.max(MIN_ROWS) {
                table.step *= 2;
                drop_every_second(&mut rows);
            }
        }
        for (index, name) in names.into_iter().enumerate() {
            let texts = || rows.iter().map(|row| row.get(index).filter(|text| *text != MISSING));
            let number = |text: &str| text.parse().ok().and_then(Number::from_f64);
            let numeric = texts().flatten().all(|text| number(text).is_some());
            let value = |text: Option<&str>| match text {
                Some(text) if numeric => json!(number(text)),
                text => json!(text),
            };
            table.data.push(texts().map(value).collect());
            table.columns.push(Heading {
                name,
                kind: if numeric { ColumnType::Real } else { ColumnType::Text }.name(),
                unit: "-".to_owned(),
                meaning: String::new(),
            });
        }
        Ok(table)
    }

    /// Adds file rows, then drops every second row until at most `most` (or 20, if more) are left.
    fn take(&mut self, columns: &[Column], rows: &Rows, numbers: &[u64], most: usize) {
        if self.columns.is_empty() {
            self.columns = columns.iter().map(Heading::new).collect();
            self.data = vec![Vec::new(); columns.len()];
        }
        for (row, number) in numbers.iter().enumerate() {
            if !number.is_multiple_of(self.step as u64) {
                continue;
            }
            for ((values, column), data) in rows.columns.iter().zip(columns).zip(&mut self.data) {
                data.push(values.json(column, row));
            }
        }
        while self.shown_count() > most.max(MIN_ROWS) {
            self.thin();
        }
    }

    /// Drops every second row of a page's table; returns false instead if at most 20 rows are left.
    pub(super) fn halve(&mut self) -> bool {
        let enough = self.shown_count() > MIN_ROWS;
        if enough {
            self.thin();
        }
        enough
    }

    fn shown_count(&self) -> usize {
        self.data.first().map_or(0, Vec::len)
    }

    fn thin(&mut self) {
        self.step *= 2;
        for data in &mut self.data {
            drop_every_second(data);
        }
    }
}

fn drop_every_second<T>(rows: &mut Vec<T>) {
    let mut is_dropped = true;
    rows.retain(|_| {
        is_dropped = !is_dropped;
        !is_dropped
    });
}

/// Returns groups of labels and values: a run's configuration; its program, machine and times.
pub(super) fn manifest_facts(manifest: &Value) -> Vec<(String, Vec<(String, String)>)> {
    const CIRCUMSTANCES: &str = "status program version commit cpu simd threads started \
        finished elapsed_s command";
    let mut config = Vec::new();
    for key in ["config", "plan"] {
        collect_facts("", &manifest[key], &mut config);
    }
    let mut circumstances = Vec::new();
    for name in CIRCUMSTANCES.split(' ') {
        let (label, value) = time_fact(name, manifest);
        collect_facts(label, value, &mut circumstances);
    }
    let groups = [("Configuration", config), ("Circumstances", circumstances)];
    let named = groups.into_iter().map(|(name, facts)| (name.to_owned(), facts));
    named.filter(|(_, facts)| !facts.is_empty()).collect()
}

/// Returns the manifest entry `name` with its label, which differs for a resumed run's times.
fn time_fact<'a>(name: &'a str, manifest: &'a Value) -> (&'a str, &'a Value) {
    let is_resumed = manifest["resumed"] == true;
    match name {
        "started" if is_resumed => ("last resumed", &manifest[name]),
        "elapsed_s" if manifest["total_s"].is_number() => (name, &manifest["total_s"]),
        "elapsed_s" if is_resumed => ("elapsed_s since then", &manifest[name]),
        _ => (name, &manifest[name]),
    }
}

/// Returns a study's start, end and total time, and the program and machine of its first run.
pub(super) fn study_facts<'a>(
    manifests: impl Iterator<Item = &'a Value> + Clone,
) -> Vec<(String, Vec<(String, String)>)> {
    let Some(first) = manifests.clone().next() else { return Vec::new() };
    let texts = |name: &'static str| manifests.clone().filter_map(move |one| one[name].as_str());
    let seconds: f64 = manifests.clone().filter_map(|one| one["elapsed_s"].as_f64()).sum();
    let mut whole = first.clone();
    // RFC 3339 times in UTC sort in time order as text.
    whole["started"] = texts("started").min().into();
    whole["finished"] = texts("finished").max().into();
    whole["elapsed_s"] = Value::Null;
    let is_resumed = manifests.clone().any(|one| one["resumed"] == true);
    whole["resumed"] = false.into();
    let mut groups = manifest_facts(&whole);
    groups.retain(|(group, _)| group == "Circumstances");
    let label = match is_resumed {
        true => "elapsed_s of all conditions, since each was last resumed",
        false => "elapsed_s of all conditions",
    };
    // Estimates record no seconds.
    if let Some((_, facts)) = groups.first_mut().filter(|_| seconds > 0.0) {
        facts.push((label.to_owned(), format!("{seconds:.3}")));
    }
    groups
}

/// Appends each value inside a JSON value to `facts`, labelled by the keys that lead to it.
fn collect_facts(name: &str, value: &Value, facts: &mut Vec<(String, String)>) {
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name} {key}") };
    match value {
        Value::Null => {}
        Value::Object(entries) => {
            for (key, value) in entries.iter().filter(|(key, _)| *key != "columns") {
                collect_facts(&below(key), value, facts);
            }
        }
        Value::Array(values) => {
            let words: Vec<String> = values.iter().map(value_text).collect();
            facts.push((name.to_owned(), words.join(" ")));
        }
        _ => facts.push((name.to_owned(), value_text(value))),
    }
}

fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_clock_of_a_study_and_of_a_resumed_run_is_the_whole_or_says_what_it_is_of() {
        let condition = |started: &str, finished: &str, seconds: f64| {
            json!({
                "version": "1", "started": started, "finished": finished, "elapsed_s": seconds
            })
        };
        let [late, early] = ["2026-01-02T00:00:10Z", "2026-01-02T00:00:01Z"];
        let conditions = [condition(late, late, 1.18), condition(early, early, 155.5)];
        let found = study_facts(conditions.iter());
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let whole = vec![
            pair("version", "1"),
            pair("started", early),
            pair("finished", late),
            pair("elapsed_s of all conditions", "156.680"),
        ];
        assert_eq!(found, [("Circumstances".to_owned(), whole)]);
        let mut resumed = condition(early, late, 32.7);
        resumed["resumed"] = true.into();
        let of_part = [pair("version", "1"), pair("last resumed", early)];
        assert_eq!(manifest_facts(&resumed)[0].1[..2], of_part);
        assert_eq!(manifest_facts(&resumed)[0].1[3], pair("elapsed_s since then", "32.7"));
        resumed["total_s"] = 153.0.into();
        assert_eq!(manifest_facts(&resumed)[0].1[3], pair("elapsed_s", "153.0"));
    }

    #[test]
    fn nested_settings_are_named_by_their_way_and_what_is_not_set_is_left_out() {
        let manifest = json!({
            "config": {
                "controller": { "name": "lee", "weights": { "holes": -4.5 } }, "board": "10x20",
                "shard": null, "columns": ["game"], "players": ["a", "b"],
            },
            "version": "1", "files": [{ "name": "games.csv" }],
        });
        let found = manifest_facts(&manifest);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let config = vec![
            pair("controller name", "lee"),
            pair("controller weights holes", "-4.5"),
            pair("board", "10x20"),
            pair("players", "a b"),
        ];
        assert_eq!(found[0], ("Configuration".to_owned(), config));
        assert_eq!(found[1], ("Circumstances".to_owned(), vec![pair("version", "1")]));
    }
}
