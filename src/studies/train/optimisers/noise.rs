//! Additional variance of a noisy cross-entropy search, and the time at which it is added.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::config;
use crate::error::Result;

tetrastat_runs::kinds! {
    /// Noise of a cross-entropy search: a number Z(t) that is added to the **variance** of every
    /// weight for generation t, counted from 0. The names, formulas and default numbers are those
    /// of MDPTetris (Thiery & Scherrer; `cross_entropy_noise.c`, `cross_entropy_parameters.c`).
    pub enum Noise {
        /// No noise: Z(t) = 0.
        None = "none",
        /// Constant additional variance: Z(t) = a.
        Constant = "constant" {
            /// Additional variance at every generation.
            a: f64 = 4.0,
        },
        /// Additional variance that decreases linearly to 0: Z(t) = max(a - t/b, 0).
        Linear = "linear" {
            /// Additional variance at generation 0.
            a: f64 = 5.0,
            /// Number of generations in which the variance decreases by 1.
            b: f64 = 10.0,
        },
        /// Additional variance that decreases hyperbolically: Z(t) = a/(t + 1).
        Hyperbolic = "hyperbolic" {
            /// Additional variance at generation 0.
            a: f64 = 20.0,
        },
    }
}

impl Noise {
    /// Constant noise as in Szita & Lorincz 2006 and MDPTetris: Z(t) = 4.
    pub const CONSTANT: Noise = Noise::Constant { a: 4.0 };
    /// Decreasing noise as in Szita & Lorincz 2006 and MDPTetris: Z(t) = max(5 - t/10, 0).
    pub const LINEAR: Noise = Noise::Linear { a: 5.0, b: 10.0 };
    /// Hyperbolic noise with the default of MDPTetris: Z(t) = 20/(t + 1).
    pub const HYPERBOLIC: Noise = Noise::Hyperbolic { a: 20.0 };

    /// Returns noise that falls linearly from `a` to zero at generation `end`: Z(t) = a max(1 -
    /// t/end, 0). The notebook of EmilieChen/tetris_ia uses this form.
    #[must_use]
    pub const fn falling(a: f64, end: f64) -> Noise {
        Noise::Linear { a, b: end / a }
    }

    /// Computes Z(t), the additional variance at generation `t`.
    #[must_use]
    pub fn at(self, t: u64) -> f64 {
        let t = t as f64;
        match self {
            Noise::None => 0.0,
            Noise::Constant { a } => a,
            Noise::Linear { a, b } => (a - t / b).max(0.0),
            Noise::Hyperbolic { a } => a / (t + 1.0),
        }
    }

    /// Returns an error if the parameters `a` and `b` give no valid variance.
    pub(super) fn check(self) -> Result<()> {
        let numbers = match self {
            Noise::None => [0.0, 1.0],
            Noise::Constant { a } | Noise::Hyperbolic { a } => [a, 1.0],
            Noise::Linear { a, b } => [a, b],
        };
        if numbers.iter().all(|x| x.is_finite()) && numbers[0] >= 0.0 && numbers[1] > 0.0 {
            return Ok(());
        }
        config(format!("noise {self}: give a finite a of at least 0 and a finite b above 0"))
    }
}

/// Time at which the noise Z(t) is added to the variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseTiming {
    /// In the update after generation t, so generation 0 has none (MDPTetris).
    Update,
    /// In the draw of generation t, generation 0 included (EmilieChen/tetris_ia).
    Sampling,
}

impl NoiseTiming {
    /// Returns the additional variance with which generation `t` is drawn.
    #[must_use]
    pub fn extra(self, noise: Noise, t: u64) -> f64 {
        match self {
            NoiseTiming::Sampling => noise.at(t),
            NoiseTiming::Update => t.checked_sub(1).map_or(0.0, |last| noise.at(last)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::tests::refused;

    #[test]
    fn schedules_by_hand() {
        let values = |noise: Noise| [0, 1, 7, 49, 50, 90].map(|t| noise.at(t));
        assert_eq!(values(Noise::None), [0.0; 6]);
        assert_eq!(values(Noise::CONSTANT), [4.0; 6]);
        let linear = [5.0, 4.9, 4.3, 5.0 - 4.9, 0.0, 0.0];
        assert_eq!(values(Noise::LINEAR), linear);
        assert_eq!(Noise::HYPERBOLIC.at(0), 20.0);
        assert_eq!(Noise::HYPERBOLIC.at(7), 2.5);
    }

    /// The notebook `tetris_ia` trains for 50 epochs. In epoch `it` it adds the variance
    /// `extra_cov = max(1 - it/30, 0) * 2^2`: 4, 2, 0.1333 and 0 in epochs 0, 15, 29 and 30.
    #[test]
    fn the_notebooks_noise_ends_at_60_percent() {
        let noise = Noise::falling(4.0, 0.6 * 50.0);
        for (t, want) in [(0, 4.0), (15, 2.0), (29, 4.0 / 30.0), (30, 0.0), (45, 0.0)] {
            assert!((noise.at(t) - want).abs() < 1e-12, "{t}: {}", noise.at(t));
        }
    }

    #[test]
    fn timing_by_hand() {
        let drawn = |timing: NoiseTiming| [0, 1, 2].map(|t| timing.extra(Noise::HYPERBOLIC, t));
        assert_eq!(drawn(NoiseTiming::Update), [0.0, 20.0, 10.0]);
        assert_eq!(drawn(NoiseTiming::Sampling), [20.0, 10.0, 20.0 / 3.0]);
    }

    #[test]
    fn bad_noise_is_refused() {
        refused(Noise::Constant { a: -1.0 }.check(), "noise constant:-1");
        refused(Noise::Linear { a: 5.0, b: 0.0 }.check(), "noise linear:5:0");
        refused(Noise::Hyperbolic { a: f64::NAN }.check(), "noise hyperbolic:NaN");
    }
}
