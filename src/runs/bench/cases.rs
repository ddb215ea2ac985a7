//! Sections and cases of `tetrastat bench`, and the measurement of one controller.

use std::fmt::{self, Display, Formatter};
use std::sync::atomic::Ordering;

use sha2::{Digest, Sha256};

use super::{BenchCase, BenchEffort, BenchRow, BenchWatch, first_hex_digits, time_all_cases};
use crate::controller::{
    GuidelineController, PatternLayout, PatternWindow, Patterns, Scorer, TableRows, WindowPlaces,
};
use crate::engine::{Totals, each};
use crate::features::Measured;
use crate::kernels::Evaluator;
use crate::placement::Placements;
use crate::prelude::*;
use crate::record::{GuidelineDecision, GuidelinePlacement};
use crate::rules::guideline::{Moves, RuleSet};
use crate::search::Player;
use crate::search::guideline::Beam;
use crate::sim::guideline::{GuidelineConfig, GuidelinePlayer, Mode, SPRINT_LINES};
use crate::sim::{ClassicConfig, Game, Limits, OnPlacement, Stepped, Unrecorded, play_to_end};
use crate::stats::quantile;
use crate::threads::all_cores;

/// Section of the benchmark: a group of cases that answer one question.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Name of the benchmark's section.
    pub name: &'static str,
    /// Description of what the section of the benchmark measures, as shown in the help.
    pub measures: &'static str,
    /// Function that returns the benchmark cases of the section for boards of a size.
    pub cases: fn(BoardSize) -> Result<Vec<BenchCase<'static>>>,
    /// Function that returns true if the first case's speed shall be divided by the speed of the
    /// second case.
    pub is_base: fn(&BenchRow, &BenchRow) -> bool,
    /// True if the section measures LIAP, a card game, whose speed is counted in rounds.
    pub counts_rounds: bool,
}

impl Section {
    /// Benchmark of whole games by published controllers at every instruction level of this CPU.
    pub const LEVELS: Section = Section::new(
        "levels",
        "Whole games by published controllers at every level of this CPU",
        levels,
    );
    /// Benchmark of the time of each feature, alone and in a decision of the controller bcts.
    pub const FEATURES: Section = Section::new(
        "features",
        "What each feature costs, alone and in a decision of bcts",
        features,
    );
    /// Benchmark that compares the look-aheads greedy, next and expect.
    pub const SEARCH: Section = Section::new("search", "Greedy, next and expect", searches);
    /// Benchmark that compares numbers of threads, from one to all cores.
    pub const THREADS: Section = Section {
        is_base: |_, base| base.threads == 1,
        ..Section::new("threads", "From one thread to all cores", threads)
    };
    /// Benchmark of Sprint and Blitz games at every instruction level of this CPU.
    pub const GUIDELINE: Section =
        Section::new("guideline", "Sprint and Blitz at every level of this CPU", |_| {
            guideline_cases()
        });

    /// All sections of the benchmark for falling-block games.
    pub const ALL: [Section; 5] =
        [Section::LEVELS, Section::FEATURES, Section::SEARCH, Section::THREADS, Section::GUIDELINE];

    const fn new(
        name: &'static str,
        measures: &'static str,
        cases: fn(BoardSize) -> Result<Vec<BenchCase<'static>>>,
    ) -> Section {
        let is_base = |row: &BenchRow, base: &BenchRow| {
            base.level == "scalar" && base.case == row.case && base.search == row.search
        };
        Section { name, measures, cases, is_base, counts_rounds: false }
    }
}

impl PartialEq for Section {
    fn eq(&self, other: &Section) -> bool {
        self.name == other.name
    }
}

