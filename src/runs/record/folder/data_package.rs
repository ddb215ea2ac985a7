//! Descriptions of tables for other programs: `datapackage.json` for readers of Data Package v2
//! (datapackage.org/standard), and `croissant.json` for tools of machine learning, in Croissant 1.0
//! (mlcommons.org/croissant).
//! Frozen: bytes

use serde_json::Value;

use crate::prelude::*;
use crate::record::folder::exists;
use crate::record::tables::field::CONDITION;
use crate::record::{LABELS, PROGRAM, VERSION, read_manifest};

pub(crate) const STUDY_FILE: &str = "study.toml";
pub(crate) const REPRODUCED: &str = "reproduced.csv";

const CONDITIONS: &str = "conditions";
const PROFILE: &str = "https://datapackage.org/profiles/2.0/datapackage.json";

pub(crate) fn study_package(
    conditions: usize,
    (played, players): (&str, &[String]),
    tables: &[(&FileEntry, &[Column])],
) -> Value {
    // A set removes repeated players, and its order keeps the file's bytes stable.
    let players: BTreeSet<&str> = players.iter().map(String::as_str).collect();
    let players = players.into_iter().collect::<Vec<_>>().join(", ");
    let title = format!("Study of {played}: {conditions} conditions");
    let mut text = format!(
        "Games of {conditions} conditions over common seeds; controllers: {players}. Each \
         condition's run lies in the folder that `conditions.csv` names, with a description of \
         its own."
    );
    if tables.iter().any(|(_, columns)| columns.iter().any(|column| column.name == "censored")) {
        text += "\n\nA game whose `censored` is TRUE was cut off: its `lines` are a lower bound.";
    }
    package_of("tetrastat-study", &title, &text, tables)
}

/// Returns a Data Package descriptor with a name, a title and a description, but no tables.
#[must_use]
pub fn package(name: &str, title: &str, text: &str) -> Value {
    package_of(name, title, text, &[])
}

fn package_of(name: &str, title: &str, text: &str, tables: &[(&FileEntry, &[Column])]) -> Value {
    json!({
        "$schema": PROFILE,
        "name": name,
        "title": title,
        "description": text,
        "licenses": [{
            "name": "CC0-1.0",
            "path": "https://creativecommons.org/publicdomain/zero/1.0/",
            "title": "Creative Commons Zero v1.0 Universal",
        }],
        "resources": resource_list(tables),
        "version": VERSION,
    })
}

pub(crate) fn resources(files: &[FileEntry]) -> Value {
    let tables: Vec<_> = files.iter().map(|file| (file, &*file.schema)).collect();
    json!(resource_list(&tables))
}

pub(crate) fn described_columns(table: &Path, names: &[String]) -> Result<Option<Vec<Column>>> {
    let path = table.with_file_name("datapackage.json");
    if !exists(&path)? {
        return Ok(None);
    }
    let package: Value = read_manifest(&path)?;
    let find = || {
        let file = table.file_name()?.to_str()?;
        let (table, _) = file.split_once('.')?;
        let resource = package["resources"].as_array()?.iter().find(|one| one["name"] == table)?;
        let fields = resource["schema"]["fields"].as_array()?;
        let find = |name: &String| fields.iter().find(|field| field["name"] == **name);
        names.iter().map(|name| parse_column(find(name)?)).collect()
    };
    Ok(find())
}

fn parse_column(field: &Value) -> Option<Column> {
    let text = |key: &str| field[key].as_str();
    let kind = match (text("type")?, field["categories"].as_array()) {
        ("integer", _) if text(STORAGE_KEY) == Some(LONG) => ColumnType::Count,
        ("integer", _) => ColumnType::Integer,
        ("number", _) => ColumnType::Real,
        ("boolean", _) => ColumnType::Logical,
        ("string", Some(_)) => ColumnType::Factor,
        ("string", None) => ColumnType::Text,
        // No column of this program has such a type.
        _ => return None,
    };
    let mut column = Column::new(text("name")?, kind, "-", text("description")?);
    column.unit = text("unit").map_or(column.unit, |unit| unit.to_owned().into());
    column.missing = text("missing").map_or(column.missing, |when| when.to_owned().into());
    for level in field["categories"].as_array().into_iter().flatten() {
        column.levels.push(level.as_str()?.to_owned());
    }
    Some(column)
}

/// Key in `datapackage.json` that marks a column whose integers need 64 bits.
const STORAGE_KEY: &str = "storage";
const LONG: &str = "int64";

