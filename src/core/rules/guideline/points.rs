//! Computes the points of a placement.

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use super::AttackTable;
use super::{Guideline, PerfectTetris, Spin};

/// The properties of a placement that determine its points: rows removed, spin and perfect clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Clear {
    /// Number of rows removed, 0 to 4.
    pub lines: u8,
    /// Spin of the placement.
    pub spin: Spin,
    /// True if the matrix is empty after the placement.
    pub perfect: bool,
}

impl Clear {
    /// Returns true if the clear continues back-to-back: a tetris, or a T-spin that removes rows.
    #[must_use]
    pub const fn is_difficult(self) -> bool {
        self.lines == 4 || (self.lines > 0 && !matches!(self.spin, Spin::None))
    }
}

/// The effect of earlier clears on the points of the next placement: back-to-back and combo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ComboState {
    /// Length of the back-to-back chain: number of consecutive difficult clears
    /// ([`Clear::is_difficult`]), 0 if the last clear was not difficult. It counts up to
    /// [`AttackTable::longest_chain`], because longer chains have no further effect.
    pub chain: u8,
    /// Number of consecutive placements that removed rows.
    pub combo: u8,
}

impl ComboState {
    /// Returns true if the last clear was difficult.
    #[must_use]
    pub const fn back_to_back(self) -> bool {
        self.chain > 0
    }

    /// Returns the chain and combo after a placement with this `clear`. A placement that removes no
    /// rows ends only the combo.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::rules::guideline::{Clear, ComboState, Guideline};
    /// let rules = Guideline::official();
    /// let tetris = ComboState::default().after(&rules, Clear { lines: 4, ..Clear::default() });
    /// assert_eq!(tetris, ComboState { chain: 1, combo: 1 });
    /// assert_eq!(tetris.after(&rules, Clear::default()), ComboState { chain: 1, combo: 0 });
    /// ```
    #[must_use]
    pub fn after(self, rules: &Guideline, clear: Clear) -> ComboState {
        if clear.lines == 0 {
            return ComboState { combo: 0, ..self };
        }
        // The sum saturates because a combo has no limit and the field is a byte.
        ComboState {
            chain: rules.attack.chain_after(self, clear),
            combo: self.combo.saturating_add(1),
        }
    }
}

/// The points of a placement by their cause; the game shows the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Points {
    /// Points of the clear or spin itself.
    pub base: u32,
    /// Additional points for back-to-back: half of `base`.
    pub back_to_back: u32,
    /// Points of the combo: 50 for each consecutive clear before this one.
    pub combo: u32,
    /// Points of a perfect clear.
    pub perfect: u32,
    /// Points of soft and hard drops.
    pub drop: u32,
}

impl Points {
    /// Returns the sum of the points of all causes.
    #[must_use]
    pub const fn total(self) -> u32 {
        self.base + self.back_to_back + self.combo + self.perfect + self.drop
    }

    /// Adds the points of `other` to these, separately for each cause.
    pub fn add(&mut self, other: Points) {
        self.base += other.base;
        self.back_to_back += other.back_to_back;
        self.combo += other.combo;
        self.perfect += other.perfect;
        self.drop += other.drop;
    }
}

/// Points of a placement without spin, by number of rows removed.
const PLAIN: [u32; 5] = [0, 100, 300, 500, 800];
/// Points of a mini spin, by number of rows removed. A T earns none of the last two: with three
/// full rows all corners are filled, so the spin is full. Other pieces earn the points of a double.
const MINI: [u32; 5] = [100, 200, 400, 400, 400];
/// Points of a full spin, by number of rows removed. A T cannot complete four rows; an I that spins
/// earns the points of a triple.
const FULL: [u32; 5] = [400, 800, 1200, 1600, 1600];
/// Additional points of a perfect clear, by number of rows removed.
const PERFECT: [u32; 5] = [0, 800, 1200, 1800, 2000];

/// Returns the points of a placement with this `clear` at level 1, without drops (tetris.wiki
/// Scoring, T-Spin). `before` is the back-to-back and combo before the placement.
///
/// | rows | 0 | 1 | 2 | 3 | 4 |
/// |---|---|---|---|---|---|
/// | no spin | 0 | 100 | 300 | 500 | 800 |
/// | mini T-spin | 100 | 200 | 400 | | |
/// | T-spin | 400 | 800 | 1200 | 1600 | |
/// | perfect clear, additional | | 800 | 1200 | 1800 | 2000 |
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::rules::guideline::{ComboState, Clear, Guideline, points};
/// let tetris = Clear { lines: 4, ..Clear::default() };
/// let before = ComboState { chain: 1, combo: 2 };
/// let reward = points(&Guideline::official(), tetris, before);
/// assert_eq!((reward.base, reward.back_to_back, reward.combo), (800, 400, 100));
/// ```
#[must_use]
pub fn points(rules: &Guideline, clear: Clear, before: ComboState) -> Points {
    let lines = clear.lines as usize;
    let base = match clear.spin {
        Spin::None => PLAIN[lines],
        Spin::Mini => MINI[lines],
        Spin::Full => FULL[lines],
    };
    let zero_spin = lines == 0 && clear.spin != Spin::None;
    let multiplied = clear.is_difficult() || (zero_spin && rules.multiplied_zero_spins);
    let back_to_back = if before.back_to_back() && multiplied { base / 2 } else { 0 };
    let combo = if lines > 0 { 50 * u32::from(before.combo) } else { 0 };
    let perfect = match (clear.perfect && lines > 0, lines, rules.perfect_tetris) {
        (false, ..) => 0,
        (true, 4, PerfectTetris::Guideline) if before.back_to_back() => 3200,
        // The total is 4000, of which a tetris under back-to-back has earned 800 + 400.
        (true, 4, PerfectTetris::Total4000) if before.back_to_back() => 4000 - 1200,
        _ => PERFECT[lines],
    };
    Points { base, back_to_back, combo, perfect, drop: 0 }
}