impl Display for Section {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

const TIMED_CONTROLLERS: [&str; 5] = ["dellacherie", "bcts", "dt20", "lee", "bdu"];
const SEED: u64 = 1;
const MIN_THREADED_SAMPLE: Duration = Duration::from_millis(500);

impl BenchRow {
    /// Creates the result of a benchmark case, without measured speeds (NaN or `None`).
    #[must_use]
    pub fn new(section: Section, case: String) -> BenchRow {
        BenchRow {
            section: section.name,
            case,
            level: Level::detect().to_string(),
            search: Search::Greedy.to_string(),
            threads: 1,
            pieces_per_s: None,
            candidates_per_s: f64::NAN,
            ns_per_candidate: f64::NAN,
            ns_above_constant: None,
            ns_added_to_bcts: None,
            ratio: None,
            spread: (f64::NAN, f64::NAN),
            rounds_per_s: None,
            ns_added_quartiles: None,
            decision_ratio: None,
            rounds: Vec::new(),
        }
    }
}

/// Measures the benchmark's `sections` one after another on boards of size `size`.
pub fn measure(
    sections: &[Section],
    size: BoardSize,
    effort: BenchEffort,
    watch: &BenchWatch,
) -> Result<Vec<BenchRow>> {
    let planned = sections.iter().map(|&section| {
        let sample = match section == Section::THREADS {
            // The start of the threads would distort a short sample; the rate of a long run is
            // wanted.
            true => effort.sample.max(MIN_THREADED_SAMPLE * u32::from(effort.repeats > 1)),
            false => effort.sample,
        };
        Ok((section, (section.cases)(size)?, BenchEffort { sample, ..effort }))
    });
    let planned = planned.collect::<Result<Vec<_>>>()?;
    let all = planned.iter().map(|(_, cases, effort)| effort.total_ms(cases.len())).sum();
    watch.all.store(all, Ordering::Relaxed);
    let mut measured = Vec::new();
    for (section, cases, effort) in planned {
        let mut rows = time_all_cases(cases, effort, watch);
        compare(section, &mut rows);
        if section == Section::FEATURES {
            rows.retain(|row| !row.case.starts_with(BASE_CONTROLLER));
        }
        if section.counts_rounds {
            rows.iter_mut().for_each(count_in_rounds);
        }
        measured.append(&mut rows);
    }
    Ok(measured)
}

fn count_in_rounds(row: &mut BenchRow) {
    row.rounds_per_s = Some(row.candidates_per_s);
    (row.candidates_per_s, row.ns_per_candidate) = (f64::NAN, f64::NAN);
}

fn compare(section: Section, rows: &mut [BenchRow]) {
    let all = rows.to_vec();
    for row in rows {
        let base = all.iter().find(|base| (section.is_base)(row, base));
        row.ratio = base.map(|base| row.candidates_per_s / base.candidates_per_s);
        if section == Section::FEATURES {
            let ns = |case: &str| {
                let own = all.iter().find(|other| other.level == row.level && other.case == case);
                own.map(|own| own.ns_per_candidate)
            };
            row.ns_above_constant = ns("constant").map(|nothing| row.ns_per_candidate - nothing);
            let of = |case: &str| {
                all.iter().find(|other| other.level == row.level && other.case == case)
            };
            // bcts already contains its own eight features, so their counterpart is the case
            // without the feature.
            let (with, without) = match of(&left_out(&row.case)) {
                Some(without) => (of(BASE_CONTROLLER), Some(without)),
                None => (of(&added(&row.case)), of(BASE_CONTROLLER)),
            };
            if let (Some(with), Some(without), Some(alone)) = (with, without, of(BASE_CONTROLLER)) {
                let [low, median, high] =
                    quartiles(&with.rounds, &without.rounds, |with, without| with - without);
                row.ns_added_to_bcts = Some(median);
                row.ns_added_quartiles = Some((low, high));
                let [_, ratio, _] =
                    quartiles(&with.rounds, &alone.rounds, |with, alone| with / alone);
                row.decision_ratio = Some(ratio);
            }
        }
    }
}

fn config(name: &str, size: BoardSize, search: Search, level: Level) -> Result<ClassicConfig> {
    Ok(ClassicConfig { search, level, ..ClassicConfig::new(Controller::load(name)?, size) })
}

fn whole_game_case(section: Section, config: ClassicConfig) -> Result<BenchCase<'static>> {
    let counts = placement_counts(config.size);
    let mut player = config.player()?;
    let row = BenchRow {
        level: config.level.to_string(),
        search: config.search.to_string(),
        ..BenchRow::new(section, config.controller.name.clone())
    };
    let run = move |pieces: u64| {
        let (mut placed, mut candidates, mut game) = (0, 0.0, 0);
        while placed < pieces {
            let limits = Limits { pieces: Some(pieces - placed), lines: None };
            let config = ClassicConfig { limits, ..config.clone() };
            // A uniform queue never ends, so no error is possible.
            let first = config.begin(config.seed, game);
            let Ok(row) = play_to_end(&config, &mut player, first, &mut Unrecorded) else { break };
            placed += row.pieces;
            game += 1;
            let own: u64 = row.pieces_of.iter().zip(counts).map(|(n, count)| n * count).sum();
            candidates += own as f64 * leaves(config.search, counts);
        }
        (placed, candidates as u64)
    };
    Ok(BenchCase { row, run: Box::new(run) })
}

