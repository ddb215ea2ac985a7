//! Encoding of guideline games, and the tables that hold them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::candidates::{GuidelineCandidate, guideline_candidate_fields};
use super::placements::{MEASURED, OF_BAGS, OF_SEARCH};
use super::{
    GuidelineGameRow, GuidelinePlacement, guideline_game_fields, guideline_placement_fields,
};
use crate::error::setting::QUEUE;
use crate::error::{Error, Result};
use crate::features::guideline::Term;
use crate::kernels::Level;
use crate::matrix::WIDTH;
use crate::record::tables::field::{Field, KEYS, chosen, columns, join_study, names_of, rows_of};
use crate::record::{Column, Columns, LogFormat, LogTable, RowBuilder, Rows, Selection, TableSpec};
use crate::rules::guideline::MAX_PREVIEWS;
use crate::search::guideline::{RankedLanding, Terms};

pub(crate) fn guideline_columns(table: &str) -> Option<Vec<Column>> {
    match table {
        "games" => Some(columns(&guideline_game_fields())),
        "placements" => Some(columns(&guideline_placement_fields(MAX_PREVIEWS))),
        "candidates" => {
            let terms: Vec<Term> = Term::all().collect();
            Some(columns(&guideline_candidate_fields(&terms)))
        }
        _ => None,
    }
}

/// Settings of the logs of a run, of any game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogSettings {
    /// Format of the tables.
    pub format: LogFormat,
    /// Columns of the placements; `None` if they are not logged. `Columns::Controller` selects all
    /// columns.
    pub columns: Option<Columns>,
    /// True if the candidates of each placement are logged.
    pub candidates: bool,
    /// Selection of the placements.
    pub selection: Selection,
    /// Study that the run is a condition of, if its tables are read together.
    #[serde(skip)]
    pub study: Option<Box<StudyTables>>,
}

/// Study of a condition, as far as the condition's tables need it.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyTables {
    /// Number of the condition.
    pub condition: u64,
    /// Columns of all conditions, for each table of [`LogTable::ALL`].
    pub columns: [Vec<Column>; 2],
}

/// Properties of the logged games that determine the columns.
#[derive(Clone, Debug)]
pub struct GuidelineGames {
    /// Terms of the controller.
    pub terms: Terms,
    /// True if the queue deals bags of seven.
    pub deals_bags: bool,
    /// Number of visible pieces after the current one.
    pub previews: usize,
}

impl GuidelineGames {
    /// Returns true if the placements of these games have `column`.
    fn have(&self, column: &str) -> bool {
        self.deals_bags || !OF_BAGS.contains(&column)
    }
}

impl LogSettings {
    /// Selects all placements with all columns.
    #[must_use]
    pub fn all(format: LogFormat) -> LogSettings {
        let (columns, selection) = (Some(Columns::All), Selection::default());
        LogSettings { format, columns, candidates: false, selection, study: None }
    }

    /// Returns the names of the selected columns of placements; `None` if all or none are selected.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a column that does not exist, [`Error::Config`] for a column that
    /// these games lack.
    pub fn column_names(&self, games: &GuidelineGames) -> Result<Option<Vec<String>>> {
        let Some(columns @ (Columns::Minimal | Columns::Named(_))) = &self.columns else {
            return Ok(None);
        };
        let names: Vec<String> =
            chosen_fields(columns, games)?.into_iter().map(|field| field.column.name).collect();
        match names.iter().find(|name| !games.have(name)) {
            Some(name) => Err(Error::Config(format!(
                "column {name} exists only for a queue that deals bags: leave it out, or give \
                 {QUEUE} bag"
            ))),
            None => Ok(Some(names)),
        }
    }

    /// Returns the columns of the placements for these games; `None` if they are not logged.
    fn placements(&self, games: &GuidelineGames) -> Result<Option<Vec<Field<GuidelinePlacement>>>> {
        let Some(columns) = &self.columns else { return Ok(None) };
        let mut fields = chosen_fields(columns, games)?;
        fields.retain(|field| games.have(&field.column.name));
        self.join(LogTable::Placements, &mut fields);
        Ok(Some(fields))
    }

    /// Returns the columns of the candidates, if they are logged.
    fn candidates(&self, games: &GuidelineGames) -> Option<Vec<Field<GuidelineCandidate>>> {
        let terms: Vec<Term> = games.terms.weights().iter().map(|&(term, _)| term).collect();
        self.candidates.then(|| {
            let mut fields = guideline_candidate_fields(&terms);
            self.join(LogTable::Candidates, &mut fields);
            fields
        })
    }

    /// Adds the study's columns to a condition's table, like [`join_study`].
    fn join<S>(&self, table: LogTable, fields: &mut Vec<Field<S>>) {
        if let Some(study) = &self.study {
            join_study(fields, study.condition, &study.columns[table as usize]);
        }
    }

