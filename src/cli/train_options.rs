//! Options of a training, and the plan that they make.

use std::path::PathBuf;

use anyhow::{bail, ensure};

use super::Format;
use super::options::count;
use super::train_games::GameOptions;
use super::train_layers::Layered;
use super::train_method::{self, MethodOptions};
use crate::train::{ANSWER_NAMES, Answer, LostGame, Plan, Problem};

/// Everything but the command's name: files and presets give them, too.
#[derive(Debug, clap::Args)]
pub(super) struct Options<G: GameOptions> {
    /// Optimiser: `cem`, `ga`, `snes` or `cmaes` [default: that of --preset or --config]
    #[arg(value_parser = train_method::method)]
    pub(super) method: Option<String>,

    /// A source's settings: `notebook`, `guide`, `capstone`, `unity`, `unity-newer`,
    /// `thiery-scherrer`, `rvce`; of guideline games `capstone-sprint`, `capstone-blitz`,
    /// `capstone-blitz-full`
    #[arg(long, value_name = "NAME")]
    pub(super) preset: Option<String>,

    /// Settings from a TOML file: see below
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    #[command(flatten)]
    game: G,

    /// Less is better
    #[arg(long)]
    minimise: bool,

    /// What a lost game is worth to mean-COLUMN and median-COLUMN: a number, or `observed`; see below
    /// [default: 1000000 with --minimise, else observed]
    #[arg(long, value_name = "VALUE|observed", allow_negative_numbers = true)]
    lost: Option<LostGame>,

    /// Generations at most
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = count::<u64>(..))]
    generations: u64,

    /// Games of each candidate in a generation
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = count::<u64>(1..))]
    games: u64,

    /// Play the games of the first generation in every generation
    #[arg(long)]
    repeat_games: bool,

    /// Every K generations the mean (ga: the best) plays held-out games; 0 for never
    #[arg(long, default_value_t = 10, value_name = "K", value_parser = count::<u64>(..))]
    check_every: u64,

    /// Games of such a check
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = count::<u64>(..))]
    check_games: u64,

    /// Best candidates, and best means, that compete at the end
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = count::<usize>(..))]
    finalists: usize,

    /// Games by which the result is chosen among them
    #[arg(long, default_value_t = 300, value_name = "N", value_parser = count::<u64>(..))]
    final_games: u64,

    /// Games that the result is reported by
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = count::<u64>(..))]
    held_out_games: u64,

    /// Who competes: `best` (candidates), `mean` (means of the distribution) or `any` [ga: best]
    #[arg(long, default_value = "any", value_parser = ANSWER_NAMES)]
    answer: String,

    /// Elect the elite by validation games, as RV-CE does [cem]
    #[arg(long)]
    robust_elite: bool,

    /// Write population.csv: every candidate with its score
    #[arg(long)]
    population_log: bool,

    /// Name of the controller [default: METHOD-BOARD]
    #[arg(long)]
    pub(super) name: Option<String>,

    /// Output folder: a new one, or that of the same training, which goes on, or further with more
    /// --generations [default: a fresh one under runs/]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    /// Show what would be trained, as a file for --config (with --format json as train.json has it), and
    /// train nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Go on with a training that was killed or interrupted, to the same bytes, or further with more
    /// --generations
    #[arg(long, value_name = "DIR")]
    pub(super) resume: Option<PathBuf>,

    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,

    // Last, because its heading holds for all that follows.
    #[command(flatten)]
    method_options: MethodOptions,
}

impl<G: GameOptions> Layered<G> {
    /// What the options say, put together.
    pub(super) fn plan(&self) -> anyhow::Result<Plan> {
        let options = &self.options;
        let method = match (&options.method, self.preset) {
            (Some(method), Some(preset)) if *method != preset.options.name() => {
                let (name, its) = (preset.name, preset.options.name());
                bail!("the preset {name} is for {its}, not {method}: leave one out")
            }
            (Some(method), _) => method.as_str(),
            (None, Some(preset)) => preset.options.name(),
            (None, None) => bail!("which optimiser? give cem, ga, snes or cmaes, or --preset"),
        };
        let games = options.game.games(options.games)?;
        let optimiser =
            options.method_options.options(method, self.preset.map(|preset| &preset.options))?;
        let objective =
            options.game.objective().directed(options.minimise, options.lost, &games)?;
        Ok(Plan {
            options: optimiser,
            problem: self.problem(method, &games.names())?,
            objective,
            games,
            generations: options.generations,
            repeat_games: options.repeat_games,
            check_every: options.check_every,
            check_games: options.check_games,
            finalists: options.finalists,
            final_games: options.final_games,
            held_out_games: options.held_out_games,
            answer: options.answer(method),
            robust_elite: options.robust_elite,
            population_log: options.population_log,
        })
    }

    fn problem(&self, method: &str, names: &[String]) -> anyhow::Result<Problem> {
        let n = names.len();
        let given = &self.options.method_options;
        let mut problem = match self.preset {
            Some(preset) if !given.has_bounds() => preset.problem(n),
            _ => Problem { bounds: given.bounds(n, method == "ga")?, ..Problem::new(n) },
        };
        if let Some((name, start)) = self.options.game.start()? {
            let weight = |name: &String| {
                let found = start.iter().find(|(of, _)| of == name);
                found.map_or(0.0, |(_, weight)| *weight)
            };
            let weights: Vec<f64> = names.iter().map(weight).collect();
            ensure!(
                weights.iter().any(|&weight| weight != 0.0),
                "--start {name} weighs none of the features: give a controller that does"
            );
            problem.start = Some(weights);
        }
        Ok(problem)
    }
}

impl<G: GameOptions> Options<G> {
    fn answer(&self, method: &str) -> Answer {
        match &*self.answer {
            "mean" => Answer::Mean,
            "any" if method != "ga" => Answer::Any,
            _ => Answer::Best,
        }
    }
}
