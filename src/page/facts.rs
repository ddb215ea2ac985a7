//! Lists the configuration and circumstances of a run as names and values for a page.

use serde_json::Value;

/// Returns the facts in a manifest as names and values, in two groups: configuration and
/// circumstances. The lists of files and of columns are left out.
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
        let (label, value) = clock(name, manifest);
        collect(label, value, &mut circumstances);
    }
    let groups = [("Configuration", config), ("Circumstances", circumstances)];
    let named = groups.into_iter().map(|(name, facts)| (name.to_owned(), facts));
    named.filter(|(_, facts)| !facts.is_empty()).collect()
}

/// Returns the label and the value of the fact `name`. In a resumed run, `started` and `elapsed_s`
/// cover only the part since the last resumption, so they get labels that state this. `elapsed_s`
/// covers all parts if the manifest has `total_s`.
fn clock<'a>(name: &'a str, manifest: &'a Value) -> (&'a str, &'a Value) {
    let is_resumed = manifest["resumed"] == true;
    match name {
        "started" if is_resumed => ("last resumed", &manifest[name]),
        "elapsed_s" if manifest["total_s"].is_number() => (name, &manifest["total_s"]),
        "elapsed_s" if is_resumed => ("elapsed_s since then", &manifest[name]),
        _ => (name, &manifest[name]),
    }
}

/// Returns the circumstances of a study from its conditions' manifests: the first start, the last
/// finish and the sum of the seconds. All other facts are those of the first condition.
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
    let mut groups = facts(&whole);
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

/// Appends the values inside `value` to `facts`, except null. Each fact is named by `name` and the
/// keys on the path to the value.
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
        assert_eq!(facts(&resumed)[0].1[..2], of_part);
        assert_eq!(facts(&resumed)[0].1[3], pair("elapsed_s since then", "32.7"));
        resumed["total_s"] = 153.0.into();
        assert_eq!(facts(&resumed)[0].1[3], pair("elapsed_s", "153.0"));
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
