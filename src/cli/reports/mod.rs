//! Formats the results of commands as text, CSV and JSON.

pub(crate) mod classic;
pub(crate) mod compare;
pub(crate) mod contrast;
pub(crate) mod estimate;
pub(crate) mod guideline;
