//! Training: optimisers that search for the weights of a controller.
//!
//! Every optimiser is **ask/tell**: it returns a population of candidates, the caller scores the
//! candidates and returns their scores, larger being better. An optimiser plays no game, reads no
//! clock and owns no thread. Its results depend only on options, problem, seed and scores. Its
//! whole state is serde data, so a search stored between two generations resumes bit for bit.
//!
//! ```
//! # extern crate tetrastat_studies as tetrastat;
//! use tetrastat::train::{CrossEntropyOptions, OptimiserSettings, Problem};
//!
//! let options = OptimiserSettings::Cem(CrossEntropyOptions { sd: 1.0, ..Default::default() });
//! let mut search = options.start(&Problem::new(2), 7)?;
//! for _ in 0..30 {
//!     let score = |w: &Vec<f64>| -(w[0] - 3.0).powi(2) - (w[1] + 1.0).powi(2);
//!     let scores: Vec<f64> = search.ask().iter().map(score).collect();
//!     search.tell(&scores)?;
//! }
//! assert!(search.best().is_some_and(|best| best.score > -0.5));
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```
//!
//! Arithmetic is IEEE 754 in a fixed order. Logarithms, exponentials and powers come from the crate
//! `libm`, so a search gives the same results on every machine.

mod checkpoint;
mod evaluation;
mod finalists;
mod learning;
mod optimisers;
mod outcome;
mod plan;
mod presets;
mod run;
mod training;
mod watch;

pub use evaluation::*;
pub use finalists::{AVERAGED, Finalist, Finalists, Origin, ResultSource};
pub use learning::*;
pub use optimisers::*;
pub use outcome::{HeldOut, TrainingTotals, Winner};
pub use plan::{Course, TrainingPlan};
pub use presets::{PRESETS, TrainingPreset};
pub use run::{CONTROLLER_FILE, TABLES_FILE, Trainer, TrainingInvocation, train};
pub use training::{Contender, Finals, Generation, Training, TrainingState};
pub use watch::{Stage, TrainingStatus, TrainingWatch};

use crate::error::{Error, Result};

fn config<T>(text: String) -> Result<T> {
    Err(Error::Config(text))
}

#[cfg(test)]
mod tests;
