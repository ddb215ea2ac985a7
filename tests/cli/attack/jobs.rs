//! The commands that are attacked, a line each. All attacks share the table.

use std::sync::{LazyLock, OnceLock};

use super::Whole;

/// The name of each command and its words. `out` is the folder or file that it writes.
const TABLE: &str = "\
simulate csv: simulate --board 8x8 --games 40 --max-pieces 500 --seed 3 --threads 1 --sample 0 --placements csv --checkpoint-ms 0 --out out
simulate csv.gz: simulate --board 8x8 --games 24 --max-pieces 500 --seed 4 --threads 2 --sample 0 --placements csv.gz --candidates --every 4 --checkpoint-ms 0 --out out
simulate csv.zst: simulate --board 8x8 --games 40 --max-pieces 500 --seed 5 --threads 1 --sample 0 --placements csv.zst --checkpoint-ms 0 --search next --queue bag --out out
simulate parquet: simulate --board 8x8 --games 24 --max-pieces 500 --seed 6 --threads 2 --sample 0 --placements parquet --candidates --every 4 --checkpoint-ms 0 --out out
simulate, long games: simulate --board 10x10 --games 3 --max-pieces 12000 --seed 7 --threads 2 --sample 0 --placements csv --columns minimal --every 4 --checkpoint-ms 0 --out out
simulate, a file's player: simulate --controller mine.toml --board 8x8 --games 60 --max-pieces 500 --seed 8 --threads 1 --sample 0 --placements none --checkpoint-ms 0 --out out
simulate, a shard: simulate --board 8x8 --games 90 --shard 2/3 --max-pieces 500 --seed 9 --threads 1 --sample 0 --placements csv --columns minimal --checkpoint-ms 0 --out out
guideline csv: simulate --rules guideline --mode blitz --pieces 30 --games 20 --seed 5 --threads 1 --placements csv --checkpoint-ms 0 --out out
guideline parquet: simulate --rules capstone --mode sprint --sprint-lines 6 --games 20 --seed 6 --threads 2 --placements parquet --checkpoint-ms 0 --out out
liap csv: simulate --rules liap --rounds 1500 --seed 3 --threads 1 --placements csv --checkpoint-ms 0 --out out
liap csv.zst: simulate --rules liap --rounds 1500 --seed 4 --threads 2 --placements csv.zst --controller v1,v2,v2,v1 --checkpoint-ms 0 --out out
train cem: train cem --elite 3 --noise linear --features bcts --board 6x8 --population 8 --generations 10 --games 4 --max-pieces 300 --check-every 4 --check-games 8 --final-games 8 --held-out-games 16 --seed 3 --threads 1 --population-log --out out
train ga: train ga --features bcts --board 6x8 --population 8 --generations 10 --games 4 --max-pieces 300 --check-every 4 --check-games 8 --final-games 8 --held-out-games 16 --seed 3 --threads 1 --population-log --out out
train snes: train snes --features holes,wells,landing_height --board 6x8 --population 8 --generations 10 --games 4 --max-pieces 300 --check-every 4 --check-games 8 --final-games 8 --held-out-games 16 --seed 3 --threads 1 --out out
train cmaes: train cmaes --features bcts --board 6x8 --population 8 --generations 10 --games 4 --max-pieces 300 --check-every 4 --check-games 8 --final-games 8 --held-out-games 16 --seed 3 --threads 2 --population-log --out out
train guideline: train snes --rules guideline --mode sprint --sprint-lines 4 --population 4 --generations 5 --games 2 --check-every 3 --check-games 4 --final-games 4 --held-out-games 6 --threads 1 --out out
train td: train td --windows 2x3 --board 6x8 --max-pieces 300 --initial-value 5 --streams 2 --round 500 --report-every 2000 --held-out-games 20 --seed 3 --placements 20000 --threads 1 --out out
estimate: estimate --board 10x10 --pieces 1000 --burn-in 100 --pilot-pieces 2000 --budget 60000 --threads 1 --out out
estimate, bags: estimate --controller dellacherie --board 8x10 --queue bag --importance height --pieces 500 --burn-in 50 --pilot-pieces 1000 --budget 20000 --threads 2 --out out
study: study study.toml --threads 1 --out out
compare: compare bcts mine.toml dt20 --board 8x8 --games 20 --threads 1 --out out
compare, until: compare bcts dt20 --board 6x8 --until-halfwidth 15% --threads 2 --out out
reproduce: study reproduce:generators --quick --threads 2 --out out
label: label --from whole --every 9 --replicates 8 --horizon 20 --seed 3 --regret --threads 1 --out out
data set: data set set.toml --threads 1 --out out
merge: data merge one two --out out
convert a run: data convert run out --format parquet
convert a study: data convert study out --format csv.zst
convert to csv.zst: data convert run/candidates.csv out/table.csv.zst
convert to parquet: data convert run/candidates.csv out/table.parquet
view: view run -o out
picture: watch --replay whole --svg out
animation: watch --replay whole --animate out
cast: watch --replay whole --asciicast out
man: man --out out
convert to stdout: data convert run/candidates.csv -
verify: data verify run
exact: exact --board 4x4 --controller bcts --threads 2
perft: bench perft IOT
features: show board --picture ....../....../#.####/#.#### --piece I
controllers: show controllers
plan: compare bcts dt20 --plan --board 6x8 --games 20 --max-pieces 200 --threads 2
keys: play --keys --notebook --seed 42 --controller notebook-ones
watch: watch --board 8x8 --from 42 --text
liap compare: liap compare v1 v2 --rounds 500 --threads 2";

