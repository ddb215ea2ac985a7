//! Learning of cell patterns: the values of boards, from the engine's own games.
//!
//! The value V of a board is the expected number of lines until the end of the game, as a sum of
//! table entries ([`crate::controller::PatternLayout`]). Games are played greedily: each placement
//! has the largest `lines + gamma V(board after it)`, except random ones for exploration. After
//! each placement, the value of the board before it moves towards the largest such sum, or towards
//! 0 at the end of a game. This is TD(0) of afterstates (Sutton 1988). The tables and the game of S
//! and Z are those of Jaskowski et al. 2015, *High-dimensional function approximation for
//! knowledge-free reinforcement learning: a case study in SZ-Tetris*. With lambda above 0, earlier
//! boards of the game move too, by the factor lambda gamma less for each placement.
//!
//! **Streams.** A fixed number of streams play games of their own pieces. Each stream learns in a
//! copy of the tables. After every round, each entry that streams have changed becomes the mean
//! over these streams. Results depend on the number of streams and the length of a round, and not
//! on the number of threads.
//!
//! Arithmetic is in single precision in a fixed order, so equal settings give equal bytes.

mod learner;
mod player;
mod settings;
mod tables;
mod windows;

pub use learner::{Interval, Learner, LearnerState};
pub use settings::LearningSettings;
pub use tables::LearnedTables;
