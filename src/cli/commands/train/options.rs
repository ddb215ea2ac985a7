//! Defines the options of a training and builds its plan.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{bail, ensure};

use crate::cli::commands::train::games::{Start, TrainingGameOptions};
use crate::cli::commands::train::method::{self, MethodOptions};
use crate::cli::commands::train::td::LearningOptions;
use crate::cli::commands::train::windows::first_entries;
use crate::cli::console::interrupt::minutes;
use crate::cli::console::output::Format;
use crate::cli::options::games::EVERY_GAME;
use crate::cli::options::help::{OUTPUT, prose, short_help};
use crate::text::parse::count;
use crate::train::{
    LostGame, METHOD_NAMES, Problem, RACING_NAMES, Racing, ResultSource, TrainingGames,
    TrainingPlan, TrainingPreset,
};

const HELP: &str = r#"Objectives (larger is better; with --minimise, smaller):
  lines           estimated mean lines of a finished game: all lines / games that ended. A game cut
                  off by a limit counts as exposure (if all are cut off, as if half a game ended)
  mean-COLUMN     observed mean of a column of games.csv: lines, pieces, height_max, clears_4, ...
  median-COLUMN   its median
  sprint          -pieces for a game that reaches --max-lines, else pieces + 5 lines - 550
  estimate        natural logarithm of mean lines, by multilevel splitting (see `tetrastat
                  estimate`), for games that are too long to play. --games, --check-games,
                  --final-games and --held-out-games are then numbers of replications, each with
                  --estimate-pieces pieces of a main path. Levels are placed once per generation,
                  by the mean of the distribution, and all candidates have the same seeds. If a
                  candidate dies so often that a replication reaches --estimate-most pieces, the
                  remaining paths count as deaths.

--racing halving plays a generation in rounds: all candidates play the first part of their games,
the better half twice as many, and so on. `saved` in history.csv is the number of games saved.
Candidates that went further rank higher.

cmaes --restarts starts again from the first distribution when a run has converged (Auger & Hansen
2005; Hansen 2009). --generations counts the generations of all runs.

With --minimise, a game lost early would score best. A lost game is therefore worth 1000000 in
mean-COLUMN and median-COLUMN, and up to as much again by the share of its goal (lines, pieces or
time) that it missed. `--rules guideline --objective mean-inputs --minimise` thus looks for the
Sprint with the fewest keys. --lost VALUE sets another worth, which also works without --minimise
(there the missed share reduces it). --lost observed uses lost games as they are. Without any limit,
every game is lost in the end and counts as it is.

Guideline games are trained with --rules guideline or capstone, or by a guideline preset:
--mode sprint (objective sprint) or blitz (mean-points).

With --windows, candidates of classic games have tables of cell patterns (n-tuples). The entries are
further weights, with the same --mean and --sd: `train cmaes --windows 2x2:shared --features bcts`.
cmaes takes at most 200 weights and entries, the others thousands: use `shared` and small windows.

`train td` learns such tables by temporal differences. It has no candidates: learning ends after
--placements, --games or --minutes, or by Ctrl-C. Streams of games learn in copies of the tables,
which become their mean after each round. The result depends on --streams and --round, and not on
--threads. `train td --windows 4x4 --queue sz-random --board 10x20 --placements 50000000` learns
S/Z.

Options come in layers: --preset, then --config, then the command line; later ones win. --dry-run
prints the result as a file for --config. The file is TOML; its keys are the options with _ for -,
and method:

    method = "cem"
    features = "bcts"        # or ["holes", "landing_height"]
    board = "10x10"
    population = 100
    elite = 10
    noise = "linear"
    games = 10

All candidates of a generation play the same games; the next generation plays others. At the end,
the best candidates and means play the finals. The winner's score comes from held-out games, which
choose nothing. The folder holds controller.toml (for --controller), history.csv, train.json and
checkpoint.json, from which --resume continues with byte-identical output. A larger --generations
extends the training."#;

/// Options that `-h` shows. `--help` shows all options.
const SHORT_HELP: [&str; 13] = [
    "preset",
    "config",
    "features",
    "objective",
    "rules",
    "board",
    "mode",
    "generations",
    "games",
    "population",
    "seed",
    "out",
    "resume",
];

