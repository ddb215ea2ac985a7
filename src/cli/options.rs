//! Options that commands share: who plays what.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::board::{Board, BoardSize};
use crate::controller::{Controller, Tie};
use crate::error::{Error, quoted};
use crate::queue::QueueKind;
use crate::rules::{Entry, Reach, Rules};

/// A controller and the board it plays on.
#[derive(Debug, Args)]
pub(super) struct GameOptions {
    /// Preset (see `tetrastat controllers`) or TOML file
    #[arg(long, default_value = "bcts", value_name = "NAME|FILE")]
    controller: String,

    /// Which of several best placements is played: the controller's own rule, or `first`, `dellacherie`
    #[arg(long, value_name = "RULE")]
    tie: Option<Tie>,

    #[command(flatten)]
    pub(super) board: BoardOptions,
}

impl GameOptions {
    pub(super) fn controller(&self) -> anyhow::Result<Controller> {
        let mut controller = Controller::load(&self.controller)?;
        controller.tie = self.tie.unwrap_or(controller.tie);
        Ok(controller)
    }
}

/// Rules and a board.
#[derive(Debug, Args)]
pub(super) struct BoardOptions {
    /// `simplified` (MDPTetris) or `standard` (Fahey's original game); `simulate --rules guideline
    /// --help` and `--rules capstone` show the options of guideline games
    #[arg(long, default_value = "simplified")]
    rules: Rules,

    /// Let a piece that rests above the top row still remove full rows
    #[arg(long)]
    clear_on_overflow: bool,

    /// Under standard rules, let pieces reach every column where they fit at the spawn row,
    /// whatever lies between
    #[arg(long)]
    reach_anywhere: bool,

    /// Width 4-16 and height 4-28 [default: 10x20, or the size of --board-file]
    #[arg(long, value_name = "WxH")]
    board: Option<BoardSize>,

    /// Start from this board: a picture of '.' and '#', top row first
    #[arg(long, value_name = "FILE")]
    board_file: Option<PathBuf>,
}

impl BoardOptions {
    pub(super) fn rules(&self) -> anyhow::Result<Rules> {
        let mut rules = self.rules;
        if self.clear_on_overflow && rules.entry != Entry::FromAbove {
            let text = "--clear-on-overflow changes nothing under standard rules, where no piece rests above the top row: leave it out, or give --rules simplified";
            return Err(Error::Config(text.to_owned()).into());
        }
        rules.clear_on_overflow = self.clear_on_overflow;
        match rules.entry {
            Entry::FromAbove if self.reach_anywhere => {
                let text = "--reach-anywhere changes nothing under simplified rules, where every column is reached: leave it out, or give --rules standard";
                return Err(Error::Config(text.to_owned()).into());
            }
            Entry::SpawnInside(_) if self.reach_anywhere => {
                rules.entry = Entry::SpawnInside(Reach::Anywhere);
            }
            _ => {}
        }
        Ok(rules)
    }

    /// The start board, if one is given.
    pub(super) fn start(&self) -> anyhow::Result<Option<Board>> {
        let Some(path) = &self.board_file else { return Ok(None) };
        let text = fs::read_to_string(path).map_err(|e| Error::io("reading", path, e))?;
        let board = text.parse().with_context(|| path.display().to_string())?;
        Ok(Some(board))
    }

    pub(super) fn size(&self, start: Option<&Board>) -> anyhow::Result<BoardSize> {
        Ok(match (self.board, start) {
            (Some(size), _) => size,
            (None, Some(board)) => board.size(),
            (None, None) => BoardSize::new(10, 20)?,
        })
    }
}

/// Who deals the pieces.
#[derive(Debug, Args)]
pub(super) struct QueueOptions {
    /// `uniform`, `bag` (7-bag), `least-dealt`, `sz`, or `script` with --script
    #[arg(long, default_value = "uniform")]
    queue: String,

    /// Pieces of a script queue: letters of I O T S Z J L, or a file that holds them
    #[arg(long, value_name = "LETTERS|FILE")]
    script: Option<String>,

    /// Begin the script again when it ends
    #[arg(long, requires = "script")]
    cycle: bool,
}

impl QueueOptions {
    pub(super) fn queue(&self) -> anyhow::Result<QueueKind> {
        match (self.queue.as_str(), &self.script) {
            ("script" | "uniform", Some(script)) => {
                let letters = if PathBuf::from(script).is_file() {
                    fs::read_to_string(script).map_err(|e| Error::io("reading", script, e))?
                } else {
                    script.clone()
                };
                let kind = QueueKind::script(&letters, self.cycle);
                kind.with_context(|| format!("--script {}", quoted(script)))
            }
            ("script", None) => {
                let text = "a script queue needs its pieces: --script IOTSZJL, or --script FILE";
                Err(Error::Config(text.to_owned()).into())
            }
            (name, Some(_)) => {
                let text = format!("--script and --queue {name} exclude each other: give one");
                Err(Error::Config(text).into())
            }
            (name, None) => Ok(name.parse::<QueueKind>()?),
        }
    }
}

/// A seed in decimal, or hexadecimal after 0x.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "write a whole number below 2^64, or 0x and hexadecimal digits".to_owned())
}

/// A limit, or `none`.
pub(super) fn limit(text: &str) -> Result<Limit, String> {
    match text {
        "none" => Ok(Limit(None)),
        _ => match text.replace('_', "").parse() {
            Ok(0) | Err(_) => Err("write a whole number from 1, or none".to_owned()),
            Ok(limit) => Ok(Limit(Some(limit))),
        },
    }
}

/// A limit that may be none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit(pub(super) Option<u64>);

/// A share above 0: `3%` or `0.03`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let parsed = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
        None => text.parse(),
    };
    match parsed {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("write a percentage such as 3%, or a number between 0 and 1".to_owned()),
    }
}