fn placement_counts(size: BoardSize) -> [u64; 7] {
    let placements = Placements::new(size.width());
    Piece::ALL.map(|piece| placements.of_piece(piece).len() as u64)
}

/// Returns the number of placements that a look-ahead scores per placement of the current piece.
fn leaves(search: Search, counts: [u64; 7]) -> f64 {
    let all = counts.iter().sum::<u64>() as f64;
    match search {
        Search::Greedy => 1.0,
        Search::Next => all / 7.0,
        Search::Expect => all,
    }
}

fn levels(size: BoardSize) -> Result<Vec<BenchCase<'static>>> {
    let mut cases = Vec::new();
    for name in TIMED_CONTROLLERS {
        if Controller::load(name)?.check(size).is_err() {
            continue;
        }
        for level in Level::available() {
            cases.push(whole_game_case(
                Section::LEVELS,
                config(name, size, Search::Greedy, level)?,
            )?);
        }
    }
    let controller = invented_pattern_controller(size)?;
    for level in Level::available() {
        let controller = controller.clone();
        let config = ClassicConfig { controller, ..config("bcts", size, Search::Greedy, level)? };
        cases.push(whole_game_case(Section::LEVELS, config)?);
    }
    Ok(cases)
}

fn invented_pattern_controller(size: BoardSize) -> Result<Controller> {
    let window = PatternWindow {
        cells: "3x3".to_owned(),
        at: WindowPlaces::Everywhere,
        mirror: true,
        rows: TableRows::Own,
    };
    let wrong = |problem| Error::Controller { name: "patterns-3x3".to_owned(), problem };
    let layout = PatternLayout::new(&[window], size).map_err(wrong)?;
    let mut tables = vec![0; layout.entries()];
    for lookup in layout.lookups() {
        for cells in 0..512usize {
            let column = |x: usize| cells >> (3 * x) & 7;
            let mut cost = 0;
            for x in 0..3 {
                let own = column(x);
                // An empty cell below a filled one of the window.
                cost += 30 * usize::from(own & 3 < own >> 1);
                cost += 8 * ((own ^ own >> 1) & 3).count_ones() as usize;
                if x < 2 {
                    cost += 8 * (own ^ column(x + 1)).count_ones() as usize;
                }
                cost += (2 + lookup.row) * own.count_ones() as usize;
            }
            tables[lookup.table + cells] = -(cost as i16);
        }
    }
    let patterns = Patterns::new(layout.windows(), 0.001, size, tables).map_err(wrong)?;
    Ok(Controller {
        name: "patterns-3x3".to_owned(),
        weights: Vec::new(),
        patterns: Some(patterns),
        ..Controller::load("bcts")?
    })
}

fn searches(size: BoardSize) -> Result<Vec<BenchCase<'static>>> {
    let mut cases = Vec::new();
    for search in [Search::Greedy, Search::Next, Search::Expect] {
        for level in Level::available() {
            cases.push(whole_game_case(Section::SEARCH, config("bcts", size, search, level)?)?);
        }
    }
    Ok(cases)
}

