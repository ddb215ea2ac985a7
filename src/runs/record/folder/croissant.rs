//! `croissant.json`: description of a data set for tools of machine learning, in the format
//! Croissant 1.0 (mlcommons.org/croissant).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::record::{PROGRAM, VERSION};

/// Names that the format's documents define, as every description contains them.
const CONTEXT: &str = include_str!("croissant_context.json");
const FORMAT: &str = "http://mlcommons.org/croissant/1.0";

/// Returns the content of `croissant.json` for the files in `sums`, which maps paths to checksums.
/// `package` is the content of `datapackage.json`. The files of one folder are one record set.
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

/// Describes the table `name`, whose rows come from `source`. `schema` describes its columns.
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
