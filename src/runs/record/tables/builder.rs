//! Builds the rows of a table from what a worker sees, a batch's load at a time.

use std::sync::Arc;

use crate::board::{Board, BoardSize};
use crate::features::{Feature, Move};
use crate::kernels::{BatchFeatures, Level};
use crate::record::Rows;
use crate::record::tables::field::{Field, fill};

/// Rows that a worker collects before it hands them over.
const CHUNK_ROWS: usize = 1 << 10;

/// Something that rows are made of and features are measured on.
pub trait Measurable {
    /// The board that the controller measures, and the move that led to it.
    fn measured(&self) -> (&Board, &Move);
}

/// Measures the features of a batch of rows.
type Measure<S> = fn(&mut BatchFeatures, &[S]);

/// Rows of a table that a worker fills.
pub struct RowBuilder<S> {
    fields: Arc<Vec<Field<S>>>,
    /// The features among the fields, with the function that measures them on a batch of rows.
    measuring: Option<(BatchFeatures, Measure<S>)>,
    waiting: Vec<S>,
    rows: Rows,
}

impl<S: Measurable> RowBuilder<S> {
    /// Builds rows with the features among `fields`, of boards of this size.
    pub(crate) fn measuring(
        fields: &Arc<Vec<Field<S>>>,
        size: BoardSize,
        level: Level,
    ) -> RowBuilder<S> {
        let features: Vec<Feature> = fields.iter().filter_map(Field::feature).collect();
        // One call a batch: a function pointer that is called for each row would cost time.
        let measure: Measure<S> = |features, rows| features.measure(rows.iter().map(S::measured));
        let measuring =
            (!features.is_empty()).then(|| (BatchFeatures::new(size, &features, level), measure));
        RowBuilder { measuring, ..RowBuilder::new(fields) }
    }
}

impl<S> RowBuilder<S> {
    /// Builds rows of which no column is a feature.
    pub(crate) fn new(fields: &Arc<Vec<Field<S>>>) -> RowBuilder<S> {
        RowBuilder {
            measuring: None,
            waiting: Vec::with_capacity(BatchFeatures::LANES),
            rows: empty(fields),
            fields: fields.clone(),
        }
    }

    /// The columns with how their values are found.
    pub(crate) fn fields(&self) -> &[Field<S>] {
        &self.fields
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, row: S) {
        self.waiting.push(row);
        if self.waiting.len() == BatchFeatures::LANES {
            self.fill();
        }
    }

    /// Whether there are enough to hand over.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() >= CHUNK_ROWS
    }

    /// Number of rows so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len() + self.waiting.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the rows, to begin again.
    #[must_use]
    pub fn take(&mut self) -> Rows {
        self.fill();
        std::mem::replace(&mut self.rows, empty(&self.fields))
    }

    fn fill(&mut self) {
        if let Some((features, measure)) = &mut self.measuring {
            measure(features, &self.waiting);
        }
        let features = self.measuring.as_ref().map(|(features, _)| features);
        fill(&self.fields, &self.waiting, features, &mut self.rows);
        self.waiting.clear();
    }
}

fn empty<S>(fields: &[Field<S>]) -> Rows {
    Rows::with_room(fields.iter().map(|field| &field.column), CHUNK_ROWS + BatchFeatures::LANES)
}
