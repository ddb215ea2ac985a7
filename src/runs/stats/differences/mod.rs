//! Tests differences between controllers, estimates ratios of means, and ranks several controllers.

mod comparison;
mod contrast;
mod holm;
mod log_rank;
mod paired;
mod permutation;
mod unpaired;

pub use comparison::{ALPHA, Arm, Comparison, Pair, RankedArm};
pub use contrast::{Contrast, Sample};
pub use holm::holm;
pub use log_rank::{LogRank, log_rank};
pub use paired::{Paired, Unpaired, sign_test};
pub use permutation::{Permuted, sign_flip_test};
pub use unpaired::{Effect, exponential_ratio, permutation_test, welch};
