//! Options of guideline games and their search, for `simulate`, `train`, `watch` and others.

use clap::ValueEnum;

use crate::cli::options::{AnySearch, BotOptions, GUIDELINE, NO_BOTS};
use crate::cli::prelude::*;
use crate::controller::GuidelineController;
use crate::queue::QueueKind;
use crate::rules::guideline::{Kicks, MAX_PREVIEWS, Moves, RuleOptions};
use crate::search::guideline::Beam;
use crate::sim::guideline::{Clock, InputTiming, Mode, SPRINT_LINES, Unseen};
use crate::tbp::{Bot, PREFIX};
use crate::text::parse::count;

const ENDLESS_PIECES: u32 = 5_000;
const PIECES_PER_CHEESE_ROW: u32 = 20;
/// Default number of garbage rows in a cheese race, and the maximum on the board at a time.
const CHEESE_ON_BOARD: usize = 10;
const DEFAULT_BEAM_WIDTH: usize = 32;
const FINISHER_STATES: u32 = 20_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    /// Clear 40 rows with as few pieces as possible.
    Sprint,
    /// Score as many points as possible in three minutes.
    Blitz,
    /// Remove --cheese-rows garbage rows with as few pieces as possible.
    Cheese,
    /// Play until the game is lost, or until --pieces.
    Endless,
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TurnOptions {
    /// Kick table: `srs` or `srs+` [default: of the rules]
    #[arg(long, value_name = "TABLE")]
    kicks: Option<Kicks>,

    /// Allow half turns
    #[arg(long)]
    half_turns: bool,
}

impl TurnOptions {
    pub(crate) fn rules(&self) -> RuleOptions {
        let half_turns = self.half_turns.then_some(true);
        RuleOptions { kicks: self.kicks, half_turns, ..RuleOptions::default() }
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct GoalOptions {
    /// Goal of a game
    #[arg(long, value_enum, default_value = "sprint")]
    mode: ModeArg,

    /// Rows to clear in a Sprint [default: 40]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..=100_000))]
    sprint_lines: Option<u32>,
}

impl GoalOptions {
    pub(crate) const ENDLESS: GoalOptions =
        GoalOptions { mode: ModeArg::Endless, sprint_lines: None };

    fn is_sprint(&self) -> bool {
        self.mode == ModeArg::Sprint
    }

    /// Returns the number of rows to clear in a Sprint, or `None` in other modes.
    pub(crate) fn lines(&self) -> anyhow::Result<Option<u32>> {
        ensure!(
            self.is_sprint() || self.sprint_lines.is_none(),
            "--sprint-lines applies only to a Sprint: give --mode sprint"
        );
        Ok(self.is_sprint().then(|| self.sprint_lines.unwrap_or(SPRINT_LINES)))
    }

    pub(crate) fn controller(
        &self,
        named: Option<&str>,
        search: AnySearch,
    ) -> anyhow::Result<GuidelineController> {
        ensure!(named.is_none_or(|named| !named.starts_with(PREFIX)), NO_BOTS);
        let is_race = self.is_sprint() || self.mode == ModeArg::Cheese;
        let name = match (named, is_race, search.is_beam()?) {
            (Some(name), ..) => name,
            (None, true, _) => "tetrastat-sprint",
            (None, false, true) => "tetrastat-blitz",
            (None, false, false) => "tetrastat-blitz-greedy",
        };
        Ok(GuidelineController::load(name)?)
    }

    fn movement(&self) -> Moves {
        if self.is_sprint() { Moves::HardDrops } else { Moves::All }
    }
}

pub(crate) enum AnyPlayer {
    Controller(GuidelineController),
    Bot(Bot),
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = GUIDELINE.heading)]
pub(crate) struct GuidelineOptions {
    #[command(flatten)]
    turns: TurnOptions,

    #[command(flatten)]
    goal: GoalOptions,

    #[command(flatten)]
    time: TimeOptions,

    #[command(flatten)]
    search: SearchOptions,
}

impl GuidelineOptions {
    pub(crate) fn is_sprint(&self) -> bool {
        self.goal.is_sprint()
    }

