//! What the user asked for.

use super::keys::KeyMap;
use crate::rules::guideline::RuleSet;
use crate::sim::guideline::Mode;

/// Time of a Blitz.
const BLITZ_US: u64 = 180_000_000;

/// The three games of the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayGame {
    /// So many rows, as fast as possible.
    Sprint,
    /// As many points as possible in three minutes.
    Blitz,
    /// Without end.
    Practice,
}

impl PlayGame {
    /// All, in the order of the menu.
    pub const ALL: [PlayGame; 3] = [PlayGame::Sprint, PlayGame::Blitz, PlayGame::Practice];

    /// What screens call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["Sprint", "Blitz", "Practice"][self as usize]
    }

    /// What the tables call it, with its goal.
    #[must_use]
    pub fn mode(self, sprint_lines: u32) -> Mode {
        match self {
            PlayGame::Sprint => Mode::Sprint { lines: sprint_lines },
            PlayGame::Blitz => Mode::Blitz { pieces: u32::MAX, time_us: BLITZ_US },
            PlayGame::Practice => Mode::Endless { pieces: u32::MAX },
        }
    }
}

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The rules, points among them.
    pub rules: RuleSet,
    /// The game to begin with, without the menu.
    pub kind: Option<PlayGame>,
    /// Rows of a Sprint.
    pub sprint_lines: u32,
    /// The seed that every game's queue derives from.
    pub seed: u64,
    /// Whether keys repeat without delay.
    pub advanced: bool,
    /// Which keys do what.
    pub keys: KeyMap,
    /// Whether only the game of `kind` may be played: a folder holds games of one mode.
    pub one_kind: bool,
}