fn threads(size: BoardSize) -> Result<Vec<BenchCase<'static>>> {
    let cores = all_cores();
    let counts = placement_counts(size);
    let mean = counts.iter().sum::<u64>() as f64 / 7.0;
    let case = |threads: usize| -> Result<BenchCase<'static>> {
        let base = config("bcts", size, Search::Greedy, Level::detect())?;
        let row = BenchRow { threads, ..BenchRow::new(Section::THREADS, "bcts".to_owned()) };
        let play = move |pieces: u64| {
            let games = 8 * threads as u64;
            let limits = Limits { pieces: Some((pieces / 8).max(1)), lines: None };
            let config = ClassicConfig { games, limits, threads, ..base.clone() };
            let totals = Totals::default();
            let go = AtomicBool::new(false);
            // Nothing is written and the queue never ends, so no error is possible.
            let _ = each(&config, &totals, &go, |_| Ok(true));
            let placed = totals.pieces.into_inner();
            (placed, (placed as f64 * mean) as u64)
        };
        Ok(BenchCase { row, run: Box::new(play) })
    };
    (1..=cores).map(case).collect()
}

const BASE_CONTROLLER: &str = "bcts";

fn added(feature: impl Display) -> String {
    format!("{BASE_CONTROLLER} + {feature}")
}

fn left_out(feature: impl Display) -> String {
    format!("{BASE_CONTROLLER} - {feature}")
}

fn quartiles(with: &[f64], without: &[f64], differ: fn(f64, f64) -> f64) -> [f64; 3] {
    let mut differences: Vec<f64> =
        with.iter().zip(without).map(|(&with, &without)| differ(with, without)).collect();
    differences.sort_unstable_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|p| match differences.is_empty() {
        true => f64::NAN,
        false => quantile(&differences, p),
    })
}

fn features(size: BoardSize) -> Result<Vec<BenchCase<'static>>> {
    let boards = boards_of_a_game(size)?;
    let scorer = Scorer::new(&Controller::load(BASE_CONTROLLER)?, size)?;
    let mut cases = Vec::new();
    let levels = [Level::SCALAR, Level::detect()];
    for level in levels {
        cases.push(decisions(BASE_CONTROLLER.to_owned(), size, scorer.terms(0), level, &boards));
    }
    for feature in Feature::all(size).filter(|feature| feature.index() == 0) {
        for level in levels {
            let name = feature.to_string();
            cases.push(timed_over_boards(name, size, &[(feature, 1)], level, &boards, |plan| {
                let mut scratch = plan.scratch();
                Box::new(move |board, piece| {
                    let count = plan.evaluate(board, piece, &mut scratch);
                    std::hint::black_box(&scratch.scores);
                    count
                })
            }));
            let own = scorer.terms(0);
            let others: Vec<_> = own.iter().copied().filter(|&(of, _)| of != feature).collect();
            let (case, terms) = match others.len() < own.len() {
                true => (left_out(feature), others),
                false => (added(feature), [own, &[(feature, -1)]].concat()),
            };
            cases.push(decisions(case, size, &terms, level, &boards));
        }
    }
    Ok(cases)
}

/// Time that one feature costs in a controller's decisions.
#[derive(Clone, Debug, Serialize)]
pub struct FeatureCost {
    /// Name of the feature whose time is measured; `None` for the whole controller.
    pub feature: Option<String>,
    /// SIMD instruction level at which the feature's cost was measured.
    pub level: String,
    /// Time per piece that the feature adds, or that the whole controller takes, in nanoseconds.
    pub ns_per_piece: f64,
    /// Lower and upper quartile of the feature's time per piece over the repeated measurements.
    pub quartiles: (f64, f64),
    /// Percentage of the whole controller's time that the feature takes.
    pub percent: f64,
}

