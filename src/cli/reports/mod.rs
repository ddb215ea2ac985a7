//! Reports of commands, and of the folders that they wrote.

use std::path::Path;

use crate::error::Result;
use crate::record::{Kind, kind_of};
use crate::report::Report;

pub(crate) mod compare;
pub(crate) mod contrast;
pub(crate) mod estimate;
pub(crate) mod run;

/// Returns the report of the run or the estimate in `folder`, and the command that prints it.
///
/// # Errors
/// [`crate::error::Error`] if the folder holds no such work, or none that this program can read.
pub(crate) fn of_folder(folder: &Path) -> Result<(&'static str, Report)> {
    match kind_of(folder)? {
        Some(Kind::Estimate) => Ok(("estimate", estimate::of_folder(folder)?)),
        _ => Ok(("simulate", run::of_folder(folder)?)),
    }
}
