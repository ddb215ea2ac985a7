//! Columns of the tables of guideline games.

use super::candidates::{GuidelineCandidate, guideline_candidate_fields};
use super::placements::{MEASURED, OF_BAGS};
use super::{GuidelinePlacement, guideline_game_fields, guideline_placement_fields};
use crate::error::setting::QUEUE;
use crate::error::{Error, Result};
use crate::features::guideline::Term;
use crate::matrix::WIDTH;
use crate::record::tables::field::{KEYS, chosen, columns, names_of};
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
        let all = names_of(&fields, |_| true);
        let sets = [
            ("minimal", names_of(&fields, |field| field.minimal)),
            // A controller always uses all of its terms.
            ("controller", all.clone()),
            ("all", all),
            ("features", MEASURED.map(str::to_owned).to_vec()),
            ("heights", (0..WIDTH).map(|column| format!("h{column}")).collect()),
        ];
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
}

impl RowEncoder<GuidelineCandidate> {
    /// Creates an encoder for the candidates of a controller with these terms.
    #[must_use]
    pub fn of_terms(terms: &Terms) -> RowEncoder<GuidelineCandidate> {
        let terms: Vec<Term> = terms.weights().iter().map(|&(term, _)| term).collect();
        RowEncoder::of_fields(guideline_candidate_fields(&terms))
    }
}
