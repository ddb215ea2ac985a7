//! Defines the options that commands share.

pub(crate) mod any_run;
pub(crate) mod complete;
pub(crate) mod games;
pub(crate) mod guideline;
pub(crate) mod help;
pub(crate) mod logs;
pub(crate) mod pictures;
pub(crate) mod runs;
pub(crate) mod settings;
pub(crate) mod study_file;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Args;

use crate::board::{Board, BoardSize};
use crate::cli::options::games::{AnyGame, AnySearch, BotOptions};
use crate::controller::{Controller, Tie};
use crate::error::{Error, quoted};
use crate::files;
use crate::kernels::Level;
use crate::matrix::Matrix;
use crate::queue::QueueKind;
use crate::rules::{Entry, Garbage, Reach, Rules};
use crate::search::{Policy, Search};
use crate::sim::bot_controller;
use crate::tbp::PREFIX;
use crate::text::parse::{count, seed};
use crate::threads::all_cores;

/// Name of the default controller of classic games.
pub(crate) const USUAL: &str = "bcts";

/// Message of commands in which bots do not play.
pub(crate) const NO_BOTS: &str = "bots play in simulate, compare, study, data set and watch: \
    here give the name or file of a controller";

/// Options of a classic game: ties, rules and board.
#[derive(Clone, Debug, Args)]
pub(crate) struct ClassicOptions {
    /// Rule that chooses among equally good placements: `first` or `dellacherie` [default: the
    /// controller's own rule]
    #[arg(long, value_name = "RULE")]
    pub(crate) tie: Option<Tie>,

    #[command(flatten)]
    pub(crate) board: PlaceOptions,
}

impl ClassicOptions {
    /// Returns the player `named`: a preset or a file (default: `bcts`), or `tbp:COMMAND` for a
    /// bot, which is started to read its description.
    pub(crate) fn player(
        &self,
        named: Option<&str>,
        any: &AnyGame,
        bots: &BotOptions,
    ) -> anyhow::Result<Controller> {
        let Some(command) = named.and_then(|named| named.strip_prefix(PREFIX)) else {
            return self.controller(named);
        };
        ensure!(
            self.tie.is_none()
                && any.policy == Policy::Best
                && !matches!(any.search, AnySearch::Classic(Search::Expect)),
            "a bot plays its own choice: leave out --tie, --policy and --search expect"
        );
        Ok(bot_controller(bots.bot(command)?))
    }

    /// Loads the controller `named` (a preset or a file; default: `bcts`). Its tie rule is replaced
    /// if these options set one.
    pub(crate) fn controller(&self, named: Option<&str>) -> anyhow::Result<Controller> {
        ensure!(named.is_none_or(|named| !named.starts_with(PREFIX)), NO_BOTS);
        let mut controller = Controller::load(named.unwrap_or(USUAL))?;
        controller.tie = self.tie.unwrap_or(controller.tie);
        Ok(controller)
    }
}

/// Options of the board and of the movement on it.
#[derive(Clone, Debug, Args)]
pub(crate) struct PlaceOptions {
    /// Let a piece that rests above the top row still clear full rows
    #[arg(long)]
    clear_on_overflow: bool,

    /// Under standard rules, let pieces reach every column where they fit at the spawn row, even
    /// through obstacles
    #[arg(long)]
    reach_anywhere: bool,

    /// Board width 4-16 and height 4-28 [default: 10x20, or the size of a picture that has not ten
    /// columns]
    #[arg(long, value_name = "WxH")]
    pub(crate) board: Option<BoardSize>,
}

/// Option that reads a board from a file.
#[derive(Clone, Debug, Args)]
pub(crate) struct BoardFile {
    /// Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left out.
    /// Guideline games need ten columns
    #[arg(long, value_name = "FILE")]
    board_file: Option<PathBuf>,
}

impl BoardFile {
    /// Reads the board of a classic game if the option was given. `size` is the value of `--board`.
    pub(crate) fn board(&self, size: Option<BoardSize>) -> anyhow::Result<Option<Board>> {
        let read = |path| read_picture(path, |text| Board::from_picture(text, size));
        self.board_file.as_deref().map(read).transpose()
    }

    /// Reads the matrix of a guideline game if the option was given.
    pub(crate) fn matrix(&self) -> anyhow::Result<Option<Matrix>> {
        self.board_file.as_deref().map(|path| read_picture(path, str::parse)).transpose()
    }
}

/// Reads a board from a picture file, which `parse` parses.
fn read_picture<B>(path: &Path, parse: impl FnOnce(&str) -> Result<B, Error>) -> anyhow::Result<B> {
    let text = files::read_text(path, files::BOARD)?;
    parse(&text).with_context(|| path.display().to_string())
}

/// Options of the start of a game: a board, and the dealt pieces.
#[derive(Clone, Debug, Args)]
pub(crate) struct StartOptions {
    #[command(flatten)]
    pub(crate) file: BoardFile,

    #[command(flatten)]
    pub(crate) garbage: GarbageOptions,

