//! The threads that games, rows and candidates are shared among.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// So many threads.
///
/// # Errors
/// [`Error::Config`] when they can't be started.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::Config(format!("starting threads: {error}; try fewer --threads")))
}
