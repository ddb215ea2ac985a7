//! Runs `tetrastat train td`: learns cell patterns by temporal differences.

use std::sync::atomic::Ordering;

use clap::Args;
use serde_json::Value;

use crate::cli::command_line::{join_paragraphs, short_help};
use crate::cli::commands::train::candidates::{layout, parse_windows};
use crate::cli::commands::train::weights::describe_layout;
use crate::cli::commands::train::{OutputOptions, Plan, TrainOptions, run_within_budget};
use crate::cli::console::StopFlags;
use crate::cli::console::progress::ProgressStatus;
use crate::cli::options::runs::PlayOptions;
use crate::cli::options::{
    AnySearch, BoardFile, BoardOptions, EVERY_GAME, GarbageOptions, QueueOptions, StartOptions,
    WorkerOptions,
};
use crate::cli::prelude::*;
use crate::learn::LearningSettings;
use crate::record::Checkpoint;
use crate::search::Policy;
use crate::text::numbers::{counted, number, thousands};
use crate::text::parse::count;
use crate::train::{
    CONTROLLER_FILE, LearningEnds, LearningPlan, LearningState, LearningWatch, TABLES_FILE,
    TEMPORAL_DIFFERENCES, TrainingInvocation, learn,
};

const HELP: &str = r#"Learning has no candidates: it ends after --placements, --games or --minutes,
or by Ctrl-C. Streams of games learn in copies of the tables, which become their mean after each
round. The result depends on --streams and --round, and not on --threads.

    tetrastat train td --windows 4x4 --queue sz-random --placements 50000000

--config names a TOML file with options as keys, with _ for -; the command line wins. --dry-run
prints such a file."#;

const SHORT_HELP: &str = "\
    windows start placements games minutes alpha half-life lambda initial-value average streams \
    queue board max-pieces seed config out resume";

/// Options of learning by temporal differences.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = join_paragraphs(HELP), mut_args(short_help(SHORT_HELP)))]
pub(crate) struct Learn {
    /// Windows of cells that have tables (n-tuples), joined by commas: columns x rows, or a picture
    /// with its rows from the top (`##./.##`), at every place of the board. After a colon: `shared`
    /// if all rows of the board share tables, `plain` if mirrored columns share none, such as
    /// `4x4,3x3:shared:plain` [default: those of --start, else 4x4]
    #[arg(long, value_name = "WINDOWS")]
    windows: Option<String>,

    /// Controller with the tables from which learning starts
    #[arg(long, value_name = "CONTROLLER")]
    start: Option<String>,

    /// Number of placements, over all streams of games, after which learning ends, rounded up to
    /// whole rounds [default: none]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    placements: Option<u64>,

    /// Number of games after which learning ends [default: none]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    games: Option<u64>,

    #[command(flatten)]
    learning: LearningSettings,

    /// Placements, over all streams of games, between two rows of history.csv
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = count::<u64>(1..))]
    report_every: u64,

    /// Held-out games, from which the score of the result is reported
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = count::<u64>(..))]
    held_out_games: u64,

    #[command(flatten, next_help_heading = "Games")]
    file: BoardFile,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    queue: QueueOptions,

    #[command(flatten)]
    play: PlayOptions,

    #[command(flatten, next_help_heading = EVERY_GAME)]
    workers: WorkerOptions,

    #[command(flatten)]
    output: OutputOptions,
}

const DEFAULT_WINDOWS: &str = "4x4";

/// Untrained controller, as TOML: it scores only removed rows, until training adds cell patterns.
const TEMPLATE: &str = r#"
name = "td"
measured = "after-clear"

[weights]
rows_removed = 1.0
"#;

impl TrainOptions for Learn {
    const METHOD: &'static str = TEMPORAL_DIFFERENCES;
    const LENGTH_OPTION: &'static str = "placements";
    type Plan = LearningPlan;

    fn output(&self) -> &OutputOptions {
        &self.output
    }

    fn is_viewed(&self) -> bool {
        false
    }

