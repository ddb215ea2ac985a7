//! Recording of runs: rows, tables and the files of a run folder.
//!
//! | folder | content |
//! |---|---|
//! | `tables` | row types and their columns, the code book |
//! | `formats` | CSV and Parquet files, conversion, extracts |
//! | `logs` | logs that grow in game order while games are played |
//! | `folder` | run folders: names, `run.json`, checksums, checkpoints, verification |
//! | `replay` | reader of logged games |

mod folder;
mod formats;
mod logs;
mod replay;
mod tables;

pub use folder::checkpoint::{
    Checkpoint, CheckpointState, CopyState, checkpoint_state, checksum, start_anew,
    verify_checksum, write_checksum,
};
pub use folder::data_package::package;
pub use folder::dataset::{
    DATASET_FILE, DatasetInfo, DatasetSource, DatasetTotals, LabelInfo, is_dataset, label_folder,
    verify_dataset,
};
pub use folder::manifest::{
    COMMIT, FileEntry, Kind, PROGRAM, Provenance, Status, VERSION, command_line, differences,
    have_changed, kind_of, not_as_written, read_manifest, read_run, set_command_line, shell_path,
    shell_words, tables_of, utc_time, write_manifest,
};
pub use folder::merge::{Commands, MergedLogs, Shard, ShardMerge};
pub use folder::output_file::{
    OutputFile, OutputFolder, PartEntry, Written, check_output, is_in_parts, part_name, publish,
    write_output,
};
pub use folder::verify::{
    Finding, check_recorded, first_problem, is_study, no_known_folder, verify, verify_study,
};
pub use folder::{
    CHECKPOINT, PARTIAL, RunFolder, check_listed_name, check_listed_names, entries, exists,
    has_checkpoint, is_left_over, is_plain_file_name, plain_name, remove_checkpoint,
    remove_unfinished,
};
pub use formats::blocks::{BlockFile, Cursor, EncoderPool, FileSummary, FlushedPosition};
pub use formats::copy::{Conversion, copy_tables, print_table, read_extract, read_table};
pub use formats::extract::{Extract, RowCondition, extract_rows};
pub use formats::parquet::arrow_schema;
pub use formats::table_file::{RowFilter, TableFile, TakeRows, TypedColumns, read_values};
pub use formats::{BoundedLines, LONGEST_LINE, LogFormat};
pub use logs::ordered::OrderedLog;
pub use logs::{
    LogSettings, LogTable, PartialTable, RowSink, Selection, StudyLog, StudyTables, TableCursor,
    TableSpec, all_columns, open_tables, study_logs,
};
pub(crate) use replay::each_row;
pub use replay::{LoggedBoard, LoggedBoards, LoggedRow, read_boards, read_game};
pub use tables::code_book::{
    GameTables, add_tables, code_book, columns_of, number_columns, placement_columns,
};
pub use tables::conditions::{
    CellMean, ConditionResults, ConditionRow, ContrastRow, MeanRow, Progress, RecordedCondition,
    contrast_fields, describe_study, mean_columns, read_conditions, read_estimated, rounded,
    study_description, write_conditions, write_games, write_means,
};
pub use tables::estimates::{
    ESTIMATES, Estimated, EstimatedMean, EstimatedRow, HeightRow, HistoryRow, LABELS, LabelSource,
    LearningRow, LevelRow, PopulationRow, ROLLOUT_TABLES, ReplicationRow, RolloutCandidateRow,
    RolloutEncoder, RolloutRow, history_fields, learning_fields, population_fields,
    read_replications, write_estimates,
};
pub(crate) use tables::estimates::{height_fields, level_fields, replication_fields};
pub use tables::field::{CellValue, Column, ColumnType, Field, chosen, columns, names_of, rows_of};
pub use tables::games::{
    ActionRow, EndReason, EndedRow, GameRow, Lifetime, game_values, read_games, sprint_reward,
};
pub(crate) use tables::games::{action_fields, games_fields};
pub use tables::guideline::{
    CLEARS, ChosenPlacement, GuidelineCandidate, GuidelineDecision, GuidelineEnd, GuidelineGameRow,
    GuidelineHistory, GuidelinePlacement, logged_end, read_guideline_games,
};
pub(crate) use tables::guideline::{OF_SEARCH, guideline_game_fields};
pub use tables::placements::{
    CandidateEncoder, Columns, Considered, PlacementEncoder, PlacementRecord,
};
pub use tables::reproduced::{
    ConditionEffort, KINDS, PublishedComparison, PublishedScore, PublishedVerdict, ReproducedRow,
    Statistic, write_reproduced,
};
pub use tables::surface::{Surface, SurfaceColumn, Surfaced};
pub use tables::values::{ColumnValues, RowBuilder, RowEncoder, RowSlice, Rows, Text};
#[doc(hidden)]
pub use tables::{CellText, meaning, write_with};
