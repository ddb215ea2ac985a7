//! Defines the user's options for games of `tetrastat play`.

use super::keys::KeyMap;
use crate::rules::guideline::RuleSet;
use crate::sim::guideline::Mode;

/// Time of a Blitz in microseconds.
const BLITZ_US: u64 = 180_000_000;

/// The three games of the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayGame {
    /// Game to remove a fixed number of rows as fast as possible.
    Sprint,
    /// Game of three minutes for as many points as possible.
    Blitz,
    /// Practice game without an end.
    Practice,
}

impl PlayGame {
    /// All games, in the order of the menu.
    pub const ALL: [PlayGame; 3] = [PlayGame::Sprint, PlayGame::Blitz, PlayGame::Practice];

    /// Returns the name of the game on screens.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["Sprint", "Blitz", "Practice"][self as usize]
    }

    /// Returns the mode by which the game is named in tables, with its goal. `sprint_lines` is the
    /// goal of a Sprint.
    #[must_use]
    pub fn mode(self, sprint_lines: u32) -> Mode {
        match self {
            PlayGame::Sprint => Mode::Sprint { lines: sprint_lines },
            PlayGame::Blitz => Mode::Blitz { pieces: u32::MAX, time_us: BLITZ_US },
            PlayGame::Practice => Mode::Endless { pieces: u32::MAX },
        }
    }
}

/// The user's options for a session of `tetrastat play`.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// Rules of the game, including points.
    pub rules: RuleSet,
    /// Game to start without the menu, if any.
    pub kind: Option<PlayGame>,
    /// Number of rows of a Sprint.
    pub sprint_lines: u32,
    /// Seed from which every game's queue derives.
    pub seed: u64,
    /// True for advanced controls, in which keys repeat without delay.
    pub advanced: bool,
    /// Keys and their actions.
    pub keys: KeyMap,
    /// True if only the game of `kind` may be played, since a folder holds games of one mode.
    pub one_kind: bool,
}
