//! What a placement earns.

use serde::{Deserialize, Serialize};

use super::{Guideline, PerfectTetris, Spin};

/// What a placement did, as points ask: rows, spin, and whether anything was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Clear {
    /// Rows removed, 0 to 4.
    pub lines: u8,
    /// The spin of the piece.
    pub spin: Spin,
    /// Whether it left the matrix empty.
    pub perfect: bool,
}

impl Clear {
    /// Whether it is a tetris, or a T-spin of any kind that removes rows: what back-to-back asks.
    #[must_use]
    pub const fn is_difficult(self) -> bool {
        self.lines == 4 || (self.lines > 0 && !matches!(self.spin, Spin::None))
    }
}

/// What earlier placements leave to the next: it multiplies and adds to what that one earns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ComboState {
    /// Whether the last clear was a difficult one.
    pub back_to_back: bool,
    /// Clears in a row so far.
    pub combo: u8,
}

impl ComboState {
    /// The chain after a placement. One that clears nothing ends the combo and keeps back-to-back.
    #[must_use]
    pub const fn after(self, clear: Clear) -> ComboState {
        if clear.lines == 0 {
            return ComboState { combo: 0, ..self };
        }
        // Saturating, since clears in a row have no end and the field is a byte.
        ComboState { back_to_back: clear.is_difficult(), combo: self.combo.saturating_add(1) }
    }
}

/// Points by where they come from: their sum is what a player sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Points {
    /// The clear or spin itself.
    pub base: u32,
    /// The half more of back-to-back.
    pub back_to_back: u32,
    /// 50 for each clear in a row before it.
    pub combo: u32,
    /// The perfect clear.
    pub perfect: u32,
    /// Soft and hard drops.
    pub drop: u32,
}

impl Points {
    /// All together.
    #[must_use]
    pub const fn total(self) -> u32 {
        self.base + self.back_to_back + self.combo + self.perfect + self.drop
    }

    /// Term by term.
    pub fn add(&mut self, other: Points) {
        self.base += other.base;
        self.back_to_back += other.back_to_back;
        self.combo += other.combo;
        self.perfect += other.perfect;
        self.drop += other.drop;
    }
}

/// By rows removed, 0 to 4.
const PLAIN: [u32; 5] = [0, 100, 300, 500, 800];
/// Three full rows fill all corners, which is no mini spin, and a T reaches no fourth: the last two are not
/// asked.
const MINI: [u32; 5] = [100, 200, 400, 400, 400];
/// The last is not asked.
const FULL: [u32; 5] = [400, 800, 1200, 1600, 1600];
/// Besides what the clear itself earns.
const PERFECT: [u32; 5] = [0, 800, 1200, 1800, 2000];

/// The points of a placement at level 1, drops left out (tetris.wiki Scoring, T-Spin).
///
/// | rows | 0 | 1 | 2 | 3 | 4 |
/// |---|---|---|---|---|---|
/// | no spin | 0 | 100 | 300 | 500 | 800 |
/// | mini T-spin | 100 | 200 | 400 | | |
/// | T-spin | 400 | 800 | 1200 | 1600 | |
/// | perfect clear, besides | | 800 | 1200 | 1800 | 2000 |
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::rules::guideline::{ComboState, Clear, Guideline, points};
/// let tetris = Clear { lines: 4, ..Clear::default() };
/// let before = ComboState { back_to_back: true, combo: 2 };
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
    let back_to_back = if before.back_to_back && multiplied { base / 2 } else { 0 };
    let combo = if lines > 0 { 50 * u32::from(before.combo) } else { 0 };
    let perfect = match (clear.perfect && lines > 0, lines, rules.perfect_tetris) {
        (false, ..) => 0,
        (true, 4, PerfectTetris::Guideline) if before.back_to_back => 3200,
        // 4000 in all, of which the tetris under back-to-back is 800 + 400 already.
        (true, 4, PerfectTetris::Total4000) if before.back_to_back => 4000 - 1200,
        _ => PERFECT[lines],
    };
    Points { base, back_to_back, combo, perfect, drop: 0 }
}
