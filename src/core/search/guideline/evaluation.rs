//! A controller's weights made ready: exact integers.

use crate::controller::GuidelineController;
use crate::features::Measured;
use crate::features::guideline::{
    COMBO, COMPLETE_ROWS, COVERED, COVERED_SQUARED, ClearEvent, MATRIX_TERMS, SLOT_TERMS,
    T_TRIPLES_2, T_TRIPLES_3, TERMS, Term, WELL_TERMS, values,
};
use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{GuidelineState, Hold, Placed, Spin};

use super::network::ValueNetwork;
use super::node::SCALE;

/// Weights in steps of 1/[`SCALE`].
#[derive(Clone, Debug)]
pub struct Weights {
    matrix: MatrixWeights,
    /// Worth of the state of back-to-back.
    back_to_back: i64,
    /// Worth of each piece in the hold.
    hold: [i64; Piece::ALL.len()],
    events: EventWeights,
    before_clear: bool,
    network: Option<ValueNetwork>,
}

/// Instead of a column where the well has no depth.
pub(super) const NO_WELL: usize = WIDTH;

/// Weights of the terms of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MatrixWeights {
    all: [i64; MATRIX_TERMS],
    /// Those that are not 0, but for the well columns.
    listed: Vec<(usize, i64)>,
    /// By well column, the last of none.
    wells: [i64; WIDTH + 1],
    covers: bool,
    /// Whether any term asks about slots for T-spins, which are dear to find.
    slots: bool,
    triples: bool,
}

impl MatrixWeights {
    /// Sorts out what is asked for, so that nothing is looked for that has no weight.
    fn new(all: [i64; MATRIX_TERMS]) -> MatrixWeights {
        let is_weighed = |place: usize| all[place] != 0;
        let is_listed = |place: &usize| is_weighed(*place) && !WELL_TERMS.contains(place);
        let well = |column| WELL_TERMS.clone().nth(column).map_or(0, |place| all[place]);
        MatrixWeights {
            listed: (0..MATRIX_TERMS).filter(is_listed).map(|place| (place, all[place])).collect(),
            wells: std::array::from_fn(well),
            covers: [COVERED, COVERED_SQUARED].into_iter().any(is_weighed),
            slots: SLOT_TERMS.into_iter().any(is_weighed),
            triples: [T_TRIPLES_2, T_TRIPLES_3].into_iter().any(is_weighed),
            all,
        }
    }

    /// What a matrix is worth; `left` is how many rows are still to be cleared, if the game has an end.
    #[inline]
    pub(super) fn worth(&self, matrix: &Matrix, left: Option<u32>) -> i64 {
        let found = values(matrix, left, self.slots);
        found.iter().zip(&self.all).map(|(v, w)| i64::from(*v) * w).sum()
    }

    /// The terms that are not 0, each with its weight, but for the well columns.
    pub(super) fn listed(&self) -> &[(usize, i64)] {
        &self.listed
    }

    /// The weight of a well column; 0 for [`NO_WELL`].
    #[inline]
    pub(super) fn well(&self, column: usize) -> i64 {
        self.wells[column]
    }

    /// Whether it has covered holes.
    pub(super) fn covers(&self) -> bool {
        self.covers
    }

    /// Whether it has T-slots.
    pub(super) fn slots(&self) -> bool {
        self.slots
    }

    /// Whether it has T-spin triples.
    pub(super) fn triples(&self) -> bool {
        self.triples
    }
}

