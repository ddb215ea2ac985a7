//! A study: a table of conditions (controller and game) over common seeds, in one folder.
//!
//! A condition is a run with a number and a folder of its own. Conditions with the same seed and
//! queue have common random numbers: game i has the same pieces in all of them, whatever the
//! controller, rules, board and search are. The games can therefore be compared one by one.
//!
//! | file or folder | content |
//! |---|---|
//! | `study.toml` | the study's file, as given |
//! | `001-bcts-10x10-uniform-greedy-s1/` ... | one run folder per condition |
//! | `conditions.csv` | one row per condition, rewritten after each condition |
//! | `games.csv` | the games of all conditions, written when all are complete |
//!
//! ```
//! # mod tetrastat {
//! #     pub use {tetrastat_core::*, tetrastat_runs::*, tetrastat_studies::*};
//! # }
//! # let temporary = tempfile::tempdir().unwrap();
//! # let path = temporary.path().join("study");
//! use std::sync::atomic::AtomicBool;
//! use tetrastat::{controller::Controller, engine::Totals, search::Search};
//! use tetrastat::{sim::ClassicConfig, study::{Condition, Study}};
//!
//! let job = |search| {
//!     let config = ClassicConfig::new(Controller::load("lee")?, "6x8".parse()?);
//!     Ok::<_, tetrastat::error::Error>(ClassicConfig { search, games: 20, ..config })
//! };
//! let conditions = Condition::all(vec![job(Search::Greedy)?, job(Search::Next)?])?;
//! let mut study = Study::open(&path, "greedy and next", conditions)?;
//! for place in 0..study.conditions().len() {
//!     study.play(place, &Totals::default(), &AtomicBool::new(false))?;
//! }
//! study.collect()?;
//! assert!(path.join("games.csv").exists());
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```
//!
//! A [`RunComparison`] is a study of several controllers whose number of games grows until the
//! comparison is precise enough.
//!
//! [`Contrasts`] compares ratios of means between conditions, of games and of estimates.
//!
//! A [`Pilot`] reads finished runs, inside or outside a study, and computes the number of games
//! that their comparison needs.
//!
//! [`reproduced`] compares the conditions with the published values in the study's file.
//!
//! The tables do not depend on the number of threads or on interruptions of the study.

mod condition;
mod contrasts;
mod file;
mod folder;
mod pilot;
mod published;
mod run_comparison;

pub use condition::Condition;
pub use contrasts::Contrasts;
pub use file::{AXES, conditions, parse};
pub use folder::{Study, description};
pub use pilot::{Pilot, PlannedMean, PlannedPair};
pub use published::{PUBLISHED_STUDIES, Published, published_study, reproduced};
pub use run_comparison::{RunComparison, SequentialLook, compare};
