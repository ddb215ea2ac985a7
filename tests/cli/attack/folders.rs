//! Every kind of folder that the program writes, and who reads it.

use std::sync::{LazyLock, OnceLock};

use super::files::{self, Files};
use super::program::{self, done};

/// The name of each kind and its lists of other files (file:key). Commands after `+` make the
/// folder `d`, those after `-` and `=` read it, and after `=` so does the last command that makes
/// it. `!` stands for that one with `--force`.
const TABLE: &str = "\
run run.json:files datapackage.json:resources
+ simulate --board 6x8 --games 3 --max-pieces 30 --sample 0 --placements csv --columns all --out d
= !
- data verify d | view d -o p.html | data convert d y --format parquet | data convert d/games.csv - | data convert d/placements.csv t.csv
- label --from d --every 9 --replicates 2 --out s | watch --replay d --text=80x24 | compare --plan --from d | data merge d --out m
guideline run.json:files datapackage.json:resources
+ simulate --rules guideline --mode blitz --pieces 12 --games 3 --placements csv --out d
= !
- data verify d | view d -o p.html | data convert d y --format csv.gz | watch --replay d --text=80x24 | compare --plan --from d
liap run.json:files datapackage.json:resources
+ simulate --rules liap --rounds 40 --placements csv --out d
= !
- data verify d | view d -o p.html | watch --replay d --text=80x24 | data convert d y --format csv.zst
shards run.json:files datapackage.json:resources
+ simulate --board 6x8 --games 6 --shard 1/2 --max-pieces 30 --sample 0 --placements csv --out d
+ simulate --board 6x8 --games 6 --shard 2/2 --max-pieces 30 --sample 0 --placements csv --out e
- data merge d e --out m | data verify d
copy run.json:files datapackage.json:resources
+ simulate --board 6x8 --games 3 --max-pieces 30 --sample 0 --placements csv --out log
+ data convert log d --format parquet
= data verify d | view d -o p.html
rollout run.json:files datapackage.json:resources
+ simulate --board 6x8 --games 3 --max-pieces 30 --sample 0 --placements csv --columns all --out log
+ label --from log --every 9 --replicates 2 --out d
= !
- data verify d | view d -o p.html | data convert d y --format parquet
training run.json:files checkpoint.json:tables
+ train snes --features bcts --board 6x8 --population 4 --generations 2 --games 2 --final-games 4 --held-out-games 4 --threads 1 --out d
= train snes --resume d | data verify d | view d -o p.html
study conditions.csv:folder datapackage.json:resources datapackage.json:files
+ study study.toml --out d
= data verify d | view d -o p.html | compare --from d | compare --plan --from d | data convert d y --format parquet
comparison conditions.csv:folder datapackage.json:resources datapackage.json:files
+ compare bcts dt20 --board 6x8 --games 40 --max-pieces 400 --out d
= data verify d | view d -o p.html | compare --from d | compare --plan --from d
reproduction conditions.csv:folder datapackage.json:resources datapackage.json:files
+ study reproduce:generators --quick --out d
- data verify d | view d -o p.html | compare --from d
estimate run.json:files checkpoint.json:tables
+ estimate --board 8x10 --pieces 200 --burn-in 20 --pilot-pieces 500 --budget 5000 --threads 1 --out d
= data verify d | view d -o p.html";

/// The study of which a folder is made.
pub const STUDY: &str = "controllers = ['bcts', 'dt20']\nboards = ['6x8']\ngames = 40\nmax_pieces = 400\nplacements = 'csv'\n";

/// A kind of folder.
#[derive(Default)]
pub struct Kind {
    pub name: &'static str,
    makes: Vec<&'static str>,
    /// Files of the folder that list other files, and the key of the list.
    pub lists: Vec<(&'static str, &'static str)>,
    /// Commands that read the folder.
    pub readers: Vec<String>,
    made: OnceLock<Files>,
}

pub static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let mut kinds: Vec<Kind> = Vec::new();
    for line in TABLE.lines() {
        let (first, rest) = line.split_once(' ').unwrap();
        match first {
            "+" => kinds.last_mut().unwrap().makes.push(rest),
            "-" | "=" => {
                let kind = kinds.last_mut().unwrap();
                let maker = kind.makes[kind.makes.len() - 1];
                let forced = format!("{maker} --force");
                let more = rest.split(" | ").map(|by| if by == "!" { &forced } else { by });
                let same = (first == "=").then_some(maker);
                kind.readers.extend(same.into_iter().chain(more).map(str::to_owned));
            }
            name => {
                let lists = rest.split(' ').map(|list| list.split_once(':').unwrap()).collect();
                kinds.push(Kind { name, lists, ..Kind::default() });
            }
        }
    }
    kinds
});

impl Kind {
    pub fn named(name: &str) -> &'static Kind {
        KINDS.iter().find(|kind| kind.name == name).unwrap()
    }

    /// Returns what its commands make, which happens on first use.
    pub fn made(&self) -> &Files {
        self.made.get_or_init(|| {
            let room = program::folder();
            files::write(room.path(), "study.toml", STUDY.as_bytes());
            self.makes.iter().for_each(|command| done(room.path(), command));
            files::read(room.path())
        })
    }
}
