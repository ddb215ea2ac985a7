//! `tetrastat simulate --rules guideline|capstone`: Sprint, Blitz and endless games.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::thread::available_parallelism;

use anyhow::{bail, ensure};
use clap::ValueEnum;

use super::guideline_report::{report_json, report_text};
use super::interrupt::stop_flag;
use super::options::seed;
use super::output::{print, print_json};
use super::{Format, Outcome, complain};
use crate::controller::GuidelineController;
use crate::kernels::Level;
use crate::record::{LogFormat, RunFolder, Status, plain_name};
use crate::rules::guideline::{GUIDELINE_NAMES, Guideline, Kicks, MAX_PREVIEWS, Moves};
use crate::search::guideline::Beam;
use crate::sim::guideline::{
    Clock, GuidelineConfig, Mode, SPRINT_LINES, Timing, simulate_guideline,
};

/// The name under which `simulate` with guideline rules is read.
pub(super) const COMMAND: &str = "simulate-guideline";
/// The same of `watch`.
pub(super) const WATCH: &str = "watch-guideline";

/// The command line, `simulate` and `watch` renamed when the rules are those of a guideline game: their
/// options are others.
pub(super) fn redirected(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.collect();
    let is_rules = |name: &OsString| GUIDELINE_NAMES.iter().any(|rules| name == rules);
    let apart = args.windows(2).any(|pair| pair[0] == "--rules" && is_rules(&pair[1]));
    let joined = args.iter().filter_map(|arg| arg.to_str()?.strip_prefix("--rules="));
    let asked = apart || joined.map(OsString::from).any(|name| is_rules(&name));
    for (plain, command) in [("simulate", COMMAND), ("watch", WATCH)] {
        if asked && args.get(1).is_some_and(|given| given == plain) {
            args[1] = command.into();
        }
    }
    args
}

/// Pieces of an endless game unless the user says otherwise.
const ENDLESS_PIECES: u32 = 5_000;
/// States kept by a beam unless the user says otherwise.
const WIDTH: usize = 32;
/// States that a perfect finish may be searched for in, at each placement.
const FINISHER: u32 = 20_000;
/// Games up to which placements are logged unless the user says otherwise.
const DEFAULT_LOG_UP_TO: u64 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    /// Remove 40 rows with as few pieces as possible.
    Sprint,
    /// Make as many points as possible in three minutes.
    Blitz,
    /// Until the game is lost, or --pieces.
    Endless,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SearchArg {
    /// The best placement of the current piece and the hold.
    Greedy,
    /// Those of the previews, too.
    Beam,
}

