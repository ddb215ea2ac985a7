//! A controller's weights made ready: exact integers.

use crate::controller::GuidelineController;
use crate::features::Measured;
use crate::features::guideline::{Act, BOARD_TERMS, SLOT_TERMS, TERMS, Term, add_slots, values};
use crate::piece::Piece;
use crate::rules::guideline::{Placed, Spin};

/// Steps in one unit of weight.
///
/// Decimal weights become whole numbers, so that sums do not depend on the order of additions and every machine
/// finds the same maximum.
pub const SCALE: f64 = 1e7;

/// Weights in steps of 1/[`SCALE`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// By [`Term::index`]: the terms of a matrix come first.
    matrix: [i64; BOARD_TERMS],
    /// Worth of the state of back-to-back.
    back_to_back: i64,
    acts: ActWeights,
    before_clear: bool,
    /// Whether any term asks about slots for T-spins, which are dear to find.
    slots: bool,
}

/// Weights of what a placement earns.
#[derive(Clone, Debug, PartialEq)]
struct ActWeights {
    /// By spin and rows removed.
    clears: [[i64; 5]; 3],
    back_to_back_clear: i64,
    perfect_clear: i64,
    combo: [i64; 13],
    wasted_t: i64,
    jeopardy: i64,
    points: i64,
    rows_removed: i64,
}

impl Weights {
    /// A controller's weights.
    #[must_use]
    pub fn new(controller: &GuidelineController) -> Weights {
        let mut all = vec![0i64; TERMS.len()];
        for &(term, weight) in &controller.weights {
            all[term.index()] = (weight * SCALE).round() as i64;
        }
        let of = |name: &str| name.parse::<Term>().map_or(0, |term| all[term.index()]);
        let before_clear = controller.measured == Measured::BeforeClear;
        let mut matrix = std::array::from_fn(|place| all[place]);
        let mut acts = ActWeights::new(of);
        // Full rows stand only before clearing, and are earned once.
        let complete = "complete_rows".parse::<Term>().map_or(0, Term::index);
        let rows = std::mem::take(&mut matrix[complete]);
        acts.rows_removed += if before_clear { rows } else { 0 };
        let slots = SLOT_TERMS.into_iter().any(|place| matrix[place] != 0);
        Weights { matrix, back_to_back: of("back_to_back"), acts, before_clear, slots }
    }

    /// What the state after a placement is worth.
    #[must_use]
    #[inline]
    pub fn board(&self, placed: &Placed, goal: Option<u32>) -> i64 {
        let matrix = if self.before_clear { &placed.locked } else { &placed.after.matrix };
        let left = goal.map(|goal| goal.saturating_sub(placed.after.lines));
        let mut found = values(matrix, left);
        if self.slots {
            add_slots(matrix, &mut found);
        }
        let sum: i64 = found.iter().zip(&self.matrix).map(|(v, w)| i64::from(*v) * w).sum();
        sum + if placed.after.chain.back_to_back { self.back_to_back } else { 0 }
    }

    /// What a placement earns.
    #[must_use]
    #[inline]
    pub fn earned(&self, act: &Act) -> i64 {
        let (w, lines) = (&self.acts, usize::from(act.lines));
        let mut sum = w.clears[act.spin as usize][lines];
        if lines > 0 {
            let difficult = lines == 4 || act.spin != Spin::None;
            sum += if act.back_to_back && difficult { w.back_to_back_clear } else { 0 };
            sum += if act.perfect { w.perfect_clear } else { 0 };
            // The last entry stands for all longer ones.
            sum += w.combo[usize::from(act.combo).min(12)];
            sum += w.rows_removed * lines as i64;
        }
        // A T is wasted unless it spins and removes rows.
        if act.piece == Piece::T && (act.spin == Spin::None || lines == 0) {
            sum += w.wasted_t;
        }
        sum + w.jeopardy * (i64::from(act.height) - 10).max(0) + w.points * i64::from(act.points)
    }
}

impl ActWeights {
    /// From the weights of terms by their names.
    fn new(of: impl Fn(&str) -> i64) -> ActWeights {
        let kinds = ["clear", "mini", "t_spin"];
        let combo = of("combo");
        let steps = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5];
        ActWeights {
            clears: kinds.map(|kind| std::array::from_fn(|lines| of(&format!("{kind}_{lines}")))),
            back_to_back_clear: of("back_to_back_clear"),
            perfect_clear: of("perfect_clear"),
            combo: steps.map(|step| step * combo),
            wasted_t: of("wasted_t"),
            jeopardy: of("jeopardy"),
            points: of("points"),
            rows_removed: of("rows_removed"),
        }
    }
}
