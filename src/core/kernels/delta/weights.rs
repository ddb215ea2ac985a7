//! Weights of the difference kernel: exact, and rounded to find who can be best.

use super::by_column::ByColumn;

/// What a placement changes, in the order of [`KNOWN`].
///
/// A placement's difference is `exact[k] x count[k]` over counts, `of_row x landing row`, a constant of its
/// shape, and `always`. `delta` says which feature gives which count its weight.
#[derive(Default)]
pub(super) struct Weights {
    /// Weights of the features, which parents and cleared boards are valued with.
    pub(super) known: [i64; KNOWN.len()],
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

/// Features known here, in the order of their weights.
pub(super) const KNOWN: [&str; 12] = [
    "row_transitions",
    "column_transitions",
    "holes",
    "wells",
    "hole_depth",
    "rows_with_holes",
    "aggregate_height",
    "bumpiness",
    "complete_rows",
    "pattern_diversity",
    "max_height",
    "wells_fast",
];

/// Sets of features, as bits of [`KNOWN`]. Complete rows (bit 8) have no name, since their weight is asked
/// instead; bit 12 stands for the features by column, which are not in the list.
pub(super) const ROW_TRANSITIONS: u32 = 1;
/// From row to row, with a filled floor below and an empty sky above.
pub(super) const COLUMN_TRANSITIONS: u32 = 1 << 1;
/// Empty cells below a filled one of their column.
pub(super) const HOLES: u32 = 1 << 2;
/// Over well cells the empty cells from each down: `wells`, covered ones too.
pub(super) const WELLS: u32 = 1 << 3;
/// Runs of filled cells directly above holes.
pub(super) const HOLE_DEPTH: u32 = 1 << 4;
/// Rows that have a hole in any column.
pub(super) const ROWS_WITH_HOLES: u32 = 1 << 5;
/// The sum of the heights of all columns.
pub(super) const HEIGHTS: u32 = 1 << 6;
/// The sum of steps between neighbouring columns.
pub(super) const BUMPINESS: u32 = 1 << 7;
/// How many different steps there are, of those from -2 to 2.
pub(super) const DIVERSITY: u32 = 1 << 9;
/// The height of the highest column.
pub(super) const MAX_HEIGHT: u32 = 1 << 10;
/// Wells as MDPTetris' fast version counts them.
pub(super) const WELLS_FAST: u32 = 1 << 11;
/// Either of both: they share what is known of a board, so that no set has both here.
pub(super) const ANY_WELLS: u32 = WELLS | WELLS_FAST;
/// Heights and steps with a weight for each column.
pub(super) const BY_COLUMN: u32 = 1 << 12;

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
        let covered = known[2] + known[6];
        self.exact = [0; COUNTS];
        self.exact[CHANGE] = known[3] + known[11];
        self.exact[OPEN] = 2 * known[0];
        // Counts have the sign of what they count, weights that of what it does to the feature: higher columns
        // under the piece leave less to cover.
        self.exact[COVERED] = -covered;
        self.exact[FLUSH] = -2 * known[1];
        self.exact[DIRTY] = known[5];
        self.exact[SOLID] = -known[4];
        self.exact[RISE] = known[10];
        self.exact[STEPS] = known[7];
        self.exact[PATTERNS] = known[9];
        // Two counts are kept positive by a bias, since bytes of counts are unsigned; it is taken off here,
        // once.
        let too_much =
            i64::from(WELLS_BIAS) * self.exact[CHANGE] + i64::from(STEPS_BIAS) * known[7];
        self.always = 4 * (known[4] + known[6]) - too_much;
    }

    /// The weight of the landing row of a piece of some columns.
    pub(super) fn of_row(&self, columns: usize) -> i64 {
        self.landing * self.landing_steps + columns as i64 * (self.known[2] + self.known[6])
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