/// Train controllers by cross-entropy, evolution or TD learning
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP), mut_args(short_help(&SHORT_HELP)))]
pub(crate) struct Options {
    /// Optimiser: `cem`, `ga`, `snes`, `cmaes`, `vdcmaes`, or `td` for cell patterns that learn by
    /// temporal differences [default: that of --preset or --config]
    #[arg(value_parser = method::method_or_learning)]
    pub(crate) method: Option<String>,

    /// Settings of a published training: `notebook`, `guide`, `capstone`, `unity`, `unity-newer`,
    /// `thiery-scherrer`, `rvce`; for guideline games `capstone-sprint`, `capstone-blitz`,
    /// `capstone-blitz-full`
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,

    /// TOML file with settings, explained in --help
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) game: TrainingGameOptions,

    #[command(flatten, next_help_heading = EVERY_GAME)]
    pub(crate) course: CourseOptions,

    #[command(flatten)]
    pub(crate) learning: LearningOptions,

    // This field is last, because its help heading applies to all options after it.
    #[command(flatten)]
    method_options: MethodOptions,
}

/// Options of the course and the output of a training.
#[derive(Debug, clap::Args)]
pub(crate) struct CourseOptions {
    /// Minimise the objective instead of maximising it
    #[arg(long)]
    minimise: bool,

    /// Value of a lost game in mean-COLUMN and median-COLUMN: a number, or `observed`, explained
    /// in --help [default: 1000000 with --minimise, else observed]
    #[arg(long, value_name = "VALUE|observed", allow_negative_numbers = true)]
    lost: Option<LostGame>,

    /// Maximum number of generations
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = count::<u64>(..))]
    generations: u64,

    /// Stop after this many minutes of wall-clock time and play the finals of the finished
    /// generations. The finals take at most a tenth of that time, or a minute if that is longer.
    /// --resume continues the training
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    pub(crate) minutes: Option<Duration>,

    /// Games of each candidate in a generation; for td, number of games after which learning ends
    /// [default of td: none]
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = count::<u64>(1..))]
    pub(crate) games: u64,

    /// Play the games of the first generation in every generation
    #[arg(long)]
    repeat_games: bool,

    /// Distribution of games: `halving` (in each round, the better half plays twice as many games)
    /// or `none`
    #[arg(long, value_name = "WAY", default_value = RACING_NAMES[0], value_parser = RACING_NAMES)]
    racing: String,

    /// Rounds of --racing halving. In the first round, a candidate plays the share 1/2^(N - 1)
    /// of its games [default: 3]
    #[arg(long, value_name = "N", value_parser = count::<u32>(..))]
    racing_rounds: Option<u32>,

    /// Generations between two checks, in which the mean (ga: the best candidate) plays held-out
    /// games; 0 for none
    #[arg(long, default_value_t = 10, value_name = "K", value_parser = count::<u64>(..))]
    check_every: u64,

    /// Games of a check
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = count::<u64>(..))]
    check_games: u64,

    /// Number of best candidates, and of best means, in the finals
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = count::<usize>(..))]
    finalists: usize,

    /// Games of each finalist; they choose the result
    #[arg(long, default_value_t = 300, value_name = "N", value_parser = count::<u64>(..))]
    final_games: u64,

    /// Held-out games, from which the score of the result is reported
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = count::<u64>(..))]
    pub(crate) held_out_games: u64,

    /// Finalists: `best` (candidates), `mean` (means of the distribution) or `any` (both).
    /// `average` instead returns the average of the last 50 means, without finals [ga: best]
    #[arg(long, default_value = "any", value_parser = ResultSource::NAMES)]
    answer: String,

    /// Choose the elite by validation games, as RV-CE does [cem]
    #[arg(long)]
    robust_elite: bool,

    /// Write population.csv with every candidate and its score
    #[arg(long)]
    population_log: bool,

    /// Name of the controller [default: METHOD-BOARD]
    #[arg(long)]
    pub(crate) name: Option<String>,

    /// Output folder: a new one, or that of the same training, which is resumed, or extended if
    /// --generations is larger [default: a new one under runs/]
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) out: Option<PathBuf>,

    /// Print the plan as a file for --config (with --format json as train.json has it) and train
    /// nothing
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) dry_run: bool,

    /// Resume an interrupted training; the output is byte-identical to an uninterrupted one. A
    /// larger --generations extends it
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) resume: Option<PathBuf>,

    /// Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as
    /// `tetrastat view` does
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) view: bool,

    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = OUTPUT)]
    pub(crate) format: Format,
}