    fn mode(&self, clock: &Clock) -> anyhow::Result<Mode> {
        let (sprint, lines, mode) = (self.is_sprint(), self.goal.lines()?, self.goal.mode);
        let timed = self.time.seconds.is_some() && mode != ModeArg::Blitz;
        ensure!(!timed, "--seconds applies only to a Blitz: give --mode blitz");
        ensure!(
            self.time.cheese_rows.is_none() || mode == ModeArg::Cheese,
            "--cheese-rows applies only to a cheese race: give --mode cheese"
        );
        ensure!(
            !sprint || self.time.pieces.is_none(),
            "a Sprint is not ended by --pieces: give --mode blitz or endless"
        );
        let finishing = self.search.finisher.is_some_and(|states| states > 0);
        ensure!(sprint || !finishing, "--finisher applies only to a Sprint: give --mode sprint");
        ensure!(
            sprint || self.search.finish_futures == 0,
            "--finish-futures applies only to a Sprint: give --mode sprint"
        );
        Ok(match mode {
            ModeArg::Sprint => Mode::Sprint { lines: lines.unwrap_or(SPRINT_LINES) },
            ModeArg::Blitz => self.time.blitz(clock)?,
            ModeArg::Cheese => {
                let rows = self.time.cheese_rows.unwrap_or(CHEESE_ON_BOARD as u32);
                let most = ENDLESS_PIECES.max(rows.saturating_mul(PIECES_PER_CHEESE_ROW));
                Mode::Cheese { rows, pieces: self.time.pieces.unwrap_or(most) }
            }
            ModeArg::Endless => {
                Mode::Endless { pieces: self.time.pieces.unwrap_or(ENDLESS_PIECES) }
            }
        })
    }

    /// Loads the controller `named`, or a default for the game's goal and search. `tbp:COMMAND`
    /// starts a bot of the Tetris Bot Protocol.
    pub(crate) fn player(
        &self,
        named: Option<&str>,
        search: AnySearch,
        bots: &BotOptions,
    ) -> anyhow::Result<AnyPlayer> {
        match named.and_then(|named| named.strip_prefix(PREFIX)) {
            Some(command) => Ok(AnyPlayer::Bot(bots.bot(command)?)),
            None => Ok(AnyPlayer::Controller(self.goal.controller(named, search)?)),
        }
    }

    pub(crate) fn controller(
        &self,
        named: Option<&str>,
        any: &AnyGameOptions,
    ) -> anyhow::Result<AnyPlayer> {
        Ok(AnyPlayer::Controller(self.goal.controller(named, any.search)?))
    }

    pub(crate) fn config(
        &self,
        rules: &RuleSet,
        any: &AnyGameOptions,
        player: AnyPlayer,
        games: u64,
    ) -> anyhow::Result<GuidelineConfig> {
        let is_bot = matches!(player, AnyPlayer::Bot(_));
        if is_bot {
            self.search.check_unset(any)?;
        }
        let clock = self.time.clock()?;
        let (mode, search, is_beam) = (self.mode(&clock)?, &self.search, any.search.is_beam()?);
        let rules = search.choices.rules(search.previews, &self.turns, rules);
        let futures = search.finish_futures;
        let finisher = if !is_bot && self.is_sprint() && (is_beam || futures > 0) {
            FINISHER_STATES
        } else {
            0
        };
        let finisher = search.finisher.unwrap_or(finisher);
        ensure!(
            futures == 0 || finisher > 0,
            "--finish-futures needs the finisher: leave out --finisher 0"
        );
        // A bot finds its own ways to a place.
        let default = if is_bot { Moves::All } else { self.goal.movement() };
        ensure!(
            !self.is_sprint() || search.beam_future_perfect_clears == 0,
            "--beam-future-perfect-clears applies only to games for points: give --finish-futures \
                in a Sprint"
        );
        let beam = Beam {
            future_perfect_clears: search.beam_future_perfect_clears,
            ..search.beam.beam(is_beam, &self.goal, rules.previews)?
        };
        let beam = if is_bot { Beam::BOT } else { beam };
        let config = match player {
            AnyPlayer::Bot(bot) => GuidelineConfig::of_bot(bot, rules),
            AnyPlayer::Controller(controller) => GuidelineConfig::new(controller, rules),
        };
        let mut garbage = any.start.garbage.settings();
        if let (Some(rows), 0) = (mode.cheese_rows(), garbage.rows) {
            garbage.rows = CHEESE_ON_BOARD.min(rows as usize);
        }
        Ok(GuidelineConfig {
            moves: search.choices.movement.unwrap_or(default),
            beam,
            policy: any.policy,
            finisher,
            futures,
            unseen: search.unseen(is_beam)?,
            mode,
            clock,
            start: any.start.file.matrix()?,
            garbage,
            queue: any.start.queue.queue_or(QueueKind::Bag)?,
            games,
            seed: any.workers.seed,
            threads: any.workers.threads(),
            level: any.workers.simd,
            ..config
        })
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = GUIDELINE.heading)]
pub(crate) struct EndlessOptions {
    #[command(flatten)]
    turns: TurnOptions,

