//! Names the settings that messages mention, as library users or command-line users write them.
//!
//! A library user writes a field or an argument, `max_pieces`; a command-line user writes
//! `--max-pieces`. A program with options calls [`are_options`] once at its start. Messages are
//! created deep in the library and stored as text in run folders, so they cannot be translated
//! later.
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::error::setting::{self, MAX_PIECES};
//! assert_eq!(format!("raise {MAX_PIECES}"), "raise max_pieces");
//! setting::are_options();
//! assert_eq!(format!("raise {MAX_PIECES}"), "raise --max-pieces");
//! ```

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A setting of the program. The field is its name in commands and files: words joined by `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting(&'static str);

impl Setting {
    /// Returns the setting's name in commands and files, without leading dashes: `max-pieces`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// True if messages name settings as command-line options (`--max-pieces`).
static OPTIONS: AtomicBool = AtomicBool::new(false);

/// Makes all later messages of this process name settings as command-line options.
pub fn are_options() {
    OPTIONS.store(true, Ordering::Relaxed);
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if OPTIONS.load(Ordering::Relaxed) {
            return write!(f, "--{}", self.0);
        }
        f.write_str(&self.0.replace('-', "_"))
    }
}

macro_rules! settings {
    ($($constant:ident $name:literal)*) => {
        $(
            #[doc = concat!("`", $name, "`.")]
            pub const $constant: Setting = Setting($name);
        )*
        /// All settings that messages mention; a test compares them with the commands' options.
        pub const ALL: &[Setting] = &[$($constant),*];
    };
}

settings! {
    ALLOW_BOT "allow-bot"
    BOARD "board"
    BOARD_FILE "board-file"
    BOT_SECONDS "bot-seconds"
    BUDGET "budget"
    CANDIDATES "candidates"
    CHEESE_ROWS "cheese-rows"
    COLUMNS "columns"
    CYCLE "cycle"
    EVERY "every"
    FORCE "force"
    FROM "from"
    GAME "game"
    GAMES "games"
    GARBAGE "garbage"
    GARBAGE_EVERY "garbage-every"
    GARBAGE_MESSINESS "garbage-messiness"
    LOST "lost"
    MAX_LINES "max-lines"
    MAX_PIECES "max-pieces"
    MAX_REPLICATES "max-replicates"
    MAX_ROUNDS "max-rounds"
    MAX_STATES "max-states"
    MODE "mode"
    MOVEMENT "movement"
    OBJECTIVE "objective"
    ONLY_LAST "only-last"
    OUT "out"
    PIECES "pieces"
    PLACEMENTS "placements"
    POLICY "policy"
    POPULATION "population"
    PPS "pps"
    PRECISION "precision"
    QUEUE "queue"
    REGRET "regret"
    REPLICATES "replicates"
    RESUME "resume"
    ROUNDS "rounds"
    RULES "rules"
    SAMPLE_GAMES "sample-games"
    SCRIPT "script"
    SEARCH "search"
    SECONDS "seconds"
    SEED "seed"
    SHARD "shard"
    SIMD "simd"
    SPRINT_LINES "sprint-lines"
    THREADS "threads"
    TO "to"
    UNTIL_HALFWIDTH "until-halfwidth"
    WHERE "where"
}
