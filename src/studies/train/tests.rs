//! Shared helpers of the optimisers' tests: functions with a known optimum, a climb, a resume.

use super::{
    GuidelineTemplate, OptimiserSettings, OptimiserState, Problem, Template, TrainingGames,
};
use crate::controller::{Controller, GuidelineController};
use crate::error::{Error, Result};
use crate::rng::{Purpose, Stream};
use crate::rules::guideline::{Moves, RuleSet};
use crate::sim::guideline::{GuidelineConfig, Mode};
use crate::sim::{ClassicConfig, Limits};

/// Test functions with a known optimum, which optimisers maximise.
pub(super) mod functions {
    use super::Stream;

    /// Test function: returns the score of a vector of weights, and the optimal weights.
    pub(in crate::train) type Function = fn(&[f64], &mut Stream) -> (f64, Vec<f64>);

    /// Returns the score -sum (x_i - 1)^2 (sphere), best where all weights are 1.
    pub(in crate::train) fn sphere(x: &[f64], _: &mut Stream) -> (f64, Vec<f64>) {
        (-x.iter().map(|x| (x - 1.0) * (x - 1.0)).sum::<f64>(), vec![1.0; x.len()])
    }

    /// Returns the negative Rosenbrock function, best where all weights are 1.
    pub(in crate::train) fn rosenbrock(x: &[f64], _: &mut Stream) -> (f64, Vec<f64>) {
        let square = |x: f64| x * x;
        let part = |w: &[f64]| 100.0 * square(w[1] - square(w[0])) + square(1.0 - w[0]);
        (-x.windows(2).map(part).sum::<f64>(), vec![1.0; x.len()])
    }

    /// Returns sum a_i x_i with a = 1, -2, 3, -4, ... and normal noise of sd 0.5; between bounds -1
    /// and 1 the optimum is 1, -1, ...
    pub(in crate::train) fn noisy_linear(x: &[f64], noise: &mut Stream) -> (f64, Vec<f64>) {
        let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let value: f64 = x.iter().enumerate().map(|(i, x)| sign(i) * (i + 1) as f64 * x).sum();
        (value + 0.5 * noise.normal(), (0..x.len()).map(sign).collect())
    }
}

pub(super) fn classic() -> TrainingGames {
    let config = ClassicConfig {
        limits: Limits { pieces: Some(1000), lines: None },
        seed: 0,
        ..ClassicConfig::new(Controller::load("bcts").unwrap(), "8x10".parse().unwrap())
    };
    let template = Template::new(&config.controller, config.size).unwrap();
    TrainingGames::Classic(config, template)
}

pub(super) fn sprints(lines: u32, threads: usize) -> TrainingGames {
    let controller = GuidelineController::load("capstone-sprint").unwrap();
    let template = GuidelineTemplate::new(&controller).unwrap();
    let config = GuidelineConfig {
        moves: Moves::HardDrops,
        mode: Mode::Sprint { lines },
        threads,
        ..GuidelineConfig::new(controller, RuleSet::capstone())
    };
    TrainingGames::Guideline(config, template)
}

#[derive(Debug)]
pub(super) struct Climb {
    /// Difference between the best score found and 0, the optimum of test functions without noise.
    pub error: f64,
    /// Largest distance of a weight's mean, at the end of the search, from its optimum.
    pub distance: f64,
}

pub(super) fn hill_climb(
    options: &OptimiserSettings,
    problem: &Problem,
    generations: usize,
    function: functions::Function,
) -> Climb {
    let mut search = options.start(problem, 11).unwrap();
    let mut noise = Stream::new(12, Purpose::Bootstrap, 0);
    for _ in 0..generations {
        step(&mut search, function, &mut noise);
    }
    let optimum = function(&search.ask()[0], &mut noise).1;
    let mean = search.mean();
    let distance = mean.iter().zip(optimum).map(|(x, best)| (x - best).abs());
    Climb { error: -search.best().unwrap().score, distance: distance.fold(0.0, f64::max) }
}

