//! Items that many modules of this crate import, so that a module's own list names only what is
//! special to it. They come from other crates and from modules below those that import them.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::fs::File;
pub(crate) use std::ops::Range;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::AtomicBool;
pub(crate) use std::time::Duration;

pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, json};

pub(crate) use crate::board::{Board, BoardSize};
pub(crate) use crate::controller::Controller;
pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::features::Feature;
pub(crate) use crate::kernels::Level;
pub(crate) use crate::matrix::Matrix;
pub(crate) use crate::piece::Piece;
pub(crate) use crate::queue::{Queue, QueueKind};
pub(crate) use crate::record::{
    Column, ColumnType, ColumnValues, Columns, Field, FileEntry, Kind, LogFormat, LogSettings,
    RowEncoder, RowSlice, Rows, RunFolder, Shard, Status, TableSpec,
};
pub(crate) use crate::rng::{Purpose, Stream};
pub(crate) use crate::rules::{GarbageRows, Rules};
pub(crate) use crate::search::{Policy, Search};
