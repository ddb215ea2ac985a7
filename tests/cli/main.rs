//! The real binary on real files, a module for each subject: one program, since each costs seconds to link.

mod any_game;
mod attack;
mod code_book;
mod command_line;
mod common;
mod compare;
mod compare_games;
mod documents;
mod estimate;
#[cfg(unix)]
mod every_game;
mod exact;
mod extract;
mod folders;
mod games;
mod guideline;
mod guideline_decisions;
mod liap;
mod liap_runs;
mod notebook;
mod pictures;
mod plan;
mod play;
mod progress;
mod reference;
mod refusals;
mod reproduce;
mod rollout;
mod sample;
mod simulate;
mod step;
mod study;
mod tables;
mod train;
mod view;
mod watch;