fn resource_list(tables: &[(&FileEntry, &[Column])]) -> Vec<Value> {
    let present: Vec<&str> = tables.iter().map(|(file, _)| file.table()).collect();
    tables.iter().map(|(file, columns)| resource(file, columns, &present)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Storage {
    Csv(Option<&'static str>),
    Parquet,
}

impl Storage {
    fn of(file: &FileEntry) -> Storage {
        match file.name.rsplit('.').next() {
            Some("parquet") => Storage::Parquet,
            Some("gz") => Storage::Csv(Some("gz")),
            Some("zst") => Storage::Csv(Some("zst")),
            _ => Storage::Csv(None),
        }
    }
}

/// Describes a table for `datapackage.json`, with its columns and its relation to other tables.
pub(crate) fn resource(file: &FileEntry, columns: &[Column], present: &[&str]) -> Value {
    let table = file.table();
    let storage = Storage::of(file);
    let mut resource = json!({ "name": table, "path": file.name, "type": "table" });
    match storage {
        Storage::Parquet => {
            resource["format"] = json!("parquet");
            resource["mediatype"] = json!("application/vnd.apache.parquet");
        }
        Storage::Csv(compression) => {
            // R's package frictionless requires this key of the standard's version 1.
            resource["profile"] = json!("tabular-data-resource");
            resource["format"] = json!("csv");
            resource["mediatype"] = json!("text/csv");
            resource["encoding"] = json!("utf-8");
            if let Some(compression) = compression {
                resource["compression"] = json!(compression);
            }
        }
    }
    if storage != Storage::Parquet {
        // Python's frictionless does not count the bytes of Parquet files, and so rejects any
        // stated size.
        resource["bytes"] = json!(file.bytes);
    }
    if file.parts.is_empty() {
        resource["hash"] = json!(format!("sha256:{}", file.sha256));
    } else {
        // The standard has a list of paths for a table in several files, but no list of hashes.
        let paths = file.parts.iter().map(|part| format!("{}/{}", file.name, part.name));
        resource["path"] = paths.collect();
    }
    resource["schema"] = schema(table, storage, columns, present);
    resource
}

fn schema(table: &str, storage: Storage, columns: &[Column], present: &[&str]) -> Value {
    let fields = columns.iter().map(|column| field(column, storage));
    let mut schema = json!({ "fields": fields.collect::<Vec<Value>>() });
    if storage != Storage::Parquet {
        // R's jsonlite, which R's frictionless uses, reads a list of "NA" alone as no text.
        schema["missingValues"] = json!(["NA", "N/A"]);
    }
    // In a study, game numbers repeat between conditions, so the key includes the condition.
    let of_study = table != CONDITIONS && present.contains(&CONDITIONS);
    let own = primary_key(table).iter().map(|&name| name.to_owned());
    let mut own: Vec<String> =
        of_study.then(|| CONDITION.to_owned()).into_iter().chain(own).collect();
    if primary_key(table).is_empty() {
        // A table that is not listed in `primary_key` is identified by its own first column.
        own.extend(columns.get(usize::from(of_study)).map(|column| column.name.clone()));
    }
    schema["primaryKey"] = json!(own);
    if let Some(parent) = parent(&own, present) {
        let reference = json!({ "resource": parent, "fields": primary_key(parent) });
        schema["foreignKeys"] = json!([{ "fields": primary_key(parent), "reference": reference }]);
    }
    schema
}

fn primary_key(table: &str) -> &'static [&'static str] {
    match table {
        CONDITIONS => &[CONDITION],
        "games" => &["game"],
        "placements" => &["game", "piece_no"],
        "candidates" | LABELS => &["game", "piece_no", "candidate"],
        "matches" => &["match"],
        "rounds" => &["match", "round"],
        "declarations" => &["match", "round", "position"],
        _ => &[],
    }
}

/// Returns the parent table for rows with the primary key `own`: for placements, the table `games`.
fn parent<'a>(own: &[String], present: &[&'a str]) -> Option<&'a str> {
    let is_beginning = |key: &[&str]| {
        !key.is_empty()
            && key.len() < own.len()
            && key.iter().zip(own).all(|(one, other)| one == other)
    };
    let parents = present.iter().copied().filter(|table| is_beginning(primary_key(table)));
    parents.max_by_key(|table| primary_key(table).len())
}

