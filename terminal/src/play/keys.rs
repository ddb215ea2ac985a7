//! Maps a human player's keys to actions of the game, reads the TOML that changes the map, and
//! computes repeats of held keys.

use std::collections::BTreeMap;

use ratatui::crossterm::event::ModifierKeyCode;

use crate::error::toml_problem;
use crate::files;
use crate::prelude::*;

tetrastat_core::names! {
    /// An action of a game that a key triggers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum GameKey as "action" {
        Left = "left",
        Right = "right",
        SoftDrop = "soft_drop",
        HardDrop = "hard_drop",
        TurnLeft = "turn_ccw",
        TurnRight = "turn_cw",
        Hold = "hold",
        Pause = "pause",
    }
}

impl GameKey {
    pub(super) fn label(self) -> &'static str {
        LABELS[self as usize]
    }

    fn default_keys(self) -> &'static [&'static str] {
        match self {
            GameKey::Left => &["a"],
            GameKey::Right => &["d"],
            GameKey::SoftDrop => &["s", "down"],
            GameKey::HardDrop => &["w", "up", "space"],
            GameKey::TurnLeft => &["left"],
            GameKey::TurnRight => &["right"],
            GameKey::Hold => &["lshift", "c", "e"],
            GameKey::Pause => &["p", "esc"],
        }
    }
}

const LABELS: [&str; 8] =
    ["left", "right", "soft drop", "hard drop", "turn left", "turn right", "hold", "pause"];

/// Names that TOML files use for the space bar and for keys without a character, such as `f1`.
const KEYS: [(&str, KeyCode); 31] = [
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("space", KeyCode::Char(' ')),
    ("enter", KeyCode::Enter),
    ("tab", KeyCode::Tab),
    ("esc", KeyCode::Esc),
    ("backspace", KeyCode::Backspace),
    ("insert", KeyCode::Insert),
    ("delete", KeyCode::Delete),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("lshift", KeyCode::Modifier(ModifierKeyCode::LeftShift)),
    ("rshift", KeyCode::Modifier(ModifierKeyCode::RightShift)),
    ("lctrl", KeyCode::Modifier(ModifierKeyCode::LeftControl)),
    ("rctrl", KeyCode::Modifier(ModifierKeyCode::RightControl)),
    ("f1", KeyCode::F(1)),
    ("f2", KeyCode::F(2)),
    ("f3", KeyCode::F(3)),
    ("f4", KeyCode::F(4)),
    ("f5", KeyCode::F(5)),
    ("f6", KeyCode::F(6)),
    ("f7", KeyCode::F(7)),
    ("f8", KeyCode::F(8)),
    ("f9", KeyCode::F(9)),
    ("f10", KeyCode::F(10)),
    ("f11", KeyCode::F(11)),
    ("f12", KeyCode::F(12)),
];

/// The human player's keys for every action of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyMap {
    names: BTreeMap<GameKey, Vec<String>>,
}

impl Default for KeyMap {
    fn default() -> KeyMap {
        let own = |action: GameKey| action.default_keys().iter().map(|key| (*key).to_owned());
        KeyMap { names: GameKey::ALL.map(|action| (action, own(action).collect())).into() }
    }
}

impl KeyMap {
    /// Reads the keys of the game's actions from a TOML file. Other actions keep their default
    /// keys.
    pub fn read(path: &Path) -> Result<KeyMap> {
        let text = files::read_text(path, files::SETTINGS)?;
        KeyMap::parse(&text).map_err(|error| Error::Config(format!("{}: {error}", path.display())))
    }

    /// Parses a map of keys from TOML: `action = "key"` or `action = ["key", ...]`.
    pub fn parse(text: &str) -> Result<KeyMap> {
        let table: toml::Table =
            toml::from_str(text).map_err(|error| Error::Config(toml_problem(text, &error)))?;
        let mut keys = KeyMap::default();
        for (name, value) in &table {
            keys.names.insert(name.parse()?, parse_keys(name, value)?);
        }
        keys.check()?;
        Ok(keys)
    }