    /// Goal of a game. Estimates need games that continue until they are lost
    #[arg(long, value_enum, default_value = "endless")]
    mode: EndlessArg,

    #[command(flatten)]
    search: SearchOptions,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EndlessArg {
    /// Play until the game is lost.
    Endless,
}

impl EndlessOptions {
    pub(crate) fn without_end(&self) -> GuidelineOptions {
        let EndlessOptions { turns, mode: EndlessArg::Endless, search } = self.clone();
        let time = TimeOptions { pieces: Some(u32::MAX), ..TimeOptions::default() };
        GuidelineOptions { turns, goal: GoalOptions::ENDLESS, time, search }
    }
}

#[derive(Clone, Debug, Default, clap::Args)]
struct TimeOptions {
    /// Duration of a Blitz in seconds [default: 180]
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,

    /// Pieces per second [default: 2]
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["key_ms", "das_ms", "arr_ms", "soft_drop_ms"]
    )]
    pps: Option<f64>,

    /// Pieces of a Blitz, an endless game, or a cheese race that is not won before. The time of a
    /// Blitz then ends the game only with --seconds or --key-ms
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    pieces: Option<u32>,

    /// Garbage rows to remove in a cheese race. Up to 10 of them, or --garbage, lie on the board at
    /// the start; more enter after each placement that removes no row [default: 10]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..=100_000))]
    cheese_rows: Option<u32>,

    /// Compute the time from key presses instead of --pps: milliseconds per key press
    #[arg(long, value_name = "MS")]
    key_ms: Option<f64>,

    /// Milliseconds until a held shift key repeats [default with --key-ms: 150]
    #[arg(long, value_name = "MS", requires = "key_ms")]
    das_ms: Option<f64>,

    /// Milliseconds per further column of a held shift key [default with --key-ms: 75]
    #[arg(long, value_name = "MS", requires = "key_ms")]
    arr_ms: Option<f64>,

    /// Milliseconds per row of a soft drop [default with --key-ms: 35]
    #[arg(long, value_name = "MS", requires = "key_ms")]
    soft_drop_ms: Option<f64>,
}

impl TimeOptions {
    fn clock(&self) -> anyhow::Result<Clock> {
        ensure!(
            self.key_ms.is_none() || self.pps.is_none(),
            "--pps and --key-ms exclude each other: give pieces per second, or timed inputs"
        );
        let Some(key) = self.key_ms else {
            let rate = self.pps.unwrap_or(2.0);
            ensure!((1e-3..=1e6).contains(&rate), "--pps {rate}: give 0.001 to 1000000");
            return Ok(Clock::Rate(rate));
        };
        let micros = |option: &str, ms: f64| {
            ensure!((0.0..=60_000.0).contains(&ms), "{option} {ms}: give 0 to 60000 milliseconds");
            Ok((ms * 1000.0).round() as u64)
        };
        Ok(Clock::Inputs(InputTiming {
            key_us: micros("--key-ms", key)?,
            das_us: micros("--das-ms", self.das_ms.unwrap_or(150.0))?,
            arr_us: micros("--arr-ms", self.arr_ms.unwrap_or(75.0))?,
            row_us: micros("--soft-drop-ms", self.soft_drop_ms.unwrap_or(35.0))?,
        }))
    }

    /// Returns the end of a Blitz game: a number of pieces, or the time that key presses take.
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

#[derive(Clone, Debug, clap::Args)]
struct SearchOptions {
    #[command(flatten)]
    beam: BeamOptions,

    /// Visible pieces after the current one [default: of the rules; 5 in most
    /// presets]
    #[arg(long, value_name = "N", value_parser = count::<u8>(..=MAX_PREVIEWS as u64))]
    previews: Option<u8>,

    #[command(flatten)]
    choices: ChoiceOptions,

    /// Maximum number of states in the search for a Sprint's perfect finish, per placement; 0 for
    /// no search [default: 20000 with a beam or --finish-futures, else 0]
    #[arg(long, value_name = "N", value_parser = count::<u32>(..))]
    finisher: Option<u32>,

    /// Random futures of the queue in the search for a Sprint's perfect finish. The futures are
    /// used while the finish takes up to 10 pieces, of which some are not visible. With 0, the
    /// search starts when all pieces of the finish are visible
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<u32>(..=1_000))]
    finish_futures: u32,

    /// Random futures of the queue that extend the beam beyond the visible pieces, drawn from the
    /// rest of the bag. The placement with the best average is played
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<u32>(..=1_000))]
    beam_futures: u32,

    /// Pieces of each random future of --beam-futures [default: 3]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..=14))]
    beam_future_pieces: Option<u32>,

    /// Maximum number of states in the search for perfect clears that use pieces after the visible
    /// ones. Each random future of --beam-futures has its own search with this limit; 0 for no
    /// search
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<u32>(..=100_000_000))]
    beam_future_perfect_clears: u32,
}

