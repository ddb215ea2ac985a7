//! Games on a web page: placements at the start and end of some games, and their explanations.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tetrastat_core::names::hex_seed;

use super::tables::Heading;
use crate::board::Board;
use crate::engine::Job;
use crate::error::Result;
use crate::explain::{Analysis, Watched, decimal};
use crate::record::{Column, LoggedRow, RowFilter, Rows, TableFile};
use crate::rules::Garbage;
use crate::sim::ClassicConfig;
use crate::sim::guideline::GuidelineConfig;

/// Greatest number of placements of a game that is not halved when the web page is too large.
const MIN_PLACEMENTS: usize = 60;
/// Divisor that gives how many of a long game's shown placements are from its start.
const HEAD_DIVISOR: usize = 4;

/// Game on a web page, with all its placements or only those at its start and end.
#[derive(Debug, Serialize)]
pub(super) struct ShownGame {
    pub(super) condition: Option<String>,
    game: u64,
    /// Description of the game among the games of its run, such as "the longest".
    label: String,
    pieces: u64,
    pub(super) board: [usize; 2],
    /// Board at the start of the game, in the notation of logs; `None` for an empty board.
    start: Option<String>,
    /// True if garbage rows may enter the board from below during the game.
    rises: bool,
    columns: Vec<Heading>,
    /// Values of shown placements: one list per log column, then the cells that each piece fills.
    data: Vec<Vec<Value>>,
    /// Number of shown placements from the game's start; the other ones are from its end.
    head: usize,
    /// Explanations of the player's choices; `None` for a human player's game.
    explained: Option<Explained>,
    #[serde(skip)]
    pub(super) logged: Option<Box<dyn LoggedGame>>,
}

/// Games of a log that a web page shows, and the maximum number of placements of each.
pub(super) struct Picker {
    games: Vec<ShownGame>,
    most: usize,
}

impl Picker {
    /// Picks the first, shortest, median and longest game for a page, with `most` placements each.
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

    pub(super) fn ranges(&self) -> Vec<(u64, RangeInclusive<u64>)> {
        let of = |game: &ShownGame| game.ranges(self.most).map(|numbers| (game.game, numbers));
        self.games.iter().flat_map(of).collect()
    }

    pub(super) fn read(&mut self, log: &TableFile) -> Result<()> {
        let filter = RowFilter { games: self.ranges(), ..RowFilter::default() };
        log.seek(&filter, &mut |columns, rows, _| {
            self.take(columns, rows);
            Ok(())
        })?;
        Ok(())
    }

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

    pub(super) fn games(self, most: usize) -> Vec<ShownGame> {
        let logged = self.games.into_iter().filter(|game| game.shown_count() > 0);
        let mut games: Vec<ShownGame> = logged.take(most).collect();
        for game in &mut games {
            if let Some(mut logged) = game.logged.take() {
                game.explained = Some(logged.explain());
            }
        }
        games
    }
}

