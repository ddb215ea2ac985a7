//! The times of a person's game, those of the capstone's.

/// Milliseconds that a piece takes to fall one row.
pub const GRAVITY_MS: u64 = 1000;
/// Milliseconds on the ground until a piece locks; a shift or a turn begins them anew.
pub const LOCK_MS: u64 = 250;
/// Milliseconds on the ground, all together, until a piece locks whatever is done.
pub const FORCED_LOCK_MS: u64 = 2000;

/// When keys that are held down repeat, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handling {
    /// From the press of a shift key to its first repeat (DAS).
    pub das_ms: u64,
    /// From one repeat to the next (ARR); 0 shifts as far as it goes.
    pub arr_ms: u64,
    /// From the press of soft drop to its first repeat.
    pub soft_das_ms: u64,
    /// From one row to the next.
    pub soft_arr_ms: u64,
}

impl Handling {
    /// The usual times.
    pub const USUAL: Handling =
        Handling { das_ms: 150, arr_ms: 75, soft_das_ms: 75, soft_arr_ms: 35 };
    /// Advanced controls.
    pub const ADVANCED: Handling =
        Handling { das_ms: 150, arr_ms: 0, soft_das_ms: 70, soft_arr_ms: 15 };

    /// The one or the other.
    #[must_use]
    pub const fn new(advanced: bool) -> Handling {
        if advanced { Handling::ADVANCED } else { Handling::USUAL }
    }
}
