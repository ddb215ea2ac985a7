//! Columns of all tables, looked up by name, and the code book (`data/README.md`) generated from
//! them.
//! Frozen: bytes

use std::fmt::Write;
use std::sync::OnceLock;

use crate::board::MAX_WIDTH;
use crate::error::quoted;
use crate::features::REGISTRY;
use crate::features::guideline::TERMS;
use crate::prelude::*;
use crate::record::LogTable;
use crate::record::tables::conditions::{condition_fields, contrast_fields, mean_fields};
use crate::record::tables::estimates::{
    LABELS, ROLLOUT_TABLES, decision_fields, estimated_fields, height_fields, history_fields,
    learning_fields, level_fields, population_fields, replication_fields, rollout_candidate_fields,
    rollout_columns, rollout_fields,
};
use crate::record::tables::field::{
    CONDITION, NOT_IN_CONDITION, ROW_KEYS, columns, condition_field,
};
use crate::record::tables::games::{action_fields, game_values, games_fields};
use crate::record::tables::guideline::{
    guideline_candidate_fields, guideline_columns, guideline_game_fields,
    guideline_placement_fields,
};
use crate::record::tables::placements::{candidate_fields, placement_fields};
use crate::record::tables::reproduced::reproduced_fields;
use crate::rules::guideline::MAX_PREVIEWS;

const TABLES: [&str; 6] =
    ["games", "placements", "candidates", ROLLOUT_TABLES[0], ROLLOUT_TABLES[1], LABELS];

/// Descriptions of the tables of a game that another crate implements.
#[derive(Clone, Copy, Debug)]
pub struct GameTables {
    /// Function that returns the names and columns of the game's tables.
    pub columns: fn() -> Vec<(&'static str, Vec<Column>)>,
    /// Titles of the game's tables in the code book, in the order of `columns`.
    pub titles: &'static [&'static str],
}

static ADDED_TABLES: OnceLock<GameTables> = OnceLock::new();

/// Registers the tables of a game in another crate for [`columns_of`]; only the first call counts.
pub fn add_tables(tables: GameTables) {
    ADDED_TABLES.get_or_init(|| tables);
}

/// Returns the descriptions of a table's columns, given its name and the names in its header.
pub fn columns_of(table: &str, names: &[String]) -> Result<Vec<Column>> {
    if let Some((_, twice)) =
        names.iter().enumerate().find(|(index, name)| names[..*index].contains(name))
    {
        let text = format!("column '{}' occurs twice in the header", quoted(twice));
        return Err(Error::Config(format!("{text}: rename one of them")));
    }
    let widest = BoardSize::new(MAX_WIDTH, 28)?;
    let features: Vec<Feature> = Feature::all(widest).collect();
    if names.iter().any(|name| name == CONDITION)
        && LogTable::ALL.iter().any(|log| log.name() == table)
    {
        let own: Vec<String> = names.iter().filter(|name| *name != CONDITION).cloned().collect();
        let mut found = columns_of(table, &own)?;
        let index = names.iter().position(|name| name == CONDITION).unwrap_or_default();
        found.insert(index, condition_field(|(): &()| 0).column);
        return Ok(found.into_iter().map(Column::in_study).collect());
    }
    let known = match table {
        "games" => columns(&games_fields()),
        "placements" => columns(&placement_fields(&features, widest)),
        "candidates" => columns(&candidate_fields(&features, widest)),
        _ => {
            let mut added = ADDED_TABLES.get().map(|added| (added.columns)()).unwrap_or_default();
            let names: Vec<&str> = added.iter().map(|(name, _)| *name).collect();
            let index = names.iter().position(|name| *name == table);
            index
                .map(|index| added.swap_remove(index).1)
                .or_else(|| rollout_columns(table))
                .or_else(|| columns_of_results(table))
                .ok_or_else(|| Error::unknown("table", table, TABLES.into_iter().chain(names)))?
        }
    };
    // Tables of guideline games have the same names but different columns.
    let has = |columns: &[Column], name: &String| columns.iter().any(|column| column.name == *name);
    let other = guideline_columns(table).unwrap_or_default();
    let fails = !names.iter().all(|name| has(&known, name));
    let known = if fails && names.iter().all(|name| has(&other, name)) { other } else { known };
    let find = |name: &String| {
        let found = known.iter().find(|column| column.name == *name).cloned();
        let names = known.iter().map(|column| &*column.name);
        found.ok_or_else(|| Error::unknown("column", name, names))
    };
    names.iter().map(find).collect()
}

