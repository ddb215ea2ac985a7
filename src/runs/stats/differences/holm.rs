//! Adjusts the p-values of several tests.

/// Returns `p_values` adjusted for multiple tests by Holm 1979 (*Scandinavian Journal of
/// Statistics* 6), in the given order. The chance of rejecting any true null hypothesis at a level
/// is at most that level, however the tests depend on each other.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut greatest = 0f64;
    for (smaller, place) in order.into_iter().enumerate() {
        let left = (p_values.len() - smaller) as f64;
        // The running maximum keeps adjusted p-values in the order of the unadjusted ones.
        greatest = greatest.max(p_values[place] * left).min(1.0);
        adjusted[place] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R: `p.adjust(c(.01,.04,.03,.005,.5), "holm")`.
    #[test]
    fn adjusted_as_in_r() {
        let found = holm(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        for (found, expected) in found.iter().zip([0.04, 0.09, 0.09, 0.025, 0.5]) {
            assert!((found - expected).abs() < 1e-15, "{found}");
        }
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