/// Weights of what a placement earns.
#[derive(Clone, Debug, PartialEq)]
struct EventWeights {
    /// By spin and rows removed.
    clears: [[i64; 5]; 3],
    back_to_back_clear: i64,
    back_to_back_lost: i64,
    perfect_clear: i64,
    combo: [i64; COMBO.len()],
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
        let mut matrix = [0; MATRIX_TERMS];
        for (term, weight) in Term::all().zip(&all) {
            if let Some(place) = term.place() {
                matrix[place] = *weight;
            }
        }
        let mut events = EventWeights::new(of);
        // Full rows stand only before clearing, and are earned once.
        let rows = std::mem::take(&mut matrix[COMPLETE_ROWS]);
        events.rows_removed += if before_clear { rows } else { 0 };
        let matrix = MatrixWeights::new(matrix);
        let hold = Piece::ALL.map(|piece| of(&format!("hold_{piece}").to_lowercase()));
        let network = controller.network.as_deref().map(ValueNetwork::new);
        Weights { hold, matrix, back_to_back: of("back_to_back"), events, before_clear, network }
    }

    /// The network, made ready; a layer takes it along, since it has room for states.
    pub(super) fn network(&self) -> Option<&ValueNetwork> {
        self.network.as_ref()
    }

    /// What the state after a placement is worth.
    #[must_use]
    #[inline]
    pub fn board(&self, placed: &Placed, goal: Option<u32>) -> i64 {
        let matrix = if self.before_clear { &placed.locked } else { &placed.after.matrix };
        self.state(&GuidelineState { matrix: *matrix, ..placed.after }, goal)
    }

    /// What a state is worth.
    pub(super) fn state(&self, state: &GuidelineState, goal: Option<u32>) -> i64 {
        let left = goal.map(|goal| goal.saturating_sub(state.lines));
        self.matrix.worth(&state.matrix, left)
            + self.hold(state.hold)
            + self.back_to_back(state.combo_state.back_to_back)
    }

    /// What the piece in the hold is worth.
    #[inline]
    pub(super) fn hold(&self, hold: Hold) -> i64 {
        match hold {
            Hold::Piece(piece) => self.hold[piece as usize],
            Hold::Empty | Hold::Unknown => 0,
        }
    }

    /// What the state of back-to-back is worth.
    #[inline]
    pub(super) fn back_to_back(&self, back_to_back: bool) -> i64 {
        if back_to_back { self.back_to_back } else { 0 }
    }

    /// Weights of the terms of a matrix.
    pub(super) fn matrix(&self) -> &MatrixWeights {
        &self.matrix
    }

    /// Whether the matrix is measured before full rows are removed.
    pub(super) fn is_before_clear(&self) -> bool {
        self.before_clear
    }

    /// What a placement earns that neither removes rows nor spins, but for its height.
    #[inline]
    pub(super) fn quiet(&self, piece: Piece) -> i64 {
        if piece == Piece::T { self.events.wasted_t } else { 0 }
    }

    /// What it earns by the height of the stack after it.
    #[inline]
    pub(super) fn high(&self, height: i32) -> i64 {
        self.events.jeopardy * i64::from(height - 10).max(0)
    }

    /// What a placement earns.
    #[must_use]
    #[inline]
    pub fn reward(&self, event: &ClearEvent) -> i64 {
        let (w, lines) = (&self.events, usize::from(event.lines));
        let mut sum = w.clears[event.spin as usize][lines];
        if lines > 0 {
            let difficult = lines == 4 || event.spin != Spin::None;
            sum += match (event.back_to_back, difficult) {
                (true, true) => w.back_to_back_clear,
                (true, false) => w.back_to_back_lost,
                (false, _) => 0,
            };
            sum += if event.perfect { w.perfect_clear } else { 0 };
            // The last entry stands for all longer ones.
            sum += w.combo[usize::from(event.combo).min(COMBO.len() - 1)];
            sum += w.rows_removed * lines as i64;
        }
        // A T is wasted unless it spins and removes rows.
        if event.piece == Piece::T && (event.spin == Spin::None || lines == 0) {
            sum += w.wasted_t;
        }
        sum + self.high(event.height.into()) + w.points * i64::from(event.points)
    }
}

impl EventWeights {
    /// From the weights of terms by their names.
    fn new(of: impl Fn(&str) -> i64) -> EventWeights {
        let kinds = ["clear", "mini", "t_spin"];
        let combo = of("combo");
        EventWeights {
            clears: kinds.map(|kind| std::array::from_fn(|lines| of(&format!("{kind}_{lines}")))),
            back_to_back_clear: of("back_to_back_clear"),
            back_to_back_lost: of("back_to_back_lost"),
            perfect_clear: of("perfect_clear"),
            combo: COMBO.map(|step| i64::from(step) * combo),
            wasted_t: of("wasted_t"),
            jeopardy: of("jeopardy"),
            points: of("points"),
            rows_removed: of("rows_removed"),
        }
    }
}
