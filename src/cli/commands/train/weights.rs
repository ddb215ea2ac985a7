//! Runs the trainings `cem`, `ga`, `snes`, `cmaes` and `vdcmaes`, whose candidates play games.

use std::sync::atomic::Ordering;

use clap::Args;
use serde_json::Value;

use crate::cli::command_line::{OUTPUT, is_word_in, join_paragraphs};
use crate::cli::commands::train::candidates::CandidateOptions;
use crate::cli::commands::train::{OutputOptions, Plan, TrainOptions, run_within_budget};
use crate::cli::console::StopFlags;
use crate::cli::console::progress::ProgressStatus;
use crate::cli::options::EVERY_GAME;
use crate::cli::prelude::*;
use crate::controller::PatternLayout;
use crate::record::Checkpoint;
use crate::text::numbers::{number, thousands};
use crate::train::{
    CONTROLLER_FILE, Method, ProblemOptions, ResultSource, ScheduleOptions, Stage, TABLES_FILE,
    TrainingInvocation, TrainingPlan, TrainingState, TrainingTotals, TrainingWatch,
    describe_windows, train,
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

With --minimise, a game lost early would score best. A lost game is therefore worth 1000000 in
mean-COLUMN and median-COLUMN, and up to as much again by the share of its goal (lines, pieces or
time) that it missed. `--rules guideline --objective mean-inputs --minimise` thus looks for the
Sprint with the fewest keys. --lost VALUE sets another worth, which also works without --minimise
(there the missed share reduces it). --lost observed uses lost games as they are. Without any limit,
every game is lost in the end and counts as it is.

With --windows, candidates of classic games have tables of cell patterns (n-tuples). The entries are
further weights, with the same mean and sd: `train cmaes --windows 2x2:shared --features bcts`.
cmaes takes at most 200 weights and entries, the others thousands: use `shared` and small windows.

Options come in layers: --preset, then --config, then the command line; later ones win. --dry-run
prints the result as a file for --config. The file is TOML; its keys are the options with _ for -.

All candidates of a generation play the same games; the next generation plays others. At the end,
the best candidates and means play the finals. The winner's score comes from held-out games, which
choose nothing. The folder holds controller.toml (for --controller), history.csv, run.json and
checkpoint.json, from which --resume continues with byte-identical output. A larger --generations
extends the training."#;

const OPTIMISER: &str = "Optimiser (defaults: those of the papers)";

const SHORT_HELP: &str = "preset features objective rules board generations games seed out resume";

/// Options of a training by the method `M`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = join_paragraphs(HELP), mut_args(adapt_help::<M>))]
pub(crate) struct Train<M: Method> {
    /// Settings of a published training
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    #[command(flatten)]
    candidates: CandidateOptions,

    #[command(flatten, next_help_heading = EVERY_GAME)]
    schedule: ScheduleOptions,

    #[command(flatten, next_help_heading = OPTIMISER)]
    method: M,

    #[command(flatten, next_help_heading = OPTIMISER)]
    problem: ProblemOptions,

    #[command(flatten)]
    output: OutputOptions,

    /// Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as
    /// `tetrastat view` does
    #[arg(long, help_heading = OUTPUT)]
    view: bool,
}

fn adapt_help<M: Method>(arg: Arg) -> Arg {
    let arg = match arg.get_long() {
        // The plan refuses these options with the reason.
        Some("scale") => return arg.hide(M::NAME == "ga"),
        Some("robust-elite") => return arg.hide(M::NAME != "cem").hide_short_help(true),
        Some("preset") => {
            let names = crate::train::TrainingPreset::names(M::NAME).collect::<Vec<_>>().join(", ");
            let names = if names.is_empty() { "there is none".to_owned() } else { names };
            arg.help(format!("Settings of a published training: {names}"))
        }
        _ => arg,
    };
    let is_rare = matches!(arg.get_long(), Some("variance-floor" | "best-tie" | "max-candidates"));
    let is_short = arg.get_help_heading() == Some(OPTIMISER) && !is_rare
        || arg.get_long().is_some_and(|name| is_word_in(SHORT_HELP, name));
    arg.hide_short_help(!is_short)
}

impl<M: Method> TrainOptions for Train<M> {
    const METHOD: &'static str = M::NAME;
    const LENGTH_OPTION: &'static str = "generations";
    type Plan = TrainingPlan;

    fn output(&self) -> &OutputOptions {
        &self.output
    }

    fn is_viewed(&self) -> bool {
        self.view
    }

    fn plan(&self, settings: &Settings) -> anyhow::Result<(TrainingPlan, String)> {
        self.candidates.any.rules.games().refuse_foreign::<Self>(settings)?;
        let (games, options) = (self.candidates.games()?, self.method.into());
        let start = self.candidates.start_point(&games)?;
        let mut schedule = self.schedule;
        if !options.has_mean() && schedule.answer == ResultSource::Any {
            schedule.answer = ResultSource::Best;
        }
        let plan = TrainingPlan {
            problem: self.problem.problem(&options, games.dimension(), start)?,
            objective: self.candidates.objective(settings, &games)?,
            options,
            games,
            schedule,
        };
        plan.start()?;
        let name = self.output.name(M::NAME, &plan.games.board_or_mode())?;
        Ok((plan, name))
    }

    fn is_foreign(&self, option: &Arg) -> bool {
        let heading = self.candidates.any.rules.games().heading;
        let headings = [Some(heading), Some(OPTIMISER), Some(OUTPUT), None];
        let is_estimate = option.get_long().is_some_and(|name| name.starts_with("estimate-"));
        // An estimate's options are refused with other objectives.
        is_estimate || !headings.contains(&option.get_help_heading())
    }
}

impl Plan for TrainingPlan {
    type State = TrainingState;
    const STOPPING_MESSAGE: &'static str = "stopping: the finals choose the result, for at most a \
        minute or a tenth of the time so far (again to skip them)";

    fn recorded_config(&self) -> Value {
        TrainingPlan::recorded_config(self)
    }

    fn tables(&self) -> Vec<String> {
        TrainingPlan::tables(self)
    }

    fn check(&self, checkpoint: &Checkpoint<TrainingState>) -> Result<()> {
        self.state_in(checkpoint).map(|_| ())
    }

    fn is_enough(&self, manifest: &Value) -> bool {
        // The folder is complete if the training ended by itself, or has enough generations.
        !manifest["stopped"].is_null()
            || manifest["generations"][1].as_u64() >= Some(self.generations)
    }

    fn play(
        &self,
        console: &Console,
        invocation: TrainingInvocation,
        folder: RunFolder,
        from: Option<&Checkpoint<TrainingState>>,
        flags: &StopFlags,
        budget: &TimeBudget,
    ) -> Result<Manifest<TrainingPlan>> {
        let (path, watch) = (folder.path().to_owned(), Arc::new(TrainingWatch::default()));
        let show = || ProgressStatus {
            share: watch.share(),
            text: describe(self, &watch),
            counted: Some((watch.totals.pieces.load(Ordering::Relaxed), "pieces")),
            unknown: None,
        };
        let StopFlags { stop, cut } = flags;
        let work = || train(self, invocation, folder, from, &watch, stop, cut);
        console.with_progress(Some(&path), show, || run_within_budget(flags, budget, work))
    }

    fn report(&self, manifest: &Manifest<TrainingPlan>, folder: &str) -> String {
        let Some(winner) = &manifest.summary else { return String::new() };
        let TrainingTotals {
            stopped, generations, games: all, pieces, saved, outside_share, ..
        } = &manifest.totals;
        let (method, games) = (self.options.name(), self.games.describe(" · "));
        let mut text = format!("{method} · {games} · seed {}\n\n", self.games.plan().seed);
        for (feature, weight) in self.games.weights(&winner.finalist.weights) {
            text += &format!("  {weight:>13.9}  {feature}\n");
        }
        if !self.games.names().is_empty() {
            text.push('\n');
        }
        let layout = self.games.layout();
        text += &layout.map(describe_layout).unwrap_or_default();
        text += &format!("result     {}\n", winner.finalist.origin);
        if let Some(held_out) = &winner.held_out {
            text += &format!("held out   {}\n", held_out.describe(self));
            if let (Some(worst), Some(worth)) = (held_out.contradiction, self.objective.lost()) {
                text += &format!(
                    "note       a game that was not lost has the value {worst:.1}, no better than \
                        a lost game ({worth}): give another --lost\n"
                );
            }
        }
        if let Some(stopped) = stopped {
            text += &format!("stopped    {stopped}\n");
        }
        text += &format!(
            "trained    {} generations, {} games, {} pieces in {:.2} s; {:.1} % of it outside of \
                games\n",
            thousands(generations.1),
            thousands(*all),
            thousands(*pieces),
            manifest.provenance.elapsed_s,
            100.0 * outside_share
        );
        if *saved > 0 {
            let all = all + saved;
            text += &format!(
                "racing     left out {} of {} games, {:.1} %\n",
                thousands(*saved),
                thousands(all),
                100.0 * *saved as f64 / all as f64
            );
        }
        let tables = if layout.is_some() { format!(" {TABLES_FILE}") } else { String::new() };
        text + &format!(
            "files      {folder}: {CONTROLLER_FILE}{tables} history.csv run.json \
                checkpoint.json\n"
        )
    }

    fn early_end(manifest: &Manifest<TrainingPlan>) -> Option<(String, bool)> {
        let (asked, done) = manifest.totals.generations;
        let winner = manifest.summary.as_ref()?;
        let origin = winner.finalist.origin;
        let is_measured = winner.held_out.is_some();
        let chosen = match (winner.contenders.is_empty(), is_measured) {
            (true, _) => format!("without finals the result is the {origin}"),
            (false, false) => {
                format!("the finals chose the {origin}, and its held-out games were skipped")
            }
            (false, true) => format!("the finals chose the {origin}"),
        };
        let end = format!(" after {done} of {asked} generations: {chosen}");
        (manifest.status != Status::Complete).then_some((end, is_measured))
    }
}

fn describe(plan: &TrainingPlan, watch: &TrainingWatch) -> String {
    let status = watch.status();
    let all = watch.totals.played.load(Ordering::Relaxed);
    let mut text = match status.stage {
        Stage { games, begun, .. } if status.finals => {
            let own = all.saturating_sub(begun.0);
            format!("finals: games {}/{}", thousands(own), thousands(games))
        }
        _ => format!("generation {}/{}", status.generation, plan.generations),
    };
    if let Some((best, mean)) = status.last {
        text += &format!(" · best {} mean {}", number(best), number(mean));
    }
    if let Some(held_out) = status.held_out {
        text += &format!(" held-out {}", number(held_out));
    }
    text + &format!(" · {} games", thousands(all))
}

pub(super) fn describe_layout(layout: &PatternLayout) -> String {
    format!(
        "windows    {}: {} lookups, {} table entries\n",
        describe_windows(layout),
        layout.lookups().len(),
        thousands(layout.entries() as u64)
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::FromArgMatches;

    use super::*;
    use crate::cli::commands::train::{Request, from_table, lower_layers};
    use crate::cli::options::settings::{ParsedArgs, options};
    use crate::train::{
        CrossEntropyOptions, GeneticOptions, OptimiserSettings, PRESETS, SnesOptions,
        TrainingGames, TrainingPreset,
    };

    fn planned<M: Method>(line: &str) -> TrainingPlan {
        let words = line.split_whitespace();
        let matches = options::<Train<M>>().try_get_matches_from(words).unwrap();
        let given = ParsedArgs::<Train<M>>::from_arg_matches(&matches).unwrap();
        Request::new(given).unwrap().0.plan
    }

    fn of_preset(name: &str) -> TrainingPlan {
        let line = format!("--preset {name} --seed 7");
        match TrainingPreset::named(name).unwrap().options["method"].as_str() {
            Some("cem") => planned::<CrossEntropyOptions>(&line),
            Some("ga") => planned::<GeneticOptions>(&line),
            _ => planned::<SnesOptions>(&line),
        }
    }

    #[test]
    fn every_preset_becomes_a_plan_that_starts() {
        for (name, _) in PRESETS {
            let (plan, keys) = (of_preset(name), TrainingPreset::named(name).unwrap().options);
            let count = |key: &str| keys[key].as_integer().unwrap() as u64;
            assert_eq!(plan.options.name(), keys["method"].as_str().unwrap());
            assert_eq!(plan.generations, count("generations"));
            assert_eq!((plan.games.plan().games, plan.games.plan().seed), (count("games"), 7));
            let is_guideline = matches!(plan.games, TrainingGames::Guideline(..));
            assert_eq!(is_guideline, keys.contains_key("rules"));
        }
        let plan = of_preset("unity-newer");
        let OptimiserSettings::Ga(ga) = plan.options else { panic!("not ga") };
        assert_eq!(ga.mutation.to_string(), "one-gene:0.1:0.1:1:3:10:20");
        assert_eq!(plan.problem.bounds.unwrap()[0].high, 1.0);
    }

    #[test]
    fn the_capstones_presets_play_its_games() {
        let said = |line: &str| {
            let plan = planned::<SnesOptions>(line);
            let population =
                format!("{} x {}", plan.start().map_or(0, |s| plan.games_of(&s)), plan.generations);
            format!("{}, {}, {population}", plan.games.describe(", "), plan.objective)
        };
        assert_eq!(
            said("--preset capstone-sprint"),
            "capstone sprint, hard-drop movement, search greedy, sprint, 60 x 60"
        );
        assert_eq!(
            said("--preset=capstone-blitz"),
            "capstone blitz, hard-drop movement, search greedy, mean-points, 60 x 60"
        );
        assert_eq!(
            said("--preset capstone-blitz --movement full --games 2"),
            "capstone blitz, full movement, search greedy, mean-points, 120 x 60"
        );
        assert_eq!(
            said("--preset capstone-sprint --rules guideline --objective median-pieces"),
            "guideline sprint, hard-drop movement, search greedy, median-pieces, 60 x 60"
        );
    }

    #[test]
    fn terms_are_those_given_or_of_the_start_or_of_the_mode() {
        let plan = |line: &str| planned::<SnesOptions>(&format!("--rules guideline {line}"));
        let names = |line: &str| plan(line).games.names();
        assert_eq!(
            names("--features holes,clear_4 --start tetrastat-sprint"),
            ["holes", "clear_4"]
        );
        assert_eq!(names("").len(), 4);
        assert_eq!(names("--start tetrastat-sprint").len(), 9);
        assert_eq!(names("--mode blitz").len(), 30);
        let plan = planned::<SnesOptions>(
            "--rules capstone --features holes,clear_4 --start tetrastat-sprint",
        );
        assert_eq!(plan.problem.start.unwrap(), [-8.0, 0.0]);
    }

    #[test]
    fn the_later_layer_wins() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.toml");
        fs::write(
            &file,
            "preset = 'guide'\ngames = 7\nboard = '6x8'\nelite = 2\npopulation_log = true",
        )
        .unwrap();
        let line = format!("--config {} --board 8x8", file.display());
        let plan = planned::<GeneticOptions>(&line);
        assert_eq!((plan.games.plan().games, plan.games.board_or_mode()), (7, "8x8".to_owned()));
        assert_eq!(plan.generations, 50);
        // A flag set in a lower layer stays set if the upper layer does not mention it.
        assert!(plan.population_log && !plan.repeat_games);
        assert!(planned::<CrossEntropyOptions>("--preset notebook --games 2").repeat_games);
        let OptimiserSettings::Ga(ga) = plan.options else { panic!("not ga") };
        assert_eq!((ga.elite, ga.population), (2, 50));
        fs::write(&file, "method = 'cem'\nrules = 'guideline'\nmode = 'blitz'\ngames = 3").unwrap();
        let plan = planned::<CrossEntropyOptions>(&format!("--config {}", file.display()));
        assert_eq!((plan.games.plan().games, plan.games.board_or_mode()), (3, "blitz".to_owned()));
    }

    #[test]
    fn mistakes_in_files_are_named() {
        let message = |text: &str| {
            let table = text.parse().unwrap();
            let read = from_table::<Train<CrossEntropyOptions>>(std::path::Path::new(""), table);
            format!("{:#}", read.unwrap_err())
        };
        assert_eq!(message("gmes = 1"), "unknown setting 'gmes': did you mean 'games'?");
        assert!(message("method = 'snes'").contains("for the method 'snes', not cem"));
        assert!(message("noise = 'pink'").contains("hyperbolic"));
        assert!(message("noise = 'linear:x'").contains("'x' is no a"));
        assert!(message("elite = 'ten'").contains("0.1"));
        assert!(message("eta_mu = 1").contains("unknown setting 'eta_mu'"));
        assert!(message("out = 'x'").contains("--out"));
        let preset = Settings::from_pairs([("preset", "guide")]);
        let error = lower_layers::<Train<CrossEntropyOptions>>(&preset).unwrap_err();
        assert!(format!("{error:#}").starts_with("preset guide: "), "{error:#}");
    }
}