fn columns_of_results(table: &str) -> Option<Vec<Column>> {
    Some(match table {
        "conditions" => columns(&condition_fields()),
        "reproduced" => columns(&reproduced_fields()),
        "actions" => columns(&action_fields()),
        "levels" => columns(&level_fields()),
        "replications" => columns(&replication_fields()),
        "heights" => columns(&height_fields()),
        "estimates" => columns(&estimated_fields()),
        "means" => columns(&mean_fields()),
        "contrasts" => columns(&contrast_fields()),
        _ => return None,
    })
}

/// Returns the column names of a log of placements on a board 10 cells wide, without features.
#[must_use]
pub fn placement_columns() -> Vec<String> {
    let size = BoardSize::new(10, 20);
    let all = size.map(|size| columns(&placement_fields(&[], size))).unwrap_or_default();
    all.into_iter().map(|column| column.name).collect()
}

/// Returns the names of the numeric columns of the table `games`, for guideline or classic games.
#[must_use]
pub fn number_columns(guideline: bool) -> Vec<String> {
    let (all, reads): (_, fn(&str) -> bool) = match guideline {
        true => (columns(&guideline_game_fields()), |name| {
            game_values(guideline_game_fields(), name, &[]).is_ok()
        }),
        false => (columns(&games_fields()), |name| game_values(games_fields(), name, &[]).is_ok()),
    };
    all.into_iter().map(|column| column.name).filter(|name| reads(name)).collect()
}

