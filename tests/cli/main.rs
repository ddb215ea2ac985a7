//! The real binary on real files, a module for each subject: one program, since each costs seconds to link.

mod any_game;
mod attack;
mod code_book;
mod command_line;
mod common;
mod compare;
mod compare_games;
mod estimate;
mod exact;
mod folders;
mod games;
mod guideline;
mod liap;
mod notebook;
mod play;
mod progress;
mod reference;
mod refusals;
mod reproduce;
mod sample;
mod simulate;
mod step;
mod study;
mod tables;
mod train;
mod watch;
