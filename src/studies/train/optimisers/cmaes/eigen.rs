//! Eigenvalues of a small symmetric positive definite matrix.
//!
//! Jacobi's method is slower than QR but short, and also accurate for small eigenvalues (Demmel &
//! Veselic 1992). It uses only the four basic operations and square roots. It therefore gives the
//! same bits on every machine and needs no linear algebra crate. The matrix of 40 weights takes a
//! few milliseconds.

/// Eigenvalues (`values`) and eigenvectors (`vectors`) of a matrix `a = B diag(values) B^T`. The
/// columns of B are the eigenvectors.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Eigen {
    pub(super) values: Vec<f64>,
    /// Eigenvectors: `vectors[i][j]` is coordinate i of eigenvector j.
    pub(super) vectors: Vec<Vec<f64>>,
}

/// Maximum number of sweeps over all pairs of axes; 6 to 10 are usual.
const SWEEPS: usize = 60;

/// Decomposes `a` by the cyclic Jacobi method (Golub & Van Loan 2013, *Matrix Computations*, 8.5).
pub(super) fn symmetric(mut a: Vec<Vec<f64>>) -> Eigen {
    let n = a.len();
    let mut vectors = identity(n);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                rotated |= rotate(&mut a, &mut vectors, p, q);
            }
        }
        if !rotated {
            break;
        }
    }
    Eigen { values: (0..n).map(|i| a[i][i]).collect(), vectors }
}

pub(super) fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

/// Rotates the axes `p` and `q` of `a` and `vectors` so that `a[p][q]` becomes 0. Returns false,
/// and rotates nothing, if `a[p][q]` is negligible.
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) -> bool {
    let (pp, qq, pq) = (a[p][p], a[q][q], a[p][q]);
    if pq.abs() <= f64::EPSILON * (pp * qq).abs().sqrt() {
        return false;
    }
    let theta = (qq - pp) / (2.0 * pq);
    // Smaller of the two possible angles, computed without a difference of nearly equal numbers.
    let t = 1.0f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let turn = |x: f64, y: f64| (c * x - s * y, s * x + c * y);
    for k in (0..a.len()).filter(|&k| k != p && k != q) {
        let (x, y) = turn(a[k][p], a[k][q]);
        (a[k][p], a[p][k], a[k][q], a[q][k]) = (x, x, y, y);
    }
    // Adding increments instead of rotating twice keeps the digits of small eigenvalues.
    (a[p][p], a[q][q]) = (pp - t * pq, qq + t * pq);
    (a[p][q], a[q][p]) = (0.0, 0.0);
    for row in vectors {
        (row[p], row[q]) = turn(row[p], row[q]);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use crate::train::tests::close;

    fn sorted(eigen: &Eigen) -> Vec<f64> {
        let mut values = eigen.values.clone();
        values.sort_by(f64::total_cmp);
        values
    }

    /// [[2, 1], [1, 2]] has 1 and 3; the second difference matrix of size n has 4 sin^2(k pi/(2n +
    /// 2)).
    #[test]
    fn known_matrices() {
        let two = symmetric(vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        close(&sorted(&two), &[1.0, 3.0], 1e-15);
        close(&[two.vectors[0][0].abs(), two.vectors[1][0].abs()], &[0.5f64.sqrt(); 2], 1e-15);
        let n = 12;
        let entry = |i: usize, j: usize| [2.0, -1.0].get(i.abs_diff(j)).copied().unwrap_or(0.0);
        let chain = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let angle = |k: usize| k as f64 * std::f64::consts::PI / (2 * n + 2) as f64;
        let want: Vec<f64> = (1..=n).map(|k| 4.0 * angle(k).sin() * angle(k).sin()).collect();
        close(&sorted(&symmetric(chain)), &want, 1e-13);
        assert_eq!(symmetric(identity(3)), Eigen { values: vec![1.0; 3], vectors: identity(3) });
    }

    /// G G^T of random G, scaled to a condition of about 1e12, is recomposed from its
    /// decomposition.
    #[test]
    fn random_matrices_are_put_together_again() {
        let mut stream = Stream::new(1, Purpose::Candidates, 0);
        let n = 40;
        let scale = |i: usize| 10f64.powi(-((i % 7) as i32));
        let g: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|_| scale(i) * stream.normal()).collect()).collect();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let a: Vec<Vec<f64>> = g.iter().map(|x| g.iter().map(|y| dot(x, y)).collect()).collect();
        let Eigen { values, vectors } = symmetric(a.clone());
        assert!(values.iter().all(|&value| value > 0.0), "{values:?}");
        for i in 0..n {
            for j in 0..n {
                let scaled: Vec<f64> = vectors[j].iter().zip(&values).map(|(x, v)| x * v).collect();
                let error = (dot(&vectors[i], &scaled) - a[i][j]).abs();
                assert!(error <= 1e-13 * values.iter().sum::<f64>(), "{i} {j}: {error}");
                let unit = f64::from(u8::from(i == j));
                assert!((dot(&vectors[i], &vectors[j]) - unit).abs() < 1e-13, "{i} {j}");
            }
        }
    }
}