fn field(column: &Column, storage: Storage) -> Value {
    let kind = match column.kind {
        ColumnType::Integer | ColumnType::Count => "integer",
        ColumnType::Real => "number",
        ColumnType::Factor | ColumnType::Text => "string",
        ColumnType::Logical => "boolean",
    };
    let mut field = json!({ "name": column.name, "type": kind, "description": column.meaning });
    if column.kind == ColumnType::Count {
        field[STORAGE_KEY] = json!(LONG);
    }
    if column.unit != "-" {
        field["unit"] = json!(column.unit);
    }
    if column.kind == ColumnType::Logical && storage != Storage::Parquet {
        field["trueValues"] = json!(["TRUE"]);
        field["falseValues"] = json!(["FALSE"]);
    }
    if column.is_required() {
        field["constraints"] = json!({ "required": true });
    } else {
        field["missing"] = json!(column.missing);
    }
    if !column.levels.is_empty() {
        field["categories"] = json!(column.levels);
        // Readers of the standard's version 1, such as R's frictionless, need the levels here too.
        field["constraints"]["enum"] = json!(column.levels);
    }
    field
}

const CONTEXT: &str = include_str!("croissant_context.json");
const FORMAT: &str = "http://mlcommons.org/croissant/1.0";

pub(crate) fn croissant(package: &Value, sums: &BTreeMap<String, String>) -> Value {
    let mut files: Vec<Value> = sums.iter().map(|(path, sum)| file_object(path, sum)).collect();
    let (mut records, mut names) = (Vec::new(), BTreeSet::new());
    for table in package["resources"].as_array().into_iter().flatten() {
        let path = table["path"].as_str().unwrap_or_default();
        let name = path.split(['/', '.']).next().unwrap_or_default();
        if !names.insert(name) {
            continue;
        }
        let source = if path.contains('/') {
            let id = format!("{name}-files");
            files.push(json!({
                "@type": "cr:FileSet",
                "@id": id,
                "name": id,
                "encodingFormat": encoding_format(path),
                "includes": format!("{name}/**/*.parquet"),
            }));
            json!({ "fileSet": { "@id": id } })
        } else {
            json!({ "fileObject": { "@id": path } })
        };
        records.push(record_set(name, &source, &table["schema"]));
    }
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    json!({
        "@context": serde_json::from_str::<Value>(CONTEXT).unwrap_or_default(),
        "@type": "sc:Dataset",
        "conformsTo": FORMAT,
        "name": package["name"],
        "alternateName": package["title"],
        "description": package["description"],
        "version": package["version"],
        "license": package["licenses"][0]["path"],
        "creator": { "@type": "sc:Organization", "name": format!("The {PROGRAM} developers") },
        "citeAs": format!(
            "The {PROGRAM} developers. {}. Data set {}, version {}, made with {PROGRAM} {VERSION}.",
            text("title"), text("name"), text("version"),
        ),
        "distribution": files,
        "recordSet": records,
    })
}

fn file_object(path: &str, sum: &str) -> Value {
    json!({
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "encodingFormat": encoding_format(path),
        "sha256": sum,
    })
}

fn encoding_format(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("parquet") => "application/x-parquet",
        Some("csv") => "text/csv",
        Some("json") => "application/json",
        Some("md") => "text/markdown",
        _ => "text/plain",
    }
}

