//! Folders from an attacker: manifests, checkpoints, data packages and tables of conditions that list files outside the
//! folder, and files with one changed bit.
//!
//! A canary lies beside the folder. No command may open, change or remove it, whatever name a list holds. `verify` must
//! pass only files with the written bytes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::chance::Chance;
use super::files::{self, Files};
use super::{Count, Verdict, few, number, program, table};

/// A kind of folder that the program writes.
struct Kind {
    name: &'static str,
    inputs: &'static [(&'static str, &'static str)],
    /// Commands that create the folder `d`.
    makes: &'static [&'static str],
    /// Files of the folder that list other files.
    lists: &'static [(&'static str, List)],
    /// Commands that read the folder.
    readers: &'static [&'static str],
}

/// The format in which a file lists other files.
#[derive(Clone, Copy)]
enum List {
    /// Key `name` of each entry of `files` in a manifest.
    Manifest,
    /// Key `path` of each entry of `resources` in a data package.
    Package,
    /// Key `name` of each entry of `tables` in a sealed checkpoint.
    Checkpoint,
    /// Column `folder` of `conditions.csv`.
    Conditions,
}
use List::{Checkpoint, Conditions, Manifest, Package};

const SMALL: &str = "simulate --board 6x8 --games 3 --max-pieces 30 --sample 0 --placements csv --columns all --out d";
const GUIDELINE: &str =
    "simulate --rules guideline --mode blitz --pieces 12 --games 3 --placements csv --out d";
const LIAP: &str = "liap simulate --rounds 40 --log csv --out d";
const ROLLOUT: &str = "rollout --from log --every 9 --replicates 2 --out d";
const TRAIN: &str = "train snes --features bcts --board 6x8 --population 4 --generations 2 --games 2 --final-games 4 --held-out-games 4 --threads 1 --out d";
const COMPARE: &str = "compare bcts dt20 --board 6x8 --games 40 --max-pieces 400 --out d";
const ESTIMATE: &str = "estimate --board 8x10 --pieces 200 --burn-in 20 --pilot-pieces 500 --budget 5000 --threads 1 --out d";
const STUDY: &str = "controllers = ['bcts', 'dt20']\nboards = ['6x8']\ngames = 40\nmax_pieces = 400\nplacements = 'csv'\n";
const OF_A_RUN: &[(&str, List)] = &[("run.json", Manifest), ("datapackage.json", Package)];
const OF_A_STUDY: &[(&str, List)] = &[
    ("conditions.csv", Conditions),
    ("datapackage.json", Package),
    ("datapackage.json", Manifest),
];

const KINDS: &[Kind] = &[
    Kind {
        name: "run",
        inputs: &[],
        makes: &[SMALL],
        lists: OF_A_RUN,
        readers: &[
            SMALL,
            "simulate --board 6x8 --games 3 --max-pieces 30 --sample 0 --placements csv --columns all --out d --force",
            "verify d",
            "view d -o p.html",
            "convert d y --format parquet",
            "convert d/games.csv -",
            "rollout --from d --every 9 --replicates 2 --out s",
            "watch --replay d --text",
            "plan --pilot d",
            "merge d --out m",
        ],
    },
    Kind {
        name: "guideline run",
        inputs: &[],
        makes: &[GUIDELINE],
        lists: OF_A_RUN,
        readers: &[
            GUIDELINE,
            "simulate --rules guideline --mode blitz --pieces 12 --games 3 --placements csv --out d --force",
            "verify d",
            "view d -o p.html",
            "convert d y --format csv.gz",
            "watch --replay d --text",
            "plan --pilot d",
        ],
    },
    Kind {
        name: "LIAP run",
        inputs: &[],
        makes: &[LIAP],
        lists: OF_A_RUN,
        readers: &[
            LIAP,
            "liap simulate --rounds 40 --log csv --out d --force",
            "verify d",
            "view d -o p.html",
            "convert d y --format csv.zst",
        ],
    },
    Kind {
        name: "shards",
        inputs: &[],
        makes: &[
            "simulate --board 6x8 --games 6 --shard 1/2 --max-pieces 30 --sample 0 --placements csv --out d",
            "simulate --board 6x8 --games 6 --shard 2/2 --max-pieces 30 --sample 0 --placements csv --out e",
        ],
        lists: OF_A_RUN,
        readers: &["merge d e --out m", "verify d"],
    },
    Kind {
        name: "copy",
        inputs: &[],
        makes: &[
            "simulate --board 6x8 --games 3 --max-pieces 30 --sample 0 --placements csv --out log",
            "convert log d --format parquet",
        ],
        lists: OF_A_RUN,
        readers: &["convert log d --format parquet", "verify d", "view d -o p.html"],
    },
    Kind {
        name: "rollout",
        inputs: &[],
        makes: &[
            "simulate --board 6x8 --games 3 --max-pieces 30 --sample 0 --placements csv --columns all --out log",
            ROLLOUT,
        ],
        lists: OF_A_RUN,
        readers: &[
            ROLLOUT,
            "rollout --from log --every 9 --replicates 2 --out d --force",
            "verify d",
            "view d -o p.html",
            "convert d y --format parquet",
        ],
    },
    Kind {
        name: "training",
        inputs: &[],
        makes: &[TRAIN],
        lists: &[("train.json", Manifest), ("checkpoint.json", Checkpoint)],
        readers: &[TRAIN, "train --resume d", "verify d", "view d -o p.html"],
    },
    Kind {
        name: "study",
        inputs: &[("study.toml", STUDY)],
        makes: &["study study.toml --out d"],
        lists: OF_A_STUDY,
        readers: &[
            "study study.toml --out d",
            "verify d",
            "view d -o p.html",
            "compare --from d",
            "plan --pilot d",
            "convert d y --format parquet",
        ],
    },
    Kind {
        name: "comparison",
        inputs: &[],
        makes: &[COMPARE],
        lists: OF_A_STUDY,
        readers: &[COMPARE, "verify d", "view d -o p.html", "compare --from d", "plan --pilot d"],
    },
    Kind {
        name: "reproduction",
        inputs: &[],
        makes: &["reproduce --quick --table generators --out d"],
        lists: OF_A_STUDY,
        readers: &["verify d", "view d -o p.html", "compare --from d"],
    },
    Kind {
        name: "estimate",
        inputs: &[],
        makes: &[ESTIMATE],
        lists: &[("estimate.json", Manifest)],
        readers: &[ESTIMATE, "verify d", "view d -o p.html"],
    },
];

