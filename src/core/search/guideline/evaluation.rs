//! Converts a controller's weights to exact integers.

use crate::controller::GuidelineController;
use crate::features::Measured;
use crate::features::guideline::{
    CELLS_OVER_GOAL, COLUMN_TRANSITIONS, COMBO, COMPLETE_ROWS, COVERED, COVERED_SQUARED,
    ClearEvent, MATRIX_TERMS, OCCUPIED_CELLS, PERFECT_CHANCE, SLOT_TERMS, T_TRIPLES_2, T_TRIPLES_3,
    TERMS, Term, WELL_TERMS, values,
};
use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{GuidelineState, Hold, Placed, Spin};

use super::network::ValueNetwork;
use super::node::SCALE;

/// Weights of a controller in steps of 1/[`SCALE`].
#[derive(Clone, Debug)]
pub struct Weights {
    matrix: MatrixWeights,
    /// Weight of the term `back_to_back`.
    back_to_back: i64,
    /// Weight of each piece in the hold, by [`Piece::index`].
    hold: [i64; Piece::ALL.len()],
    events: EventWeights,
    before_clear: bool,
    network: Option<ValueNetwork>,
}

/// Column number that stands for a well of depth 0.
pub(super) const NO_WELL: usize = WIDTH;

/// Weights of the matrix terms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MatrixWeights {
    all: [i64; MATRIX_TERMS],
    /// Index and weight of each term with a weight other than 0, except for the terms
    /// `well_column_0` to `well_column_9`.
    listed: Vec<(usize, i64)>,
    /// Weights of the terms `well_column_0` to `well_column_9`; the last entry is 0, for
    /// [`NO_WELL`].
    wells: [i64; WIDTH + 1],
    cells: bool,
    covers: bool,
    /// True if T-slots have a weight; finding them takes much time.
    slots: bool,
    triples: bool,
}

impl MatrixWeights {
    /// Prepares the weights so that terms without weight are not computed.
    fn new(all: [i64; MATRIX_TERMS]) -> MatrixWeights {
        let is_weighed = |place: usize| all[place] != 0;
        let is_listed = |place: &usize| is_weighed(*place) && !WELL_TERMS.contains(place);
        let well = |column| WELL_TERMS.clone().nth(column).map_or(0, |place| all[place]);
        MatrixWeights {
            listed: (0..MATRIX_TERMS).filter(is_listed).map(|place| (place, all[place])).collect(),
            wells: std::array::from_fn(well),
            cells: [
                CELLS_OVER_GOAL,
                COLUMN_TRANSITIONS,
                COMPLETE_ROWS,
                OCCUPIED_CELLS,
                PERFECT_CHANCE,
            ]
            .into_iter()
            .any(is_weighed),
            covers: [COVERED, COVERED_SQUARED].into_iter().any(is_weighed),
            slots: SLOT_TERMS.into_iter().any(is_weighed),
            triples: [T_TRIPLES_2, T_TRIPLES_3].into_iter().any(is_weighed),
            all,
        }
    }

    /// Returns the score of `matrix`: the weighted sum of its terms. `left` is the number of rows
    /// still to remove, if the game has an end.
    #[inline]
    pub(super) fn worth(&self, matrix: &Matrix, left: Option<u32>) -> i64 {
        let found = values(matrix, left, self.slots);
        found.iter().zip(&self.all).map(|(v, w)| i64::from(*v) * w).sum()
    }

    /// Returns index and weight of each term with a weight other than 0, except for the terms of
    /// well columns.
    pub(super) fn listed(&self) -> &[(usize, i64)] {
        &self.listed
    }

    /// Returns the weight of the term for the well column `column`; 0 for [`NO_WELL`].
    #[inline]
    pub(super) fn well(&self, column: usize) -> i64 {
        self.wells[column]
    }

    /// Returns true if a term that counts cells has a weight.
    pub(super) fn cells(&self) -> bool {
        self.cells
    }

    pub(super) fn covers(&self) -> bool {
        self.covers
    }

    pub(super) fn slots(&self) -> bool {
        self.slots
    }

    pub(super) fn triples(&self) -> bool {
        self.triples
    }
}

/// Weights of the terms that count a placement.
#[derive(Clone, Debug, PartialEq)]
struct EventWeights {
    /// Weights of clears and spins, by spin and number of rows removed.
    clears: [[i64; 5]; 3],
    back_to_back_clear: i64,
    back_to_back_lost: i64,
    perfect_clear: i64,
    combo: [i64; COMBO.len()],
    wasted_t: i64,
    jeopardy: i64,
    points: i64,
    attack: i64,
    rows_removed: i64,
}

