//! Commands: one file or folder each, with arguments, library call and output.

pub(crate) mod annotate;
pub(crate) mod bench;
pub(crate) mod compare;
pub(crate) mod data;
pub(crate) mod estimate;
pub(crate) mod exact;
pub(crate) mod label;
pub(crate) mod liap;
pub(crate) mod play;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod study;
pub(crate) mod tbp;
pub(crate) mod train;
pub(crate) mod view;
pub(crate) mod watch;
