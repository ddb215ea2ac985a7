//! Defines the times of a human player's game: falling, locking and repeats of keys. They are taken
//! from the game on which the `capstone` rules are based.

/// Milliseconds that a piece takes to fall one row.
pub const GRAVITY_MS: u64 = 1000;
/// Milliseconds on the ground until a piece locks. A shift or a turn restarts this time.
pub const LOCK_MS: u64 = 250;
/// Total milliseconds on the ground after which a piece locks regardless of moves.
pub const FORCED_LOCK_MS: u64 = 2000;

/// The repeat times of held keys, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handling {
    /// Time from the press of a shift key to its first repeat (DAS).
    pub das_ms: u64,
    /// Time from one repeat to the next (ARR). 0 shifts as far as possible at once.
    pub arr_ms: u64,
    /// Time from the press of soft drop to its first repeat.
    pub soft_das_ms: u64,
    /// Time from one soft-drop row to the next.
    pub soft_arr_ms: u64,
}

impl Handling {
    /// Times of the default controls.
    pub const USUAL: Handling =
        Handling { das_ms: 150, arr_ms: 75, soft_das_ms: 75, soft_arr_ms: 35 };
    /// Times of the advanced controls.
    pub const ADVANCED: Handling =
        Handling { das_ms: 150, arr_ms: 0, soft_das_ms: 70, soft_arr_ms: 15 };

    /// Returns the times with or without advanced controls.
    #[must_use]
    pub const fn new(advanced: bool) -> Handling {
        if advanced { Handling::ADVANCED } else { Handling::USUAL }
    }
}
