//! Damage to one file of a folder, as disks, careless copies and editors do it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::chance::Chance;
use super::files::{Files, at};

/// Damages a file of a folder, or swaps two, and says how; `older` is the folder as it was at an
/// earlier moment.
pub fn damage(folder: &Path, files: &Files, older: &Files, chance: &mut Chance) -> String {
    let names: Vec<&String> = files.keys().collect();
    let name = chance.of_all(&names).as_str();
    let mut bytes = files[name].clone();
    let path = at(folder, name);
    let place = chance.below(bytes.len().max(1));
    let kind = chance.below(12);
    let done = match kind {
        0 if !bytes.is_empty() => {
            let bit = chance.below(8);
            bytes[place] ^= 1 << bit;
            format!("bit {bit} of byte {place} flipped")
        }
        1 | 2 if bytes.iter().any(u8::is_ascii_digit) => {
            let digits: Vec<usize> =
                (0..bytes.len()).filter(|&k| bytes[k].is_ascii_digit()).collect();
            let place = *chance.of_all(&digits);
            bytes[place] = b'0' + (bytes[place] - b'0' + 1 + chance.below(9) as u8) % 10;
            format!("another digit at byte {place}")
        }
        3 => {
            bytes.truncate(place);
            format!("cut to {place} bytes")
        }
        4 => {
            let more = bytes[place.min(bytes.len())..].to_vec();
            bytes.extend_from_slice(if more.is_empty() { b"1\n" } else { &more });
            format!("its bytes from {place} on stand twice")
        }
        5 => {
            let end = (place + 1 + chance.below(512)).min(bytes.len());
            bytes[place.min(end)..end].fill(0);
            format!("bytes {place} to {end} are zero")
        }
        6 => {
            fs::remove_file(&path).unwrap();
            return format!("{name} deleted");
        }
        7 if names.len() > 1 => {
            let others: Vec<_> = names.iter().filter(|other| **other != name).collect();
            let other = chance.of_all(&others).as_str();
            fs::write(at(folder, other), &bytes).unwrap();
            fs::write(&path, &files[other]).unwrap();
            return format!("{name} and {other} swapped");
        }
        8 if older.get(name).is_some_and(|old| *old != bytes) => {
            bytes.clone_from(&older[name]);
            "as it was earlier".to_owned()
        }
        9 => {
            let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
            let line = chance.below(lines.len().max(1));
            let kept = (0..lines.len()).filter(|&k| k != line).map(|k| lines[k]);
            bytes = kept.collect::<Vec<_>>().concat();
            format!("without line {line}")
        }
        _ => match edited(&bytes, chance) {
            Some((text, what)) => {
                bytes = text;
                what
            }
            None => {
                bytes.insert(place.min(bytes.len()), b'7');
                format!("a 7 more before byte {place}")
            }
        },
    };
    fs::write(&path, bytes).unwrap();
    format!("{name}: {done}")
}

/// Other valid JSON: a leaf has another value, or an entry is gone or stands twice.
fn edited(bytes: &[u8], chance: &mut Chance) -> Option<(Vec<u8>, String)> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    let mut leaves = Vec::new();
    pointers(&value, "", &mut leaves);
    let pointer = chance.of_all(&leaves).clone();
    let what = match chance.below(4) {
        kind @ (0 | 1) => {
            let (parent, key) = pointer.rsplit_once('/')?;
            match (kind, value.pointer_mut(parent)?) {
                (0, Value::Object(object)) => drop(object.shift_remove(&unescaped(key))),
                (0, Value::Array(list)) => drop(list.remove(key.parse().ok()?)),
                (1, Value::Array(list)) => list.push(list[key.parse::<usize>().ok()?].clone()),
                _ => return None,
            }
            format!("{pointer} {}", ["taken out", "stands twice"][kind])
        }
        _ => {
            let leaf = value.pointer_mut(&pointer)?;
            *leaf = other(leaf, chance);
            format!("{pointer} is {leaf}")
        }
    };
    Some((value.to_string().into_bytes(), what))
}

fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

/// Collects the JSON pointers to all leaves of a value.
pub fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let key = |key: &str| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(object) if !object.is_empty() => {
            object.iter().for_each(|(name, value)| pointers(value, &key(name), found));
        }
        Value::Array(list) if !list.is_empty() => {
            let items = list.iter().enumerate();
            items.for_each(|(k, value)| pointers(value, &key(&k.to_string()), found));
        }
        _ => found.push(at.to_owned()),
    }
}

fn other(leaf: &Value, chance: &mut Chance) -> Value {
    match leaf {
        Value::Bool(value) => (!value).into(),
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => {
                let near = [whole.wrapping_add(1), whole.saturating_sub(1)];
                let far = [whole / 2, whole.wrapping_mul(2), 0, u64::MAX];
                (*chance.of_all(&[&near[..], &far].concat())).into()
            }
            (None, Some(value)) => (*chance.of_all(&[value * 1.5, -value, 0.0, 1e300])).into(),
            (None, None) => Value::Null,
        },
        Value::String(text) => match chance.below(3) {
            0 => Value::from(format!("{text}0")),
            1 => Value::from(text.chars().skip(1).collect::<String>()),
            _ => Value::from(""),
        },
        Value::Null => 1.into(),
        Value::Array(_) | Value::Object(_) => Value::Null,
    }
}
