//! Reports of commands.

pub(crate) mod compare;
pub(crate) mod contrast;
pub(crate) mod estimate;
pub(crate) mod run;