impl Options {
    /// Builds the plan of the training. `preset` must be the preset that these options name.
    pub(crate) fn plan(&self, preset: Option<&TrainingPreset>) -> anyhow::Result<TrainingPlan> {
        let course = &self.course;
        let method = match (&self.method, preset) {
            (Some(method), Some(preset)) if *method != preset.options.name() => {
                let (name, its) = (preset.name, preset.options.name());
                bail!("the preset {name} is for {its}, not {method}: leave one out")
            }
            (Some(method), _) => method.as_str(),
            (None, Some(preset)) => preset.options.name(),
            (None, None) => {
                bail!(
                    "the optimiser is missing: give one of {}, td, or --preset",
                    METHOD_NAMES.join(", ")
                )
            }
        };
        let games = self.game.games(course.games)?;
        let optimiser =
            self.method_options.options(method, preset.map(|preset| &preset.options))?;
        let objective = self.game.objective()?;
        let objective = objective.directed(course.minimise, course.lost, &games)?;
        Ok(TrainingPlan {
            options: optimiser,
            problem: self.problem(method, preset, &games)?,
            objective,
            games,
            generations: course.generations,
            repeat_games: course.repeat_games,
            racing: course.racing()?,
            check_every: course.check_every,
            check_games: course.check_games,
            finalists: course.finalists,
            final_games: course.final_games,
            held_out_games: course.held_out_games,
            answer: course.answer(method),
            robust_elite: course.robust_elite,
            population_log: course.population_log,
        })
    }

    fn problem(
        &self,
        method: &str,
        preset: Option<&TrainingPreset>,
        games: &TrainingGames,
    ) -> anyhow::Result<Problem> {
        let n = games.dimension();
        let given = &self.method_options;
        let mut problem = match preset {
            Some(preset) if !given.has_bounds() => preset.problem(n),
            _ => Problem { bounds: given.bounds(n, method == "ga")?, ..Problem::new(n) },
        };
        if let Some(Start { name, weights: start, patterns }) = self.game.start()? {
            let weight = |name: &String| {
                let found = start.iter().find(|(of, _)| of == name);
                found.map_or(0.0, |(_, weight)| *weight)
            };
            let mut weights: Vec<f64> = games.names().iter().map(weight).collect();
            if let Some(layout) = games.layout() {
                weights.extend(first_entries(layout, patterns.as_ref())?);
            }
            ensure!(
                weights.iter().any(|&weight| weight != 0.0),
                "--start {name} has no weight for the features: give a controller that has one"
            );
            problem.start = Some(weights);
        }
        if given.is_scaled() {
            ensure!(
                problem.start.is_some(),
                "--scale start: give the controller, --start NAME|FILE"
            );
            problem = problem.scaled_by_start();
        }
        Ok(problem)
    }
}

/// Default number of rounds of a race (`--racing halving`).
const DEFAULT_ROUNDS: u32 = 3;

impl CourseOptions {
    fn racing(&self) -> anyhow::Result<Racing> {
        if self.racing != RACING_NAMES[0] {
            return Ok(Racing::Halving { rounds: self.racing_rounds.unwrap_or(DEFAULT_ROUNDS) });
        }
        ensure!(
            self.racing_rounds.is_none(),
            "--racing-rounds applies only to a race: give --racing halving, or leave it out"
        );
        Ok(Racing::None)
    }

    fn answer(&self, method: &str) -> ResultSource {
        match ResultSource::named(&self.answer) {
            Some(ResultSource::Any) if method == "ga" => ResultSource::Best,
            named => named.unwrap_or_default(),
        }
    }
}