impl Weights {
    /// Converts the weights of a controller.
    #[must_use]
    pub fn new(controller: &GuidelineController) -> Weights {
        let mut all = vec![0i64; TERMS.len()];
        for &(term, weight) in &controller.weights {
            all[term.index()] = (weight * SCALE).round() as i64;
        }
        let of = |name: &str| {
            let index = TERMS.iter().position(|term| term.name == name);
            index.map_or(0, |index| all[index])
        };
        let before_clear = controller.measured == Measured::BeforeClear;
        let mut matrix = [0; MATRIX_TERMS];
        for (term, weight) in Term::all().zip(&all) {
            if let Some(place) = term.matrix_index() {
                matrix[place] = *weight;
            }
        }
        let mut events = EventWeights::new(of);
        // Full rows exist only before they are removed, so their weight counts once per placement.
        let rows = std::mem::take(&mut matrix[COMPLETE_ROWS]);
        events.rows_removed += if before_clear { rows } else { 0 };
        let matrix = MatrixWeights::new(matrix);
        let hold = Piece::ALL.map(|piece| of(&format!("hold_{piece}").to_lowercase()));
        let network = controller.network.as_deref().map(ValueNetwork::new);
        Weights { hold, matrix, back_to_back: of("back_to_back"), events, before_clear, network }
    }

    /// Returns the prepared network, if the controller has one. Each layer clones the network,
    /// because it contains memory for states.
    pub(super) fn network(&self) -> Option<&ValueNetwork> {
        self.network.as_ref()
    }

    /// Returns the score of the state after a placement, in steps of 1/[`SCALE`]: the weighted
    /// terms of matrix, hold and back-to-back. `goal` is the number of rows that ends the game.
    #[must_use]
    #[inline]
    pub fn board(&self, placed: &Placed, goal: Option<u32>) -> i64 {
        let matrix = if self.before_clear { &placed.locked } else { &placed.after.matrix };
        self.state(&GuidelineState { matrix: *matrix, ..placed.after }, goal)
    }

    /// Returns the score of `state`: the weighted terms of its matrix, hold and back-to-back.
    /// `goal` is the number of rows that ends the game.
    pub(super) fn state(&self, state: &GuidelineState, goal: Option<u32>) -> i64 {
        let left = goal.map(|goal| goal.saturating_sub(state.lines));
        self.matrix.worth(&state.matrix, left)
            + self.hold(state.hold)
            + self.back_to_back(state.combo_state.back_to_back())
    }

    /// Returns the weight of the piece in the hold, or 0 if no known piece is there.
    #[inline]
    pub(super) fn hold(&self, hold: Hold) -> i64 {
        match hold {
            Hold::Piece(piece) => self.hold[piece as usize],
            Hold::Empty | Hold::Unknown => 0,
        }
    }

    /// Returns the weight of an active back-to-back, or 0 if `back_to_back` is false.
    #[inline]
    pub(super) fn back_to_back(&self, back_to_back: bool) -> i64 {
        if back_to_back { self.back_to_back } else { 0 }
    }

    pub(super) fn matrix(&self) -> &MatrixWeights {
        &self.matrix
    }

    /// Returns true if the matrix is measured before full rows are removed.
    pub(super) fn is_before_clear(&self) -> bool {
        self.before_clear
    }

    /// Returns the reward of a placement of `piece` without rows and spin, except for the reward of
    /// [`Weights::high`].
    #[inline]
    pub(super) fn quiet(&self, piece: Piece) -> i64 {
        if piece == Piece::T { self.events.wasted_t } else { 0 }
    }

    /// Returns the reward for the stack height `height` after a placement (the term `jeopardy`).
    #[inline]
    pub(super) fn high(&self, height: i32) -> i64 {
        self.events.jeopardy * i64::from(height - 10).max(0)
    }

    /// Returns the reward of the placement that `event` describes, in steps of 1/[`SCALE`].
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
            // The last entry also covers longer combos.
            sum += w.combo[usize::from(event.combo).min(COMBO.len() - 1)];
            sum += w.rows_removed * lines as i64;
        }
        // A T is wasted unless it spins and removes rows.
        if event.piece == Piece::T && (event.spin == Spin::None || lines == 0) {
            sum += w.wasted_t;
        }
        sum += w.points * i64::from(event.points) + w.attack * i64::from(event.attack);
        sum + self.high(event.height.into())
    }
}

impl EventWeights {
    /// Reads all weights with the function `of`, which returns the weight of the term of a name.
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
            attack: of("attack"),
            rows_removed: of("rows_removed"),
        }
    }
}