/// Name of the folder beside `d` that no command may touch.
const CANARY: &str = "canary";

/// Returns the files of the room of one kind of folder, which are created on first use.
fn made(place: usize) -> &'static Files {
    static ALL: [OnceLock<Files>; KINDS.len()] = [const { OnceLock::new() }; KINDS.len()];
    ALL[place].get_or_init(|| {
        let (room, kind) = (program::folder(), &KINDS[place]);
        for (name, text) in kind.inputs {
            files::write(room.path(), name, text.as_bytes());
        }
        for command in kind.makes {
            let ended = program::run(room.path(), &command.split(' ').collect::<Vec<_>>(), None);
            assert_eq!(ended.code, Some(0), "{command}: {}", ended.stderr);
        }
        let mut found = files::read(room.path());
        found.retain(|name, _| !name.starts_with("said."));
        // The canary contains a complete run, so that a command that follows the name could read it.
        let games = found.iter().filter_map(|(name, bytes)| {
            let name = name.strip_prefix("d/")?;
            Some((format!("{CANARY}/{name}"), bytes.clone()))
        });
        let canary: Files = games.collect();
        found.extend(canary);
        found.insert(format!("{CANARY}/thesis.txt"), b"precious".to_vec());
        found
    })
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
fn edited(list: List, bytes: &[u8], room: &Path, chance: &mut Chance) -> (Vec<u8>, String) {
    let reseals = chance.one_in(2);
    if matches!(list, Conditions) {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let rows: Vec<&str> = text.lines().skip(1).collect();
        let own = chance.of_all(&rows).split(',').nth(1).unwrap();
        // A cell of a table can't hold a zero byte.
        let name = hostile_name(room, own, chance).replace('\0', "0");
        let text = text.replacen(&format!(",{own},"), &format!(",{name},"), 1);
        return (text.into_bytes(), name);
    }
    let text = std::str::from_utf8(bytes).unwrap();
    let sealed =
        matches!(list, Checkpoint).then(|| tetrastat::record::verify_checksum(bytes).unwrap());
    let mut content: Value = serde_json::from_str(sealed.unwrap_or(text)).unwrap();
    let (entries, key) = match list {
        Manifest => ("files", "name"),
        Package => ("resources", "path"),
        Checkpoint | Conditions => ("tables", "name"),
    };
    // Early versions listed no files of an estimate.
    let count = content[entries].as_array().map_or(0, Vec::len);
    if count == 0 {
        return (bytes.to_vec(), "nothing new".to_owned());
    }
    let place = chance.below(count);
    let own = content[entries][place][key].as_str().unwrap().to_owned();
    let name = hostile_name(room, &own, chance);
    content[entries][place][key] = json!(name);
    if matches!(list, Checkpoint) {
        return (tetrastat::record::write_checksum(&content.to_string()).into_bytes(), name);
    }
    if reseals && content.as_object_mut().unwrap().shift_remove("checksum").is_some() {
        let text = serde_json::to_string_pretty(&content).unwrap();
        content["checksum"] = json!(tetrastat::record::checksum(&[&text]));
    }
    ((serde_json::to_string_pretty(&content).unwrap() + "\n").into_bytes(), name)
}

