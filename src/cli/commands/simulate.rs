//! Runs `tetrastat simulate`: games of one controller, their tables and a summary.

use crate::cli::command_line::{OUTPUT, is_word_in, join_paragraphs, short_help};
use crate::cli::commands::estimate;
use crate::cli::console::progress::run_status;
use crate::cli::console::run_folder::{
    OutOptions, RecordedCommand, ReportedRun, RunReport, is_or_are,
};
use crate::cli::options::runs::{AnyRun, RunOptions};
use crate::cli::options::{CLASSIC, EVERY_GAME, for_game};
use crate::cli::prelude::*;
use crate::cli::reports::{ClassicReport, DemoRun, guideline_report, liap_report};
use crate::engine::{Comparable, Job as _};
use crate::liap::Tally;
use crate::record::{Shard, command_line, shell_words};
use crate::search::Policy;
use crate::sim::{Game, PlayedGames};
use crate::text::numbers::{counted, thousands};
use crate::text::parse::count;

const HELP: &str = "\
Without options that choose games or logs, a small demo is played: --controller bcts --board 10x10 \
--games 200 --max-pieces none. All its games end within seconds, and the first 2,000 placements of \
a few games are logged. With any such option, the defaults above apply.";

const SHORT_HELP: &str = "\
    controller games rules search board max-pieces mode seed threads placements out resume \
    format";

const DEMO_OPTIONS: [(&str, &str); 8] = [
    ("controller", "bcts"),
    ("board", "10x10"),
    ("games", "200"),
    ("max_pieces", "none"),
    ("placements", "csv"),
    ("sample_games", "0.02"),
    ("to", "2000"),
    ("sample", "8"),
];
/// Names of options that may be given with the demo run, which `simulate` plays by default.
const OPTIONS_WITH_DEMO: &str =
    "seed threads simd out force format view sample checkpoint_ms dry_run";

/// Play games, write tables of games and placements, print a summary
#[derive(Debug, clap::Args)]
#[command(after_long_help = join_paragraphs(HELP), mut_args(short_help(SHORT_HELP)))]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunOptions,

    #[command(flatten, next_help_heading = EVERY_GAME)]
    out: OutOptions,

    /// Play only part I of N of the games. `tetrastat data merge` joins the parts
    #[arg(long, value_name = "I/N", requires = "out", help_heading = OUTPUT)]
    shard: Option<Shard>,

    /// Resume an interrupted run; the output is byte-identical to an uninterrupted one
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    resume: Option<PathBuf>,

    /// Start the bot that the folder of --resume names. Its command may do anything that you may do
    #[arg(long, requires = "resume", help_heading = OUTPUT)]
    allow_bot: bool,

    /// Print up to N placements of the first game, evenly spaced; 0 for none
    #[arg(
        long,
        default_value_t = 50,
        value_name = "N",
        value_parser = count::<usize>(..),
        help_heading = CLASSIC.heading
    )]
    sample: usize,
}

pub(crate) const NAME: &str = "simulate";

impl Args {
    /// Returns true if the run logs placements by default; false if the options are invalid.
    fn logs_by_default(&self) -> bool {
        let files = self.run.run(self.shard, 0).map(|run| for_game!(&run, run => run.files()));
        let is_log = |file: &String| !file.starts_with("candidates.");
        !self.run.has_placements()
            && files.is_ok_and(|files| files.iter().filter(|f| is_log(f)).count() > 1)
    }
}

pub(crate) fn run(console: &Console, given: ParsedArgs<Args>) -> anyhow::Result<Outcome> {
    let resume = given.options.resume.clone();
    let is_demo = given.settings.names().all(|name| is_word_in(OPTIONS_WITH_DEMO, name));
    let mut below = if is_demo { Settings::from_pairs(DEMO_OPTIONS) } else { Settings::default() };
    if let Some(format) = console.log_format()
        && resume.is_none()
        && (is_demo || given.options.logs_by_default())
    {
        // The choice is recorded, so that a resumed run has the same files.
        below.set("placements", format.to_string());
    }
    let (begun, mut all) = RecordedCommand::begin_or_resume(NAME, given, below, resume.as_deref())?;
    // The recorded path may be wrong, because the folder may have been moved since the run began.
    all.options.out.out = resume.clone().or(all.options.out.out);
    play(console, all, &begun, resume.is_some())
}

