//! Options of a run of games and of its logs, for the command `simulate` and for study files.

use std::str::FromStr;

use anyhow::Context;
use serde_json::{Map, json};

use crate::cli::command_line::{LOGS, OUTPUT, clap_message};
use crate::cli::options::guideline::GuidelineOptions;
use crate::cli::options::settings::options;
use crate::cli::options::{
    BoardOptions, BotOptions, CLASSIC, ClassicOptions, LIAP, for_game, map_game,
};
use crate::cli::prelude::*;
use crate::engine::{Job, game_of};
use crate::liap::options::{LiapOptions, declarers};
use crate::liap::{Length, LiapConfig, LiapLog};
use crate::record::{Columns, LogSettings, Selection, Shard};
use crate::rules::Garbage;
use crate::search::Policy;
use crate::sim::{CHECKPOINT_EVERY, Game, Limits};
use crate::tbp::PREFIX;
use crate::text::parse::{Limit, count, limit};

const DEFAULT_MAX_PIECES: u64 = 50_000;
const DEFAULT_LOG_UP_TO: u64 = 1_000_000;
/// Number of games up to which a run writes its log by default; matches in LIAP, a card game.
const DEFAULT_LOG_UP_TO_GAMES: u64 = 1_000;
/// Number of rounds up to which a run of LIAP, a card game, writes its log by default.
const DEFAULT_LOG_UP_TO_ROUNDS: u64 = 20 * DEFAULT_LOG_UP_TO_GAMES;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PlayOptions {
    /// Cut a game off after N pieces (it is then censored), or `none` [default: 50000, or none with
    /// --max-lines]
    #[arg(long, value_name = "N", value_parser = limit)]
    max_pieces: Option<Limit>,

    /// Cut a game off at N lines, or `none`
    #[arg(long, value_name = "N", value_parser = limit, default_value = "none")]
    max_lines: Limit,
}

impl PlayOptions {
    pub(crate) fn is_limited(&self) -> bool {
        self.max_pieces.is_some_and(|limit| limit.0.is_some()) || self.max_lines.0.is_some()
    }

    pub(crate) fn config(
        &self,
        controller: Controller,
        board: &BoardOptions,
        rules: Rules,
        games: u64,
        any: &AnyGameOptions,
    ) -> anyhow::Result<ClassicConfig> {
        // A limit of lines ends games by itself; the default limit of pieces would end them
        // earlier.
        let default_pieces = self.max_lines.0.is_none().then_some(DEFAULT_MAX_PIECES);
        let limits = Limits {
            pieces: self.max_pieces.map_or(default_pieces, |limit| limit.0),
            lines: self.max_lines.0,
        };
        Ok(ClassicConfig { games, limits, ..any.classic(controller, board, rules)? })
    }
}

