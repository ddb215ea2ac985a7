//! What is attacked: one entry per command. All attacks share the table.

/// A command under attack.
pub struct ClassicGames {
    pub name: &'static str,
    /// Its words. `out` is the folder or file that it writes, if it writes one.
    pub args: &'static str,
    /// Files that it reads.
    pub inputs: &'static [(&'static str, &'static str)],
    /// Commands that make what it reads.
    pub before: &'static [&'static str],
    /// The command whose `--resume out` goes on, too.
    pub resume: Option<&'static str>,
    /// Whether the first Ctrl-C lets it keep what is done.
    pub stops: bool,
    /// It takes seconds, and gets one case of twenty when the attack is made at length.
    pub dear: bool,
}

const PLAIN: ClassicGames = ClassicGames {
    name: "",
    args: "",
    inputs: &[],
    before: &[],
    resume: None,
    stops: true,
    dear: false,
};
const SIMULATE: ClassicGames = ClassicGames { resume: Some("simulate"), ..PLAIN };
const LIAP: ClassicGames = ClassicGames { resume: Some("liap simulate"), ..PLAIN };
const TRAIN: ClassicGames = ClassicGames { resume: Some("train"), ..PLAIN };
/// What writes nothing but its answer.
const ANSWER: ClassicGames = ClassicGames { stops: false, ..PLAIN };

const MINE: (&str, &str) = (
    "mine.toml",
    "name = 'mine'\nmeasured = 'after-clear'\n[weights]\nholes = -4\nmax_height = -1\nwells = -1\n",
);
const STUDY: (&str, &str) = (
    "study.toml",
    "controllers = ['bcts', 'mine.toml']\nboards = ['8x8', '6x8']\nseed = 5\ngames = 8\n\
     max_pieces = 300\nplacements = 'csv.gz'\ncolumns = 'minimal'\nevery = 5\ncheckpoint_ms = 0\n\
     [[condition]]\ncontroller = 'dt20'\nboard = '8x8'\nplacements = 'parquet'\n",
);
const RUN: &str = "simulate --board 8x8 --games 12 --max-pieces 300 --seed 3 --sample 0 --placements csv --candidates --every 9 --out run";

const WHOLE: &str = "simulate --board 8x8 --games 2 --max-pieces 60 --seed 3 --sample 0 --placements csv --out whole";
/// An input file that creates the folder `out`, in which the command writes its file.
const FOLDER: (&str, &str) = ("out/beside", "");

