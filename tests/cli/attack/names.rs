//! Folders from an attacker: manifests, checkpoints, data packages and tables of conditions that
//! list files outside the folder, and files with one changed bit.
//!
//! A canary lies beside the folder. No command may open, change or remove it, whatever name a list
//! holds. `data verify` must pass only files with the written bytes.

use std::path::Path;

use serde_json::{Value, json};
use tetrastat::record::{verify_checksum, write_checksum};

use super::chance::Chance;
use super::files::{self, Files};
use super::folders::{KINDS, Kind};
use super::{LONG, Refused, Same, Tried, attack, few, holds, is_possible, program, room};
use crate::common::sealed;

/// Name of the folder beside `d` that no command may touch.
const CANARY: &str = "canary";

/// Returns the files of a room. The canary contains a complete folder, so that a command that
/// follows a name could read it.
fn files_of(kind: &Kind) -> Files {
    let mut found = kind.made().clone();
    for (name, bytes) in kind.made() {
        if let Some(name) = name.strip_prefix("d/") {
            found.insert(format!("{CANARY}/{name}"), bytes.clone());
        }
    }
    found.insert(format!("{CANARY}/thesis.txt"), b"precious".to_vec());
    found
}

/// Returns a name that leads to the canary or is invalid on every system.
fn hostile_name(room: &Path, own: &str, chance: &mut Chance) -> String {
    let file = *chance.of_all(&["thesis.txt", own]);
    let outside = room.join(CANARY);
    match chance.below(12) {
        0 | 1 => format!("../{CANARY}/{file}"),
        2 | 3 => outside.join(file).to_str().unwrap().to_owned(),
        4 => format!("x/../../{CANARY}/{file}"),
        5 => format!("./../{CANARY}/{file}"),
        6 => format!("..\\{CANARY}\\{file}"),
        7 => format!("C:{file}"),
        8 => format!("/..{}", outside.join(file).display()),
        9 => (*chance.of_all(&["", ".", "..", "/", "../..", "\\"])).to_owned(),
        10 => format!("../{CANARY}"),
        _ => format!("../{CANARY}/{file}\u{0}.csv"),
    }
}

/// Puts a hostile name into a list, with or without updating the checksum of the file.
fn edited(list: &str, bytes: &[u8], room: &Path, chance: &mut Chance) -> (Vec<u8>, String) {
    let text = std::str::from_utf8(bytes).unwrap();
    if list == "folder" {
        let rows: Vec<&str> = text.lines().skip(1).collect();
        let own = chance.of_all(&rows).split(',').nth(1).unwrap();
        // A cell of a table can't hold a zero byte.
        let name = hostile_name(room, own, chance).replace('\0', "0");
        return (text.replacen(&format!(",{own},"), &format!(",{name},"), 1).into(), name);
    }
    let is_checkpoint = list == "tables";
    let state = if is_checkpoint { verify_checksum(bytes).unwrap() } else { text };
    let mut content: Value = serde_json::from_str(state).unwrap();
    let count = content[list].as_array().map_or(0, Vec::len);
    if count == 0 {
        return (bytes.to_vec(), "nothing new".to_owned());
    }
    let entry =
        &mut content[list][chance.below(count)][if list == "resources" { "path" } else { "name" }];
    let name = hostile_name(room, entry.as_str().unwrap(), chance);
    *entry = json!(name);
    let text = match (is_checkpoint, chance.one_in(2)) {
        (true, _) => write_checksum(&content.to_string()),
        (false, true) => sealed(content),
        (false, false) => serde_json::to_string_pretty(&content).unwrap() + "\n",
    };
    (text.into(), name)
}

/// Lets a list of a folder hold a hostile name, and a command read the folder.
fn named(case: usize, mut chance: Chance) -> Tried {
    let kind = &KINDS[case % KINDS.len()];
    let files = files_of(kind);
    let room = room(&files);
    let (list, key) = *chance.of_all(&kind.lists);
    let reader = chance.of_all(&kind.readers);
    let path = format!("d/{list}");
    let (bytes, name) = edited(key, &files[&path], room.path(), &mut chance);
    files::write(room.path(), &path, &bytes);
    let words: Vec<&str> = reader.split(' ').collect();
    let (ended, calls) = program::watched(room.path(), &words, &format!("/{CANARY}/"));
    let outside = |mut files: Files| {
        files.retain(|name, _| name.starts_with(CANARY));
        files
    };
    let verdict = || {
        let found = outside(files::read(room.path()));
        holds(found == outside(files.clone()), "a file outside was changed")?;
        holds(calls["watched"] == 0, "a file outside was opened")?;
        ended.in_order()?;
        if ended.code == Some(0) {
            // The command does not read this list.
            holds(words[1] != "verify", "verify passes it")?;
            return Ok(Same);
        }
        holds(ended.names_a_remedy() || words[1] == "verify", "the line names no remedy")?;
        Ok(Refused)
    };
    let deeds = vec![format!("{path} lists {name:?}; {reader}: {}", ended.said())];
    Tried { label: format!("{}: {}", kind.name, words[..2].join(" ")), deeds, verdict: verdict() }
}

/// Changes one bit of any file of a folder; `data verify` must reject it.
fn flipped(case: usize, mut chance: Chance) -> Tried {
    let kind = &KINDS[case % KINDS.len()];
    let files = files_of(kind);
    let room = room(&files);
    let of_folder: Vec<&String> = files.keys().filter(|name| name.starts_with("d/")).collect();
    // Half of the cases change a file that is no table.
    let unchecked = ["d/study.toml", "d/datapackage.json", "d/checkpoint.json"];
    let once: Vec<&String> =
        of_folder.iter().copied().filter(|name| unchecked.contains(&name.as_str())).collect();
    let all = if !once.is_empty() && chance.one_in(2) { &once } else { &of_folder };
    let name = *chance.of_all(all);
    let mut bytes = files[name].clone();
    let (at, bit) = (chance.below(bytes.len()), chance.below(8));
    bytes[at] ^= 1 << bit;
    files::write(room.path(), name, &bytes);
    let ended = program::run(room.path(), &["data", "verify", "d"], None);
    let deeds = vec![format!("bit {bit} of byte {at} of {name}: {}", ended.said())];
    let verdict = ended.in_order();
    let verdict = verdict.and_then(|()| holds(ended.code == Some(2), "verify passes it"));
    Tried { label: kind.name.to_owned(), deeds, verdict: verdict.map(|()| Refused) }
}

#[test]
fn no_list_leads_out_of_its_folder() {
    if is_possible() {
        attack("name", few(), named);
    }
}

#[test]
fn verify_passes_no_changed_bit() {
    attack("flip", few(), flipped);
}

#[test]
#[ignore = "long: 30 s"]
fn long_no_list_leads_out_of_its_folder() {
    if is_possible() {
        attack("name", LONG, named);
    }
}

#[test]
#[ignore = "long: 30 s"]
fn long_verify_passes_no_changed_bit() {
    attack("flip", LONG, flipped);
}