impl AnyGameOptions {
    pub(crate) fn classic(
        &self,
        controller: Controller,
        board: &BoardOptions,
        rules: Rules,
    ) -> anyhow::Result<ClassicConfig> {
        let start = self.start.file.board(board.board)?;
        Ok(ClassicConfig {
            rules: board.rules(rules)?,
            start,
            garbage: self.start.garbage.settings(),
            queue: self.start.queue.queue()?,
            search: self.search.classic()?,
            policy: self.policy,
            seed: self.workers.seed,
            threads: self.workers.threads(),
            level: self.workers.simd,
            ..ClassicConfig::new(controller, board.size(start.as_ref())?)
        })
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FallingOptions {
    #[command(flatten)]
    pub(crate) any: AnyGameOptions,

    #[command(flatten)]
    bots: BotOptions,

    #[command(flatten, next_help_heading = CLASSIC.heading)]
    classic: RunClassicOptions,

    #[command(flatten)]
    guideline: GuidelineOptions,
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct GameOptions {
    #[command(flatten)]
    pub(crate) falling: FallingOptions,

    #[command(flatten, next_help_heading = LIAP.heading)]
    liap: LiapOptions,
}

#[derive(Clone, Debug, clap::Args)]
struct RunClassicOptions {
    #[command(flatten)]
    classic: ClassicOptions,

    #[command(flatten)]
    play: PlayOptions,
}

impl GameOptions {
    pub(crate) fn run(&self, controller: &str) -> anyhow::Result<AnyRun> {
        let named = Some(controller);
        let falling = &self.falling;
        let run = match &falling.any.rules {
            AnyRules::Classic(rules) => ByGame::Classic(falling.classic(*rules, named, 1)?),
            AnyRules::Guideline(rules) => ByGame::Guideline(falling.guideline(rules, named, 1)?),
            AnyRules::Liap(()) => ByGame::Liap(self.liap(named, 1)?),
        };
        for_game!(&run, game => game.check()?);
        Ok(run)
    }

    /// Builds the unchecked configuration of matches of LIAP, a card game, from the players' names:
    /// one for all four seats, or one for each.
    fn liap(&self, names: Option<&str>, games: u64) -> anyhow::Result<LiapConfig> {
        let any = &self.falling.any;
        any.search.check_greedy(&LIAP)?;
        ensure!(
            any.policy == Policy::Best,
            "LIAP has no policies other than best: leave out --policy"
        );
        ensure!(
            any.start.garbage.settings() == Garbage::default(),
            "LIAP has no garbage rows: leave out --garbage, --garbage-messiness, --garbage-every"
        );
        let (declarers, length) = (declarers(names.unwrap_or("v2"))?, Length::Matches(games));
        Ok(self.liap.config(declarers, length, any.workers.seed, any.workers.threads())?)
    }
}

impl FallingOptions {
    pub(crate) fn classic(
        &self,
        rules: Rules,
        controller: Option<&str>,
        games: u64,
    ) -> anyhow::Result<ClassicConfig> {
        let RunClassicOptions { classic, play } = &self.classic;
        let player = classic.player(controller, &self.any, &self.bots)?;
        play.config(player, &classic.board, rules, games, &self.any)
    }

    pub(crate) fn guideline(
        &self,
        rules: &RuleSet,
        controller: Option<&str>,
        games: u64,
    ) -> anyhow::Result<GuidelineConfig> {
        let player = self.guideline.player(controller, self.any.search, &self.bots)?;
        self.guideline.config(rules, &self.any, player, games)
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunOptions {
    /// Preset (see `tetrastat show controllers`) or TOML file [default: bcts; for guideline games
    /// tetrastat-sprint in a Sprint or cheese race, else tetrastat-blitz-greedy, with a beam
    /// tetrastat-blitz], or `tbp:COMMAND`, a bot of the Tetris Bot Protocol. In LIAP, the declarer
    /// of all seats, or one for each seat, joined by commas [default: v2]
    #[arg(long, value_name = "NAME|FILE|BOT")]
    controller: Option<String>,

    /// Number of games (in LIAP: matches)
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = count::<u64>(1..))]
    games: u64,

    /// Rounds to play instead of --games; the last match is cut when they are played
    #[arg(
        long,
        value_name = "N",
        value_parser = count::<u64>(1..),
        conflicts_with = "games",
        help_heading = LIAP.heading
    )]
    rounds: Option<u64>,

    /// Log placements (in LIAP: declarations and rounds): `none`, `csv`, `csv.gz`, `csv.zst` or
    /// `parquet` [default: csv if games x max-pieces <= 1,000,000, or in guideline games and LIAP
    /// if games <= 1,000, else none]
    #[arg(long, value_name = "FORMAT", help_heading = LOGS)]
    placements: Option<LogOrNone>,

    /// Time between two checkpoints, in milliseconds
    #[arg(
        long,
        value_name = "MS",
        default_value_t = CHECKPOINT_EVERY.as_millis() as u64,
        value_parser = count::<u64>(..),
        help_heading = OUTPUT
    )]
    checkpoint_ms: u64,

    #[command(flatten)]
    log: LogOptions,

    /// Also log every candidate of the logged placements: score, whether it was chosen, and the
    /// features (in guideline games: terms) of the controller and of --columns. Choice models need
    /// this table
    #[arg(long, help_heading = LOGS)]
    candidates: bool,

    #[command(flatten)]
    pub(crate) game: GameOptions,
}

impl RunOptions {
    pub(crate) fn has_placements(&self) -> bool {
        self.placements.is_some()
    }

    /// Builds a run from the options, or only its part `shard`. `sample` limits the number of
    /// placements to print.
    pub(crate) fn run(&self, shard: Option<Shard>, sample: usize) -> anyhow::Result<AnyRun> {
        Ok(match &self.game.falling.any.rules {
            AnyRules::Classic(rules) => ByGame::Classic(self.classic(*rules, shard, sample)?),
            AnyRules::Guideline(rules) => ByGame::Guideline(self.guideline(rules, shard)?),
            AnyRules::Liap(()) => ByGame::Liap(self.liap(shard)?),
        })
    }