/// Files that commands read.
pub const FILES: [(&str, &str); 3] = [
    (
        "mine.toml",
        "name = 'mine'\nmeasured = 'after-clear'\n[weights]\nholes = -4\nmax_height = -1\nwells = -1\n",
    ),
    (
        "study.toml",
        "controllers = ['bcts', 'mine.toml']\nboards = ['8x8', '6x8']\nseed = 5\ngames = 8\n\
         max_pieces = 300\nplacements = 'csv.gz'\ncolumns = 'minimal'\nevery = 5\ncheckpoint_ms = 0\n\
         [[condition]]\ncontroller = 'dt20'\nboard = '8x8'\nplacements = 'parquet'\n",
    ),
    (
        "set.toml",
        "controllers = ['bcts', 'lee']\nboard = '8x8'\ngames = 8\nmax_pieces = 200\n\
         [dataset]\nname = 'mine'\nversion = '1.0.0'\ntitle = 'Mine'\ndescription = 'Of one board.'\n",
    ),
];

/// Folders that commands read, and how they are made.
const FOLDERS: &str = "\
run: simulate --board 8x8 --games 12 --max-pieces 300 --seed 3 --sample 0 --placements csv --candidates --every 9 --out run
whole: simulate --board 8x8 --games 2 --max-pieces 60 --seed 3 --sample 0 --placements csv --out whole
one: simulate --board 8x8 --games 20 --shard 1/2 --max-pieces 300 --sample 0 --placements csv --out one
two: simulate --board 8x8 --games 20 --shard 2/2 --max-pieces 300 --sample 0 --placements csv --out two
study: study study.toml --threads 1 --out study";

fn named(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().map(|line| line.split_once(": ").unwrap())
}

/// A command under attack.
pub struct Job {
    pub name: &'static str,
    pub args: &'static str,
    /// Files and output of the command without an attack.
    pub whole: OnceLock<Whole>,
}

pub static JOBS: LazyLock<Vec<Job>> = LazyLock::new(|| {
    named(TABLE).map(|(name, args)| Job { name, args, whole: OnceLock::new() }).collect()
});

impl Job {
    pub fn words(&self) -> Vec<&'static str> {
        self.args.split(' ').collect()
    }

    /// Commands that make the folders that it reads.
    pub fn before(&self) -> impl Iterator<Item = &'static str> {
        let first = |word: &'static str| word.split('/').next().unwrap();
        let read: Vec<_> = self.words().into_iter().skip(1).map(first).collect();
        named(FOLDERS).filter(move |(folder, _)| read.contains(folder)).map(|(_, command)| command)
    }

    /// The command whose `--resume out` goes on, too.
    pub fn resume(&self) -> Option<&'static str> {
        let methods = ["train cem", "train ga", "train snes", "train cmaes", "train td"];
        let mut resumed = ["simulate"].into_iter().chain(methods);
        resumed.find(|command| self.args.starts_with(command))
    }

    /// Returns `true` if the command keeps its results at the first Ctrl-C.
    pub fn stops(&self) -> bool {
        self.goes_on() && !["merge", "man"].contains(&self.name)
    }

    /// Returns `true` if the command takes seconds, so that only long attacks include it.
    pub fn is_dear(&self) -> bool {
        ["reproduce", "convert a study"].contains(&self.name)
    }

    /// Returns `true` if the command writes a file into an existing folder `out`.
    pub fn writes_into(&self) -> bool {
        self.args.contains(" out/")
    }

    pub fn writes(&self) -> bool {
        self.writes_into() || self.words().contains(&"out")
    }

    /// Returns true if a kill may leave a temporary file beside the output; no later command reuses
    /// it.
    pub fn leaves_temporary(&self) -> bool {
        !self.goes_on() || self.name == "man"
    }

    /// Returns true if the same command must succeed after a failure: it writes a folder and is not
    /// a resumable run.
    pub fn begins_again(&self) -> bool {
        ["merge", "convert a run", "convert a study", "man"].contains(&self.name)
    }

    /// Whether the same command goes on: all do that have an `--out`.
    pub fn goes_on(&self) -> bool {
        self.words().contains(&"--out")
    }
}
