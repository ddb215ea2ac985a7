//! Differences between the configuration with which a run was started and the requested one.

use serde_json::Value;

use crate::error::Error;

/// Returns the error for a run that can't be resumed because its configuration has changed.
pub fn have_changed(begun: &Value, asked: &Value) -> Error {
    Error::Config(format!(
        "the files or options have changed since the start: {}; restore them, or start a new run",
        differences(begun, asked)
    ))
}

/// Maximum number of differences in a message; further differences are only counted.
const NAMED: usize = 3;
/// Maximum number of characters of a value in a message.
const SHOWN: usize = 60;

/// Describes the differences between `begun`, the configuration with which a run was started, and
/// the requested configuration `asked`. The text is empty if there are none.
#[must_use]
pub fn differences(begun: &Value, asked: &Value) -> String {
    let mut found = Vec::new();
    compare("", begun, asked, &mut found);
    let more = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    let mut text = found.join(", ");
    if more > 0 {
        text += &format!(", and {more} more");
    }
    text
}

fn compare(key: &str, begun: &Value, asked: &Value, found: &mut Vec<String>) {
    if begun == asked {
        return;
    }
    let (Value::Object(one), Value::Object(other)) = (begun, asked) else {
        found.push(format!("{key} is {} there, {} here", shown(begun), shown(asked)));
        return;
    };
    let added = other.keys().filter(|name| !one.contains_key(*name));
    for name in one.keys().chain(added) {
        let below = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
        compare(&below, &begun[name], &asked[name], found);
    }
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_named_with_both_values() {
        let begun =
            json!({ "seed": "0x1", "games": 8, "controller": { "name": "bcts", "tie": null } });
        assert_eq!(differences(&begun, &begun), "");
        let asked =
            json!({ "seed": "0x2", "games": 8, "controller": { "name": "bcts", "tie": "first" } });
        assert_eq!(
            differences(&begun, &asked),
            "seed is 0x1 there, 0x2 here, controller.tie is none there, first here"
        );
        let many = json!({ "seed": 3, "games": 9, "rules": "x", "controller": null });
        assert!(
            differences(&begun, &many).ends_with("and 1 more"),
            "{}",
            differences(&begun, &many)
        );
        assert!(differences(&json!("é".repeat(99)), &json!(1)).contains("é..."));
    }
}