/// Play guideline games (simulate --rules guideline or capstone): write one row per game and per
/// placement, and summarise them
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    play: GuidelineOptions,

    /// Games to play
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,

    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Log placements: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet` [default: csv up to 1,000 games,
    /// else none]
    #[arg(long, value_name = "FORMAT")]
    placements: Option<String>,

    /// Output folder, which must not exist [default: a fresh one under runs/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace the files of a run in an existing --out
    #[arg(long, requires = "out")]
    force: bool,

    /// How to print the summary
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// What is played, by whom, and how.
#[derive(Debug, clap::Args)]
pub(super) struct GuidelineOptions {
    /// `guideline` (2009) or `capstone`; `simplified` and `standard` are other games
    #[arg(long)]
    rules: Guideline,

    /// Kick table: `srs` or `srs+`
    #[arg(long, default_value = "srs", value_name = "TABLE")]
    kicks: Kicks,

    /// Allow half turns
    #[arg(long)]
    half_turns: bool,

    /// What a game is about
    #[arg(long, value_enum, default_value = "sprint")]
    mode: ModeArg,

    /// Rows of a Sprint [default: 40]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    sprint_lines: Option<u32>,

    #[command(flatten)]
    time: TimeOptions,

    /// Preset (see `tetrastat controllers`) or TOML file [default: tetrastat-sprint in a Sprint, else
    /// tetrastat-blitz-greedy, with a beam tetrastat-blitz]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    #[command(flatten)]
    search: SearchOptions,

    /// Seed of the run, decimal or 0x hexadecimal; the same seed gives the same bytes
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Instruction level of the kernels: `auto`, or a slower one: `scalar`, `portable`, `avx2`, `avx512`
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    simd: Level,
}

/// How long games and placements last.
#[derive(Debug, clap::Args)]
struct TimeOptions {
    /// Seconds of a Blitz [default: 180]
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,

    /// Pieces a second [default: 2]
    #[arg(long, value_name = "N", conflicts_with_all = ["key_ms", "das_ms", "arr_ms", "soft_drop_ms"])]
    pps: Option<f64>,

    /// Pieces of a Blitz (then --seconds end it only when given) or of an endless game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pieces: Option<u32>,

    /// Time the inputs instead: milliseconds of each key pressed
    #[arg(long, value_name = "MS")]
    key_ms: Option<f64>,

    /// Milliseconds before a shift key held down repeats [default with --key-ms: 150]
    #[arg(long, value_name = "MS", requires = "key_ms")]
    das_ms: Option<f64>,

    /// Milliseconds of each further column of a key held down [default with --key-ms: 75]
    #[arg(long, value_name = "MS", requires = "key_ms")]
    arr_ms: Option<f64>,

    /// Milliseconds of each row of a soft drop [default with --key-ms: 35]
    #[arg(long, value_name = "MS", requires = "key_ms")]
    soft_drop_ms: Option<f64>,
}

impl TimeOptions {
    fn clock(&self) -> anyhow::Result<Clock> {
        let Some(key) = self.key_ms else {
            let rate = self.pps.unwrap_or(2.0);
            ensure!((1e-3..=1e6).contains(&rate), "--pps {rate}: give 0.001 to 1000000");
            return Ok(Clock::Rate(rate));
        };
        let micros = |option: &str, ms: f64| {
            ensure!((0.0..=60_000.0).contains(&ms), "{option} {ms}: give 0 to 60000 milliseconds");
            Ok((ms * 1000.0).round() as u64)
        };
        Ok(Clock::Inputs(Timing {
            key_us: micros("--key-ms", key)?,
            das_us: micros("--das-ms", self.das_ms.unwrap_or(150.0))?,
            arr_us: micros("--arr-ms", self.arr_ms.unwrap_or(75.0))?,
            row_us: micros("--soft-drop-ms", self.soft_drop_ms.unwrap_or(35.0))?,
        }))
    }

    /// A Blitz: so many pieces at a rate, or so much time with timed inputs.
    fn blitz(&self, clock: &Clock) -> anyhow::Result<Mode> {
        let seconds = self.seconds.unwrap_or(180.0);
        ensure!((1e-3..=1e6).contains(&seconds), "--seconds {seconds}: give 0.001 to 1000000");
        let time_us = (seconds * 1e6).round() as u64;
        Ok(match (clock, self.pieces) {
            (Clock::Rate(rate), given) => {
                let most = (seconds * rate + 1e-9).floor().min(f64::from(u32::MAX)) as u32;
                let limited = self.seconds.is_some() || given.is_none();
                let pieces =
                    given.map_or(most, |given| if limited { given.min(most) } else { given });
                Mode::Blitz { pieces, time_us: u64::MAX }
            }
            (Clock::Inputs(_), given) => Mode::Blitz { pieces: given.unwrap_or(u32::MAX), time_us },
        })
    }
}

/// How far and among what a controller chooses.
#[derive(Debug, clap::Args)]
struct SearchOptions {
    /// How far to look ahead
    #[arg(long, value_enum, default_value = "greedy")]
    search: SearchArg,

    /// States that the beam keeps after each placement [default: 32]
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    beam_width: Option<u32>,

    /// Placements that the beam looks ahead [default: one for each piece seen]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=17))]
    beam_depth: Option<u32>,

    /// Pieces seen beyond the current one
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u8).range(..=i64::from(MAX_PREVIEWS)))]
    previews: u8,

    /// Play without hold
    #[arg(long)]
    no_hold: bool,

    /// Placements to choose from: `hard-drop`, or `full` (soft drops, tucks and spins) [default:
    /// hard-drop in a Sprint, else full]
    #[arg(long, value_name = "MOVES")]
    movement: Option<Moves>,

    /// States that the search for a Sprint's perfect finish may look at, at each placement; 0 for none
    /// [default: 20000 with a beam, else 0]
    #[arg(long, value_name = "N")]
    finisher: Option<u32>,
}

impl SearchOptions {
    fn beam(&self) -> anyhow::Result<Beam> {
        if self.search == SearchArg::Greedy {
            ensure!(
                self.beam_width.is_none() && self.beam_depth.is_none(),
                "--beam-width and --beam-depth are of a beam: give --search beam"
            );
            return Ok(Beam { width: 1, depth: 1 });
        }
        let depth = self.beam_depth.map_or(usize::from(self.previews) + 1, |depth| depth as usize);
        let width = self.beam_width.map_or(WIDTH, |width| width as usize);
        Ok(Beam { width, depth })
    }
}

impl GuidelineOptions {
    /// So many games on one thread, nothing logged.
    pub(super) fn config(&self, games: u64) -> anyhow::Result<GuidelineConfig> {
        let sprint = self.mode == ModeArg::Sprint;
        let search = &self.search;
        ensure!(
            sprint || self.sprint_lines.is_none(),
            "--sprint-lines is of a Sprint: give --mode sprint"
        );
        let timed = self.time.seconds.is_some() && self.mode != ModeArg::Blitz;
        ensure!(!timed, "--seconds end a Blitz only: give --mode blitz");
        ensure!(
            !sprint || self.time.pieces.is_none(),
            "a Sprint is not ended by --pieces: give --mode blitz or endless"
        );
        let finishing = search.finisher.is_some_and(|states| states > 0);
        ensure!(sprint || !finishing, "--finisher is of a Sprint: give --mode sprint");
        let clock = self.time.clock()?;
        let mode = match self.mode {
            ModeArg::Sprint => Mode::Sprint { lines: self.sprint_lines.unwrap_or(SPRINT_LINES) },
            ModeArg::Blitz => self.time.blitz(&clock)?,
            ModeArg::Endless => {
                Mode::Endless { pieces: self.time.pieces.unwrap_or(ENDLESS_PIECES) }
            }
        };
        let beam = search.beam()?;
        let is_beam = search.search == SearchArg::Beam;
        let controller = match (&self.controller, sprint, is_beam) {
            (Some(name), ..) => name,
            (None, true, _) => "tetrastat-sprint",
            (None, false, true) => "tetrastat-blitz",
            (None, false, false) => "tetrastat-blitz-greedy",
        };
        let movement = if sprint { Moves::HardDrops } else { Moves::All };
        let config = GuidelineConfig {
            controller: GuidelineController::load(controller)?,
            rules: Guideline {
                kicks: self.kicks,
                half_turns: self.half_turns,
                hold: !search.no_hold,
                previews: search.previews,
                ..self.rules
            },
            moves: search.movement.unwrap_or(movement),
            beam,
            finisher: search.finisher.unwrap_or(if sprint && is_beam { FINISHER } else { 0 }),
            mode,
            clock,
            games,
            seed: self.seed,
            log: None,
            threads: 1,
            level: self.simd,
        };
        config.validate()?;
        Ok(config)
    }
}

impl Args {
    fn config(&self) -> anyhow::Result<GuidelineConfig> {
        let config = self.play.config(self.games)?;
        let log = match self.placements.as_deref() {
            None => (self.games <= DEFAULT_LOG_UP_TO).then_some(LogFormat::Csv),
            Some("none") => None,
            Some(name) => Some(name.parse()?),
        };
        let cores = || available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or_else(cores, usize::from);
        Ok(GuidelineConfig { log, threads, ..config })
    }

    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let config = self.config()?;
        let stop = stop_flag()?;
        let folder = match &self.out {
            Some(out) => RunFolder::create(out, self.force)?,
            None => {
                let name = format!("{}-{}", config.controller.name, config.mode.name());
                RunFolder::create_fresh(&Path::new("runs").join(plain_name(&name)))?
            }
        };
        let path = folder.path().to_owned();
        let run = simulate_guideline(&config, folder, &AtomicU64::new(0), &stop)?;
        match self.format {
            Format::Json => print_json(&report_json(&config, &run))?,
            Format::Text => print(&report_text(&config, &run, &path))?,
        }
        let kept = format!("{} games are kept in {}", run.games.len(), path.display());
        match run.manifest.status {
            Status::Complete => Ok(Outcome::Done),
            Status::Failed(error) => bail!("{error}; {kept}"),
            Status::Interrupted => {
                complain(&format!("interrupted: {kept}"));
                Ok(Outcome::Interrupted)
            }
        }
    }
}