    fn classic(
        &self,
        rules: Rules,
        shard: Option<Shard>,
        sample: usize,
    ) -> anyhow::Result<ClassicConfig> {
        let config = self.game.falling.classic(rules, self.controller.as_deref(), self.games)?;
        let checkpoint_every = self.checkpoint_every();
        let config = ClassicConfig { shard, checkpoint_every, sample, ..config };
        ensure!(
            !self.candidates || !config.has_bot(),
            "a bot gives no scores: leave out --candidates"
        );
        // Without a limit of pieces, the number of placements is unknown, so nothing is logged by
        // default.
        let most = config.limits.pieces.and_then(|pieces| pieces.checked_mul(config.games));
        let log = self.log(&config, most.is_some_and(|most| most <= DEFAULT_LOG_UP_TO))?;
        Ok(ClassicConfig { log, ..config })
    }

    fn guideline(&self, rules: &RuleSet, shard: Option<Shard>) -> anyhow::Result<GuidelineConfig> {
        let checkpoint_every = self.checkpoint_every();
        let config = self.game.falling.guideline(rules, self.controller.as_deref(), self.games)?;
        let config = GuidelineConfig { shard, checkpoint_every, ..config };
        // The number of games decides alone, because the number of pieces of a guideline game is
        // unknown.
        let log = self.log(&config, self.games <= DEFAULT_LOG_UP_TO_GAMES)?;
        let config = GuidelineConfig { log, ..config };
        config.validate()?;
        Ok(config)
    }

    /// Returns the settings of a run's log: in the format the user chose, else CSV for few games.
    fn log<G: Game>(&self, game: &G, few: bool) -> Result<Option<LogSettings>> {
        // Encoders need a controller that fits the board.
        game.validate()?;
        let default = few.then_some(LogFormat::Csv);
        let format = self.placements.map_or(default, |LogOrNone(format)| format);
        // Names that stand for several columns are replaced, so that `run.json` names the columns.
        let columns = Columns::Named(game.placements(&self.log.columns)?.names());
        let (candidates, selection) = (self.candidates, self.log.selection());
        selection.validate()?;
        Ok((format.is_some() || candidates).then(|| LogSettings {
            placements: format.is_some(),
            format: format.unwrap_or_default(),
            candidates,
            columns,
            selection,
            study: None,
        }))
    }

    fn liap(&self, shard: Option<Shard>) -> anyhow::Result<LiapConfig> {
        let length = self.rounds.map_or(Length::Matches(self.games), Length::Rounds);
        let few = match length {
            Length::Matches(matches) => matches <= DEFAULT_LOG_UP_TO_GAMES,
            Length::Rounds(rounds) => rounds <= DEFAULT_LOG_UP_TO_ROUNDS,
        };
        let config = LiapConfig {
            shard,
            length,
            log: self.log.liap(self.placements, few),
            checkpoint_every: self.checkpoint_every(),
            ..self.game.liap(self.controller.as_deref(), self.games)?
        };
        config.validate()?;
        Ok(config)
    }

    fn checkpoint_every(&self) -> Duration {
        Duration::from_millis(self.checkpoint_ms)
    }
}

/// File format of a run's log of placements; `None` for no log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogOrNone(pub(crate) Option<LogFormat>);

impl FromStr for LogOrNone {
    type Err = Error;

    fn from_str(name: &str) -> Result<LogOrNone> {
        if name == "none" { Ok(LogOrNone(None)) } else { name.parse().map(Some).map(LogOrNone) }
    }
}

/// Options of the log of placements or, in LIAP (a card game), of declarations.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LogOptions {
    /// Columns of the log: `minimal`, `controller` (all except features that the controller does
    /// not use), `all` (every feature), or names joined by commas. Names may include the sets
    /// `minimal`, `features` (the controller's) and `heights`. In guideline games and LIAP,
    /// `controller` equals `all`
    #[arg(long, default_value = "controller", value_name = "SET|NAMES", help_heading = LOGS)]
    pub(crate) columns: Columns,

    /// Log every K-th placement of a game (in LIAP: declaration of a match, also for the options
    /// below)
    #[arg(
        long,
        default_value_t = 1,
        value_name = "K",
        value_parser = count::<u64>(1..),
        help_heading = LOGS
    )]
    every: u64,

    /// First placement of a game to log
    #[arg(
        long,
        default_value_t = 1,
        value_name = "N",
        value_parser = count::<u64>(1..),
        help_heading = LOGS
    )]
    from: u64,

    /// Last placement of a game to log
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..), help_heading = LOGS)]
    to: Option<u64>,

    /// Log only the last N placements of a game
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..), help_heading = LOGS)]
    only_last: Option<u64>,

    /// Fraction of games to log, sampled with the run's seed
    #[arg(long, default_value_t = 1.0, value_name = "SHARE", help_heading = LOGS)]
    sample_games: f64,
}

