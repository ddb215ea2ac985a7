//! The real binary on real files, a module for each subject: one program, since each costs seconds
//! to link.

mod annotate;
mod any_game;
mod attack;
#[cfg(unix)]
mod code_blocks;
mod code_book;
mod command_line;
mod common;
mod compare;
mod compare_games;
mod contrast;
mod dataset;
mod documents;
mod estimate;
#[cfg(unix)]
mod every_game;
mod exact;
mod extract;
mod facts;
mod folders;
mod foreign_tables;
mod games;
mod garbage;
mod guideline;
mod label;
mod liap;
mod liap_runs;
mod network_page;
mod notebook;
mod notices;
#[cfg(unix)]
mod outputs;
mod patterns;
mod pictures;
mod plan;
mod play;
mod policy;
mod progress;
mod prose;
mod queues;
mod reference;
mod refusals;
mod sample;
mod simulate;
mod step;
mod study;
mod study_estimates;
mod tables;
mod tbp;
mod toy_game;
mod train;
mod train_estimate;
mod train_td;
mod trust;
mod view;
mod watch;
