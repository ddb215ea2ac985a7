//! The real binary on real files, a module for each subject: one program, since each costs seconds to link.

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
mod games;
mod guideline;
mod guideline_decisions;
mod liap;
mod liap_runs;
mod network_page;
mod notebook;
mod notices;
mod old_names;
#[cfg(unix)]
mod outputs;
mod pictures;
mod plan;
mod play;
mod policy;
mod progress;
mod prose;
mod queues;
mod quoted_output;
mod reference;
mod reference_page;
mod refusals;
mod reproduce;
mod rollout;
mod rules;
mod sample;
mod simulate;
mod step;
mod study;
mod study_estimates;
mod tables;
mod train;
mod train_estimate;
mod trust;
mod view;
mod watch;
