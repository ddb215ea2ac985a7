//! Selects some games of a log and reads the placements at the start and end of each game.

use std::ops::RangeInclusive;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::explained::{Explained, LoggedGame, logged_game};
use super::tables::Heading;
use crate::board::Board;
use crate::error::Result;
use crate::record::{Column, LoggedRow, RowFilter, Rows, TableFile};
use crate::rules::Garbage;
use tetrastat_core::names::hex_seed;

/// Number of shown placements at or below which a game is not shortened further.
const MIN_PLACEMENTS: usize = 60;
/// Divisor that gives the share of shown placements from a game's start: a quarter. The rest is
/// from the end of the game, for which readers look.
const HEAD_DIVISOR: usize = 4;

/// Placements of one game: all, or those at its start and end.
#[derive(Debug, Serialize)]
pub struct ShownGame {
    /// Condition that the game belongs to. `None` outside a study.
    pub condition: Option<String>,
    /// Number of the game in its run.
    pub game: u64,
    /// Description of the game among the games of its run, such as "the longest".
    pub label: String,
    /// Number of placements in the whole game.
    pub pieces: u64,
    /// Width and height of the board, in columns and rows.
    pub board: [usize; 2],
    /// Board at the start, written as in a log. `None` for an empty board.
    pub start: Option<String>,
    /// True if garbage rows enter from below, which the logged boards do not show.
    pub rises: bool,
    /// Shown columns of the log table.
    pub columns: Vec<Heading>,
    /// Values of the shown placements, one list per column of `columns`. A last list has the cells
    /// of each placement as `x:y;x:y;...`.
    pub data: Vec<Vec<Value>>,
    /// Number of shown placements from the start of the game. The others are from its end.
    pub head: usize,
    /// Explanations of the placements; `None` for a human player's game.
    pub explained: Option<Explained>,
    /// Placements to explain, rebuilt from their rows.
    #[serde(skip)]
    pub(super) logged: Option<Box<dyn LoggedGame>>,
}

/// The games to read from a log, and the maximum number of placements to show of each.
pub(super) struct Picker {
    games: Vec<ShownGame>,
    most: usize,
}

impl Picker {
    /// Picks the first, the shortest, the median and the longest game of a run's `games` table.
    /// `most` is the maximum number of placements to show of each game.
    ///
    /// # Errors
    /// Returns the errors of [`TableFile::values`].
    pub(super) fn new(games: &TableFile, config: &Value, most: usize) -> Result<Picker> {
        let numbers = games.values("game", None)?;
        let pieces = games.values("pieces", None)?;
        let of = |((number, _), (pieces, _)): (&(f64, bool), &(f64, bool))| {
            (*number as u64, *pieces as u64)
        };
        let mut all: Vec<(u64, u64)> = numbers.iter().zip(&pieces).map(of).collect();
        let first = all.first().copied();
        all.sort_by_key(|&(game, pieces)| (pieces, game));
        let named = [
            (first, "the first"),
            (all.last().copied(), "the longest"),
            (all.get(all.len() / 2).copied(), "one of median length"),
            (all.first().copied(), "the shortest"),
        ];
        let mut picker = Picker { games: Vec::new(), most };
        for (game, label) in named {
            let Some((game, pieces)) = game else { continue };
            match picker.games.iter_mut().find(|known| known.game == game) {
                Some(known) => known.label = format!("{}, {label}", known.label),
                None => picker.games.push(ShownGame::new(config, game, pieces, label)),
            }
        }
        Ok(picker)
    }

    /// Returns the ranges of placements to show, each with the number of its game.
    pub(super) fn ranges(&self) -> Vec<(u64, RangeInclusive<u64>)> {
        let of = |game: &ShownGame| game.ranges(self.most).map(|numbers| (game.game, numbers));
        self.games.iter().flat_map(of).collect()
    }

    /// Reads the picked games from their log.
    ///
    /// # Errors
    /// Returns the errors of [`TableFile::seek`].
    pub(super) fn read(&mut self, log: &TableFile) -> Result<()> {
        let filter = RowFilter { games: self.ranges(), ..RowFilter::default() };
        log.seek(&filter, &mut |columns, rows, _| {
            self.take(columns, rows);
            Ok(())
        })?;
        Ok(())
    }

    /// Adds the rows of a log that belong to shown placements of the picked games.
    pub(super) fn take(&mut self, columns: &[Column], rows: &Rows) {
        let path = Path::new("placements");
        for row in 0..rows.len() {
            let row = LoggedRow { path, before: row, columns, rows, row };
            let Some(game) = count(&row, "game") else { return };
            if let Some(shown) = self.games.iter_mut().find(|shown| shown.game == game) {
                shown.take(&row, self.most);
            }
        }
    }

    /// Returns at most `most` of the picked games that the log contains, with explanations of their
    /// placements.
    pub(super) fn games(self, most: usize) -> Vec<ShownGame> {
        let logged = self.games.into_iter().filter(|game| game.shown() > 0);
        let mut games: Vec<ShownGame> = logged.take(most).collect();
        for game in &mut games {
            if let Some(mut logged) = game.logged.take() {
                game.explained = Some(logged.explain());
            }
        }
        games
    }
}

