//! Receiver of a log's rows that are not written to a file.

use std::fmt;
use std::sync::Arc;

use crate::error::Result;
use crate::record::{Column, RowSlice, Rows};

/// Number of rows that a receiver gets at once; the last rows of a log may be fewer.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Function that receives the name of a log, its columns and its next rows, in the order of a file.
type TakeRows = dyn Fn(&str, &Arc<[Column]>, Rows) -> Result<()> + Send + Sync;

/// Receiver of the rows of a run's logs, instead of files.
///
/// If the function waits, the run waits too, once its workers have filled the queue of rows. An
/// error of the function ends the run.
#[derive(Clone)]
pub struct RowSink(Arc<TakeRows>);

impl fmt::Debug for RowSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowSink")
    }
}

impl RowSink {
    /// Creates a receiver that calls `take` with the name of a log, its columns and its next rows.
    pub fn new(
        take: impl Fn(&str, &Arc<[Column]>, Rows) -> Result<()> + Send + Sync + 'static,
    ) -> RowSink {
        RowSink(Arc::new(take))
    }
}

/// Log whose rows go to a [`RowSink`].
pub(super) struct SinkLog {
    sink: RowSink,
    name: String,
    columns: Arc<[Column]>,
    /// Rows that wait until there are enough of them.
    rows: Rows,
}

impl SinkLog {
    /// Creates a log with the name of the table and its columns.
    pub(super) fn new(sink: RowSink, name: &str, columns: &[Column]) -> SinkLog {
        SinkLog { sink, name: name.to_owned(), columns: columns.into(), rows: Rows::new(columns) }
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Adds rows and passes them on once there are enough.
    pub(super) fn push(&mut self, mut slice: RowSlice) -> Result<()> {
        while !slice.is_empty() {
            let next = slice.take(ROWS_AT_ONCE - self.rows.len());
            self.rows.extend(&next.rows, next.range);
            if self.rows.len() == ROWS_AT_ONCE {
                self.pass()?;
            }
        }
        Ok(())
    }

    /// Passes on the rows that wait. The receiver gets the columns even if the log has no rows.
    pub(super) fn pass(&mut self) -> Result<()> {
        let empty = Rows::with_room(&*self.columns, ROWS_AT_ONCE);
        let rows = std::mem::replace(&mut self.rows, empty);
        (self.sink.0)(&self.name, &self.columns, rows)
    }
}