    fn check(&self) -> Result<()> {
        let mut owners: BTreeMap<&str, GameKey> = BTreeMap::new();
        for (action, keys) in &self.names {
            for key in keys {
                if let Some(other) = owners.insert(key, *action) {
                    return Err(Error::Config(format!(
                        "key '{key}' is used for {} and for {}: give each action keys of its own",
                        other.name(),
                        action.name()
                    )));
                }
            }
        }
        Ok(())
    }

    pub(super) fn action(&self, code: KeyCode) -> Option<GameKey> {
        let name = key_name(code)?;
        let has = |keys: &Vec<String>| keys.contains(&name);
        self.names.iter().find(|(_, keys)| has(keys)).map(|(action, _)| *action)
    }

    /// Returns the names of an action's keys, such as `S ↓`. Without `modifiers`, modifier keys are
    /// listed only if there are no other keys.
    pub(super) fn key_labels(&self, action: GameKey, modifiers: bool) -> String {
        let keys = self.names.get(&action).map(Vec::as_slice).unwrap_or_default();
        let readable = |key: &&String| modifiers || !is_modifier(key);
        let mut shown: Vec<&String> = keys.iter().filter(readable).collect();
        if shown.is_empty() {
            shown = keys.iter().collect();
        }
        shown.into_iter().map(|key| key_label(key)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the TOML text of this map from the game's actions to keys.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = "\
# The keys of `tetrastat play`, for --key-map FILE. An action that is left out keeps these.
# A key is a character, or one of
"
        .to_owned();
        for names in KEYS.map(|(name, _)| name).chunks(10) {
            text += &format!("#   {}\n", names.join(" "));
        }
        text += "# Shift and ctrl alone are reported by terminals \
                 with the kitty keyboard protocol only.\n";
        for (action, keys) in &self.names {
            let keys: Vec<String> =
                keys.iter().map(|key| toml::Value::from(key.as_str()).to_string()).collect();
            text += &format!("{} = [{}]\n", action.name(), keys.join(", "));
        }
        text
    }
}

fn parse_keys(action: &str, value: &toml::Value) -> Result<Vec<String>> {
    let wrong = || {
        Error::Config(format!(
            "{action}: write the name of a key, or a list of them: {action} = [\"x\"]"
        ))
    };
    let given = match value {
        toml::Value::Array(keys) if !keys.is_empty() => keys.as_slice(),
        toml::Value::String(_) => std::slice::from_ref(value),
        _ => return Err(wrong()),
    };
    given.iter().map(|key| parse_key(key.as_str().ok_or_else(wrong)?)).collect()
}

fn parse_key(given: &str) -> Result<String> {
    let name = given.to_lowercase();
    let mut letters = name.chars();
    let single = match (letters.next(), letters.next()) {
        (Some(letter), None) => !letter.is_whitespace() && !letter.is_control(),
        _ => false,
    };
    if single || KEYS.iter().any(|(known, _)| *known == name) {
        return Ok(name);
    }
    let known = KEYS.iter().map(|(known, _)| *known);
    Err(Error::unknown("key", given, ["a single character"].into_iter().chain(known)))
}

fn key_name(code: KeyCode) -> Option<String> {
    let named = KEYS.iter().find(|(_, known)| *known == code).map(|(name, _)| (*name).to_owned());
    match code {
        KeyCode::Char(letter) => named.or_else(|| Some(letter.to_lowercase().to_string())),
        _ => named,
    }
}

fn is_modifier(name: &str) -> bool {
    let code = KEYS.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
    matches!(code, Some(KeyCode::Modifier(_)))
}

fn key_label(name: &str) -> String {
    match name {
        "left" => "←".to_owned(),
        "right" => "→".to_owned(),
        "up" => "↑".to_owned(),
        "down" => "↓".to_owned(),
        "lshift" => "LShift".to_owned(),
        "rshift" => "RShift".to_owned(),
        "lctrl" => "LCtrl".to_owned(),
        "rctrl" => "RCtrl".to_owned(),
        _ if name.chars().count() == 1 => name.to_uppercase(),
        _ => name[..1].to_uppercase() + &name[1..],
    }
}

/// The state of the two keys that move the falling piece left and right, with their repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shifting {
    /// True for each key that moves the falling piece (left, right) while it is held down.
    held: [bool; 2],
    /// Direction in which a held key moves the falling piece: -1 left, 1 right, 0 none.
    pub(super) direction: i32,
    pub(super) next: Option<u64>,
    /// True if the delay before a held key's first repeat (DAS) has passed.
    pub(super) charged: bool,
}