fn record_set(name: &str, source: &Value, schema: &Value) -> Value {
    let id = |column: &Value| format!("{name}/{}", column.as_str().unwrap_or_default());
    let field = |field: &Value| {
        let mut source = source.clone();
        source["extract"] = json!({ "column": field["name"] });
        json!({
            "@type": "cr:Field",
            "@id": id(&field["name"]),
            "name": id(&field["name"]),
            "description": field["description"],
            "dataType": match field["type"].as_str() {
                Some("integer") => "sc:Integer",
                Some("number") => "sc:Float",
                Some("boolean") => "sc:Boolean",
                _ => "sc:Text",
            },
            "source": source,
        })
    };
    let of = |key: &str| schema[key].as_array().into_iter().flatten();
    json!({
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": of("primaryKey").map(|column| json!({ "@id": id(column) })).collect::<Vec<_>>(),
        "field": of("fields").map(field).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::columns_of;

    fn resource_list(names: &[(&str, &[&str])]) -> Value {
        let file = |name: &str| FileEntry {
            name: name.to_owned(),
            rows: 1,
            bytes: 30,
            sha256: "ab".repeat(32),
            columns: Vec::new(),
            parts: Vec::new(),
            schema: Vec::new(),
        };
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let tables: Vec<(FileEntry, Vec<Column>)> = names
            .iter()
            .map(|(name, header)| {
                (file(name), {
                    let table = name.split('.').next().unwrap();
                    columns_of(table, &owned(header)).unwrap()
                })
            })
            .collect();
        let tables: Vec<(&FileEntry, &[Column])> =
            tables.iter().map(|(file, columns)| (file, &columns[..])).collect();
        package_of("x", "x", "x", &tables)
    }

    #[test]
    fn a_plain_table() {
        let package =
            resource_list(&[("games.csv", &["game", "end_reason", "censored", "height_mean"])]);
        let reasons = ["top_out", "spawn_blocked", "piece_limit", "line_limit", "interrupted"];
        let expected = json!({
            "name": "games", "path": "games.csv", "type": "table",
            "profile": "tabular-data-resource", "format": "csv", "mediatype": "text/csv",
            "encoding": "utf-8", "bytes": 30,
            "hash": format!("sha256:{}", "ab".repeat(32)),
            "schema": {
                "fields": [
                    {
                        "name": "game", "type": "integer", "storage": "int64",
                        "description": "index of the game in its run, from 0",
                        "constraints": { "required": true },
                    },
                    {
                        "name": "end_reason", "type": "string",
                        "description": "reason for the end of the game",
                        "constraints": { "required": true, "enum": reasons },
                        "categories": reasons,
                    },
                    {
                        "name": "censored", "type": "boolean",
                        "description": "true if a limit or an interruption cut the game off",
                        "trueValues": ["TRUE"], "falseValues": ["FALSE"],
                        "constraints": { "required": true },
                    },
                    {
                        "name": "height_mean", "type": "number", "unit": "rows",
                        "description": "mean stack height over the placements of the game, each \
                            measured after the placement",
                        "missing": "no piece was placed",
                    },
                ],
                "missingValues": ["NA", "N/A"],
                "primaryKey": ["game"],
            },
        });
        assert_eq!(package["resources"], json!([expected]));
    }

    #[test]
    fn rows_belong_to_those_of_the_nearest_table_that_is_there() {
        let games: (&str, &[&str]) = ("games.csv", &["game"]);
        let placements: (&str, &[&str]) = ("placements.csv.gz", &["game", "piece_no"]);
        let candidates: (&str, &[&str]) =
            ("candidates.csv.zst", &["game", "piece_no", "candidate", "holes", "chosen"]);
        let all = resource_list(&[games, placements, candidates]);
        let keys =
            |package: &Value, at: usize| package["resources"][at]["schema"]["foreignKeys"].clone();
        let to = |table: &str, fields: &[&str]| {
            let reference = json!({ "resource": table, "fields": fields });
            json!([{ "fields": fields, "reference": reference }])
        };
        assert_eq!(keys(&all, 0), Value::Null);
        assert_eq!(keys(&all, 1), to("games", &["game"]));
        assert_eq!(keys(&all, 2), to("placements", &["game", "piece_no"]));
        assert_eq!(keys(&resource_list(&[games, candidates]), 1), to("games", &["game"]));
        assert_eq!(all["resources"][1]["compression"], "gz");
        assert_eq!(all["resources"][2]["compression"], "zst");
        let key = json!(["game", "piece_no", "candidate"]);
        assert_eq!(all["resources"][2]["schema"]["primaryKey"], key);
    }

    #[test]
    fn parquet_has_nothing_of_csv() {
        let package =
            resource_list(&[("placements.parquet", &["game", "piece_no", "next_1", "lost"])]);
        let table = &package["resources"][0];
        assert_eq!(table["name"], "placements");
        assert_eq!(table["mediatype"], "application/vnd.apache.parquet");
        for absent in ["profile", "bytes", "encoding", "compression"] {
            assert!(table.get(absent).is_none(), "{absent}");
        }
        assert!(table["schema"].get("missingValues").is_none());
        let fields = &table["schema"]["fields"];
        let pieces = ["I", "O", "T", "S", "Z", "J", "L"];
        assert_eq!(fields[2]["categories"], json!(pieces));
        assert_eq!(fields[2]["constraints"], json!({ "enum": pieces }));
        assert!(fields[3].get("trueValues").is_none());
    }

    #[test]
    fn unknown_columns_and_tables_are_refused() {
        let message =
            |table, name: &str| columns_of(table, &[name.to_owned()]).unwrap_err().to_string();
        assert!(message("games", "holes").contains("height_mean"));
        assert!(message("placements", "h16").contains("h15"));
        assert!(message("pieces", "game").contains("candidates"));
    }
}
