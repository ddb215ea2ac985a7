//! tetrastat: a research engine for falling-block games.
//!
//! A board is one `u16` per row; all placements of a piece are scored at once; games run on all
//! cores; every placement can become a tidy row for R. The binary `tetrastat` is a thin shell over
//! this library.
//!
//! # Code map
//!
//! An import goes only downwards in this list. Rooms stand in five crates, by what must be optimised:
//! `src/core` is what games are played with, `src/runs` plays, logs and counts them, `src/studies` only says
//! which, `terminal` shows games, and here are the commands, which wait for people. LIAP is a sixth, which only the
//! command knows: what its commands are given and print is there, too. This crate has all rooms under one name.
//!
//! | cargo feature | what it adds |
//! |---|---|
//! | none | the core: from [`environment`] and [`search`] down to [`piece`], without clap, ratatui, parquet or zstd |
//! | `runs` | runs, records, statistics, training, estimates, studies, the second game |
//! | `cli` (default) | the command `tetrastat` and its screens |
//!
//! | room | what is there |
//! |---|---|
//! | [`cli`] | one file per command: arguments, library call, output; no game logic |
//! | [`pictures`] | placements as SVG, games in motion, casts of a terminal; fumen read and written |
//! | [`terminal`] | the screens of `play` and `watch`: terminal, keys, colours, boards |
//! | [`page`] | a folder as one page for a browser |
//! | [`explain`] | explanations of placements, term by term; games rebuilt from their log |
//! | [`games`] | the games beyond those of the engine: what reading their folders takes |
//! | [`liap`] | a card game on the same engine, records and statistics, in a crate of its own that no other room knows |
//! | [`mod@bench`] | measurements side by side, and the behaviour checksum |
//! | [`estimate`] | mean lines of games too long to play: multilevel splitting, exposure, extrapolation |
//! | [`reproduce`] | the published tables: what was published, what is played for it, how they compare |
//! | [`study`] | a table of runs of any game over common seeds, in one folder, and comparisons of them |
//! | [`train`] | from an optimiser (cross-entropy, genetic, natural evolution, CMA-ES; ask/tell) to a controller |
//! | [`exact`] | small boards: exact means of a controller, and the best player, without playing |
//! | [`sim`] | falling-block games on all cores and their limits: classic games, guideline games, rollouts from logged boards |
//! | [`engine`] | runs of any game: workers, order, checkpoint, `run.json`; what a game is, and what can be compared |
//! | [`stats`] | summaries and intervals |
//! | [`record`] | rows, tables and files of every game, `run.json`; verified, converted, merged |
//! | [`search`] | `greedy`, `next`, `expect`; `beam` and perfect finishes in guideline games |
//! | [`environment`] | the game key press by key press, for reinforcement learning; the notebook's own game |
//! | [`rules`] | `simplified`, `standard`, `guideline`: legal placements, clearing, the end of a game |
//! | [`controller`] | weights x features, TOML, presets (`data/controllers/`), exact scores |
//! | [`kernels`] | all placements of a piece scored at once in vector registers; under it `simd`, the core's only `unsafe` |
//! | [`features`] | the registry and the scalar definitions: the specification of every kernel |
//! | [`queue`], [`rng`] | who deals pieces; one independent random stream per game |
//! | [`board`], [`matrix`], [`piece`], [`placement`] | the vocabulary: `u16` rows, columns of a guideline game, orientations, drop, lock, clear |
//! | [`text`] | numbers as people write and read them, tables of reports |
//! | [`threads`] | the threads that work is shared among |
//! | [`files`] | text files that users supply, read up to a largest size |
//! | [`error`] | the one error type, whose messages name the remedy |
//!
//! # In the order of use
//!
//! | to | take | a program of one page |
//! |---|---|---|
//! | place a piece | [`board::Board`], [`piece::Piece`], [`placement::Placements`], [`rules::Rules`] | |
//! | score and decide | [`controller::Controller`], [`search::Player`], [`features::Feature`] | `examples/decide.rs` |
//! | play games on all cores, logged | [`sim::ClassicConfig`], [`sim::ClassicGames`], [`engine::play`], [`record::read_placements`] | `examples/simulate.rs` |
//! | compare players | [`engine::each`] on one seed | `examples/controller.rs` |
//! | play many conditions | [`study::Condition`], [`study::Study`] | `examples/study.rs` |
//! | find weights | [`train::OptimiserSettings`], [`train::Optimiser`], [`train::Template`] | `examples/train.rs` |
//! | estimate long games | [`estimate::EstimateConfig`], [`estimate::run_replications`] | its room's documentation |
//! | learn by key presses | [`environment::Environment`] | its room's documentation |
//!
//! Whatever can fail returns [`error::Error`], whose message is one line that names the remedy, settings by their names in
//! the library (`max_pieces`); the command names them as its options ([`error::setting`]).
//!
//! # Example
//!
//! ```
//! use tetrastat::{board::Board, controller::Controller, kernels::Level, piece::Piece};
//! use tetrastat::{rules::Rules, search::{Player, Search}};
//!
//! let board: Board = "....../....../#...../##.###".parse()?;
//! let bcts = Controller::load("bcts")?;
//! let mut player = Player::new(&bcts, Rules::simplified(), Search::Greedy, board.size(), Level::detect())?;
//! let choice = player.decide(&board, Piece::J, None).expect("a piece can always be dropped here");
//! println!("{}", choice.outcome.after);
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

// No panic may reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]
// Texts from files reach a terminal only through the printers of `cli`, which escape them.
#![warn(clippy::print_stdout, clippy::print_stderr)]

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod games;
#[cfg(feature = "cli")]
pub mod page;

pub use tetrastat_core::{
    board, controller, environment, error, features, files, kernels, matrix, piece, placement,
    queue, rng, rules, search,
};
#[cfg(feature = "runs")]
pub use tetrastat_liap as liap;
#[cfg(feature = "runs")]
pub use tetrastat_runs::{bench, engine, estimate, exact, record, sim, stats, text, threads};
#[cfg(feature = "runs")]
pub use tetrastat_studies::{reproduce, study, train};
#[cfg(feature = "cli")]
pub use tetrastat_terminal::{self as terminal, explain, pictures};
