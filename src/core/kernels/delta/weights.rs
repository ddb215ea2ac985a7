//! Weights of the difference kernel: exact, and rounded to find who can be best.

use std::ops::{Index, IndexMut};

use super::by_column::ByColumn;

/// Weights of what a placement changes.
///
/// A placement's difference is `exact[k] x count[k]` over counts, `of_row x landing row`, a constant of its
/// shape, and `always`. `delta` says which feature gives which count its weight.
#[derive(Default)]
pub(super) struct Weights {
    /// Weights of the features, which parents and cleared boards are valued with.
    pub(super) known: FeatureWeights,
    /// Weight of the landing feature, and its raw steps to a row.
    pub(super) landing: i64,
    pub(super) landing_steps: i64,
    pub(super) eroded: i64,
    pub(super) eroded_alone: i64,
    pub(super) lines: i64,
    /// What every board has.
    pub(super) constant: i64,
    /// Of each count but the landing row, whose weight depends on the placement.
    pub(super) exact: [i64; COUNTS],
    /// What every placement adds: four cells, and what counts that are never negative count too much.
    pub(super) always: i64,
}

crate::names! {
    /// A feature whose difference this kernel finds.
    #[derive(Clone, Copy)]
    pub(super) enum DeltaFeature {
        RowTransitions = "row_transitions",
        ColumnTransitions = "column_transitions",
        Holes = "holes",
        Wells = "wells",
        HoleDepth = "hole_depth",
        RowsWithHoles = "rows_with_holes",
        AggregateHeight = "aggregate_height",
        Bumpiness = "bumpiness",
        CompleteRows = "complete_rows",
        PatternDiversity = "pattern_diversity",
        MaxHeight = "max_height",
        WellsFast = "wells_fast",
    }
}

impl DeltaFeature {
    /// The bit of this feature in a set of features.
    pub(super) const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A weight for each of these features.
#[derive(Default)]
pub(super) struct FeatureWeights([i64; DeltaFeature::ALL.len()]);

impl Index<DeltaFeature> for FeatureWeights {
    type Output = i64;

