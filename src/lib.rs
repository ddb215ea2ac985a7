//! tetrastat: a research engine for falling-block games.
//!
//! A board is one `u16` per row. All placements of a piece are scored at once, games run on all
//! cores, and every placement can become a tidy row for R. The binary `tetrastat` is a thin shell
//! over this library.
//!
//! # Code map
//!
//! Modules import only modules further down in this list. They belong to six crates, which are
//! optimised separately. `src/core` has boards, features, search and kernels. `src/runs` plays,
//! logs and counts games, and `src/studies` decides which ones to play. `terminal` shows games, and
//! `liap` is a card game. This crate has the commands, and re-exports all modules under one name.
//!
//! | cargo feature | adds |
//! |---|---|
//! | none | the core, from [`search`] to [`piece`], without clap, ratatui, parquet or zstd |
//! | `runs` | runs, records, statistics, training, estimates, studies, LIAP |
//! | `cli` (default) | the command `tetrastat` and its screens |
//!
//! | module | contents |
//! |---|---|
//! | [`cli`] | one file per command: arguments, library call, output; no game logic |
//! | [`pictures`] | placements as SVG, animated games, terminal casts; fumen reading and writing |
//! | [`terminal`] | the screens of `play` and `watch`: terminal, keys, colours, boards |
//! | [`page`] | a folder as one page for a browser |
//! | [`explain`] | explanations of placements, term by term; games rebuilt from their log |
//! | [`games`] | games of other crates: their tables, measures and resuming commands |
//! | [`liap`] | a card game on the same engine, which no module below depends on |
//! | [`mod@bench`] | benchmarks side by side, and the behaviour checksum |
//! | [`study`] | many runs of any game over common seeds in one folder, and their comparison |
//! | [`train`] | controllers by cross-entropy, genetic, natural evolution or CMA-ES (ask/tell) |
//! | [`estimate`] | mean lines of very long games: multilevel splitting, exposure, extrapolation |
//! | [`exact`] | small boards: exact means of a controller, and the best player, without playing |
//! | [`learn`] | values of boards by temporal differences: cell patterns, streams of games |
//! | [`sim`] | classic and guideline games, rollouts, annotated tables, on all cores |
//! | [`engine`] | runs of any game: workers, order, checkpoints, `run.json`, comparable measures |
//! | [`stats`] | summaries and confidence intervals |
//! | [`report`] | results of commands: facts, tables and notes as text, JSON, CSV |
//! | [`record`] | rows, tables and files of every game; verification, conversion, merging |
//! | [`search`] | `greedy`, `next`, `expect`; `beam` and perfect finishes in guideline games |
//! | [`environment`] | the game key press by key press, for reinforcement learning and notebooks |
//! | [`rules`] | `simplified`, `standard`, `guideline`: legal placements, clears, end of a game |
//! | [`controller`] | weights, cell patterns, TOML, presets (`data/controllers/`), exact scores |
//! | [`kernels`] | all placements scored at once in vector registers |
//! | [`features`] | the registry and the scalar definitions, the specification of every kernel |
//! | [`tbp`] | the Tetris Bot Protocol: its messages, and bots as child processes |
//! | [`queue`], [`rng`] | piece sequences; one independent random stream per game |
//! | [`placement`] | dropping, locking, clearing |
//! | [`matrix`], [`board`] | guideline boards as columns, classic boards as `u16` rows |
//! | [`piece`] | pieces and their orientations |
//! | [`text`] | numbers as people write and read them |
//! | [`threads`] | worker threads |
//! | [`files`] | text files that users supply, read up to a size limit |
//! | [`error`] | the one error type, whose messages name the remedy |
//!
//! # First steps
//!
//! | task | items | example |
//! |---|---|---|
//! | place a piece | [`board::Board`], [`placement::Placements`], [`rules::Rules`] | |
//! | score and decide | [`controller::Controller`], [`search::Player`] | `examples/decide.rs` |
//! | play logged games | [`sim::ClassicConfig`], [`engine::play`] | `examples/simulate.rs` |
//! | compare controllers | [`engine::each`] on one seed | `examples/controller.rs` |
//! | play many conditions | [`study::Condition`], [`study::Study`] | `examples/study.rs` |
//! | find weights | [`train::OptimiserSettings`], [`train::Optimiser`] | `examples/train.rs` |
//! | estimate long games | [`estimate::EstimateConfig`], [`estimate::Estimate`] | |
//! | learn by key presses | [`environment::Environment`] | |
//!
//! Every fallible function returns [`error::Error`]. Its message is one line that names the remedy,
//! with settings by their names in the library (`max_pieces`). The command names them as its
//! options ([`error::setting`]).
//!
//! # Example
//!
//! ```
//! use tetrastat::{board::Board, controller::Controller, kernels::Level, piece::Piece};
//! use tetrastat::{rules::Rules, search::{Player, Search}};
//!
//! let board: Board = "....../....../#...../##.###".parse()?;
//! let bcts = Controller::load("bcts")?;
//! let (rules, level) = (Rules::simplified(), Level::detect());
//! let mut player = Player::new(&bcts, rules, Search::Greedy, board.size(), level)?;
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
pub use tetrastat_runs::{
    bench, engine, estimate, exact, learn, record, report, sim, stats, tbp, text, threads,
};
#[cfg(feature = "runs")]
pub use tetrastat_studies::{study, train};
#[cfg(feature = "cli")]
pub use tetrastat_terminal::{self as terminal, explain, pictures};