    #[command(flatten)]
    pub(crate) queue: QueueOptions,
}

/// Options of garbage rows.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct GarbageOptions {
    /// Garbage rows at the start, drawn for each game: full but for one hole, whose column is
    /// uniform
    #[arg(long, value_name = "ROWS", default_value = "0", value_parser = count::<usize>(0..=27))]
    garbage: usize,

    /// Probability, from 0 to 1, that a garbage row's hole lies in another column than that of the
    /// row before it [default: each column is equally likely]
    #[arg(long, value_name = "P")]
    garbage_messiness: Option<f64>,

    /// Placed pieces after which a garbage row enters from below and lifts the board by one row
    /// [default: no rows enter]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    garbage_every: Option<u32>,
}

impl GarbageOptions {
    /// Returns the settings of these options.
    pub(crate) fn settings(&self) -> Garbage {
        let &GarbageOptions { garbage: rows, garbage_messiness: messiness, garbage_every: every } =
            self;
        Garbage { rows, messiness, every }
    }
}

impl PlaceOptions {
    pub(crate) fn rules(&self, mut rules: Rules) -> anyhow::Result<Rules> {
        ensure!(
            !self.clear_on_overflow || rules.entry == Entry::FromAbove,
            "--clear-on-overflow changes nothing under standard rules, where no piece rests above \
                the top row: leave it out, or give --rules simplified"
        );
        ensure!(
            !self.reach_anywhere || rules.entry != Entry::FromAbove,
            "--reach-anywhere changes nothing under simplified rules, where every column is \
                reached: leave it out, or give --rules standard"
        );
        rules.clear_on_overflow = self.clear_on_overflow;
        if self.reach_anywhere {
            rules.entry = Entry::SpawnInside(Reach::Anywhere);
        }
        Ok(rules)
    }

    pub(crate) fn size(&self, start: Option<&Board>) -> anyhow::Result<BoardSize> {
        Ok(match (self.board, start) {
            (Some(size), _) => size,
            (None, Some(board)) => board.size(),
            (None, None) => BoardSize::new(10, 20)?,
        })
    }
}

/// Options of the piece generator.
#[derive(Clone, Debug, Args)]
pub(crate) struct QueueOptions {
    /// Piece generator: `uniform`, `bag` (7-bag), `bag:2` (2 of each piece per bag), `bag:I=2+O=1`
    /// (a bag of these pieces), `weights:I=2+O=1` (independent, by weight), `nes`, `tgm1`, `tgm2`,
    /// `tgm3` (as in these games), `least-dealt`, `repeat:0.3` (the last piece again with this
    /// probability), `sz` (alternating), `sz-random`, `adversary` (the worst piece), or `script`
    /// with --script [default: uniform; for guideline games bag]
    #[arg(long)]
    queue: Option<String>,

    /// Pieces of a script queue, at most 100,000: letters of I O T S Z J L, or a file that contains
    /// them
    #[arg(long, value_name = "LETTERS|FILE")]
    script: Option<String>,

    /// Repeat the script when it ends
    #[arg(long, requires = "script")]
    cycle: bool,
}

impl QueueOptions {
    /// Returns the queue of classic games that these options choose (default: uniform).
    pub(crate) fn queue(&self) -> anyhow::Result<QueueKind> {
        self.queue_or(QueueKind::Uniform)
    }

    /// Returns the queue that these options choose, or `usual` if they choose none.
    pub(crate) fn queue_or(&self, usual: QueueKind) -> anyhow::Result<QueueKind> {
        match (self.queue.as_deref(), &self.script) {
            (None, None) => Ok(usual),
            (None | Some("script" | "uniform"), Some(script)) => {
                let letters = if PathBuf::from(script).is_file() {
                    files::read_text(Path::new(script), files::SCRIPT)?
                } else {
                    script.clone()
                };
                let kind = QueueKind::script(&letters, self.cycle);
                kind.with_context(|| format!("--script {}", quoted(script)))
            }
            (Some("script"), None) => {
                bail!("a script queue needs its pieces: --script IOTSZJL, or --script FILE")
            }
            (Some(name), Some(_)) => {
                bail!("--script and --queue {name} exclude each other: give one")
            }
            (Some(name), None) => Ok(name.parse::<QueueKind>()?),
        }
    }
}

/// Options of the seed, the threads and the kernels.
#[derive(Clone, Debug, Args)]
pub(crate) struct Workers {
    /// Seed of the run, decimal or 0x hexadecimal. The same seed gives byte-identical output
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    #[command(flatten)]
    threads: Threads,

    /// Instruction set of the kernels: `auto`, or a slower one: `scalar`, `neon` (ARM), `sse4.2`,
    /// `avx2`, `avx512`
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    pub(crate) simd: Level,
}

impl Workers {
    pub(crate) fn threads(&self) -> usize {
        self.threads.count()
    }
}

/// Option of the number of threads.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Threads {
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// Returns the requested number of threads, or else one for each core.
    pub(crate) fn count(self) -> usize {
        self.threads.map_or_else(all_cores, usize::from)
    }
}