/// Returns the board from which game number `game` starts, written as in a log. Returns `None` for
/// an empty board.
fn start_of(config: &Value, game: u64) -> Option<String> {
    let mut garbage = Garbage::deserialize(config).ok()?;
    let race = config["cheese_rows"].as_u64().unwrap_or(u64::MAX);
    garbage.rows = garbage.rows.min(race as usize);
    if garbage.rows == 0 {
        return Some(config["start"].as_str()?.parse::<Board>().ok()?.to_hex());
    }
    // The boards of guideline games have one size, which is not recorded.
    let size = config["board"].as_str().unwrap_or("10x20").parse().ok()?;
    let seed = hex_seed::deserialize(&config["seed"]).ok()?;
    Some(garbage.begin(size, seed, game).0.to_hex())
}

impl ShownGame {
    fn new(config: &Value, game: u64, pieces: u64, label: &str) -> ShownGame {
        let size = config["board"].as_str().and_then(|text| text.split_once('x'));
        let size = size.and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
        let (logged, explained) = match logged_game(config, game) {
            Ok(logged) => (logged, None),
            Err(error) => (None, Some(Explained::missing(error.to_string()))),
        };
        ShownGame {
            condition: None,
            game,
            label: label.to_owned(),
            pieces,
            board: size.unwrap_or([10, 20]),
            start: start_of(config, game),
            rises: !config["garbage_every"].is_null() || !config["cheese_rows"].is_null(),
            columns: Vec::new(),
            data: Vec::new(),
            head: 0,
            explained,
            logged,
        }
    }

    /// Returns two ranges of placements to show, at the game's start and end, with `most`
    /// placements together. The second range is empty if the whole game is shown.
    fn ranges(&self, most: usize) -> [RangeInclusive<u64>; 2] {
        let (most, head) = (most as u64, (most / HEAD_DIVISOR) as u64);
        if self.pieces <= most {
            return [0..=self.pieces, self.pieces.saturating_add(1)..=u64::MAX];
        }
        [0..=head, self.pieces + 1 - most.saturating_sub(head)..=u64::MAX]
    }

    fn take(&mut self, row: &LoggedRow, most: usize) {
        let columns = row.columns;
        let number = count(row, "piece_no").unwrap_or_default();
        let [head, tail] = self.ranges(most);
        let at_head = head.contains(&number);
        if !at_head && !tail.contains(&number) {
            return;
        }
        let kept = |column: &Column| !is_height(&column.name);
        if self.columns.is_empty() {
            self.columns = columns.iter().filter(|column| kept(column)).map(Heading::of).collect();
            self.data = vec![Vec::new(); self.columns.len() + 1];
        }
        let mut data = self.data.iter_mut();
        for ((column, values), data) in
            columns.iter().zip(&row.rows.columns).filter(|(column, _)| kept(column)).zip(&mut data)
        {
            data.push(values.json(column, row.row));
        }
        if let Some(data) = data.next() {
            data.push(json!(cells(row)));
        }
        if let Some(logged) = &mut self.logged {
            logged.push(row);
        }
        self.head += usize::from(at_head);
    }

    fn shown(&self) -> usize {
        self.data.first().map_or(0, Vec::len)
    }

    /// Drops half of the shown placements, from the middle of the game. Returns `false`, and drops
    /// nothing, if only few are left.
    pub(super) fn halve(&mut self) -> bool {
        let shown = self.shown();
        if shown <= MIN_PLACEMENTS {
            return false;
        }
        let head = self.head.min(shown) / 2;
        let cut = shown / 2;
        for data in &mut self.data {
            data.drain(head..head + cut);
        }
        if let Some(rows) = self.explained.as_mut().map(|explained| &mut explained.rows) {
            rows.drain(head.min(rows.len())..(head + cut).min(rows.len()));
        }
        self.head = head;
        true
    }
}

/// Returns true if the log column `name` is the height of a board column (`h0`, `h1`, ...). The
/// page leaves these log columns out, because the drawn board shows the heights.
fn is_height(name: &str) -> bool {
    name.strip_prefix('h').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn count(row: &LoggedRow, name: &str) -> Option<u64> {
    u64::try_from(row.whole(name)?).ok()
}

/// Returns the cells of the placement in `row` as `x:y` joined by semicolons. Logs of guideline
/// games have this text in the column `cells`.
fn cells(row: &LoggedRow) -> Option<String> {
    if let Some(cells) = row.text("cells").filter(|cells| !cells.is_empty()) {
        return Some(cells);
    }
    let number = |name| count(row, name).map(|value| value as usize);
    let orientation = row.piece("piece")?.orientations().get(number("orientation")?)?;
    let (left, low) = (number("column")?, number("landing_row")?);
    let cells = super::cells(orientation);
    let cells: Vec<String> =
        cells.iter().map(|[x, y]| format!("{}:{}", left + x, low + y)).collect();
    Some(cells.join(";"))
}
