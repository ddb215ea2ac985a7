//! Items that many modules of the commands import, so that a module's own list names only what is
//! special to it. They come from other crates and from modules below those that import them.

pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::AtomicBool;
pub(crate) use std::time::{Duration, Instant};

pub(crate) use anyhow::{anyhow, bail, ensure};
pub(crate) use clap::Arg;

pub(crate) use crate::board::{Board, BoardSize};
pub(crate) use crate::cli::console::{Console, Format, Outcome, Printout, TableFormat, TimeBudget};
pub(crate) use crate::cli::options::settings::{ParsedArgs, Settings};
pub(crate) use crate::cli::options::{AnyGameOptions, AnyRules, ByGame};
pub(crate) use crate::controller::Controller;
pub(crate) use crate::engine::{Manifest, Totals};
pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::piece::Piece;
pub(crate) use crate::record::{LogFormat, RunFolder, Status};
pub(crate) use crate::report::{Report, TableOf};
pub(crate) use crate::rules::Rules;
pub(crate) use crate::rules::guideline::RuleSet;
pub(crate) use crate::search::Search;
pub(crate) use crate::sim::ClassicConfig;
pub(crate) use crate::sim::guideline::GuidelineConfig;