    fn plan(&self, _: &Settings) -> anyhow::Result<(LearningPlan, String)> {
        let Learn { placements, games, learning, .. } = self;
        let ends = LearningEnds { placements: *placements, games: *games };
        ensure!(
            placements.is_some() || games.is_some() || self.output.minutes.is_some(),
            "td needs an end: give --placements, --games or --minutes"
        );
        learning.check()?;
        let rules: Rules = "simplified".parse()?;
        let start = StartOptions {
            file: self.file.clone(),
            garbage: GarbageOptions::default(),
            queue: self.queue.clone(),
        };
        let any = AnyGameOptions {
            rules: AnyRules::Classic(rules),
            search: AnySearch::Classic(Search::Greedy),
            policy: Policy::Best,
            start,
            workers: self.workers.clone(),
        };
        let mut template = Controller::parse(TEMPORAL_DIFFERENCES, TEMPLATE)?;
        for (_, weight) in &mut template.weights {
            // Values are discounted, and the removed rows are not.
            *weight = (1e6 / learning.gamma).round() / 1e6;
        }
        let mut config = self.play.config(template, &self.board, rules, 1, &any)?;
        let name = self.output.name(Self::METHOD, &config.size.to_string())?;
        config.controller.name.clone_from(&name);
        let start = self.start.as_deref().map(|name| {
            let start = Controller::load(name)?;
            start.check(config.size)?;
            let missing = "has no patterns: name a controller with [patterns]";
            start.patterns.ok_or_else(|| anyhow!("--start {name} {missing}"))
        });
        let start = start.transpose()?;
        let windows = match (&self.windows, &start) {
            (None, Some(start)) => start.windows().to_vec(),
            (windows, _) => parse_windows(windows.as_deref().unwrap_or(DEFAULT_WINDOWS))?,
        };
        let layout = layout(&windows, config.size)?;
        ensure!(
            start.as_ref().is_none_or(|start| *start.layout() == layout),
            "--start has other windows than --windows: leave one of them out"
        );
        let plan = LearningPlan {
            settings: *learning,
            layout,
            start,
            config,
            ends,
            report_every: self.report_every,
            held_out_games: self.held_out_games,
        };
        plan.start()?;
        Ok((plan, name))
    }

    fn is_foreign(&self, _: &Arg) -> bool {
        false
    }
}

impl Plan for LearningPlan {
    type State = LearningState;
    const STOPPING_MESSAGE: &'static str = "stopping: the held-out games measure the result, for \
        at most a minute or a tenth of the time so far (again to skip them)";

    fn recorded_config(&self) -> Value {
        LearningPlan::recorded_config(self)
    }

    fn tables(&self) -> Vec<String> {
        vec!["history.csv".to_owned()]
    }

    fn check(&self, checkpoint: &Checkpoint<LearningState>) -> Result<()> {
        checkpoint.check_config(&self.recorded_config())
    }

    fn is_enough(&self, manifest: &Value) -> bool {
        let count = |key: &str| manifest[key].as_u64().unwrap_or_default();
        self.ends.are_reached(count("placements"), count("games"))
    }

    fn play(
        &self,
        console: &Console,
        invocation: TrainingInvocation,
        folder: RunFolder,
        from: Option<&Checkpoint<LearningState>>,
        flags: &StopFlags,
        budget: &TimeBudget,
    ) -> Result<Manifest<LearningPlan>> {
        let (path, watch) = (folder.path().to_owned(), LearningWatch::default());
        let show = || progress(self, &watch);
        let StopFlags { stop, cut } = flags;
        let work = || learn(self, invocation, folder, from, &watch, stop, cut);
        console.with_progress(Some(&path), show, || run_within_budget(flags, budget, work))
    }

    fn report(&self, manifest: &Manifest<LearningPlan>, folder: &str) -> String {
        let (totals, held_out) = (&manifest.totals, manifest.summary.as_ref());
        let held_out = held_out.map(|held_out| held_out.describe());
        format!(
            "td · {} · seed {}\n\n{}held out   {}\ntrained    {}, {}; the last part took {:.2} s \
                of learning with {}\nfiles      {folder}: {CONTROLLER_FILE} {TABLES_FILE} \
                history.csv run.json checkpoint.json\n",
            self.describe(" · "),
            self.config.seed,
            describe_layout(&self.layout),
            held_out.as_deref().unwrap_or("not measured"),
            counted(totals.games, "game"),
            counted(totals.placements, "placement"),
            totals.learning_s,
            counted(self.settings.streams as u64, "stream")
        )
    }

    fn early_end(manifest: &Manifest<LearningPlan>) -> Option<(String, bool)> {
        let is_measured = manifest.summary.is_some();
        (manifest.status != Status::Complete).then(|| (String::new(), is_measured))
    }
}

fn progress(plan: &LearningPlan, watch: &LearningWatch) -> ProgressStatus {
    let placements = watch.totals.pieces.load(Ordering::Relaxed);
    let games = watch.totals.played.load(Ordering::Relaxed);
    let mean = watch.mean_lines().map(|mean| format!(" · mean lines {}", number(mean)));
    let text = match watch.is_held_out.load(Ordering::Relaxed) {
        true => "held-out games".to_owned(),
        false => format!("{} games{}", thousands(games), mean.unwrap_or_default()),
    };
    ProgressStatus {
        share: plan.ends.share(placements, games),
        text,
        counted: Some((placements, "placements")),
        unknown: None,
    }
}
