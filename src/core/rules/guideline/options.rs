//! Defines the rules in which guideline games differ: the presets of `data/rules/`, and users'
//! files.
//!
//! | key | `guideline` | `capstone` |
//! |---|---|---|
//! | `i_spawn_row`: row where I spawns (from 0; all others at row 20) | 20 | 21 |
//! | `falls_at_once`: a piece falls one row as it spawns | yes | no |
//! | `kept_rows`: rows kept at a lock | 32 (of 40) | 24: cells above are lost |
//! | `lock_out`: a piece locked wholly above the 20 visible rows ends the game | yes | no |
//! | `front_walls`: a wall beside a front corner counts as filled | yes | no |
//! | `fifth_kick`: the fifth kick makes a full T-spin | with three corners | always |
//! | `multiplied_zero_spins`: points of a T-spin without lines under back-to-back | 400 | 600 |
//! | `perfect_tetris`: points of a tetris perfect clear under back-to-back | 1200 + 3200 | 4000 |
//!
//! The presets `jstris`, `botris`, `tetrio-1`, `tetrio-2` and `puyo-puyo-tetris` differ from
//! `guideline` in attack, spins, kicks and previews.

use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::landing::Landing;
use super::points::AttackTable;
use super::srs::Kicks;
use crate::error::{Error, Result, name_problem, quoted, toml_problem};
use crate::files;
use crate::matrix::{ROWS, VISIBLE};
use crate::rules::RULES_NAMES;

/// The condition under which the fifth kick of a turn makes a T-spin full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FifthKick {
    /// The T-spin is full if three corners are filled.
    WithCorners,
    /// The T-spin is always full.
    Alone,
}

/// The points of a tetris that empties the matrix under back-to-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PerfectTetris {
    /// 1200 points for the tetris and 3200 for the perfect clear.
    Guideline,
    /// 4000 points for the tetris and the perfect clear together.
    #[serde(rename = "total-4000")]
    Total4000,
}

/// The pieces that can spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spins {
    /// Only T pieces can spin, judged by the filled corners around the centre cell.
    T,
    /// T spins by its corners. Any piece without a full spin has a mini spin if it cannot move
    /// left, right or up.
    AllMini,
    /// Every piece has a full spin if it cannot move left, right or up. Corners do not matter.
    All,
}

/// Largest number of previews (visible next pieces): two bags and one piece.
pub const MAX_PREVIEWS: usize = 15;

