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

/// Rows in the making; one for each worker.
pub struct RowBuilder<S> {
    fields: Arc<Vec<Field<S>>>,
    batch_features: Option<BatchFeatures>,
    waiting: Vec<S>,
    rows: Rows,
}

impl<S: Measurable> RowBuilder<S> {
    pub(crate) fn new(fields: &Arc<Vec<Field<S>>>, size: BoardSize, level: Level) -> RowBuilder<S> {
        let features: Vec<Feature> = fields.iter().filter_map(Field::feature).collect();
        RowBuilder {
            batch_features: (!features.is_empty())
                .then(|| BatchFeatures::new(size, &features, level)),
            waiting: Vec::with_capacity(BatchFeatures::LANES),
            rows: empty(fields),
            fields: fields.clone(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, seen: S) {
        self.waiting.push(seen);
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
        if let Some(batch_features) = &mut self.batch_features {
            batch_features.measure(self.waiting.iter().map(S::measured));
        }
        fill(&self.fields, &self.waiting, self.batch_features.as_ref(), &mut self.rows);
        self.waiting.clear();
    }
}

fn empty<S>(fields: &[Field<S>]) -> Rows {
    Rows::with_room(fields.iter().map(|field| &field.column), CHUNK_ROWS + BatchFeatures::LANES)
}
