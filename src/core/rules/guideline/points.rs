//! Computes the points of a placement, and the rows of garbage that it sends to an opponent.
//!
//! The rows come from the table `[attack]` of a rules file. Numbers there may have decimals, and
//! the rows sent are rounded down:
//!
//! ```text
//! rows = clear + back_to_back[chain] + combo[c]
//! sent = max(rows * (1 + combo_factor * c), combo_floor[c]) + perfect_clear + surge
//! ```
//!
//! `chain` is the number of difficult clears in a row before the placement, less one, and `c` the
//! number of consecutive placements with clears before it. Some games let a perfect clear replace
//! `clear`, or all of the first line ([`PerfectAttack`]).

use serde::{Deserialize, Serialize};

use super::{Guideline, PerfectTetris};
use crate::placement::Spin;

/// The properties of a placement that determine its points: rows removed, spin and perfect clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Clear {
    /// Number of rows that the placement removed, 0 to 4.
    pub lines: u8,
    /// Spin of the placement.
    pub spin: Spin,
    /// True if the matrix is empty after the placement.
    pub perfect: bool,
}

impl Clear {
    /// Returns true if the clear continues back-to-back: a tetris, or a spin that removes rows.
    #[must_use]
    pub const fn is_difficult(self) -> bool {
        self.lines == 4 || (self.lines > 0 && !matches!(self.spin, Spin::None))
    }
}

/// The effect of earlier clears on the points of the next placement: back-to-back and combo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ComboState {
    /// Length of the back-to-back chain: number of consecutive difficult clears
    /// ([`Clear::is_difficult`]), up to [`AttackTable::longest_chain`].
    pub chain: u8,
    /// Number of consecutive placements that removed rows.
    pub combo: u8,
}

impl ComboState {
    /// Returns true if back-to-back is active: the last clear was a tetris, or a spin with rows.
    #[must_use]
    pub const fn back_to_back(self) -> bool {
        self.chain > 0
    }

    /// Returns the back-to-back chain and the combo after a placement.
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
    /// Points for the rows removed and the spin, without any bonus.
    pub base: u32,
    /// Additional points for back-to-back: half of the points for rows and spin.
    pub back_to_back: u32,
    /// Points of the combo: 50 for each of the consecutive clears just before the placement.
    pub combo: u32,
    /// Points for a perfect clear, which empties the matrix.
    pub perfect: u32,
    /// Points for the rows that the piece fell by soft and hard drops.
    pub drop: u32,
}

impl Points {
    /// Returns the sum of a placement's points of all causes.
    #[must_use]
    pub const fn total(self) -> u32 {
        self.base + self.back_to_back + self.combo + self.perfect + self.drop
    }

    /// Adds the points of `other` to these points, separately for each cause.
    pub fn add(&mut self, other: Points) {
        self.base += other.base;
        self.back_to_back += other.back_to_back;
        self.combo += other.combo;
        self.perfect += other.perfect;
        self.drop += other.drop;
    }
}

const CLEAR_POINTS: [u32; 5] = [0, 100, 300, 500, 800];
// A T earns none of the last two, as its triple is full.
const MINI_SPIN_POINTS: [u32; 5] = [100, 200, 400, 400, 400];
// The last is an I's, since a T removes at most three.
const FULL_SPIN_POINTS: [u32; 5] = [400, 800, 1200, 1600, 1600];
const PERFECT_CLEAR_POINTS: [u32; 5] = [0, 800, 1200, 1800, 2000];

/// Returns the points of a placement at level 1, without the points of soft and hard drops.
#[must_use]
pub fn points(rules: &Guideline, clear: Clear, before: ComboState) -> Points {
    // Source: tetris.wiki, Scoring and T-Spin.
    let lines = clear.lines as usize;
    let base = match clear.spin {
        Spin::None => CLEAR_POINTS[lines],
        Spin::Mini => MINI_SPIN_POINTS[lines],
        Spin::Full => FULL_SPIN_POINTS[lines],
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
        _ => PERFECT_CLEAR_POINTS[lines],
    };
    Points { base, back_to_back, combo, perfect, drop: 0 }
}

/// Number of units in one row of garbage. Garbage is counted in whole units, whose sums are exact.
const UNITS_PER_ROW: u64 = 1_000_000;

const LARGEST_ROWS: f64 = 1000.0;

const LONGEST_LIST: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
struct Rows(u64);

impl TryFrom<f64> for Rows {
    type Error = String;

    fn try_from(rows: f64) -> Result<Rows, String> {
        match (0.0..=LARGEST_ROWS).contains(&rows) {
            true => Ok(Rows((rows * UNITS_PER_ROW as f64).round() as u64)),
            false => Err(format!("{rows} rows: use 0 to {LARGEST_ROWS}")),
        }
    }
}

impl From<Rows> for f64 {
    fn from(Rows(parts): Rows) -> f64 {
        parts as f64 / UNITS_PER_ROW as f64
    }
}

/// Rows of garbage by a counter such as the combo; larger counts use the last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<Rows>", into = "Vec<Rows>")]
struct RowsByCounter {
    entries: [Rows; LONGEST_LIST],
    len: usize,
}

impl RowsByCounter {
    #[inline]
    fn at(&self, counter: usize) -> u64 {
        if self.len == 0 { 0 } else { self.entries[counter.min(self.len - 1)].0 }
    }
}