/// Measures the time of a controller's greedy decision, and of each feature by leaving it out.
pub fn measure_controller(
    controller: &Controller,
    size: BoardSize,
    effort: BenchEffort,
    watch: &BenchWatch,
) -> Result<Vec<FeatureCost>> {
    controller.check(size)?;
    let is_plain = controller.external.is_none() && controller.patterns.is_none();
    if !is_plain || controller.weights.is_empty() {
        let problem = "the cost of features needs a controller of weighted features".to_owned();
        return Err(Error::Controller { name: controller.name.clone(), problem });
    }
    let boards = boards_of_a_game(size)?;
    let scorer = Scorer::new(controller, size)?;
    let own = scorer.terms(0);
    let measured = controller.measured;
    let mut levels = vec![Level::SCALAR, Level::detect()];
    levels.dedup();
    let mut cases = Vec::new();
    for &level in &levels {
        let case =
            |name, terms: &[_]| weighted_decisions(name, size, measured, terms, level, &boards);
        cases.push(case(String::new(), own));
        for &(feature, _) in own {
            let others: Vec<_> = own.iter().copied().filter(|&(of, _)| of != feature).collect();
            cases.push(case(feature.to_string(), &others));
        }
    }
    watch.all.store(effort.total_ms(cases.len()), Ordering::Relaxed);
    let rows = time_all_cases(cases, effort, watch);
    let mut costs = Vec::new();
    for rows in rows.chunk_by(|a, b| a.level == b.level) {
        let [whole, without @ ..] = rows else { continue };
        let candidates = whole.candidates_per_s / whole.pieces_per_s.unwrap_or(f64::NAN);
        let of = |other: Option<&BenchRow>| {
            let nothing = vec![0.0; whole.rounds.len()];
            let rounds = other.map_or(&nothing, |other| &other.rounds);
            let ns = quartiles(&whole.rounds, rounds, |with, without| with - without);
            let [low, ns, high] = ns.map(|ns| ns * candidates);
            FeatureCost {
                feature: other.map(|other| other.case.clone()),
                level: whole.level.clone(),
                ns_per_piece: ns,
                quartiles: (low, high),
                percent: 100.0 * ns / (whole.ns_per_candidate * candidates),
            }
        };
        costs.push(of(None));
        costs.extend(without.iter().map(|other| of(Some(other))));
    }
    Ok(costs)
}

fn weighted_decisions(
    name: String,
    size: BoardSize,
    measured: Measured,
    terms: &[(Feature, i64)],
    level: Level,
    boards: &[(Board, Piece)],
) -> BenchCase<'static> {
    let plan = Evaluator::new(size, measured, false, terms, level);
    let (mut scratch, boards) = (plan.scratch(), boards.to_vec());
    let run = move |amount: u64| {
        let mut candidates = 0;
        for (board, piece) in boards.iter().cycle().take(amount as usize) {
            std::hint::black_box(plan.best(board, *piece, &mut scratch));
            candidates += plan.count(*piece) as u64;
        }
        (amount, candidates)
    };
    let row = BenchRow { level: level.to_string(), ..BenchRow::new(Section::FEATURES, name) };
    BenchCase { row, run: Box::new(run) }
}

fn decisions(
    name: String,
    size: BoardSize,
    terms: &[(Feature, i64)],
    level: Level,
    boards: &[(Board, Piece)],
) -> BenchCase<'static> {
    timed_over_boards(name, size, terms, level, boards, |plan| {
        let mut scratch = plan.scratch();
        Box::new(move |board, piece| {
            std::hint::black_box(plan.best(board, piece, &mut scratch));
            plan.count(piece)
        })
    })
}

type BoardWork = Box<dyn FnMut(&Board, Piece) -> usize>;

fn timed_over_boards(
    name: String,
    size: BoardSize,
    terms: &[(Feature, i64)],
    level: Level,
    boards: &[(Board, Piece)],
    work: impl FnOnce(Evaluator) -> BoardWork,
) -> BenchCase<'static> {
    let plan = Evaluator::new(size, Measured::AfterClear, false, terms, level);
    let mut work = work(plan);
    let boards = boards.to_vec();
    let run = move |amount: u64| {
        let some = boards.iter().cycle().take(amount as usize);
        (0, some.map(|(board, piece)| work(board, *piece) as u64).sum())
    };
    let row = BenchRow { level: level.to_string(), ..BenchRow::new(Section::FEATURES, name) };
    BenchCase { row, run: Box::new(run) }
}

fn boards_of_a_game(size: BoardSize) -> Result<Vec<(Board, Piece)>> {
    let bcts = Controller::load("bcts")?;
    let mut player =
        Player::new(&bcts, Rules::simplified(), Search::Greedy, size, Level::detect())?;
    let mut queue = Queue::new(QueueKind::Uniform, SEED, 0);
    let mut board = Board::empty(size);
    let mut boards = Vec::new();
    for _ in 0..512 {
        let piece = queue.deal()?;
        boards.push((board, piece));
        if player.step(&mut board, piece, None).is_none_or(|step| step.lost) {
            board = Board::empty(size);
        }
    }
    Ok(boards)
}