/// Returns the code book: a Markdown description of all tables, also those of the games `other`.
pub fn code_book(other: &[GameTables]) -> Result<String> {
    let size = BoardSize::new(10, 20)?;
    let mut text = table("games: one row per game", &games_fields());
    text += &table("placements: one row per placement kept", &placement_fields(&[], size));
    text += &table(
        "candidates: one row per candidate of a placement kept",
        &candidate_fields(&[], size),
    );
    text += "In `candidates` the features of the controller, and then further features that \
             `--columns` selects, stand before `deadly_next`. In `placements` the selected \
             features stand before `h0`; a board of another width has as many `h` columns. The \
             columns from `well_tied` on are only written if requested by name. A controller may \
             measure its features before full rows are removed. Then `holes` may differ from \
             `holes_before` + `d_holes`, the number after full rows are removed.\n\n";
    let _ = writeln!(
        text,
        "In the Parquet tables of a study's conditions (`placements` and `candidates`; CSV is as \
         `simulate` writes it) follow the columns that only other conditions have, always \
         missing, and `{CONDITION}`; there every column but {} may be missing: \
         {NOT_IN_CONDITION}.\n",
        ROW_KEYS.map(|key| format!("`{key}`")).join(", ")
    );
    text += &table("conditions: one row per condition of a study", &condition_fields());
    let _ = writeln!(
        text,
        "A study's own `games.csv` has `{CONDITION}` before the columns of `games`, for all its \
         conditions. In a data set, `conditions.csv` has `file`, the path of the condition's \
         placements, in place of `folder` and `status`.\n"
    );
    text += &table(
        "reproduced: one row per condition and number published of it",
        &reproduced_fields(),
    );
    text += &table(
        "estimates: one row per condition of a study whose mean is estimated",
        &estimated_fields(),
    );
    text += &table(
        "means: one row per complete condition of a study with estimated conditions",
        &mean_fields(),
    );
    text += &table(
        "contrasts: one row per pair of conditions of such a study, or per row of `compare --from \
         DIR --contrast TERM --format csv`",
        &contrast_fields(),
    );
    text += &table("levels: one row per level of an estimate", &level_fields());
    text += &table("replications: one row per replication of an estimate", &replication_fields());
    text += &table("heights: one row per height of the stack in an estimate", &height_fields());
    text += &table("actions: one row per placement, of `exact --actions FILE`", &action_fields());
    text += &table("history: one row per generation of a training", &history_fields(&[]));
    text += "In `history` stand before `error`, for each weight, `mean_` and `sd_` with the \
             feature's name: the distribution that the generation's candidates were drawn from; \
             of a genetic population, its own.\n\n";
    text += &table("history of `train td`: one row per report of a learning", &learning_fields());
    text += &table(
        "population: one row per candidate of a training, on request",
        &population_fields(&[]),
    );
    text += "In `population` the candidate's weights follow under the features' names, as the \
             optimiser has them.\n\n";
    for GameTables { columns, titles } in other {
        for ((name, columns), title) in columns().into_iter().zip(*titles) {
            text += &table_of(&format!("{name}: {title}"), columns.iter());
        }
    }
    text +=
        &table("guideline_games: one row per game of a guideline run", &guideline_game_fields());
    text += "In `end_reason` a controller's game has `top_out` if neither the current piece nor \
             the piece that a hold would give can be placed. A blocked spawn alone does not end \
             the game while the other piece fits. A person's game ends with the blocked spawn. \
             `lock_out`, a piece that locks wholly above row 19, occurs only in a person's game: \
             a controller never chooses such a placement. A bot that suggests no move forfeits \
             its game, which has `top_out` too.\n\n";
    text += &table(
        "guideline_placements: one row per placement of a guideline run",
        &guideline_placement_fields(MAX_PREVIEWS),
    );
    text += "In `guideline_placements` the columns from `board_before` on are only written if \
             requested by name.\n\n";
    text += &table(
        "guideline_candidates: one row per candidate of a placement kept of a guideline run",
        &guideline_candidate_fields(&[]),
    );
    text += "In `guideline_candidates` the terms of the controller follow. A candidate is a set \
             of four cells, not a way to reach them. States that fill the same cells (two of I, S \
             and Z, four of O) share one row. A T that can reach its cells with and without a \
             spin has one row with the best spin (`full` before `mini` before `none`). \
             `candidates` in `guideline_placements` counts the same candidates without those that \
             are `lost`. A choice model therefore has no alternative with the same cells and a \
             lesser spin.\n\n";
    text += &table("rollouts: one row per board of a rollout", &rollout_fields());
    text += &table(
        "rollout_candidates: one row per candidate placement of a rollout, on request",
        &rollout_candidate_fields(),
    );
    text += &table(
        "labels: one row per candidate placement of a labelled decision of a data set",
        &decision_fields(),
    );
    text += "The columns of `rollout_candidates` follow.\n\n";
    text +=
        "## features\n\n| feature | step | good | definition | source |\n|---|---|---|---|---|\n";
    for entry in REGISTRY {
        let (good, step) = (entry.direction.name(), entry.unit.step());
        let (name, definition, source) = (entry.name, entry.definition, entry.source);
        let _ = writeln!(text, "| {name} | {step} | {good} | {definition} | {source} |");
    }
    text += "\n## guideline terms\n\n| term | definition | source |\n|---|---|---|\n";
    for entry in TERMS {
        let _ = writeln!(text, "| {} | {} | {} |", entry.name, entry.definition, entry.source);
    }
    Ok(text)
}

fn table<S>(title: &str, fields: &[Field<S>]) -> String {
    table_of(title, fields.iter().map(|field| &field.column))
}

fn table_of<'a>(title: &str, columns: impl Iterator<Item = &'a Column>) -> String {
    let mut text = format!(
        "## {title}\n\n| variable | type | unit | meaning | levels | missing |\n\
         |---|---|---|---|---|---|\n"
    );
    for column in columns {
        let kind = column.kind.name();
        let levels =
            if column.levels.is_empty() { "-".to_owned() } else { column.levels.join(" ") };
        let Column { name, unit, meaning, missing, .. } = column;
        let _ = writeln!(text, "| {name} | {kind} | {unit} | {meaning} | {levels} | {missing} |");
    }
    text.push('\n');
    text
}