pub(super) fn step(search: &mut OptimiserState, function: functions::Function, noise: &mut Stream) {
    let scores: Vec<f64> = search.ask().iter().map(|x| function(x, noise).0).collect();
    search.tell(&scores).unwrap();
}

pub(super) fn straight_equals_resumed(options: &OptimiserSettings) {
    let problem = Problem::new(6).within(vec![super::Bounds { low: -3.0, high: 3.0 }; 6]);
    let mut straight = options.start(&problem, 5).unwrap();
    let mut resumed = straight.clone();
    for _ in 0..20 {
        step(&mut straight, functions::rosenbrock, &mut Stream::new(1, Purpose::Bootstrap, 0));
        let text = serde_json::to_string(&resumed).unwrap();
        let stored: OptimiserState = serde_json::from_str(&text).unwrap();
        resumed = stored.resumed(options, &problem, 5).unwrap();
        step(&mut resumed, functions::rosenbrock, &mut Stream::new(1, Purpose::Bootstrap, 0));
    }
    assert_eq!(straight, resumed);
    let bits =
        |search: &OptimiserState| search.ask().concat().iter().map(|x| x.to_bits()).collect();
    let (a, b): (Vec<u64>, Vec<u64>) = (bits(&straight), bits(&resumed));
    assert_eq!(a, b);
    refused(straight.clone().resumed(options, &problem, 6), "the checkpoint belongs to a search");
    refused(straight.resumed(options, &Problem::new(6), 5), "the checkpoint belongs to a search");
    let mut json: serde_json::Value = serde_json::to_value(&resumed).unwrap();
    let inner = json.as_object_mut().unwrap().values_mut().next().unwrap();
    inner["progress"]["population"][0] = serde_json::json!([1.0]);
    let damaged: OptimiserState = serde_json::from_value(json).unwrap();
    refused(damaged.resumed(options, &problem, 5), "the checkpoint is damaged");
}

// Every optimiser takes the same course in 30 generations, to the last bit, on every machine.
#[test]
fn courses_are_frozen() {
    let problem = Problem::new(6).within(vec![super::Bounds { low: -3.0, high: 3.0 }; 6]);
    let course = |options: &OptimiserSettings| {
        let mut search = options.start(&problem, 9).unwrap();
        let mut noise = Stream::new(1, Purpose::Bootstrap, 0);
        (0..30).for_each(|_| step(&mut search, functions::rosenbrock, &mut noise));
        let bits = search.ask().concat().into_iter().map(f64::to_bits);
        bits.fold(0u64, |hash, bits| hash.rotate_left(7) ^ bits)
    };
    let methods = [
        OptimiserSettings::Cem(super::CrossEntropyOptions::default()),
        OptimiserSettings::Ga(super::GeneticOptions::default()),
        OptimiserSettings::Snes(super::SnesOptions::default()),
        OptimiserSettings::CmaEs(super::CmaEsOptions::default()),
        OptimiserSettings::VdCmaEs(super::VdCmaEsOptions::default()),
    ];
    let frozen = [
        0xb56b_b62c_c218_a520,
        0xa701_bedc_9c35_b286,
        0x6022_c672_3478_b973,
        0xc7f3_9a34_1612_b503,
        0x6fa1_69a2_aba4_6de7,
    ];
    assert_eq!(methods.map(|options| course(&options)), frozen);
}

pub(super) fn refused<T: std::fmt::Debug>(result: Result<T>, text: &str) {
    match result {
        Err(Error::Config(message)) => {
            assert!(message.starts_with(text), "'{message}' does not begin with '{text}'");
            assert!(!message.contains('\n'), "{message}");
        }
        other => panic!("not refused: {other:?}"),
    }
}

pub(super) fn close(got: &[f64], want: &[f64], tolerance: f64) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance * b.abs().max(1.0);
    assert_eq!(got.len(), want.len());
    assert!(got.iter().zip(want).all(near), "{got:?}, not {want:?}");
}
