//! What was done, as names and values for a reader.

use serde_json::Value;

/// Groups of what a manifest says: who played what, and under which circumstances. Files and long lists stand elsewhere.
pub(super) fn facts(manifest: &Value) -> Vec<(String, Vec<(String, String)>)> {
    const CIRCUMSTANCES: [&str; 11] = [
        "status",
        "program",
        "version",
        "commit",
        "cpu",
        "simd",
        "threads",
        "started",
        "finished",
        "elapsed_s",
        "command",
    ];
    let mut config = Vec::new();
    for key in ["config", "plan"] {
        collect("", &manifest[key], &mut config);
    }
    let mut circumstances = Vec::new();
    for name in CIRCUMSTANCES {
        collect(name, &manifest[name], &mut circumstances);
    }
    let groups = [("Configuration", config), ("Circumstances", circumstances)];
    let named = groups.into_iter().map(|(name, facts)| (name.to_owned(), facts));
    named.filter(|(_, facts)| !facts.is_empty()).collect()
}

/// The values below `value`, each behind the names that lead to it; what is not set is left out.
fn collect(name: &str, value: &Value, facts: &mut Vec<(String, String)>) {
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name} {key}") };
    match value {
        Value::Null => {}
        Value::Object(entries) => {
            for (key, value) in entries.iter().filter(|(key, _)| *key != "columns") {
                collect(&below(key), value, facts);
            }
        }
        Value::Array(values) => {
            let words: Vec<String> = values.iter().map(plain).collect();
            facts.push((name.to_owned(), words.join(" ")));
        }
        _ => facts.push((name.to_owned(), plain(value))),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_settings_are_named_by_their_way_and_what_is_not_set_is_left_out() {
        let manifest = json!({
            "config": {
                "controller": { "name": "lee", "weights": { "holes": -4.5 } }, "board": "10x20",
                "shard": null, "columns": ["game"], "players": ["a", "b"],
            },
            "version": "1", "files": [{ "name": "games.csv" }],
        });
        let found = facts(&manifest);
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
