//! Tests of [`tetrastat_core::rng`].

use tetrastat_core::rng::*;

/// Chi-square with 6 degrees of freedom exceeds 22.46 once in 1,000 runs; the seed is fixed.
#[test]
fn bounded_draws_are_uniform() {
    let mut stream = Stream::new(3, Purpose::Queue, 0);
    let mut counts = [0f64; 7];
    for _ in 0..70_000 {
        counts[stream.below(7) as usize] += 1.0;
    }
    let chi2: f64 = counts.iter().map(|c| (c - 10_000.0).powi(2) / 10_000.0).sum();
    assert!(chi2 < 22.46, "chi-square {chi2}");
}

/// For 100,000 deviates, the mean, the variance, and the shares below 1 and beyond 1.96 are within
/// 4 standard errors of 0, 1, 0.841345 and 0.05.
#[test]
fn normal_deviates_are_normal() {
    let mut stream = Stream::new(5, Purpose::Candidates, 0);
    let deviates: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
    let mean_of = |f: &dyn Fn(f64) -> f64| deviates.iter().map(|&z| f(z)).sum::<f64>() / 1e5;
    let near = |got: f64, want: f64, sd: f64| {
        assert!((got - want).abs() < 4.0 * sd / 1e5f64.sqrt(), "{got}, not {want}");
    };
    near(mean_of(&|z| z), 0.0, 1.0);
    near(mean_of(&|z| z * z), 1.0, 2f64.sqrt());
    near(mean_of(&|z| f64::from(z < 1.0)), 0.841_345, 0.3654);
    near(mean_of(&|z| f64::from(z.abs() > 1.96)), 0.05, 0.2180);
}

#[test]
fn streams_differ_by_seed_purpose_and_index() {
    let first = |seed, purpose, index| stream_seed(seed, purpose, index);
    let base = first(1, Purpose::Queue, 0);
    assert_ne!(base, first(2, Purpose::Queue, 0));
    assert_ne!(base, first(1, Purpose::Bootstrap, 0));
    assert_ne!(base, first(1, Purpose::Queue, 1));
    assert_ne!(first(1, Purpose::Queue, 2), first(2, Purpose::Queue, 1));
}

#[test]
fn the_stream_is_frozen() {
    let mut stream = Stream::new(7, Purpose::Queue, 0);
    let draws: Vec<u32> = (0..8).map(|_| stream.below(1_000_000)).collect();
    assert_eq!(draws, [11409, 757489, 774433, 795056, 977514, 509789, 803867, 38078]);
}

/// Deviates have the same bits on every machine.
#[test]
fn normal_deviates_are_frozen() {
    let mut stream = Stream::new(7, Purpose::Candidates, 0);
    let deviates: Vec<f64> = (0..4).map(|_| stream.normal()).collect();
    let frozen = [
        0.052_005_460_097_016_99,
        -0.649_754_834_422_684_9,
        0.751_006_350_886_865_1,
        -0.279_730_841_476_556_14,
    ];
    assert_eq!(deviates, frozen);
}