const FUTURE_PIECES: u32 = 3;

impl SearchOptions {
    fn check_unset(&self, any: &AnyGameOptions) -> anyhow::Result<()> {
        let SearchOptions { beam, finisher, finish_futures, beam_futures, .. } = self;
        let BeamOptions { beam_width, beam_depth, .. } = beam;
        let is_none = beam_width.is_none()
            && beam_depth.is_none()
            && beam.beam_perfect_clears == 0
            && self.beam_future_perfect_clears == 0
            && finisher.is_none()
            && *finish_futures == 0
            && *beam_futures == 0
            && self.beam_future_pieces.is_none()
            && matches!(any.search, AnySearch::Classic(Search::Greedy));
        ensure!(
            is_none,
            "a bot searches by itself: leave out --search and the options of a beam or finisher, \
                or give them to the bot in its command"
        );
        Ok(())
    }

    fn unseen(&self, is_beam: bool) -> anyhow::Result<Unseen> {
        let futures = self.beam_futures;
        ensure!(
            is_beam || futures == 0,
            "--beam-futures applies only to a beam: give --search beam"
        );
        ensure!(
            futures > 0 || self.beam_future_perfect_clears == 0,
            "--beam-future-perfect-clears applies only to futures: give --beam-futures N"
        );
        ensure!(
            futures > 0 || self.beam_future_pieces.is_none(),
            "--beam-future-pieces applies only to futures: give --beam-futures N"
        );
        ensure!(
            futures == 0 || self.beam.beam_depth.is_none(),
            "--beam-futures begin after all visible pieces: leave out --beam-depth"
        );
        let pieces = self.beam_future_pieces.unwrap_or(FUTURE_PIECES);
        Ok(if futures == 0 { Unseen::NONE } else { Unseen { futures, pieces } })
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct BeamOptions {
    /// States that the beam keeps after each placement [default: 32]
    #[arg(long, value_name = "W", value_parser = count::<u32>(1..=1_000_000))]
    beam_width: Option<u32>,

    /// Number of placements that the beam looks ahead [default: one for each visible piece]
    #[arg(long, value_name = "D", value_parser = count::<u32>(1..=17))]
    beam_depth: Option<u32>,

    /// Maximum number of states in the beam's search for perfect clears with the visible pieces.
    /// The limit holds for each placement and each number of rows to empty. 20000 covers nearly all
    /// states; 0 for no search
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<u32>(..=100_000_000))]
    beam_perfect_clears: u32,
}

impl BeamOptions {
    pub(crate) fn beam(
        &self,
        is_beam: bool,
        goal: &GoalOptions,
        previews: u8,
    ) -> anyhow::Result<Beam> {
        ensure!(
            !goal.is_sprint() || self.beam_perfect_clears == 0,
            "--beam-perfect-clears applies only to games for points: give --finisher in a Sprint"
        );
        if !is_beam {
            ensure!(
                self.beam_width.is_none() && self.beam_depth.is_none(),
                "--beam-width and --beam-depth apply only to a beam: give --search beam"
            );
            ensure!(
                self.beam_perfect_clears == 0,
                "--beam-perfect-clears applies only to a beam: give --search beam"
            );
            return Ok(Beam::GREEDY);
        }
        let depth = self.beam_depth.map_or(usize::from(previews) + 1, |depth| depth as usize);
        let width = self.beam_width.map_or(DEFAULT_BEAM_WIDTH, |width| width as usize);
        Ok(Beam { perfect_clears: self.beam_perfect_clears, ..Beam::new(width, depth) })
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ChoiceOptions {
    /// Play without hold
    #[arg(long)]
    no_hold: bool,

    /// Available placements: `hard-drop`, or `full` (soft drops, tucks and spins) [default:
    /// hard-drop in a Sprint, else full]
    #[arg(long, value_name = "MOVES")]
    movement: Option<Moves>,
}

impl ChoiceOptions {
    pub(crate) fn rules(
        &self,
        previews: Option<u8>,
        turns: &TurnOptions,
        rules: &RuleSet,
    ) -> RuleSet {
        let hold = self.no_hold.then_some(false);
        rules.with(&RuleOptions { hold, previews, ..turns.rules() })
    }

    pub(crate) fn moves(&self, goal: &GoalOptions) -> Moves {
        self.movement.unwrap_or_else(|| goal.movement())
    }
}