    #[inline(always)]
    fn index(&self, known: DeltaFeature) -> &i64 {
        &self.0[known as usize]
    }
}

impl IndexMut<DeltaFeature> for FeatureWeights {
    fn index_mut(&mut self, known: DeltaFeature) -> &mut i64 {
        &mut self.0[known as usize]
    }
}

pub(super) const ROW_TRANSITIONS: u32 = DeltaFeature::RowTransitions.bit();
pub(super) const COLUMN_TRANSITIONS: u32 = DeltaFeature::ColumnTransitions.bit();
pub(super) const HOLES: u32 = DeltaFeature::Holes.bit();
pub(super) const WELLS: u32 = DeltaFeature::Wells.bit();
pub(super) const HOLE_DEPTH: u32 = DeltaFeature::HoleDepth.bit();
pub(super) const ROWS_WITH_HOLES: u32 = DeltaFeature::RowsWithHoles.bit();
pub(super) const HEIGHTS: u32 = DeltaFeature::AggregateHeight.bit();
pub(super) const BUMPINESS: u32 = DeltaFeature::Bumpiness.bit();
pub(super) const DIVERSITY: u32 = DeltaFeature::PatternDiversity.bit();
pub(super) const MAX_HEIGHT: u32 = DeltaFeature::MaxHeight.bit();
pub(super) const WELLS_FAST: u32 = DeltaFeature::WellsFast.bit();
/// Either kind of wells. No set has both: they share what is known of a board.
pub(super) const ANY_WELLS: u32 = WELLS | WELLS_FAST;
/// Heights and steps with a weight for each column, which are not among these features.
pub(super) const BY_COLUMN: u32 = 1 << DeltaFeature::ALL.len();

/// What is counted for every placement, one byte each, in pairs that are weighted together.
///
/// ```text
/// pair      0               1               2             3             4
/// counts    LANDING CHANGE  OPEN  COVERED   FLUSH DIRTY   SOLID RISE    STEPS PATTERNS
/// most      28      226     8     112       4     28      4     4       168   5
/// ```
///
/// Multiply-add takes bytes in twos: a pair is one instruction for each of two digits, left out where no
/// feature asks.
pub(super) const COUNTS: usize = 10;
/// The row where the piece lands.
pub(super) const LANDING: usize = 0;
/// The change of the wells, and [`WELLS_BIAS`].
pub(super) const CHANGE: usize = 1;
/// Empty cells beside the piece.
pub(super) const OPEN: usize = 2;
/// Heights of the columns under the piece, added up.
pub(super) const COVERED: usize = 3;
/// Columns that the piece rests on.
pub(super) const FLUSH: usize = 4;
/// Rows that get their first hole.
pub(super) const DIRTY: usize = 5;
/// Cells of the piece in columns without holes that it rests on.
pub(super) const SOLID: usize = 6;
/// How much higher the stack becomes.
pub(super) const RISE: usize = 7;
/// The change of the steps between columns, and [`STEPS_BIAS`].
pub(super) const STEPS: usize = 8;
/// Patterns there are afterwards.
pub(super) const PATTERNS: usize = 9;

/// Keeps the change of the wells positive. A piece fills or cuts off wells of no more than 106 cells (the
/// upright I in one of 28 rows), and the most that it adds where it lands below row 13 is 116.
pub(super) const WELLS_BIAS: u8 = 110;
/// Counts of wells from here on may be larger.
pub(super) const WELLS_MOST: u8 = 226;
/// Four columns of height 28 and one piece.
pub(super) const STEPS_BIAS: u8 = 112;

/// The most of each count.
const MOST: [i64; COUNTS] = [28, WELLS_MOST as i64, 8, 112, 4, 28, 4, 4, 168, 5];

/// Weights rounded to two digits, with a common factor.
///
/// ```text
/// weight x scale  =  high x base + low        base 128: low from -64 to 63, base 64: from -32 to 31
///
/// sums, in bases:   -32,513 + 2,500 + 300  |  LOWEST = -28,000  |  -24,000 - 2,500 - 300 ... 24,000 + 2,500 + 300
///                   not sound, at most     |  asked once        |  sound: of counts, of the start, of low digits
/// ```
pub(super) struct Rounded {
    /// By which weights were multiplied.
    pub(super) scale: f64,
    /// What the high digit counts.
    pub(super) base: i16,
    /// Sums below this are of placements that lose, fill rows or are none.
    pub(super) lowest: i32,
    /// How far below the best rounded sum a best placement may lie.
    pub(super) slack: i32,
}

/// The largest sum of counts times high digits; and of constants, in steps of the base.
///
/// So the sum of ten products stays within a word, and sums of placements that are not sound, whose high word
/// is -32,513 at most, within reach of none that is.
const MOST_HIGH: i64 = 24_000;
const MOST_START: i64 = 2_500;
const LOWEST: i32 = -28_000;

impl Weights {
    /// Finds the weight of each count.
    pub(super) fn settle(&mut self) {
        let known = &self.known;
        let covered = known[DeltaFeature::Holes] + known[DeltaFeature::AggregateHeight];
        self.exact = [0; COUNTS];
        self.exact[CHANGE] = known[DeltaFeature::Wells] + known[DeltaFeature::WellsFast];
        self.exact[OPEN] = 2 * known[DeltaFeature::RowTransitions];
        // Counts have the sign of what they count, weights that of what it does to the feature: higher columns
        // under the piece leave less to cover.
        self.exact[COVERED] = -covered;
        self.exact[FLUSH] = -2 * known[DeltaFeature::ColumnTransitions];
        self.exact[DIRTY] = known[DeltaFeature::RowsWithHoles];
        self.exact[SOLID] = -known[DeltaFeature::HoleDepth];
        self.exact[RISE] = known[DeltaFeature::MaxHeight];
        self.exact[STEPS] = known[DeltaFeature::Bumpiness];
        self.exact[PATTERNS] = known[DeltaFeature::PatternDiversity];
        // Two counts are kept positive by a bias, since bytes of counts are unsigned; it is taken off here,
        // once.
        let too_much = i64::from(WELLS_BIAS) * self.exact[CHANGE]
            + i64::from(STEPS_BIAS) * known[DeltaFeature::Bumpiness];
        self.always =
            4 * (known[DeltaFeature::HoleDepth] + known[DeltaFeature::AggregateHeight]) - too_much;
    }