impl LogOptions {
    pub(crate) fn selection(&self) -> Selection {
        let LogOptions { every, from, to, only_last, sample_games, .. } = *self;
        Selection { every, from, to, only_last, sample_games }
    }

    /// Returns the settings of the log of a LIAP run: the format `given`, else CSV for few games.
    pub(crate) fn liap(&self, given: Option<LogOrNone>, few: bool) -> Option<LiapLog> {
        let default = few.then_some(LogFormat::Csv);
        let format = given.map_or(default, |LogOrNone(format)| format)?;
        Some(LiapLog { format, columns: self.columns.clone(), selection: self.selection() })
    }
}

pub(crate) type AnyRun = ByGame<ClassicConfig, GuidelineConfig, LiapConfig>;

impl AnyRun {
    pub(crate) fn read(folder: &Path) -> Result<AnyRun> {
        Ok(match &*game_of(folder)? {
            "guideline" => AnyRun::Guideline(GuidelineConfig {
                log: None,
                ..GuidelineConfig::read_entry(folder)?
            }),
            "liap" => AnyRun::Liap(LiapConfig::read_entry(folder)?),
            _ => AnyRun::Classic(ClassicConfig { log: None, ..ClassicConfig::read_entry(folder)? }),
        })
    }
}

pub(crate) type AnyRuns = ByGame<Vec<ClassicConfig>, Vec<GuidelineConfig>, Vec<LiapConfig>>;

impl AnyRuns {
    pub(crate) fn group(runs: Vec<AnyRun>) -> Option<AnyRuns> {
        let none = |run: &AnyRun| map_game!(run, _ => Vec::new());
        let mut all = runs.first().map_or(AnyRuns::Classic(Vec::new()), none);
        for run in runs {
            match (&mut all, run) {
                (AnyRuns::Classic(all), AnyRun::Classic(run)) => all.push(run),
                (AnyRuns::Guideline(all), AnyRun::Guideline(run)) => all.push(run),
                (AnyRuns::Liap(all), AnyRun::Liap(run)) => all.push(run),
                _ => return None,
            }
        }
        Some(all)
    }

    /// Builds a run of games for each player, such as `bcts` or, with its own options,
    /// `bcts:board=10x10`.
    pub(crate) fn from_players(players: &[String], given: &Settings) -> anyhow::Result<AnyRuns> {
        let mut runs = Vec::new();
        for player in players {
            let (controller, own) = split_player(player)?;
            let all = own.merge_over(given.only_options_of::<GameOptions>());
            let read = ParsedArgs::<GameOptions>::read(&all);
            let ParsedArgs { options, settings, .. } =
                read.map_err(|error| anyhow!("{player}: {}", clap_message(&error)))?;
            options.falling.any.rules.games().refuse_foreign::<GameOptions>(&settings)?;
            runs.push(options.run(controller)?);
        }
        AnyRuns::group(runs).context(
            "different games have different measures: compare games of one --rules at a time",
        )
    }
}

/// Splits a player, such as `bcts:board=10x10`, into its controller and the options after it.
fn split_player(player: &str) -> anyhow::Result<(&str, Settings)> {
    // Names of options and `=` follow the colon. A colon inside a path or a value has neither.
    let is_key = |c: char| c.is_ascii_alphanumeric() || " -_,".contains(c);
    let begins = |own: &str| own.split_once('=').is_some_and(|(keys, _)| keys.chars().all(is_key));
    // The first colon of `tbp:COMMAND` is part of the name. The options of the bot in its command
    // have spaces before them.
    let is_bot = player.starts_with(PREFIX);
    let is_own =
        |place: &usize| !is_bot || !player[*place..].contains(' ') && *place >= PREFIX.len();
    let places = player.match_indices(':').map(|(place, _)| place).filter(is_own);
    let Some(place) = places.into_iter().find(|place| begins(&player[place + 1..])) else {
        return Ok((player, Settings::default()));
    };
    let (controller, own) = (&player[..place], &player[place + 1..]);
    // Options that all players share, because games are compared pair by pair on one seed.
    const COMMON_OPTIONS: [&str; 3] = ["seed", "threads", "simd"];
    let mut given = Map::new();
    for pair in own.split(',') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, "true"));
        let key = key.trim().trim_start_matches("--").replace('-', "_");
        ensure!(
            !COMMON_OPTIONS.contains(&key.as_str()),
            "{player}: {key} is the same for all players: give --{key} after the players"
        );
        let value = if value == "true" { json!(true) } else { json!(value) };
        given.insert(key, value);
    }
    let settings = Settings::from_object(&options::<GameOptions>(), Path::new(""), &given, &[]);
    let settings = settings.with_context(|| player.to_owned())?;
    Ok((controller, settings))
}
