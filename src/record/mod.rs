//! Rows, the tables they belong to, and the files of a run folder.

mod candidates;
mod cell;
mod checkpoint;
mod conditions;
mod field;
mod folder;
mod format;
mod games;
mod logs;
mod manifest;
mod merge;
mod ordered;
mod placements;
mod schema;
mod selection;
mod surface;
mod tables;
mod verify;

pub use candidates::CandidateEncoder;
pub use cell::{Cell, write_csv};
pub use checkpoint::{Checkpoint, TableMark};
pub use conditions::{ConditionRow, Progress, Results, write_conditions, write_games};
pub use folder::{PARTIAL, RunFolder, plain_name};
pub use format::LogFormat;
pub use games::{EndReason, GameRow, Lifetime, read_lifetimes};
pub use logs::{LogTable, Logs};
pub use manifest::{ConfigEntry, FileEntry, Manifest, Status};
pub use merge::merge;
pub use ordered::OrderedLog;
pub use placements::{Columns, PlacementEncoder};
pub use schema::{Column, Kind, code_book};
pub use selection::Selection;
pub use tables::{FinishedRun, RunTables};
pub use verify::{Finding, verify};