    /// The weight of the landing row of a piece of some columns.
    pub(super) fn of_row(&self, columns: usize) -> i64 {
        self.landing * self.landing_steps
            + columns as i64
                * (self.known[DeltaFeature::Holes] + self.known[DeltaFeature::AggregateHeight])
    }

    /// Rounds all weights, and what placements begin with, with the factor that loses least.
    pub(super) fn rounded(&self, starts: &[i64], by_column: &ByColumn) -> Rounded {
        let rows: Vec<i64> = (1..=4).map(|columns| self.of_row(columns)).collect();
        let used = |k: &usize| self.exact[*k] != 0;
        let most: i64 = MOST[LANDING] + (1..COUNTS).filter(used).map(|k| MOST[k]).sum::<i64>();
        // The larger base loses less, but low digits reach 64 then, and their sum must fit a word, too.
        let base = if most * 64 < i64::from(i16::MAX) { 128 } else { 64 };
        let least = starts.iter().copied().min().unwrap_or(0);
        let largest = starts.iter().copied().max().unwrap_or(0);
        let fits = |scale: f64| {
            let high = |weight: i64| digits(round(weight, scale), base).0.abs();
            let row = rows.iter().map(|&weight| high(weight)).max().unwrap_or(0);
            let counts = || (1..COUNTS).map(|k| (high(self.exact[k]), MOST[k]));
            let sum = row * MOST[LANDING] + counts().map(|(high, most)| high * most).sum::<i64>();
            let largest_digit = counts().map(|(high, _)| high).max().unwrap_or(0).max(row);
            let columns = by_column.most(|weight| weight.abs() as f64) * scale;
            let start =
                round(largest, scale).abs().max(round(least, scale).abs()) + columns.ceil() as i64;
            largest_digit <= 127 && sum <= MOST_HIGH && start <= MOST_START * base
        };
        // What rounding may take from the difference of two sums.
        let lost = |scale: f64| {
            let of =
                |w: i64, most: i64| (w as f64 * scale - round(w, scale) as f64).abs() * most as f64;
            let row = rows.iter().map(|&w| of(w, MOST[LANDING])).fold(0.0, f64::max);
            let start = starts.iter().map(|&w| of(w, 1)).fold(0.0, f64::max);
            let counts: f64 = (1..COUNTS).map(|k| of(self.exact[k], MOST[k])).sum();
            let error = |weight| (weight as f64 * scale - round(weight, scale) as f64).abs();
            2.0 * (row + start + counts + by_column.most(error))
        };
        // Weights are whole already: where they are small enough as they are, nothing is lost.
        let mut scale = 1.0;
        while !fits(scale) {
            scale *= 0.97;
        }
        let mut slack = lost(scale);
        if scale < 1.0 {
            // A little smaller may lose less, if weights happen to come near whole numbers: the least slack
            // beside the scale.
            for part in 0..400 {
                let other = scale * (1.0 - f64::from(part) / 1000.0);
                if lost(other) / other < slack / scale && fits(other) {
                    (scale, slack) = (other, lost(other));
                }
            }
            // For sums in `f64` that are not exact.
            slack += 1.0;
        }
        let slack = slack.ceil() as i32;
        Rounded { scale, base: base as i16, lowest: LOWEST * base as i32, slack }
    }
}

/// A weight in rounded steps.
pub(super) fn round(weight: i64, scale: f64) -> i64 {
    (weight as f64 * scale).round() as i64
}

/// The high and the low digit of a rounded weight.
pub(super) fn digits(rounded: i64, base: i64) -> (i64, i64) {
    let high = (rounded + base / 2).div_euclid(base);
    // The nearest multiple of the base, so that the low digit is as small as can be.
    (high, rounded - high * base)
}
