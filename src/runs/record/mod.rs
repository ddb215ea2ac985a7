//! Rows, the tables they belong to, and the files of a run folder.

mod blocks;
mod builder;
mod candidates;
mod code_book;
mod column;
mod conditions;
mod copy;
mod copying;
mod csv;
mod data_package;
mod estimates;
mod extract;
mod field;
mod finish;
mod folder;
mod format;
mod games;
mod guideline;
mod liap;
mod listed;
mod logs;
mod manifest;
mod merge;
mod open_tables;
mod opening;
mod ordered;
mod output_file;
mod parquet;
mod partial_table;
mod placements;
mod read_values;
mod replay;
mod reproduced;
mod resume_point;
mod rollouts;
mod seal;
mod selection;
mod shard;
mod shell;
mod study_logs;
mod surface;
mod table_file;
mod training;
mod turn;
mod utc_time;
mod values;
mod verify;

pub use blocks::{BlockFile, Cursor, Finished, Packers, Settled};
pub use builder::RowBuilder;
pub use candidates::{CandidateEncoder, Considered};
pub use code_book::{code_book, columns_of, number_columns, placement_columns};
pub use column::{Column, ColumnType};
pub use conditions::{
    ConditionResults, ConditionRow, Progress, RecordedCondition, describe_study, read_conditions,
    study_description, write_conditions, write_games,
};
pub use copy::{Conversion, copy_tables, extract_table, print_table, read_extract, read_table};
pub use copying::Copying;
pub use data_package::package;
pub use estimates::{HeightRow, LevelRow, ReplicationRow, write_estimate};
pub use extract::{Extract, Where};
pub use finish::{FinishedTables, publish};
pub use folder::{PARTIAL, RunFolder, exists, has_checkpoint, plain_name, remove_checkpoint};
pub use format::{BoundedLines, LONGEST_LINE, LogFormat};
pub use games::{EndReason, GameEncoder, GameRow, Lifetime, game_values, read_lifetimes};
pub use guideline::{
    GuidelineDecision, GuidelineEncoder, GuidelineEnd, GuidelineGameRow, GuidelineGames,
    GuidelineLog, GuidelinePlacement, StudyTables, guideline_game_values, guideline_tables,
    logged_end, read_guideline_games,
};
pub use liap::{
    DeclarationRow, LiapEncoder, LiapLog, LiapRows, MatchRow, Moved, RoundRow, liap_measures,
    liap_tables,
};
pub use listed::{check_listed_name, check_listed_names, is_plain_file_name};
pub use logs::{LogTable, Logs, all_columns};
pub(crate) use manifest::ControllerEntry;
pub use manifest::{
    COMMIT, ConfigEntry, FileEntry, PROGRAM, Status, VERSION, command_line, cpu_name,
    read_manifest, set_command_line, write_manifest,
};
pub use merge::{Commands, Merging};
pub use open_tables::{OpenTables, SettledTables, TableSpec};
pub use opening::{Asked, Opening, PERSON, differences, have_changed};
pub use ordered::OrderedLog;
pub use output_file::{OutputFile, OutputFolder, Written, check_output, write_output};
pub use partial_table::{PartialTable, PartialTables, TableCursor};
pub use placements::{Columns, PlacementEncoder, Sight};
pub use read_values::read_values;
pub use replay::{
    LoggedBoard, LoggedBoards, LoggedLanding, LoggedPlacement, ReplaySetup, not_as_written,
    read_boards, read_landings, read_placements, read_setup, recorded_seed, recorded_weights,
};
pub use reproduced::{
    ConditionEffort, KINDS, PublishedComparison, PublishedScore, PublishedVerdict, ReproducedRow,
    Statistic, write_reproduced,
};
pub use resume_point::{ResumePoint, checkpoint_state, shorten, start_anew};
pub use rollouts::{Estimated, ROLLOUT_TABLES, RolloutCandidateRow, RolloutEncoder, RolloutRow};
pub use seal::{checksum, seal, unseal};
pub use selection::Selection;
pub use shard::Shard;
pub use shell::{resume_command, shell_path, shell_words};
pub use study_logs::{StudyLog, study_logs};
pub use table_file::{Sought, TableFile, TakeRows};
pub use training::{HistoryRow, PopulationRow, TrainingTable};
pub use turn::PlacedTurn;
pub use utc_time::utc_time;
pub use values::{ColumnValues, RowSlice, Rows, Text};
pub use verify::{Finding, check_recorded, is_study, no_known_folder, verify, verify_study};
