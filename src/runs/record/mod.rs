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
    Checkpoint, CheckpointState, CopyState, checkpoint_state, start_anew,
};
pub use folder::checksum::{checksum, verify_checksum, write_checksum};
pub use folder::data_package::package;
pub use folder::dataset::{
    DATASET_FILE, DatasetInfo, DatasetSource, DatasetTotals, LabelInfo, is_dataset, label_folder,
    verify_dataset,
};
pub use folder::differences::{differences, have_changed};
pub use folder::finish::publish;
pub use folder::listed::{check_listed_name, check_listed_names, is_plain_file_name};
pub use folder::manifest::{
    COMMIT, FileEntry, Kind, PROGRAM, Provenance, Status, VERSION, command_line, kind_of,
    not_as_written, read_manifest, read_run, set_command_line, tables_of, write_manifest,
};
pub use folder::merge::{Commands, MergedLogs, ShardMerge};
pub use folder::output_file::{OutputFile, OutputFolder, Written, check_output, write_output};
pub use folder::parts::{PartEntry, is_in_parts, part_name};
pub use folder::shard::Shard;
pub use folder::shell::{shell_path, shell_words};
pub use folder::utc_time::utc_time;
pub use folder::verify::{
    Finding, check_recorded, first_problem, is_study, no_known_folder, verify, verify_study,
};
pub use folder::{
    CHECKPOINT, PARTIAL, RunFolder, entries, exists, has_checkpoint, is_left_over, plain_name,
    remove_checkpoint, remove_unfinished,
};
pub use formats::blocks::{BlockFile, Cursor, EncoderPool, FileSummary, FlushedPosition};
pub use formats::copy::{Conversion, copy_tables, print_table, read_extract, read_table};
pub use formats::extract::{Extract, RowCondition, extract_rows};
pub use formats::format::{BoundedLines, LONGEST_LINE, LogFormat};
pub use formats::parquet::arrow_schema;
pub use formats::read_values::read_values;
pub use formats::table_file::{RowFilter, TableFile, TakeRows, TypedColumns};
pub use logs::ordered::OrderedLog;
pub use logs::partial_table::{PartialTable, TableCursor};
pub use logs::row_sink::RowSink;
pub use logs::study_logs::{StudyLog, study_logs};
pub use logs::table_spec::{TableSpec, open_tables};
pub use logs::{LogSettings, LogTable, StudyTables, all_columns};
pub(crate) use replay::each_row;
pub use replay::{LoggedBoard, LoggedBoards, LoggedRow, read_boards, read_game};
pub use tables::actions::ActionRow;
pub(crate) use tables::actions::action_fields;
pub use tables::builder::{RowBuilder, RowEncoder};
pub use tables::candidates::{CandidateEncoder, Considered};
pub use tables::code_book::{
    GameTables, add_tables, code_book, columns_of, number_columns, placement_columns,
};
pub use tables::column::{Column, ColumnType};
pub use tables::conditions::{
    ConditionResults, ConditionRow, Progress, RecordedCondition, describe_study, read_conditions,
    read_estimated, rounded, study_description, write_conditions, write_games,
};
pub use tables::estimates::{
    ESTIMATES, EstimatedMean, EstimatedRow, HeightRow, LevelRow, ReplicationRow, read_replications,
    write_estimates,
};
pub(crate) use tables::estimates::{height_fields, level_fields, replication_fields};
pub use tables::field::{CellValue, Field, chosen, columns, names_of, rows_of};
pub(crate) use tables::games::games_fields;
pub use tables::games::{
    EndReason, EndedRow, GameRow, Lifetime, game_values, read_games, sprint_reward,
};
pub use tables::guideline::{
    CLEARS, ChosenPlacement, GuidelineCandidate, GuidelineDecision, GuidelineEnd, GuidelineGameRow,
    GuidelineHistory, GuidelinePlacement, logged_end, read_guideline_games,
};
pub(crate) use tables::guideline::{OF_SEARCH, guideline_game_fields};
pub use tables::means::{
    CellMean, ContrastRow, MeanRow, contrast_fields, mean_columns, write_means,
};
pub use tables::placements::{Columns, PlacementEncoder, PlacementRecord};
pub use tables::reproduced::{
    ConditionEffort, KINDS, PublishedComparison, PublishedScore, PublishedVerdict, ReproducedRow,
    Statistic, write_reproduced,
};
pub use tables::rollouts::{
    Estimated, LABELS, LabelSource, ROLLOUT_TABLES, RolloutCandidateRow, RolloutEncoder, RolloutRow,
};
pub use tables::selection::Selection;
pub use tables::surface::{Surface, SurfaceColumn, Surfaced};
#[doc(hidden)]
pub use tables::table::{CellText, meaning, write_with};
pub use tables::training::{
    HistoryRow, LearningRow, PopulationRow, history_fields, learning_fields, population_fields,
};
pub use tables::values::{ColumnValues, RowSlice, Rows, Text};
