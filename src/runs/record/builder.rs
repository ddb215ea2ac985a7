//! Builds the rows of a table from what a worker sees, a gauge's load at a time.

use std::sync::Arc;

use super::Rows;
use super::field::{Field, fill};
use crate::board::{Board, BoardSize};
use crate::features::{Feature, Move};
use crate::kernels::{Gauge, Level};

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
    gauge: Option<Gauge>,
    waiting: Vec<S>,
    rows: Rows,
}

impl<S: Measurable> RowBuilder<S> {
    pub(super) fn new(fields: &Arc<Vec<Field<S>>>, size: BoardSize, level: Level) -> RowBuilder<S> {
        let features: Vec<Feature> = fields.iter().filter_map(Field::feature).collect();
        RowBuilder {
            gauge: (!features.is_empty()).then(|| Gauge::new(size, &features, level)),
            waiting: Vec::with_capacity(Gauge::LANES),
            rows: empty(fields),
            fields: fields.clone(),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, seen: S) {
        self.waiting.push(seen);
        if self.waiting.len() == Gauge::LANES {
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
        if let Some(gauge) = &mut self.gauge {
            gauge.measure(self.waiting.iter().map(S::measured));
        }
        fill(&self.fields, &self.waiting, self.gauge.as_ref(), &mut self.rows);
        self.waiting.clear();
    }
}

fn empty<S>(fields: &[Field<S>]) -> Rows {
    Rows::with_room(fields.iter().map(|field| &field.column), CHUNK_ROWS + Gauge::LANES)
}