fn start_board(config: &Value, game: u64) -> Option<String> {
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
            start: start_board(config, game),
            rises: !config["garbage_every"].is_null() || !config["cheese_rows"].is_null(),
            columns: Vec::new(),
            data: Vec::new(),
            head: 0,
            explained,
            logged,
        }
    }

    /// Returns two ranges of placement numbers at the game's start and end, `most` numbers in all.
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
            self.columns = columns.iter().filter(|column| kept(column)).map(Heading::new).collect();
            self.data = vec![Vec::new(); self.columns.len() + 1];
        }
        let mut data = self.data.iter_mut();
        for ((column, values), data) in
            columns.iter().zip(&row.rows.columns).filter(|(column, _)| kept(column)).zip(&mut data)
        {
            data.push(values.json(column, row.row));
        }
        if let Some(data) = data.next() {
            data.push(json!(logged_cells(row)));
        }
        if let Some(logged) = &mut self.logged {
            logged.push(row);
        }
        self.head += usize::from(at_head);
    }

    fn shown_count(&self) -> usize {
        self.data.first().map_or(0, Vec::len)
    }

    /// Drops the middle half of the game's shown placements. Returns false if too few are left.
    pub(super) fn halve(&mut self) -> bool {
        let shown = self.shown_count();
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

/// Returns true if `name` is a log column with the height of one board column, such as `h3`.
fn is_height(name: &str) -> bool {
    name.strip_prefix('h').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn count(row: &LoggedRow, name: &str) -> Option<u64> {
    u64::try_from(row.whole(name)?).ok()
}

/// Returns the cells that the piece of a logged placement fills, as the text `x:y;x:y;...`.
fn logged_cells(row: &LoggedRow) -> Option<String> {
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

/// Number of best placements that a web page lists for each decision, beside the chosen one.
const BEST_COUNT: usize = 5;

#[derive(Debug, Default, Serialize)]
pub(super) struct Explained {
    terms: Vec<String>,
    /// Weight of each feature (term): the amount that a value of 1 adds to a placement's score.
    weights: Vec<f64>,
    /// Text that says on which boards features are measured, and with which search.
    measured: String,
    /// Name of a part of the placement's score that features do not explain, such as "the network".
    rest: Option<&'static str>,
    missing: Option<String>,
    /// Explanations of the placements; `None` if the board before a placement is unknown.
    // The list has: the values of the chosen placement's terms, joined by commas (an empty text
    // means 0); those of the runner-up, or `null`; the reason, as on the `watch` screen; the number
    // of placements; the rank of the chosen one by its value, from 0, or `null`; the best
    // placements and the chosen one, as `rank|position|rows removed|value`, joined by semicolons
    // (without value: a lost game); and the weights here if they differ from `weights`.
    pub(super) rows: Vec<Option<Vec<Value>>>,
}

/// Game that is rebuilt from the rows of its log, to explain the player's choices.
pub(super) trait LoggedGame {
    /// Rebuilds the placement of the next log row if the board before the placement is known.
    fn push(&mut self, row: &LoggedRow);

    fn explain(&mut self) -> Explained;
}

impl fmt::Debug for dyn LoggedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoggedGame")
    }
}

struct RebuiltGame<G: Watched> {
    config: G,
    explainer: G::Explainer,
    /// Number (from 1) of the next placement, with the game state before it; `None` if unknown.
    before: Option<(u64, G::Logged)>,
    scenes: Vec<Option<G::Scene>>,
    contradiction: Option<String>,
    unreadable: Option<String>,
}

/// Creates a game to be rebuilt from its log; `None` if the player's choices are not explained.
pub(super) fn logged_game(config: &Value, game: u64) -> Result<Option<Box<dyn LoggedGame>>> {
    match config["game"].as_str() {
        Some(ClassicConfig::NAME) => logged::<ClassicConfig>(config, game),
        Some(GuidelineConfig::NAME) => logged::<GuidelineConfig>(config, game),
        _ => Ok(None),
    }
}

fn logged<G: Watched>(config: &Value, game: u64) -> Result<Option<Box<dyn LoggedGame>>> {
    let config = G::recorded(config)?;
    let Some(explainer) = config.explainer()? else { return Ok(None) };
    let (before, scenes) = (Some((1, config.first_state(game))), Vec::new());
    let (contradiction, unreadable) = (None, None);
    let game = RebuiltGame { config, explainer, before, scenes, contradiction, unreadable };
    Ok(Some(Box::new(game)))
}

impl<G: Watched> RebuiltGame<G> {
    fn rebuild(&mut self, row: &LoggedRow) -> Result<()> {
        let number = row.integer("piece_no")? as u64;
        let before = self.before.take().filter(|(next, _)| *next == number);
        let mut state = before.map(|(_, state)| state);
        let scene = match state.as_mut().map(|state| self.config.rebuild(state, row)) {
            Some(rebuilt) => rebuilt?.map(|step| Some(step.scene)),
            None => Ok(None),
        };
        self.scenes.push(scene.unwrap_or_else(|problem| {
            self.contradiction.get_or_insert(format!("placement {number}: {problem}"));
            None
        }));
        self.before = self.config.state_after(row).or(state).map(|state| (number + 1, state));
        Ok(())
    }
}

impl<G: Watched> LoggedGame for RebuiltGame<G> {
    fn push(&mut self, row: &LoggedRow) {
        if let Err(error) = self.rebuild(row) {
            self.unreadable.get_or_insert(error.to_string());
        }
    }

    fn explain(&mut self) -> Explained {
        if let Some(problem) = self.unreadable.take() {
            return Explained::missing(problem);
        }
        let (rest, missing) = (self.config.unexplained(), self.contradiction.take());
        let mut all = Explained { rest, missing, ..Explained::default() };
        for scene in &self.scenes {
            let choice = scene.as_ref().map(|scene| {
                let analysis = self.config.explain(&mut self.explainer, scene, None);
                if all.terms.is_empty() {
                    all.terms = analysis.terms.iter().map(|term| term.name.clone()).collect();
                    all.weights = weights(&analysis);
                    all.measured = self.config.measured(None);
                }
                explanation_entry(&analysis, &all.weights)
            });
            all.rows.push(choice);
        }
        all
    }
}

fn weights(analysis: &Analysis) -> Vec<f64> {
    analysis.terms.iter().map(|term| term.steps_per_unit / analysis.scale).collect()
}

impl Explained {
    pub(super) fn missing(problem: String) -> Explained {
        Explained { missing: Some(problem), ..Explained::default() }
    }
}

fn explanation_entry(analysis: &Analysis, of_game: &[f64]) -> Vec<Value> {
    let values = |place: usize| {
        let value = |value: f64| match value {
            0.0 => String::new(),
            // A page shows far fewer digits than these nine.
            value => format!("{value:.9}").trim_end_matches('0').trim_end_matches('.').into(),
        };
        let values: Vec<String> =
            analysis.terms.iter().map(|term| value(term.values[place])).collect();
        values.join(",")
    };
    let ranked = analysis.candidates.iter().enumerate();
    let is_listed = |rank: usize| rank < BEST_COUNT || analysis.chosen == Some(rank);
    let listed = ranked.filter(|&(rank, _)| is_listed(rank)).map(|(rank, candidate)| {
        let score = candidate.score.filter(|_| !candidate.lost).map_or(String::new(), decimal);
        format!("{rank}|{}|{}|{score}", candidate.place(), candidate.lines)
    });
    let best = listed.collect::<Vec<String>>().join(";");
    let (why, count) = (analysis.why(), analysis.candidates.len());
    let other = analysis.other.map(|_| values(1));
    let mut choice = [json!(values(0)), json!(other), why.into(), count.into()].to_vec();
    choice.extend([json!(analysis.chosen), best.into()]);
    let weights = weights(analysis);
    choice.extend((weights != of_game).then_some(json!(weights)));
    choice
}