/// Runs one case in a room of its own. Returns the command, a description and the verdict.
fn named(kind: &Kind, place: usize, chance: &mut Chance) -> (&'static str, String, Verdict) {
    let (room, files) = (program::folder(), made(place));
    files.iter().for_each(|(name, bytes)| files::write(room.path(), name, bytes));
    let (list, how) = *chance.of_all(kind.lists);
    let reader = *chance.of_all(kind.readers);
    let path = format!("d/{list}");
    let (bytes, name) = edited(how, &files[&path], room.path(), chance);
    files::write(room.path(), &path, &bytes);
    let words: Vec<&str> = reader.split(' ').collect();
    let part = format!("/{CANARY}/");
    let (ended, calls) = program::watched(room.path(), &words, &part);
    let deed = format!("{path} lists {name:?}; {reader}: {} {}", ended.end(), ended.stderr.trim());
    let outside = |found: Files| -> Files {
        found.into_iter().filter(|(name, _)| name.starts_with(CANARY)).collect()
    };
    let disorder = ended.disorder();
    let verdict = if outside(files::read(room.path())) != outside(files.clone()) {
        Verdict::Violation("a file outside was changed".to_owned())
    } else if calls["watched"] > 0 {
        Verdict::Violation("a file outside was opened".to_owned())
    } else if let Some(violation) = disorder {
        Verdict::Violation(violation)
    } else if ended.code == Some(0) {
        // The command does not read this list.
        match reader.starts_with("verify") {
            true => Verdict::Violation("verify passes it".to_owned()),
            false => Verdict::Same,
        }
    } else if !ended.names_a_remedy() && !reader.starts_with("verify") {
        Verdict::Violation("the line names no remedy".to_owned())
    } else {
        Verdict::Refused
    };
    (reader.split(' ').next().unwrap_or(reader), deed, verdict)
}

/// Changes one bit of any file of a folder; `verify` must reject it.
fn flipped(kind: &Kind, place: usize, chance: &mut Chance) -> (&'static str, String, Verdict) {
    let (room, files) = (program::folder(), made(place));
    files.iter().for_each(|(name, bytes)| files::write(room.path(), name, bytes));
    let of_folder: Vec<&String> = files.keys().filter(|name| name.starts_with("d/")).collect();
    // Half of the cases change a file that earlier versions did not check.
    let once: Vec<&String> = of_folder
        .iter()
        .filter(|name| {
            ["d/study.toml", "d/datapackage.json", "d/checkpoint.json"].contains(&name.as_str())
        })
        .copied()
        .collect();
    let all = if !once.is_empty() && chance.one_in(2) { &once } else { &of_folder };
    let name = *chance.of_all(all);
    let mut bytes = files[name].clone();
    let (at, bit) = (chance.below(bytes.len()), chance.below(8));
    bytes[at] ^= 1 << bit;
    files::write(room.path(), name, &bytes);
    let ended = program::run(room.path(), &["verify", "d"], None);
    let deed = format!("bit {bit} of byte {at} of {name}: {} {}", ended.end(), ended.stderr.trim());
    let verdict = match ended.disorder() {
        Some(violation) => Verdict::Violation(violation),
        None if ended.code == Some(2) => Verdict::Refused,
        None => Verdict::Violation("verify passes it".to_owned()),
    };
    (kind.name, deed, verdict)
}

/// Tries cases on every kind of folder in turn, prints the counts, and fails on any violation.
fn attack(
    what: &str,
    cases: std::ops::Range<u64>,
    tried: fn(&Kind, usize, &mut Chance) -> (&'static str, String, Verdict),
) {
    if let Some(lacking) = program::lacking() {
        eprintln!("not attacked: {lacking}");
        return;
    }
    let seed = number("TETRASTAT_ATTACK_SEED", 1);
    let only = std::env::var("TETRASTAT_ATTACK_ONLY").ok();
    let mut counts = BTreeMap::<String, Count>::new();
    let mut violations = 0;
    for case in cases {
        if only.as_ref().is_some_and(|only| *only != format!("{what}/{case}")) {
            continue;
        }
        let place = case as usize % KINDS.len();
        let kind = &KINDS[place];
        let (by, deed, verdict) = tried(kind, place, &mut Chance::of(seed, what, case));
        let label = if by == kind.name { by.to_owned() } else { format!("{}: {by}", kind.name) };
        let count = counts.entry(label).or_default();
        count.cases += 1;
        match verdict {
            Verdict::Same => count.same += 1,
            Verdict::Refused => count.refused += 1,
            Verdict::Violation(violation) => {
                count.violations += 1;
                violations += 1;
                eprintln!(
                    "{}: {violation}\n  TETRASTAT_ATTACK_SEED={seed} TETRASTAT_ATTACK_ONLY={what}/{case}\n  {deed}",
                    kind.name
                );
            }
        }
    }
    println!("{}", table(what, &counts));
    assert!(violations == 0, "{violations} violations, told above");
}

#[test]
fn no_list_leads_out_of_its_folder() {
    attack("name", few(), named);
}

#[test]
fn verify_passes_no_changed_bit() {
    attack("flip", few(), flipped);
}

#[test]
#[ignore = "long: 30 s"]
fn long_no_list_leads_out_of_its_folder() {
    attack("name", super::CASES..super::LONG_CASES, named);
}

#[test]
#[ignore = "long: 30 s"]
fn long_verify_passes_no_changed_bit() {
    attack("flip", super::CASES..super::LONG_CASES, flipped);
}