impl TryFrom<Vec<Rows>> for RowsByCounter {
    type Error = String;

    fn try_from(list: Vec<Rows>) -> Result<RowsByCounter, String> {
        if list.len() > LONGEST_LIST {
            return Err(format!("{} numbers: give at most {LONGEST_LIST}", list.len()));
        }
        let mut levels = RowsByCounter { len: list.len(), ..RowsByCounter::default() };
        levels.entries[..list.len()].copy_from_slice(&list);
        Ok(levels)
    }
}

impl From<RowsByCounter> for Vec<Rows> {
    fn from(levels: RowsByCounter) -> Vec<Rows> {
        levels.entries[..levels.len].to_vec()
    }
}

/// The rows of garbage that a perfect clear sends besides the fixed bonus of perfect clears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PerfectAttack {
    /// All rows of garbage that the placement would send if the matrix were not empty.
    #[default]
    All,
    /// Only the bonuses of back-to-back and combo, not the rows of the clear itself.
    Bonuses,
    /// No rows besides the perfect clear's own bonus.
    Nothing,
}

/// The attack table of guideline rules: rows of garbage that clears send. Keys left out are 0.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::rules::guideline::{Clear, ComboState, Guideline};
/// let rules = Guideline::official();
/// let tetris = Clear { lines: 4, ..Clear::default() };
/// assert_eq!(rules.attack.lines_sent(tetris, ComboState::default()), 4);
/// assert_eq!(rules.attack.lines_sent(tetris, ComboState { chain: 1, combo: 0 }), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttackTable {
    /// Rows of garbage sent by a clear without spin, by the number of rows removed, from 0.
    clears: RowsByCounter,
    mini_spins: RowsByCounter,
    full_spins: RowsByCounter,
    /// Rows of garbage added to a difficult clear, by the length of the back-to-back chain before
    /// the clear, from 1.
    back_to_back: RowsByCounter,
    /// Rows of garbage added to a clear, by the number of consecutive clears before it, from 0.
    combo: RowsByCounter,
    /// Combo factor: after n consecutive clears, a clear sends its rows and bonuses multiplied by
    /// `1 + n * combo_factor`.
    combo_factor: Rows,
    /// Least rows of garbage that a clear sends, by the number of consecutive clears before the
    /// clear, from 0.
    combo_floor: RowsByCounter,
    perfect_clear: Rows,
    /// Rows of garbage that a perfect clear sends in addition to those of `perfect_clear`.
    perfect_clear_adds: PerfectAttack,
    /// True if a perfect clear continues a back-to-back chain, whatever the clear.
    perfect_clear_keeps_chain: bool,
    /// Smallest length of a back-to-back chain that sends garbage when it ends, `length - 1` rows;
    /// 0 if chains send none.
    surge_from: u8,
}

impl AttackTable {
    /// Returns the number of garbage rows that a placement sends to an opponent. `before` holds the
    /// back-to-back chain and combo before the placement.
    #[must_use]
    #[inline]
    pub fn lines_sent(&self, clear: Clear, before: ComboState) -> u32 {
        let (rows, combo) = (usize::from(clear.lines), usize::from(before.combo));
        if rows == 0 && clear.spin == Spin::None {
            return 0;
        }
        let own = match clear.spin {
            Spin::None => &self.clears,
            Spin::Mini => &self.mini_spins,
            Spin::Full => &self.full_spins,
        };
        let own = own.at(rows);
        if rows == 0 {
            return (own / UNITS_PER_ROW) as u32;
        }
        let chain = usize::from(before.chain);
        let is_bonus = clear.is_difficult() && chain > 0;
        let mut bonus = if is_bonus { self.back_to_back.at(chain - 1) } else { 0 };
        bonus += self.combo.at(combo);
        let (own, bonus, perfect) = match self.perfect_clear_adds {
            _ if !clear.perfect => (own, bonus, 0),
            PerfectAttack::All => (own, bonus, self.perfect_clear.0),
            PerfectAttack::Bonuses => (0, bonus, self.perfect_clear.0),
            PerfectAttack::Nothing => (0, 0, self.perfect_clear.0),
        };
        let factor = UNITS_PER_ROW + self.combo_factor.0 * combo as u64;
        let sent = ((own + bonus) * factor / UNITS_PER_ROW).max(self.combo_floor.at(combo));
        let ends_chain = chain > 0 && self.chain_after(before, clear) == 0;
        let is_surge = ends_chain && self.surge_from > 0 && before.chain >= self.surge_from;
        let surge = if is_surge { chain as u64 - 1 } else { 0 };
        (surge + (sent + perfect) / UNITS_PER_ROW) as u32
    }

    #[inline]
    pub(super) fn chain_after(&self, before: ComboState, clear: Clear) -> u8 {
        let goes_on = clear.is_difficult() || (clear.perfect && self.perfect_clear_keeps_chain);
        if goes_on { before.chain.saturating_add(1).min(self.longest_chain()) } else { 0 }
    }

    /// Returns the largest length of a back-to-back chain that is counted. Longer chains have the
    /// same effect.
    #[must_use]
    pub fn longest_chain(&self) -> u8 {
        if self.surge_from > 0 { u8::MAX } else { self.back_to_back.len.max(1) as u8 }
    }
}
