//! Columns of the tables of guideline games.

use super::candidates::{GuidelineCandidate, guideline_candidate_fields};
use super::placements::{MEASURED, OF_BAGS};
use super::{GuidelinePlacement, guideline_game_fields, guideline_placement_fields};
use crate::error::setting::QUEUE;
use crate::error::{Error, Result};
use crate::features::guideline::Term;
use crate::matrix::WIDTH;
use crate::record::tables::field::{Field, KEYS, annotating, chosen, columns, names_of};
use crate::record::{Column, Columns, RowEncoder};
use crate::rules::guideline::MAX_PREVIEWS;
use crate::search::guideline::Terms;

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

impl RowEncoder<GuidelinePlacement> {
    /// Creates an encoder for `columns` of the placements of games with `previews` visible pieces
    /// after the current one. `deals_bags` is true if the queue deals bags of seven.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a column that does not exist, [`Error::Config`] for a named column
    /// that these games lack.
    pub fn of_guideline(
        columns: &Columns,
        deals_bags: bool,
        previews: usize,
    ) -> Result<RowEncoder<GuidelinePlacement>> {
        let fields = guideline_placement_fields(previews);
        let sets = sets(&fields);
        let mut fields = chosen(columns, fields, &KEYS, &sets)?;
        let lacks = |column: &str| !deals_bags && OF_BAGS.contains(&column);
        if let Columns::Named(names) = columns
            && let Some(name) = names.iter().find(|name| lacks(name))
        {
            return Err(Error::Config(format!(
                "column {name} exists only for a queue that deals bags: leave it out, or give \
                 {QUEUE} bag"
            )));
        }
        fields.retain(|field| !lacks(&field.column.name));
        Ok(RowEncoder::of_fields(fields))
    }

    /// Creates an encoder for placements that a table describes ([`annotating`]).
    ///
    /// # Errors
    /// [`Error::Unknown`] for a column that does not exist or that depends on the rest of the game.
    pub fn annotating_guideline(
        columns: &Columns,
        given: &[String],
    ) -> Result<RowEncoder<GuidelinePlacement>> {
        let mut fields = guideline_placement_fields(0);
        fields.retain(|field| !field.column.name.starts_with("next_"));
        let sets = sets(&fields);
        Ok(RowEncoder::of_fields(annotating(columns, fields, &sets, &OF_GAME, given)?))
    }
}

/// Columns that depend on more than the board, the placed piece and its placement.
const OF_GAME: [&str; 6] =
    ["time_ms", "used_hold", "hold_before", "hold_after", "points_total", "attack_total"];

/// Returns the names that stand for several columns of `fields`, each with its columns.
fn sets(fields: &[Field<GuidelinePlacement>]) -> [(&'static str, Vec<String>); 5] {
    let all = names_of(fields, |_| true);
    [
        ("minimal", names_of(fields, |field| field.minimal)),
        // A controller always uses all of its terms.
        ("controller", all.clone()),
        ("all", all),
        ("features", MEASURED.map(str::to_owned).to_vec()),
        ("heights", (0..WIDTH).map(|column| format!("h{column}")).collect()),
    ]
}

impl RowEncoder<GuidelineCandidate> {
    /// Creates an encoder for the candidates of a controller with these terms.
    #[must_use]
    pub fn of_terms(terms: &Terms) -> RowEncoder<GuidelineCandidate> {
        let terms: Vec<Term> = terms.weights().iter().map(|&(term, _)| term).collect();
        RowEncoder::of_fields(guideline_candidate_fields(&terms))
    }
}