pub const JOBS: &[ClassicGames] = &[
    ClassicGames {
        name: "simulate csv",
        args: "simulate --board 8x8 --games 40 --max-pieces 500 --seed 3 --threads 1 --sample 0 --placements csv --checkpoint-ms 0 --out out",
        ..SIMULATE
    },
    ClassicGames {
        name: "simulate csv.gz",
        args: "simulate --board 8x8 --games 24 --max-pieces 500 --seed 4 --threads 2 --sample 0 --placements csv.gz --candidates --every 4 --checkpoint-ms 0 --out out",
        ..SIMULATE
    },
    ClassicGames {
        name: "simulate csv.zst",
        args: "simulate --board 8x8 --games 40 --max-pieces 500 --seed 5 --threads 1 --sample 0 --placements csv.zst --checkpoint-ms 0 --search next --queue bag --out out",
        ..SIMULATE
    },
    ClassicGames {
        name: "simulate parquet",
        args: "simulate --board 8x8 --games 24 --max-pieces 500 --seed 6 --threads 2 --sample 0 --placements parquet --candidates --every 4 --checkpoint-ms 0 --out out",
        ..SIMULATE
    },
    ClassicGames {
        name: "simulate, long games",
        args: "simulate --board 10x10 --games 3 --max-pieces 12000 --seed 7 --threads 2 --sample 0 --placements csv --columns minimal --every 4 --checkpoint-ms 0 --out out",
        ..SIMULATE
    },
    ClassicGames {
        name: "simulate, a file's player",
        args: "simulate --controller mine.toml --board 8x8 --games 60 --max-pieces 500 --seed 8 --threads 1 --sample 0 --placements none --checkpoint-ms 0 --out out",
        inputs: &[MINE],
        ..SIMULATE
    },
    ClassicGames {
        name: "simulate, a shard",
        args: "simulate --board 8x8 --games 90 --shard 2/3 --max-pieces 500 --seed 9 --threads 1 --sample 0 --placements csv --columns minimal --checkpoint-ms 0 --out out",
        ..SIMULATE
    },
    ClassicGames {
        name: "guideline csv",
        args: "simulate --rules guideline --mode blitz --pieces 30 --games 20 --seed 5 --threads 1 --placements csv --checkpoint-ms 0 --out out",
        ..SIMULATE
    },
    ClassicGames {
        name: "guideline parquet",
        args: "simulate --rules capstone --mode sprint --sprint-lines 6 --games 20 --seed 6 --threads 2 --placements parquet --checkpoint-ms 0 --out out",
        ..SIMULATE
    },
    ClassicGames {
        name: "liap csv",
        args: "liap simulate --rounds 1500 --seed 3 --threads 1 --log csv --checkpoint-ms 0 --out out",
        ..LIAP
    },
    ClassicGames {
        name: "liap csv.zst",
        args: "liap simulate --rounds 1500 --seed 4 --threads 2 --log csv.zst --declarers v1,v2,v2,v1 --checkpoint-ms 0 --out out",
        ..LIAP
    },
    ClassicGames {
        name: "train cem",
        args: "train cem --elite 3 --noise linear --features bcts --board 6x8 --population 8 --generations 10 --games 4 --max-pieces 300 --check-every 4 --check-games 8 --final-games 8 --held-out-games 16 --seed 3 --threads 1 --population-log --out out",
        ..TRAIN
    },
    ClassicGames {
        name: "train ga",
        args: "train ga --features bcts --board 6x8 --population 8 --generations 10 --games 4 --max-pieces 300 --check-every 4 --check-games 8 --final-games 8 --held-out-games 16 --seed 3 --threads 1 --population-log --out out",
        ..TRAIN
    },
    ClassicGames {
        name: "train snes",
        args: "train snes --features holes,wells,landing_height --board 6x8 --population 8 --generations 10 --games 4 --max-pieces 300 --check-every 4 --check-games 8 --final-games 8 --held-out-games 16 --seed 3 --threads 1 --out out",
        ..TRAIN
    },
    ClassicGames {
        name: "train cmaes",
        args: "train cmaes --features bcts --board 6x8 --population 8 --generations 10 --games 4 --max-pieces 300 --check-every 4 --check-games 8 --final-games 8 --held-out-games 16 --seed 3 --threads 2 --population-log --out out",
        ..TRAIN
    },
    ClassicGames {
        name: "train guideline",
        args: "train snes --rules guideline --mode sprint --sprint-lines 4 --population 4 --generations 5 --games 2 --check-every 3 --check-games 4 --final-games 4 --held-out-games 6 --threads 1 --out out",
        ..TRAIN
    },
    ClassicGames {
        name: "estimate",
        args: "estimate --board 10x10 --pieces 1000 --burn-in 100 --pilot-pieces 2000 --budget 60000 --threads 1 --out out",
        ..PLAIN
    },
    ClassicGames {
        name: "estimate, bags",
        args: "estimate --controller dellacherie --board 8x10 --queue bag --importance height --pieces 500 --burn-in 50 --pilot-pieces 1000 --budget 20000 --threads 2 --out out",
        ..PLAIN
    },
    ClassicGames {
        name: "study",
        args: "study study.toml --threads 1 --out out",
        inputs: &[MINE, STUDY],
        ..PLAIN
    },
    ClassicGames {
        name: "compare",
        args: "compare bcts mine.toml dt20 --board 8x8 --games 20 --threads 1 --out out",
        inputs: &[MINE],
        ..PLAIN
    },
    ClassicGames {
        name: "compare, until",
        args: "compare bcts dt20 --board 6x8 --until-halfwidth 15% --threads 2 --out out",
        ..PLAIN
    },
    ClassicGames {
        name: "reproduce",
        args: "reproduce --quick --table generators --threads 2 --out out",
        dear: true,
        ..PLAIN
    },
    ClassicGames {
        name: "merge",
        args: "merge one two --out out",
        before: &[
            "simulate --board 8x8 --games 20 --shard 1/2 --max-pieces 300 --sample 0 --placements csv --out one",
            "simulate --board 8x8 --games 20 --shard 2/2 --max-pieces 300 --sample 0 --placements csv --out two",
        ],
        stops: false,
        ..PLAIN
    },
    ClassicGames {
        name: "convert a run",
        args: "convert run out --format parquet",
        before: &[RUN],
        stops: false,
        ..PLAIN
    },
    ClassicGames {
        name: "convert a study",
        args: "convert study out --format csv.zst",
        inputs: &[MINE, STUDY],
        before: &["study study.toml --threads 1 --out study"],
        stops: false,
        dear: true,
        ..PLAIN
    },
    ClassicGames {
        name: "convert to csv.zst",
        args: "convert run/candidates.csv out/table.csv.zst",
        inputs: &[FOLDER],
        before: &[RUN],
        stops: false,
        ..PLAIN
    },
    ClassicGames {
        name: "convert to parquet",
        args: "convert run/candidates.csv out/table.parquet --describe",
        inputs: &[FOLDER],
        before: &[RUN],
        stops: false,
        ..PLAIN
    },
    ClassicGames { name: "view", args: "view run -o out", before: &[RUN], stops: false, ..PLAIN },
    ClassicGames {
        name: "picture",
        args: "watch --replay whole --svg out",
        before: &[WHOLE],
        stops: false,
        ..PLAIN
    },
    ClassicGames {
        name: "animation",
        args: "watch --replay whole --animate out",
        before: &[WHOLE],
        stops: false,
        ..PLAIN
    },
    ClassicGames {
        name: "cast",
        args: "watch --replay whole --asciicast out",
        before: &[WHOLE],
        stops: false,
        ..PLAIN
    },
    ClassicGames { name: "man", args: "man --out out", stops: false, ..PLAIN },
    ClassicGames {
        name: "convert to stdout",
        args: "convert run/candidates.csv -",
        before: &[RUN],
        ..ANSWER
    },
    ClassicGames { name: "verify", args: "verify run", before: &[RUN], ..ANSWER },
    ClassicGames {
        name: "exact",
        args: "exact --board 4x4 --controller bcts --threads 2",
        ..ANSWER
    },
    ClassicGames { name: "perft", args: "perft IOT", ..ANSWER },
    ClassicGames {
        name: "features",
        args: "features --picture ....../....../#.####/#.#### --piece I",
        ..ANSWER
    },
    ClassicGames { name: "controllers", args: "controllers", ..ANSWER },
    ClassicGames { name: "plan", args: "plan --tell 35e6,40e6 --power 0.8", ..ANSWER },
    ClassicGames {
        name: "step",
        args: "step --notebook --seed 42 --controller notebook-ones",
        ..ANSWER
    },
    ClassicGames { name: "watch", args: "watch --board 8x8 --from 42 --text", ..ANSWER },
    ClassicGames {
        name: "liap compare",
        args: "liap compare v1 v2 --rounds 500 --threads 2",
        ..ANSWER
    },
];

impl ClassicGames {
    pub fn words(&self) -> Vec<&'static str> {
        self.args.split(' ').collect()
    }

    pub fn writes(&self) -> bool {
        self.words().iter().any(|word| *word == "out" || word.starts_with("out/"))
    }

    /// Returns true if a kill may leave a temporary file beside the output; no later command reuses it.
    pub fn leaves_temporary(&self) -> bool {
        !self.goes_on() || self.name == "man"
    }

    /// Returns true if the same command must succeed after a failure: it writes a folder and is not a resumable run.
    pub fn begins_again(&self) -> bool {
        ["merge", "convert a run", "convert a study", "man"].contains(&self.name)
    }

    /// Whether the same command goes on: all do that have an `--out`.
    pub fn goes_on(&self) -> bool {
        self.words().contains(&"--out")
    }
}