const SPRINT: Mode = Mode::Sprint { lines: SPRINT_LINES };
const BLITZ: Mode = Mode::Blitz { pieces: 360, time_us: u64::MAX };

const GUIDELINE_CASES: [(&str, Mode, Beam); 3] = [
    ("tetrastat-sprint", SPRINT, Beam::GREEDY),
    ("tetrastat-blitz-greedy", BLITZ, Beam::GREEDY),
    ("tetrastat-blitz", BLITZ, Beam::new(16, 6)),
];

fn guideline_config(
    controller: &str,
    mode: Mode,
    beam: Beam,
    level: Level,
) -> Result<GuidelineConfig> {
    let moves = if mode == SPRINT { Moves::HardDrops } else { Moves::All };
    let controller = GuidelineController::load(controller)?;
    let usual = GuidelineConfig::new(controller, RuleSet::official());
    Ok(GuidelineConfig { moves, beam, mode, level, ..usual })
}

fn guideline_cases() -> Result<Vec<BenchCase<'static>>> {
    let mut cases = Vec::new();
    for (name, mode, beam) in GUIDELINE_CASES {
        for level in Level::available() {
            let config = guideline_config(name, mode, beam, level)?;
            let row = BenchRow {
                level: level.to_string(),
                search: config.beam.name().to_owned(),
                ..BenchRow::new(Section::GUIDELINE, format!("{name} {}", mode.name()))
            };
            let mut player = GuidelinePlayer::new(&config);
            let run = move |pieces: u64| {
                let (mut placed, mut looked_at, mut game) = (0, 0, 0);
                while placed < pieces {
                    let mut state = config.begin(config.seed, game);
                    game += 1;
                    let see = |seen: &GuidelinePlacement, _: GuidelineDecision<'_>| {
                        placed += 1;
                        looked_at += seen.found.map_or(0, |found| found.examined);
                    };
                    let mut each = OnPlacement(see);
                    while let Ok(Stepped { end: None, .. }) =
                        config.step(&mut player, &mut state, &mut each)
                    {
                        if u64::from(state.row().pieces) >= pieces {
                            break;
                        }
                    }
                }
                (placed, looked_at)
            };
            cases.push(BenchCase { row, run: Box::new(run) });
        }
    }
    Ok(cases)
}

/// Returns a checksum of the boards in fixed Sprint and Blitz games, to detect changed play.
pub fn guideline_checksum(level: Level) -> Result<String> {
    let mut hash = Sha256::new();
    let short = Mode::Blitz { pieces: 60, time_us: u64::MAX };
    let games = [
        ("tetrastat-sprint", SPRINT, Beam::GREEDY, 4),
        ("tetrastat-blitz-greedy", BLITZ, Beam::GREEDY, 2),
        ("capstone-blitz", short, Beam::new(6, 3), 2),
    ];
    for rules in [RuleSet::official(), RuleSet::capstone()] {
        for (name, mode, beam, many) in games {
            let config = GuidelineConfig {
                rules: rules.clone(),
                ..guideline_config(name, mode, beam, level)?
            };
            let mut player = GuidelinePlayer::new(&config);
            let mut each = OnPlacement(|seen: &GuidelinePlacement, _: GuidelineDecision<'_>| {
                let board = seen.placed.after.matrix.to_board();
                board.rows().iter().for_each(|row| hash.update(row.to_le_bytes()));
            });
            for game in 0..many {
                play_to_end(&config, &mut player, config.begin(config.seed, game), &mut each)?;
            }
        }
    }
    Ok(first_hex_digits(hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_compared_repeat_by_repeat() {
        let (with, without) = ([12.0, 112.0, 13.0], [10.0, 110.0, 10.0]);
        assert_eq!(quartiles(&with, &without, |with, without| with - without), [2.0, 2.0, 2.5]);
        assert_eq!(quartiles(&[4.0], &[2.0], |with, alone| with / alone), [2.0; 3]);
    }
}