impl Shifting {
    pub(super) fn press(&mut self, direction: i32, now: u64, das: u64) {
        self.held[usize::from(direction > 0)] = true;
        *self = Shifting { held: self.held, direction, next: Some(now + das), charged: false };
    }

    /// Releases the key that shifts the piece left (`direction` -1) or right (1). If held, the
    /// opposite key takes over after the delay (DAS).
    pub(super) fn release(&mut self, direction: i32, now: u64, das: u64) {
        self.held[usize::from(direction > 0)] = false;
        if self.direction != direction {
            return;
        }
        *self = Shifting { held: self.held, ..Shifting::default() };
        if self.held[usize::from(direction < 0)] {
            self.press(-direction, now, das);
        }
    }

    /// Schedules the next repeat of a held left or right key, `arr` ms after `now`. With `arr` 0
    /// the piece moves at once instead.
    pub(super) fn repeated(&mut self, now: u64, arr: u64) {
        self.charged = true;
        self.next = (arr > 0).then_some(now + arr);
    }
}

pub(super) const GRAVITY_MS: u64 = 1000;
/// Milliseconds on the ground until a falling piece locks. A shift or a turn restarts this time.
pub(super) const LOCK_MS: u64 = 250;
/// Total milliseconds on the ground after which a falling piece locks regardless of moves.
pub(super) const FORCED_LOCK_MS: u64 = 2000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handling {
    /// Delay from the press of a left or right key to its first repeat (DAS), in milliseconds.
    pub(super) das_ms: u64,
    /// Time in ms between repeats of a held left or right key (ARR). 0 moves as far as possible.
    pub(super) arr_ms: u64,
    pub(super) soft_das_ms: u64,
    pub(super) soft_arr_ms: u64,
}

impl Handling {
    pub(super) const DEFAULT: Handling =
        Handling { das_ms: 150, arr_ms: 75, soft_das_ms: 75, soft_arr_ms: 35 };
    pub(super) const ADVANCED: Handling =
        Handling { das_ms: 150, arr_ms: 0, soft_das_ms: 70, soft_arr_ms: 15 };