/// Declares the struct of guideline rules, and a struct of options that changes some of them.
macro_rules! rules {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)+) => {
        /// The rules of a guideline game. [`RuleSet`] reads them from a preset or a file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Guideline {
            $($(#[$doc])* pub $field: $type,)+
        }

        /// Changes to guideline rules, from the keys of a rules file or a command's options; `None`
        /// leaves a rule unchanged.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct RuleOptions {
            /// Name of the changed rules.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Publication or program that the rules are taken from, for readers of the rules file.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub source: Option<String>,
            /// Name of the preset that a rules file changes; `guideline` if missing.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub preset: Option<String>,
            $($(#[$doc])* #[serde(default, skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,)+
        }

        impl RuleOptions {
            /// Returns the guideline rules `rules` with the changes that these options make.
            #[must_use]
            pub fn merge_over(&self, rules: Guideline) -> Guideline {
                Guideline { $($field: self.$field.unwrap_or(rules.$field),)+ }
            }

            pub(super) fn complete(&self) -> Option<Guideline> {
                Some(Guideline { $($field: self.$field?,)+ })
            }

            #[must_use]
            pub(super) fn from_rules(name: &str, rules: Guideline) -> RuleOptions {
                RuleOptions {
                    name: Some(name.to_owned()),
                    $($field: Some(rules.$field),)+
                    ..RuleOptions::default()
                }
            }
        }
    };
}

rules! {
    /// Table of the kicks that a turning piece tries.
    kicks: Kicks,
    /// True if a piece may turn by half a turn at once.
    half_turns: bool,
    /// True if the player may hold a piece for later.
    hold: bool,
    /// Number of visible pieces after the current one, 0 to [`MAX_PREVIEWS`].
    previews: u8,
    /// Row of the centre cell of I at its spawn; all other pieces spawn at row 20.
    i_spawn_row: u8,
    /// True if a piece falls one row as it spawns, if it can.
    falls_at_once: bool,
    /// Number of rows kept when a piece locks; cells above them are lost.
    kept_rows: u8,
    /// True if a piece that locks wholly above the 20 visible rows ends the game.
    lock_out: bool,
    /// True if a front corner of a T counts as filled when it lies outside the board, in a wall or
    /// the floor.
    front_walls: bool,
    /// Condition under which the fifth kick of a turn makes a T-spin full.
    fifth_kick: FifthKick,
    /// True if back-to-back multiplies the points of a T-spin that removes no rows.
    multiplied_zero_spins: bool,
    /// Points of a tetris that empties the matrix under back-to-back.
    perfect_tetris: PerfectTetris,
    /// Pieces that can spin: only T, or all pieces.
    spins: Spins,
    /// Table of the rows of garbage that placements send to an opponent.
    attack: AttackTable,
}

impl Guideline {
    /// Returns the guideline rules of the preset `guideline`.
    #[must_use]
    pub fn official() -> Guideline {
        *RuleSet::official()
    }

    /// Returns the guideline rules of the preset `capstone`.
    #[must_use]
    pub fn capstone() -> Guideline {
        *RuleSet::capstone()
    }

    /// Returns true if a piece that locks at `landing` ends the game (lock out).
    #[must_use]
    #[inline]
    pub fn loses(&self, landing: Landing) -> bool {
        self.lock_out && landing.is_above(VISIBLE)
    }

    /// Checks that the numbers in the guideline rules, such as the number of previews, are in
    /// range.
    pub fn check(&self) -> Result<()> {
        let fail = |problem: String| Err(Error::Config(problem));
        if usize::from(self.previews) > MAX_PREVIEWS {
            return fail(format!("{} previews: use 0 to {MAX_PREVIEWS}", self.previews));
        }
        if !(20..=22).contains(&self.i_spawn_row) {
            return fail(format!("I spawns at row {}: use 20 to 22", self.i_spawn_row));
        }
        if !(22..=ROWS as u8).contains(&self.kept_rows) {
            return fail(format!("{} rows kept: use 22 to {ROWS}", self.kept_rows));
        }
        Ok(())
    }
}

/// Names of the presets of guideline rules.
pub const GUIDELINE_NAMES: [&str; 7] =
    ["guideline", "capstone", "jstris", "botris", "tetrio-1", "tetrio-2", "puyo-puyo-tetris"];

// The folder `rule_sets` is a link to `data/rules/`, because a published crate includes only files
// in its own folder.
const FILES: [&str; GUIDELINE_NAMES.len()] = [
    include_str!("../../rule_sets/guideline.toml"),
    include_str!("../../rule_sets/capstone.toml"),
    include_str!("../../rule_sets/jstris.toml"),
    include_str!("../../rule_sets/botris.toml"),
    include_str!("../../rule_sets/tetrio-1.toml"),
    include_str!("../../rule_sets/tetrio-2.toml"),
    include_str!("../../rule_sets/puyo-puyo-tetris.toml"),
];

static PRESETS: LazyLock<[RuleSet; FILES.len()]> = LazyLock::new(|| {
    // Parsing cannot fail, because a test parses every preset.
    let parsed = |text| RuleOptions::parse(text).unwrap_or_else(|error| unreachable!("{error}"));
    let whole = parsed(FILES[0]).complete();
    let official = whole.unwrap_or_else(|| unreachable!("a key of the first preset is missing"));
    FILES.map(|text| {
        let file = parsed(text);
        RuleSet::new(&file.name.clone().unwrap_or_default(), file.merge_over(official))
    })
});

impl RuleOptions {
    fn parse(text: &str) -> std::result::Result<RuleOptions, String> {
        toml::from_str(text).map_err(|error| toml_problem(text, &error))
    }
}

/// Named guideline rules: those of a preset or a file, with a command's options applied.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::rules::guideline::{RuleOptions, RuleSet};
/// let rules = RuleSet::parse("wide.toml", "previews = 6\nhold = false")?;
/// assert_eq!((rules.previews, rules.hold, rules.lock_out), (6, false, true));
/// let options = RuleOptions { half_turns: Some(true), ..RuleOptions::default() };
/// assert_eq!(rules.with(&options).to_string(), "wide (changed)");
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "RecordedRuleSet", try_from = "RecordedRuleSet")]
pub struct RuleSet {
    name: Box<str>,
    base: Box<Guideline>,
    /// Guideline rules after a command's options are applied.
    rules: Box<Guideline>,
}

impl RuleSet {
    fn new(name: &str, rules: Guideline) -> RuleSet {
        RuleSet { name: name.into(), base: Box::new(rules), rules: Box::new(rules) }
    }

    /// Returns the guideline rules of the preset `guideline`, with their name.
    #[must_use]
    pub fn official() -> RuleSet {
        PRESETS[0].clone()
    }

    /// Returns the guideline rules of the preset `capstone`, with their name.
    #[must_use]
    pub fn capstone() -> RuleSet {
        PRESETS[1].clone()
    }

    /// Returns the guideline rules of the preset called `name`.
    pub fn named(name: &str) -> Result<RuleSet> {
        match PRESETS.iter().find(|preset| *preset.name == *name) {
            Some(preset) => Ok(preset.clone()),
            None if RULES_NAMES.contains(&name) => Err(Error::Config(format!(
                "rules '{name}' are for classic games, not for guideline games: here use one of {}",
                GUIDELINE_NAMES.join(", ")
            ))),
            None => {
                let known = GUIDELINE_NAMES.into_iter().chain(["a .toml file"]);
                Err(Error::unknown_or_file("guideline rules", name, known))
            }
        }
    }