fn play(
    console: &Console,
    given: ParsedArgs<Args>,
    begun: &RecordedCommand,
    resumed: bool,
) -> anyhow::Result<Outcome> {
    let ParsedArgs { options: Args { run, shard, out, sample, .. }, settings, .. } = &given;
    run.game.falling.any.rules.games().refuse_foreign::<Args>(settings)?;
    // Conflicting options must be found before a folder is created.
    match run.run(*shard, *sample)? {
        AnyRun::Guideline(config) => {
            let report = |run: &Manifest<_>, _: Option<&_>, folder: &Path| {
                guideline_report(&config, run, folder)
            };
            play_run(console, &config, out, begun, resumed, &report, &kept_games)
        }
        AnyRun::Liap(config) => {
            let report =
                |run: &Manifest<_>, _: Option<&_>, folder: &Path| liap_report(&config, run, folder);
            let kept = |&Tally { rounds, .. }: &Tally| {
                format!("{} {} kept", counted(rounds, "round"), is_or_are(rounds))
            };
            play_run(console, &config, out, begun, resumed, &report, &kept)
        }
        AnyRun::Classic(config) => {
            // Only the demo run has options of games that the command line did not give.
            let demo = begun.below.has("games").then(|| demo_run(settings, &config));
            // Estimates play the best placements of controllers only.
            let can_estimate =
                config.policy == Policy::Best && !config.garbage.has_rows() && !config.has_bot();
            let estimate = can_estimate.then(|| estimate_command(settings));
            let report = |run: &Manifest<_>, played: Option<&PlayedGames<_>>, folder: &Path| {
                let sample = played.map_or(&[][..], |played| &played.sample);
                let (estimate, demo) = (estimate.as_deref(), demo.as_ref());
                ClassicReport { config: &config, run, sample, estimate, demo }.report(folder)
            };
            play_run(console, &config, out, begun, resumed, &report, &kept_games)
        }
    }
}

fn play_run<J: Comparable>(
    console: &Console,
    job: &J,
    out: &OutOptions,
    begun: &RecordedCommand,
    resumed: bool,
    report: &RunReport<'_, J>,
    kept_text: &dyn Fn(&J::Count) -> String,
) -> anyhow::Result<Outcome> {
    let about = job.about();
    let games = J::games(&job.recorded_config());
    let note = about.fixed_queue.as_deref().filter(|_| games > 1);
    let note = note.map(|queue| note_on_equal_games(queue, games));
    let name = about.folder.clone();
    let status = |totals: &Totals| run_status(&about, totals);
    let run = ReportedRun { job, name, status: &status, report, kept_text, note };
    run.play(console, out, &begun.to_json(), resumed)
}

fn kept_games<G: Game>(played: &PlayedGames<G>) -> String {
    let ended = played.ended;
    format!("{} ended and {} kept", counted(ended, "game"), is_or_are(ended))
}

/// Returns the number of the first game whose placements the run logs, if any.
fn logged_game(config: &ClassicConfig) -> Option<u64> {
    let log = config.log.as_ref().filter(|log| log.placements)?;
    config.game_range().find(|game| log.selection.keeps_game(config.seed, *game))
}

fn demo_run(settings: &Settings, config: &ClassicConfig) -> DemoRun {
    let program = command_line().into_iter().next().unwrap_or_default();
    let words = [vec![program.clone(), NAME.to_owned()], settings.words::<Args>()].concat();
    DemoRun {
        command: shell_words(&words),
        program: shell_words(&[program]),
        logged: logged_game(config),
    }
}

fn estimate_command(settings: &Settings) -> String {
    let mut shared = settings.only_options_of::<estimate::Args>();
    ["out", "format"].into_iter().for_each(|option| shared.remove(option));
    shared.set("until_halfwidth", "20%");
    let program = ["tetrastat", estimate::NAME].map(str::to_owned);
    shell_words(&[program.to_vec(), shared.words::<estimate::Args>()].concat())
}

pub(crate) fn note_on_equal_games(queue: &str, games: u64) -> String {
    let games = thousands(games);
    format!(
        "note: queue {queue} deals every game the same pieces, so all {games} games are identical: \
         give --games 1, or another --queue"
    )
}
