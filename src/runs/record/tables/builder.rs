//! Builds the rows of a table from what a worker sees, a batch's load at a time.

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, BoardSize};
use crate::features::{Feature, Move};
use crate::kernels::{BatchFeatures, Level};
use crate::record::tables::field::{Field, columns, fill, join_study};
use crate::record::{Column, Rows};

/// Rows that a worker collects before it hands them over.
const CHUNK_ROWS: usize = 1 << 10;

/// Something that rows are made of and features are measured on.
pub trait Measurable {
    /// The board that the controller measures, and the move that led to it.
    fn measured(&self) -> (&Board, &Move);
}

/// Measures the features of a batch of rows.
type Measure<S> = fn(&mut BatchFeatures, &[S]);

/// The columns of a log, and the size of the boards that features are measured on.
pub struct RowEncoder<S> {
    fields: Arc<Vec<Field<S>>>,
    size: BoardSize,
}

impl<S> Clone for RowEncoder<S> {
    fn clone(&self) -> RowEncoder<S> {
        RowEncoder { fields: self.fields.clone(), size: self.size }
    }
}

impl<S> fmt::Debug for RowEncoder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.fields.iter().map(|field| &*field.column.name).collect();
        f.debug_struct("RowEncoder").field("columns", &names).finish_non_exhaustive()
    }
}

impl<S> RowEncoder<S> {
    /// Encodes rows as `fields`, on boards of `size`.
    pub(crate) fn of_fields(fields: Vec<Field<S>>, size: BoardSize) -> RowEncoder<S> {
        RowEncoder { fields: Arc::new(fields), size }
    }

    /// Returns the columns.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        columns(&self.fields)
    }

    /// Makes the table one of its study's: as [`join_study`].
    pub(crate) fn join_study(&mut self, condition: u64, all: &[Column]) {
        // No worker has them yet.
        if let Some(fields) = Arc::get_mut(&mut self.fields) {
            join_study(fields, condition, all);
        }
    }
}

impl<S: Measurable> RowEncoder<S> {
    /// Returns the rows that one worker fills.
    #[must_use]
    pub fn rows(&self, level: Level) -> RowBuilder<S> {
        let features: Vec<Feature> = self.fields.iter().filter_map(Field::feature).collect();
        // One call a batch: a function pointer that is called for each row would cost time.
        let measure: Measure<S> = |features, rows| features.measure(rows.iter().map(S::measured));
        let measuring = (!features.is_empty())
            .then(|| (BatchFeatures::new(self.size, &features, level), measure));
        RowBuilder { measuring, ..RowBuilder::new(&self.fields) }
    }
}

/// Rows of a table that a worker fills.
pub struct RowBuilder<S> {
    fields: Arc<Vec<Field<S>>>,
    /// The features among the fields, with the function that measures them on a batch of rows.
    measuring: Option<(BatchFeatures, Measure<S>)>,
    waiting: Vec<S>,
    rows: Rows,
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
