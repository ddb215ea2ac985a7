//! Defines guideline rules: ten columns, bags of seven, hold, previews, SRS kicks, T-spins.
//!
//! | file | content |
//! |---|---|
//! | `options` | the options in which the rules of guideline games differ |
//! | `rule_set` | named rules: the presets of `data/rules/`, and users' files |
//! | `srs` | rotation states, cells and kicks of a piece |
//! | `landing` | resting positions with their spin (landings), and packed lists of landings |
//! | [`positions`] | a slow search, one position at a time: the specification of `movegen` |
//! | `movegen`, `flood_fill`, `corners` | the fast generator of landings |
//! | `batch` | counts of landings on many matrices at once |
//! | `inputs` | the shortest inputs to a landing, and the points of its drops |
//! | `attack` | rows of garbage that a clear sends, as tables of rules files |
//! | `points` | points for clears, spins, back-to-back, combos and perfect clears |
//! | `state` | a game between two placements: matrix, hold, back-to-back and combo |
//! | `perft`, [`boards`] | numbers of placement sequences, and boards with known numbers |
//!
//! A placement takes a game from one state to the next:
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{kernels::Level, piece::Piece, rules::guideline::*};
//! let rules = Guideline::official();
//! let matrix = "##########\n.#########".parse()?;
//! let state = GuidelineState { matrix, ..GuidelineState::default() };
//! let [current, _] = state.choices(&rules, &[Piece::I, Piece::T]);
//! let choice = current.expect("the dealt piece may be placed");
//! let movegen = MoveGenerator::new(rules, Moves::All, Level::detect());
//! let mut landings = Landings::default();
//! movegen.landings(&state.matrix, choice.piece, &mut landings);
//! let upright = landings.iter().find(|landing| landing.left() == 0 && landing.low() == 0);
//! assert!(upright.is_none()); // the full row above is in the way
//! let flat = landings.iter().find(|landing| landing.low() == 2).unwrap();
//! let placed = state.place(&rules, &choice, flat);
//! assert_eq!((placed.clear.lines, placed.points.total(), placed.after.lines), (1, 100, 1));
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

mod attack;
mod batch;
pub mod boards;
mod corners;
mod flood_fill;
mod inputs;
mod landing;
mod movegen;
mod options;
mod perft;
mod points;
pub mod positions;
mod rule_set;
mod srs;
mod state;

pub use attack::{AttackTable, PerfectAttack};
pub use inputs::{Input, InputPath, shortest};
pub use landing::{Landing, Landings, shape};
pub use movegen::{MoveGenerator, Moves};
pub use options::{FifthKick, Guideline, MAX_PREVIEWS, PerfectTetris, RuleOptions, Spins};
pub use perft::perft;
pub use points::{Clear, ComboState, Points, points};
pub use rule_set::{GUIDELINE_NAMES, RuleSet};
pub use srs::{Kicks, RotationState, RotationTurn};
pub use state::{Choice, GuidelineState, Hold, Placed};

pub use crate::matrix::Matrix;
pub use crate::placement::Spin;
