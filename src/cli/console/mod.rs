//! Output, progress, error lines and interruption: everything between a command and its terminal.

pub(crate) mod complaint;
pub(crate) mod interrupt;
pub(crate) mod opening;
pub(crate) mod output;
pub(crate) mod playing;
pub(crate) mod progress;
pub(crate) mod viewing;
