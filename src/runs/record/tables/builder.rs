//! Builders that turn the records of a worker into the rows of a table, in batches.

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, BoardSize};
use crate::features::{Feature, Move};
use crate::kernels::{BatchFeatures, Level};
use crate::record::tables::field::{Field, columns, fill, join_study, names_of};
use crate::record::tables::surface::Surfaces;
use crate::record::{Column, Rows};

/// Number of rows that a worker collects before it hands them over.
const CHUNK_ROWS: usize = 1 << 10;

/// Record of a row, on which features can be measured.
pub trait Measurable {
    /// Returns the board that the controller measures, and the move that led to it.
    fn measured(&self) -> (&Board, &Move);
}

/// Function that measures the features of a batch of rows.
type Measure<S> = fn(&mut BatchFeatures, &[S]);

/// Columns of a log, with what measures the features among them.
pub struct RowEncoder<S> {
    fields: Arc<Vec<Field<S>>>,
    /// Size of the boards on which features are measured, if any are columns.
    measuring: Option<(BoardSize, Measure<S>)>,
}

impl<S> Clone for RowEncoder<S> {
    fn clone(&self) -> RowEncoder<S> {
        RowEncoder { fields: self.fields.clone(), measuring: self.measuring }
    }
}

impl<S> fmt::Debug for RowEncoder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowEncoder").field("columns", &self.names()).finish_non_exhaustive()
    }
}

impl<S> RowEncoder<S> {
    /// Creates an encoder with these fields, none of which is a feature.
    #[must_use]
    pub fn of_fields(fields: Vec<Field<S>>) -> RowEncoder<S> {
        RowEncoder { fields: Arc::new(fields), measuring: None }
    }

    /// Returns the columns.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        columns(&self.fields)
    }

    /// Returns the names of the columns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        names_of(&self.fields, |_| true)
    }

    /// Returns the features among the columns.
    pub(crate) fn features(&self) -> impl Iterator<Item = Feature> {
        self.fields.iter().filter_map(Field::feature)
    }

    /// Adds the columns of the study's other conditions, like [`join_study`].
    pub(crate) fn join_study(&mut self, condition: u64, all: &[Column]) {
        // The fields are not shared yet, since no worker has started.
        if let Some(fields) = Arc::get_mut(&mut self.fields) {
            join_study(fields, condition, all);
        }
    }

    /// Creates the builder of one worker's rows.
    #[must_use]
    pub fn rows(&self, level: Level) -> RowBuilder<S> {
        let features: Vec<Feature> = self.features().collect();
        let measuring = self.measuring.filter(|_| !features.is_empty());
        RowBuilder {
            measuring: measuring
                .map(|(size, measure)| (BatchFeatures::new(size, &features, level), measure)),
            surfaces: Surfaces::new(level),
            waiting: Vec::with_capacity(BatchFeatures::LANES),
            rows: empty(&self.fields),
            fields: self.fields.clone(),
        }
    }
}

impl<S: Measurable> RowEncoder<S> {
    /// Creates an encoder with these fields, whose features are measured on boards of `size`.
    pub(crate) fn measuring(fields: Vec<Field<S>>, size: BoardSize) -> RowEncoder<S> {
        // A function pointer called per row would cost time, so there is one call per batch.
        let measure: Measure<S> = |features, rows| features.measure(rows.iter().map(S::measured));
        RowEncoder { fields: Arc::new(fields), measuring: Some((size, measure)) }
    }
}

/// Builder of a table's rows for one worker.
pub struct RowBuilder<S> {
    fields: Arc<Vec<Field<S>>>,
    /// Features among the fields, with the function that measures them on a batch of rows.
    measuring: Option<(BatchFeatures, Measure<S>)>,
    surfaces: Surfaces,
    waiting: Vec<S>,
    rows: Rows,
}

impl<S> RowBuilder<S> {
    /// Adds a row.
    #[inline]
    pub fn push(&mut self, row: S) {
        self.waiting.push(row);
        if self.waiting.len() == BatchFeatures::LANES {
            self.fill();
        }
    }

    /// Returns true if there are enough rows to hand over.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() >= CHUNK_ROWS
    }

    /// Returns the number of rows so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len() + self.waiting.len()
    }

    /// Returns true if there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rows and clears the builder.
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
        fill(&self.fields, &self.waiting, features, &mut self.surfaces, &mut self.rows);
        self.waiting.clear();
    }
}

fn empty<S>(fields: &[Field<S>]) -> Rows {
    Rows::with_room(fields.iter().map(|field| &field.column), CHUNK_ROWS + BatchFeatures::LANES)
}
