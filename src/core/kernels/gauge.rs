//! A gauge: features of many boards at once, where [`Plan`](super::Plan) has many placements on one.
//!
//! Lanes are boards, each with the move that led to it: those of different turns or games stand
//! side by side in one sheet, so that one sweep measures all of a log's next rows.

use super::groups;
use super::lanes::{LANES, Lanes};
use super::level::{Kind, Level};
use super::passes::{Pass, passes};
use super::plan::rbf_table;
use super::portable::Portable;
use super::sheet::Sheet;
use super::slots::{Raws, slot_of};
use crate::board::{Board, BoardSize};
use crate::features::{Feature, Measure, Move};

/// Measures features of boards and of the moves that led to them. One per thread: it keeps its
/// working memory, about 25 KiB.
pub struct Gauge {
    level: Level,
    /// Each with where the sweep leaves its values.
    features: Vec<(Feature, usize)>,
    passes: Vec<Pass>,
    rbf: Vec<(Feature, Vec<u16>)>,
    sheet: Box<Sheet>,
    raws: Box<Raws>,
    /// Of each feature: the values measured last, by lane.
    values: Vec<[i16; LANES]>,
    count: usize,
}

impl Gauge {
    /// How many boards are measured at once, at most.
    pub const LANES: usize = LANES;

    /// A gauge of these features on boards of one size.
    #[must_use]
    pub fn new(size: BoardSize, features: &[Feature], level: Level) -> Gauge {
        let of_board = || features.iter().filter(|feature| !feature.is_of_move());
        let uses = |name: &str| of_board().any(|feature| feature.definition().name == name);
        let rbf = of_board().filter(|feature| feature.definition().name == "rbf");
        Gauge {
            level,
            features: features.iter().map(|&feature| (feature, slot_of(feature))).collect(),
            passes: passes(&uses),
            rbf: rbf.map(|&feature| (feature, rbf_table(feature, size))).collect(),
            sheet: Box::new(Sheet::new(size)),
            raws: Box::new(Raws::ZERO),
            values: vec![[0; LANES]; features.len()],
            count: 0,
        }
    }

    /// Measures boards as they stand, full rows included, each with the move that led to it: at
    /// most [`Gauge::LANES`], any more are passed over.
    pub fn measure<'a>(&mut self, pairs: impl ExactSizeIterator<Item = (&'a Board, &'a Move)>) {
        debug_assert!(pairs.len() <= LANES);
        let mut given = [None; LANES];
        self.count = 0;
        for (to, pair) in given.iter_mut().zip(pairs) {
            *to = Some(pair);
            self.count += 1;
        }
        let pairs = given[..self.count].iter().flatten().copied();
        if self.level.kind() == Kind::Scalar {
            return self.measure_each(pairs);
        }
        self.sheet.fill(pairs.clone().map(|(board, _)| board));
        self.sweep();
        self.keep(pairs);
    }

    /// Raw values of the k-th feature, in the order in which the boards were given.
    #[must_use]
    pub fn raws(&self, k: usize) -> &[i16] {
        &self.values[k][..self.count]
    }

    /// The specification: one board after another.
    fn measure_each<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
        for ((feature, _), values) in self.features.iter().zip(&mut self.values) {
            for (value, (board, played)) in values.iter_mut().zip(pairs.clone()) {
                *value = feature.raw(board, Some(played)).unwrap_or(0) as i16;
            }
        }
    }

    /// Takes the values of boards from the sweep, those of moves from the scalar functions.
    fn keep<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
        for ((feature, slot), values) in self.features.iter().zip(&mut self.values) {
            if let Measure::Move(function) = feature.definition().measure {
                for (value, (_, played)) in values.iter_mut().zip(pairs.clone()) {
                    *value = function(played) as i16;
                }
            } else {
                *values = self.raws.0[*slot].0.map(|raw| raw as i16);
            }
        }
    }

    fn sweep(&mut self) {
        match self.level.kind() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the gauge owns a level of AVX-512, which only a CPU that has it gives out.
            Kind::Avx512 => unsafe { sweep_avx512(self) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the gauge owns a level of AVX2, which only a CPU that has it gives out.
            Kind::Avx2 => unsafe { sweep_avx2(self) },
            _ => sweep::<Portable>(self),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512bitalg")]
#[target_feature(enable = "avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
fn sweep_avx512(gauge: &mut Gauge) {
    sweep::<super::avx512::Avx512>(gauge);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn sweep_avx2(gauge: &mut Gauge) {
    sweep::<super::avx2::Avx2>(gauge);
}

#[inline(always)]
fn sweep<V: Lanes>(gauge: &mut Gauge) {
    let (sheet, raws) = (&*gauge.sheet, &mut *gauge.raws);
    for pass in &gauge.passes {
        pass.run::<V>(sheet, raws);
    }
    for &(feature, ref table) in &gauge.rbf {
        groups::rbf(raws, sheet.count, feature, table);
    }
}