    /// Returns the columns of a table that can be read together with those of the study's other
    /// conditions, like [`crate::record::Logs::shared_columns`].
    #[must_use]
    pub fn shared_columns(&self, table: LogTable, games: &GuidelineGames) -> Option<Vec<Column>> {
        let is_shared = self.format == LogFormat::Parquet;
        match table {
            _ if !is_shared => None,
            LogTable::Placements => self.placements(games).ok()?.map(|fields| columns(&fields)),
            LogTable::Candidates => self.candidates(games).map(|fields| columns(&fields)),
        }
    }
}

/// Returns the selected fields of `placements`.
fn chosen_fields(
    columns: &Columns,
    games: &GuidelineGames,
) -> Result<Vec<Field<GuidelinePlacement>>> {
    let fields = guideline_placement_fields(games.previews);
    let all = names_of(&fields, |_| true);
    let sets = [
        ("minimal", names_of(&fields, |field| field.minimal)),
        // A controller always uses all of its terms.
        ("controller", all.clone()),
        ("all", all),
        ("features", MEASURED.map(str::to_owned).to_vec()),
        ("heights", (0..WIDTH).map(|column| format!("h{column}")).collect()),
    ];
    chosen(columns, fields, &KEYS, &sets)
}

/// Encoder that turns guideline games into columns.
pub struct GuidelineEncoder {
    games: Vec<Field<GuidelineGameRow>>,
    placements: Option<RowBuilder<GuidelinePlacement>>,
    candidates: Option<(Terms, RowBuilder<GuidelineCandidate>)>,
}

impl GuidelineEncoder {
    /// Creates an encoder for a run's logs; without a log it encodes no placements. `level` affects
    /// only its speed.
    ///
    /// # Errors
    /// [`crate::error::Error::Unknown`] for a column that does not exist.
    pub fn new(
        log: Option<&LogSettings>,
        games: &GuidelineGames,
        level: Level,
    ) -> Result<GuidelineEncoder> {
        let placements = log.map(|log| log.placements(games)).transpose()?.flatten();
        let candidates = log.and_then(|log| log.candidates(games));
        Ok(GuidelineEncoder {
            games: guideline_game_fields(),
            placements: placements.map(|fields| RowBuilder::new(&Arc::new(fields), level)),
            candidates: candidates
                .map(|fields| (games.terms.clone(), RowBuilder::new(&Arc::new(fields), level))),
        })
    }

    /// Adds a placement; `rank` is called for its candidates if they are logged.
    pub fn see(&mut self, seen: GuidelinePlacement, rank: impl FnOnce() -> Vec<RankedLanding>) {
        if let Some((terms, candidates)) = &mut self.candidates {
            // Candidates are ranked only here: a search for the choice alone does not value all of
            // them.
            GuidelineCandidate::of(&seen, rank(), terms).for_each(|row| candidates.push(row));
        }
        if let Some(placements) = &mut self.placements {
            placements.push(seen);
        }
    }

    /// Returns true if a column holds a search's results beyond the chosen placement itself.
    #[must_use]
    pub fn logs_values(&self) -> bool {
        let logged = self.placements.iter().flat_map(RowBuilder::fields);
        logged.into_iter().any(|field| OF_SEARCH.contains(&field.column.name.as_str()))
    }

    /// Returns true if there are enough rows to hand over.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.placements.as_ref().is_some_and(RowBuilder::is_full)
            || self.candidates.as_ref().is_some_and(|(_, builder)| builder.is_full())
    }

    /// Returns the rows of the logs so far, in the order of their tables, and clears them.
    pub fn logged(&mut self) -> impl Iterator<Item = Rows> {
        let placements = self.placements.as_mut().map(RowBuilder::take);
        let candidates = self.candidates.as_mut().map(|(_, builder)| builder.take());
        [placements, candidates].into_iter().flatten()
    }

    /// Returns the row of a finished game and the remaining rows of the logs, in the order of the
    /// run's tables.
    #[must_use]
    pub fn end(&mut self, game: &GuidelineGameRow) -> Vec<Rows> {
        let row = rows_of(&self.games, std::slice::from_ref(game));
        [row].into_iter().chain(self.logged()).collect()
    }
}

/// Returns the tables of a run: `games.csv`, and placements and candidates if they are logged.
/// Columns that do not exist are skipped; [`LogSettings::column_names`] refuses them.
#[must_use]
pub fn guideline_tables(log: Option<&LogSettings>, games: &GuidelineGames) -> Vec<TableSpec> {
    let mut tables =
        vec![TableSpec::new("games", LogFormat::Csv, columns(&guideline_game_fields()))];
    let Some(log) = log else { return tables };
    if log.columns.is_some() {
        let fields = log.placements(games).ok().flatten().unwrap_or_default();
        tables.push(TableSpec::new("placements", log.format, columns(&fields)));
    }
    if let Some(fields) = log.candidates(games) {
        tables.push(TableSpec::new("candidates", log.format, columns(&fields)));
    }
    tables
}
