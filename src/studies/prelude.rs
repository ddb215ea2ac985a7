//! Items that many modules of this crate import, so that a module's own list names only what is
//! special to it. They come from other crates and from modules below those that import them.

pub(crate) use std::fmt;
pub(crate) use std::path::Path;
pub(crate) use std::str::FromStr;
pub(crate) use std::sync::atomic::AtomicBool;

pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::json;

pub(crate) use crate::engine::{Manifest, Totals};
pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::record::{RunFolder, Status};
pub(crate) use crate::rng::{Purpose, Stream};
pub(crate) use crate::stats::Mean;
pub(crate) use crate::train::{CandidateGames, PlayedGame, TrainingGames};