    /// Returns the guideline rules of a preset, by its name, or of a file, by its path.
    pub fn load(name_or_path: &str) -> Result<RuleSet> {
        let is_name = GUIDELINE_NAMES.iter().chain(&RULES_NAMES).any(|name| *name == name_or_path);
        if is_name || !RuleSet::is_file(name_or_path) {
            return RuleSet::named(name_or_path);
        }
        let text = files::read_text(Path::new(name_or_path), files::SETTINGS)?;
        RuleSet::parse(name_or_path, &text)
    }

    /// Returns true if `word`, which names no preset, is the path of a file or ends in `.toml`.
    #[must_use]
    pub fn is_file(word: &str) -> bool {
        let path = Path::new(word);
        path.extension().is_some_and(|extension| extension == "toml") || path.is_file()
    }

    /// Parses the text of a file of guideline rules; error messages name its path, `origin`.
    pub fn parse(origin: &str, text: &str) -> Result<RuleSet> {
        let wrong = |problem: String| Error::Config(format!("rules {}: {problem}", quoted(origin)));
        let file = RuleOptions::parse(text)
            .map_err(|problem| wrong(format!("{problem} (see data/rules/ for examples)")))?;
        let stem = Path::new(origin).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        RuleSet::from_options(&RuleOptions { name: file.name.clone().or(Some(stem)), ..file })
            .map_err(|error| wrong(error.to_string()))
    }

    /// Creates guideline rules from the keys of a rules file or of a run's recorded settings.
    pub fn from_options(file: &RuleOptions) -> Result<RuleSet> {
        let preset = match &file.preset {
            None => RuleSet::official(),
            Some(name) if GUIDELINE_NAMES.contains(&&**name) => RuleSet::named(name)?,
            Some(name) => return Err(Error::unknown("preset", name, GUIDELINE_NAMES)),
        };
        let name = file.name.clone().unwrap_or_default();
        if let Some(problem) = name_problem(&name) {
            return Err(Error::Config(format!("name: {problem}")));
        }
        if GUIDELINE_NAMES.contains(&&*name) || RULES_NAMES.contains(&&*name) {
            return Err(Error::Config(format!("name: '{name}' is a preset, give another name")));
        }
        let base = file.merge_over(*preset.base);
        base.check()?;
        Ok(RuleSet::new(&name, base))
    }

    /// Returns a copy of these guideline rules changed by `options`.
    #[must_use]
    pub fn with(&self, options: &RuleOptions) -> RuleSet {
        RuleSet { rules: Box::new(options.merge_over(*self.rules)), ..self.clone() }
    }

    /// Returns the name of the preset that the rules come from, or `None` for rules of a file.
    #[must_use]
    pub fn preset_name(&self) -> Option<&'static str> {
        GUIDELINE_NAMES.into_iter().find(|name| **name == *self.name)
    }

    /// Returns true if a command's options changed a rule other than hold and previews.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        let Guideline { hold, previews, .. } = *self.rules;
        Guideline { hold, previews, ..*self.base } != *self.rules
    }

    /// Returns the guideline rules of a user's file, without options, or `None` for a preset.
    #[must_use]
    pub fn file(&self) -> Option<RuleOptions> {
        self.preset_name().is_none().then(|| RuleOptions::from_rules(&self.name, *self.base))
    }
}

#[derive(Serialize, Deserialize)]
struct RecordedRuleSet {
    rules: String,
    preset: Option<String>,
    rule_set: Option<RuleOptions>,
    kicks: Kicks,
    half_turns: bool,
    hold: bool,
    previews: u8,
}

impl From<RuleSet> for RecordedRuleSet {
    fn from(rules: RuleSet) -> RecordedRuleSet {
        RecordedRuleSet {
            rules: rules.to_string(),
            preset: rules.preset_name().map(str::to_owned),
            rule_set: rules.file(),
            kicks: rules.kicks,
            half_turns: rules.half_turns,
            hold: rules.hold,
            previews: rules.previews,
        }
    }
}

impl TryFrom<RecordedRuleSet> for RuleSet {
    type Error = Error;

    fn try_from(recorded: RecordedRuleSet) -> Result<RuleSet> {
        let RecordedRuleSet { rules, preset, rule_set, kicks, half_turns, hold, previews } =
            recorded;
        let base = match &rule_set {
            Some(file) => RuleSet::from_options(file)?,
            None => RuleSet::named(&preset.unwrap_or(rules))?,
        };
        Ok(base.with(&RuleOptions {
            kicks: Some(kicks),
            half_turns: Some(half_turns),
            hold: Some(hold),
            previews: Some(previews),
            ..RuleOptions::default()
        }))
    }
}

impl Deref for RuleSet {
    type Target = Guideline;

    fn deref(&self) -> &Guideline {
        &self.rules
    }
}

impl FromStr for RuleSet {
    type Err = Error;

    fn from_str(name_or_path: &str) -> Result<RuleSet> {
        RuleSet::load(name_or_path)
    }
}

impl fmt::Display for RuleSet {
    /// Writes the name of the guideline rules, followed by ` (changed)` if options changed them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let note = if self.is_changed() { " (changed)" } else { "" };
        write!(f, "{}{note}", self.name)
    }
}