    pub(super) const fn new(advanced: bool) -> Handling {
        if advanced { Handling::ADVANCED } else { Handling::DEFAULT }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_keys_are_the_capstones() {
        let keys = KeyMap::default();
        let action = |name: &str| {
            let named = KEYS.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
            keys.action(named.unwrap_or_else(|| KeyCode::Char(name.chars().next().unwrap())))
        };
        let want = [
            ("a", GameKey::Left),
            ("d", GameKey::Right),
            ("s", GameKey::SoftDrop),
            ("w", GameKey::HardDrop),
            ("left", GameKey::TurnLeft),
            ("right", GameKey::TurnRight),
            ("lshift", GameKey::Hold),
            ("c", GameKey::Hold),
        ];
        for (key, want) in want {
            assert_eq!(action(key), Some(want), "{key}");
        }
        assert_eq!(action("x"), None);
        assert_eq!(keys.action(KeyCode::CapsLock), None);
    }

    #[test]
    fn what_is_printed_reads_back() {
        let keys = KeyMap::default();
        assert_eq!(KeyMap::parse(&keys.to_toml()).unwrap(), keys);
        let quoted = KeyMap::parse("left = '\"'\nright = '\\'").unwrap();
        assert_eq!(KeyMap::parse(&quoted.to_toml()).unwrap(), quoted);
    }

    #[test]
    fn a_file_changes_what_it_names() {
        let keys = KeyMap::parse("left = \"J\"\nright = [\"l\", \"f2\"]").unwrap();
        assert_eq!(keys.action(KeyCode::Char('j')), Some(GameKey::Left));
        assert_eq!(keys.action(KeyCode::F(2)), Some(GameKey::Right));
        assert_eq!(keys.action(KeyCode::Char('a')), None);
        assert_eq!(keys.action(KeyCode::Char('w')), Some(GameKey::HardDrop));
        assert_eq!(keys.key_labels(GameKey::Right, true), "L F2");
    }

    #[test]
    fn shift_is_shown_where_it_is_read() {
        let keys = KeyMap::default();
        assert_eq!(keys.key_labels(GameKey::Hold, true), "LShift C E");
        assert_eq!(keys.key_labels(GameKey::Hold, false), "C E");
        assert_eq!(keys.key_labels(GameKey::HardDrop, true), "W ↑ Space");
        let only = KeyMap::parse("hold = 'lshift'").unwrap();
        assert_eq!(only.key_labels(GameKey::Hold, false), "LShift");
    }

    #[test]
    fn mistakes_are_one_clear_line() {
        let cases: [(&str, &[&str]); 9] = [
            ("jump = 'x'", &["unknown action 'jump'", "hard_drop"]),
            ("left = 'shift'", &["unknown key 'shift'", "'lshift'"]),
            ("left = 'xyzzy'", &["unknown key 'xyzzy'", "lshift", "a single character"]),
            ("left = 'd'", &["'d'", "left", "right"]),
            ("left = ['x', 'X']", &["'x'", "left and for left"]),
            ("left = []", &["left", "[\"x\"]"]),
            ("left = 3", &["left", "[\"x\"]"]),
            ("left = [3]", &["left", "[\"x\"]"]),
            ("left = ", &["line 1"]),
        ];
        for (text, words) in cases {
            let message = KeyMap::parse(text).unwrap_err().to_string();
            assert_eq!(message.lines().count(), 1, "{message}");
            for word in words {
                assert!(message.contains(word), "{text}: {message} lacks {word}");
            }
        }
        let missing = KeyMap::read(Path::new("none.toml")).unwrap_err().to_string();
        assert!(missing.contains("none.toml") && missing.contains("check the path"), "{missing}");
    }

    #[test]
    fn the_last_key_counts() {
        let mut keys = Shifting::default();
        keys.press(-1, 100, 150);
        assert_eq!((keys.direction, keys.next), (-1, Some(250)));
        keys.press(1, 200, 150);
        assert_eq!((keys.direction, keys.next), (1, Some(350)));
        keys.release(1, 300, 150);
        assert_eq!((keys.direction, keys.next, keys.charged), (-1, Some(450), false));
        keys.release(-1, 310, 150);
        assert_eq!(keys, Shifting::default());
    }

    #[test]
    fn releasing_a_key_that_does_not_count_changes_nothing() {
        let mut keys = Shifting::default();
        keys.press(-1, 0, 150);
        keys.press(1, 10, 150);
        keys.release(-1, 20, 150);
        assert_eq!((keys.direction, keys.next), (1, Some(160)));
        keys.release(1, 30, 150);
        assert_eq!(keys, Shifting::default());
    }

    #[test]
    fn without_time_between_repeats_there_is_no_next() {
        let mut keys = Shifting::default();
        keys.press(1, 0, 150);
        keys.repeated(150, 75);
        assert_eq!((keys.next, keys.charged), (Some(225), true));
        keys.repeated(225, 0);
        assert_eq!((keys.next, keys.charged), (None, true));
    }
}
