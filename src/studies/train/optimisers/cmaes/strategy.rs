//! Constants of CMA-ES, derived from the number of weights and the population.

use serde::{Deserialize, Serialize};

/// Strategy parameters of Hansen 2016, *The CMA evolution strategy: a tutorial* (arXiv:1604.00772),
/// table 1 and equations 49 to 58, as in its second version (2023), with the tutorial's symbols.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::train::optimisers) struct Strategy {
    /// Recombination weights w_i by rank; those of the worse half are negative.
    pub(in crate::train::optimisers) weights: Vec<f64>,
    /// Variance effective selection mass of the positive weights.
    pub(in crate::train::optimisers) mu_eff: f64,
    /// Decay rate of the evolution path of the step size.
    pub(in crate::train::optimisers) c_sigma: f64,
    /// Damping of the step size.
    pub(in crate::train::optimisers) d_sigma: f64,
    /// Decay rate of the evolution path of the covariance.
    pub(in crate::train::optimisers) c_c: f64,
    /// Learning rate of the rank-one update of the covariance.
    pub(in crate::train::optimisers) c_1: f64,
    /// Learning rate of the rank-mu update of the covariance.
    pub(in crate::train::optimisers) c_mu: f64,
    /// Approximation of E||N(0, I)||, the expected length of a standard normal vector.
    pub(in crate::train::optimisers) chi: f64,
}

impl Strategy {
    /// Computes the parameters for `n` weights and `lambda` candidates. `active` enables the
    /// negative weights.
    pub(in crate::train::optimisers) fn new(n: usize, lambda: usize, active: bool) -> Strategy {
        let nf = n as f64;
        let half = libm::log((lambda as f64 + 1.0) / 2.0);
        let mut weights: Vec<f64> = (1..=lambda).map(|i| half - libm::log(i as f64)).collect();
        let (better, worse) = weights.split_at_mut(lambda / 2);
        let (mu_eff, mu_eff_minus) = (effective(better), effective(worse));
        let c_1 = 2.0 / ((nf + 1.3) * (nf + 1.3) + mu_eff);
        let c_mu = 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((nf + 2.0) * (nf + 2.0) + mu_eff);
        let c_mu = c_mu.min(1.0 - c_1);
        let alpha = (1.0 + c_1 / c_mu)
            .min(1.0 + 2.0 * mu_eff_minus / (mu_eff + 2.0))
            .min((1.0 - c_1 - c_mu) / (nf * c_mu));
        scale(better, 1.0);
        scale(worse, if active { alpha } else { 0.0 });
        let c_sigma = (mu_eff + 2.0) / (nf + mu_eff + 5.0);
        let crowd = ((mu_eff - 1.0) / (nf + 1.0)).sqrt() - 1.0;
        Strategy {
            mu_eff,
            c_sigma,
            d_sigma: 1.0 + 2.0 * crowd.max(0.0) + c_sigma,
            c_c: (4.0 + mu_eff / nf) / (nf + 4.0 + 2.0 * mu_eff / nf),
            c_1,
            c_mu,
            chi: nf.sqrt() * (1.0 - 1.0 / (4.0 * nf) + 1.0 / (21.0 * nf * nf)),
            weights,
        }
    }
}

/// Computes the effective selection mass of `weights`: (sum w)^2 / sum w^2.
fn effective(weights: &[f64]) -> f64 {
    let sum: f64 = weights.iter().sum();
    sum * sum / weights.iter().map(|w| w * w).sum::<f64>()
}

/// Scales weights so that their absolute values sum to `total`.
fn scale(weights: &mut [f64], total: f64) {
    let sum: f64 = weights.iter().map(|w| w.abs()).sum();
    for w in weights {
        *w *= total / sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::tests::close;

    /// Expected values: PyPI's `cma` 4.5.0 (`python3 tests/oracles/train.py cma`) for n = 3, lambda
    /// = 7 and n = 10, lambda = 10. Its c_sigma and d_sigma differ from the tutorial's; those are
    /// computed by hand.
    #[test]
    fn constants_equal_those_of_pypis_cma() {
        let three = Strategy::new(3, 7, true);
        let weights = [
            0.585_645_106_509_765_1,
            0.292_822_553_254_882_54,
            0.121_532_340_235_352_46,
            0.0,
            -0.424_126_941_843_174_23,
            -0.770_663_885_705_922_3,
            -1.063_656_696_984_255_6,
        ];
        close(&three.weights, &weights, 1e-14);
        let rates = [three.mu_eff, three.c_c, three.c_1, three.c_mu];
        let want = [
            2.254_815_082_201_604_4,
            0.558_801_322_886_018_9,
            0.096_409_632_579_272_14,
            0.069_588_469_232_910_7,
        ];
        close(&rates, &want, 1e-14);
        let ten = Strategy::new(10, 10, true);
        let ends = [ten.weights[0], ten.weights[4], ten.weights[5], ten.weights[9]];
        let want = [
            0.456_272_646_903_405_97,
            0.025_509_591_835_974_777,
            -0.080_012_607_580_872_24,
            -0.549_749_917_697_385_3,
        ];
        close(&ends, &want, 1e-14);
        let rates = [ten.mu_eff, ten.c_c, ten.c_1, ten.c_mu];
        let want = [
            3.167_299_281_410_701_7,
            0.294_990_383_035_622_25,
            0.015_283_824_524_751_714,
            0.023_551_776_650_417_47,
        ];
        close(&rates, &want, 1e-14);
    }

    /// Weights over sum ln 4 - ln i, i = 1 to 3: 1.386294, 0.693147, 0.287682 of 2.367124.
    #[test]
    fn by_hand() {
        let strategy = Strategy::new(3, 7, false);
        close(&strategy.weights[..3], &[0.585_645, 0.292_822, 0.121_533], 1e-6);
        assert_eq!(strategy.weights[3..], [0.0; 4]);
        let mu_eff = 1.0 / (0.585_645f64.powi(2) + 0.292_822f64.powi(2) + 0.121_533f64.powi(2));
        close(&[strategy.mu_eff], &[mu_eff], 1e-5);
        close(&[strategy.c_sigma], &[(mu_eff + 2.0) / (mu_eff + 8.0)], 1e-5);
        close(&[strategy.d_sigma], &[1.0 + strategy.c_sigma], 1e-15); // mu_eff - 1 < n + 1
        close(&[strategy.chi], &[3f64.sqrt() * (1.0 - 1.0 / 12.0 + 1.0 / 189.0)], 1e-15);
    }
}
