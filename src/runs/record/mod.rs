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
    Checkpoint, CheckpointState, CopyState, checkpoint_state, checksum, restart_advice,
    verify_checksum, write_checksum,
};
pub use folder::data_package::package;
pub use folder::dataset::{
    DATASET_FILE, DatasetInfo, DatasetSource, DatasetTotals, LabelInfo, is_dataset, label_folder,
    verify_dataset,
};
pub(crate) use folder::is_plain_file_name;
pub use folder::manifest::{
    COMMIT, FileEntry, Kind, PROGRAM, Provenance, Status, VERSION, command_line, differences,
    invalid_content_error, kind_of, read_manifest, set_command_line, shell_path, shell_words,
    tables_of,
};
pub(crate) use folder::manifest::{read_run, write_manifest};
pub use folder::merge::{Commands, MergedLogs, Shard, ShardMerge};
pub use folder::output_file::{
    OutputFile, OutputFolder, PartEntry, Written, check_output, is_in_parts, part_name, publish,
    write_output,
};
pub use folder::verify::{
    Finding, check_recorded, first_problem, is_study, unknown_folder_error, verify, verify_study,
};
pub use folder::{
    CHECKPOINT, PARTIAL, RunFolder, check_listed_name, check_listed_names, entries, exists,
    has_checkpoint, plain_name, remove_checkpoint,
};
pub(crate) use formats::blocks::{BlockFile, EncoderPool};
pub use formats::blocks::{Cursor, FileSummary};
pub use formats::copy::{Conversion, copy_tables, print_table, read_extract, read_table};
pub use formats::extract::{Extract, RowCondition, extract_rows};
pub use formats::parquet::arrow_schema;
pub use formats::table_file::{RowFilter, TableFile, TakeRows, read_values};
pub use formats::{BoundedLines, LONGEST_LINE, LogFormat};
pub(crate) use logs::ordered::OrderedLog;
pub use logs::{
    LogSettings, RowSink, Selection, StudyLog, TableCursor, TableSpec, open_tables, study_logs,
};
pub(crate) use logs::{LogTable, StudyTables, all_columns};
pub(crate) use replay::for_each_row;
pub use replay::{LoggedBoard, LoggedBoards, LoggedRow, read_boards, read_game};
pub use tables::code_book::{
    GameTables, add_tables, code_book, columns_of, number_columns, placement_columns,
};
pub use tables::conditions::{
    CellMean, ConditionResults, ConditionRow, ContrastRow, MeanRow, Progress, RecordedCondition,
    describe_study, read_conditions, read_estimated_conditions, rounded, study_description,
    write_conditions, write_games, write_means,
};
pub use tables::estimates::{
    ESTIMATES, Estimated, EstimatedMean, EstimatedRow, HistoryRow, LABELS, LearningRow,
    PopulationRow, history_fields, learning_fields, population_fields, read_replications,
    write_estimates,
};
pub(crate) use tables::estimates::{
    HeightRow, LabelSource, LevelRow, ROLLOUT_TABLES, ReplicationRow, RolloutCandidateRow,
    RolloutEncoder, RolloutRow, height_fields, level_fields, replication_fields,
};
pub use tables::field::{
    CellValue, Column, ColumnType, Field, columns, names_of, rows_of, select_fields,
};
pub(crate) use tables::games::{ActionRow, EndedRow, action_fields, games_fields, read_games};
pub use tables::games::{EndReason, GameRow, Lifetime, game_values, sprint_reward};
pub(crate) use tables::guideline::{
    CLEARS, OF_SEARCH, guideline_game_fields, read_guideline_games,
};
pub use tables::guideline::{
    ChosenPlacement, GuidelineCandidate, GuidelineDecision, GuidelineEnd, GuidelineGameRow,
    GuidelineHistory, GuidelinePlacement, logged_end,
};
pub(crate) use tables::placements::{CandidateEncoder, CandidateRecord, PlacementEncoder};
pub use tables::placements::{Columns, PlacementRecord};
pub use tables::reproduced::{
    ConditionEffort, KINDS, PublishedComparison, PublishedScore, PublishedVerdict, ReproducedRow,
    Statistic, write_reproduced,
};
pub use tables::values::{ColumnValues, RowEncoder, Rows, Text};
pub(crate) use tables::values::{RowBuilder, RowSlice};
#[doc(hidden)]
pub use tables::{CellText, meaning, write_with};
