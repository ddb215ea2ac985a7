//! Implements each command in one file or folder: options, library call, output.

pub(crate) mod annotate;
pub(crate) mod bench;
pub(crate) mod compare;
pub(crate) mod controllers;
pub(crate) mod convert;
pub(crate) mod dataset;
pub(crate) mod estimate;
pub(crate) mod exact;
pub(crate) mod features;
pub(crate) mod init;
pub(crate) mod liap;
pub(crate) mod merge;
pub(crate) mod perft;
pub(crate) mod plan;
pub(crate) mod play;
pub(crate) mod reproduce;
pub(crate) mod rollout;
pub(crate) mod shell;
pub(crate) mod simulate;
pub(crate) mod step;
pub(crate) mod study;
pub(crate) mod tbp;
pub(crate) mod train;
pub(crate) mod verify;
pub(crate) mod view;
pub(crate) mod watch;
