//! Tables of a guideline run: this file has `games` and the selection of columns, `placements` the
//! records and columns of placements and candidates.
//! Frozen: bytes

mod placements;

use self::placements::{BAG_COLUMNS, MEASURED};
use crate::error::setting::QUEUE;
use crate::features::guideline::Term;
use crate::matrix::WIDTH;
use crate::prelude::*;
use crate::record::LoggedRow;
use crate::record::tables::field::{KEYS, columns, names_of, select_annotations, select_fields};
use crate::record::tables::games::{read_rows, sprint_reward};
use crate::record::tables::table;
use crate::rules::guideline::{InputPath, Landing, MAX_PREVIEWS, Placed, Points, Spin};
use crate::search::guideline::Terms;

pub use placements::{
    ChosenPlacement, GuidelineCandidate, GuidelineDecision, GuidelineHistory, GuidelinePlacement,
};
pub(crate) use placements::{OF_SEARCH, guideline_candidate_fields, guideline_placement_fields};

tetrastat_core::names! {
    /// Reason for the end of a guideline game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum GuidelineEnd {
        /// All rows of a Sprint, or all garbage rows of a cheese race, are cleared.
        Won = "won",
        /// All pieces that the run allows are placed.
        PieceLimit = "piece_limit",
        /// The next placement would exceed the time limit.
        TimeLimit = "time_limit",
        /// No piece could spawn, every placement would lose, or garbage lifted a cell out of the
        /// matrix.
        TopOut = "top_out",
        /// A piece locked completely above the visible rows.
        LockOut = "lock_out",
        /// The player left, so the game counts as cut off (censored).
        Left = "left",
    }
}

impl GuidelineEnd {
    /// Describes the reason for a game's end in words for viewers.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            GuidelineEnd::Won => "the rows of the Sprint or cheese race are removed",
            GuidelineEnd::PieceLimit => "all pieces are placed",
            GuidelineEnd::TimeLimit => "the time is over",
            GuidelineEnd::TopOut => "game over: no piece can be placed",
            GuidelineEnd::LockOut => "game over: locked above the rows in view",
            GuidelineEnd::Left => "its player left the game",
        }
    }
}

table! {
    pub(crate) fn guideline_game_fields() of row;

    /// Row of a guideline run's table `games`: the results of one game.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct GuidelineGameRow {
        /// Number of the game in its run, from 0.
        pub game: u64 => count;
        /// Seed of the game's queue, computed from the run's seed and `game`; hexadecimal text.
        pub stream_seed: u64 => text = format!("0x{:016x}", row.stream_seed);
        /// Reason for the end of the game.
        pub end: GuidelineEnd;
        /// Reason for the end of the game: goal reached, pieces or time used up, no placement left
        /// (or a cell lifted out of the board), locked above row 19, or left by the player.
        end_reason: factor(GuidelineEnd::NAMES) = row.end as usize;
        /// Number of pieces placed in the game.
        pub pieces: u32 => integer, "pieces";
        /// Number of rows removed in the game.
        pub lines: u32 => integer, "rows";
        /// Time played in the game, in microseconds.
        pub time_us: u64;
        /// Time played in the game, by the run's clock.
        time_ms: count, "ms" = row.time_us / 1000;
        /// Points of the game by kind: clears, back-to-back, combos, perfect clears and drops.
        pub points: Points;
        /// Points of the game, of all kinds together.
        points: integer, "points" = row.points.total();
        /// Points of clears and spins themselves, without back-to-back, combos, perfect clears and
        /// drops.
        points_base: integer, "points" = row.points.base;
        /// Additional points of back-to-back: half of the points of each clear or spin that
        /// back-to-back multiplies.
        points_b2b: integer, "points" = row.points.back_to_back;
        /// Points of combos: for each clear, 50 times the number of consecutive clears directly
        /// before the clear.
        points_combo: integer, "points" = row.points.combo;
        /// Additional points of perfect clears, which leave the board empty.
        points_perfect: integer, "points" = row.points.perfect;
        /// Points of drops: 1 for each row of a soft drop, 2 for each row of a hard drop.
        points_drop: integer, "points" = row.points.drop;
        /// Rows of garbage that the placements sent to an opponent, by the rules' attack table.
        pub attack: u32 => integer, "rows";
        /// Number of placements by spin (none, mini, full) and rows cleared.
        pub clears: [[u32; 5]; 3];
        ..CLEARS.map(|(name, spin, lines, meaning)| {
            let count = move |row: &GuidelineGameRow| row.clears[spin][lines];
            Field::integer(name, "-", meaning, count)
        });
        /// Number of perfect clears, which leave the board empty.
        pub perfect_clears: u32 => integer;
        /// Length of the longest combo: the most consecutive placements that each removed rows.
        pub longest_combo: u32 => integer;
        /// Length of the longest run of back-to-back clears; the first difficult clear of a run
        /// does not count.
        pub longest_back_to_back: u32;
        /// Length of the longest run of back-to-back clears; the first difficult clear of a run
        /// does not count.
        longest_b2b: integer = row.longest_back_to_back;
        /// Length of the game's current run of back-to-back clears.
        pub run_of_back_to_back: u32;
        /// Number of keys in the shortest inputs of all placements, including the hold.
        pub inputs: u32 => integer, "keys";
        /// Number of placements that used the hold.
        pub holds: u32 => integer;
        /// Number of placements that follow a plan for a perfect finish of a Sprint; 0 for a bot.
        pub planned: u32 => integer, "pieces";
        /// Maximum height of the stack after a placement.
        pub height_max: u32 => integer, "rows";
        /// Reward of a Sprint as defined by the capstone: -`pieces`, or
        /// `pieces` + 5 * `lines` - 550 if the game was lost.
        sprint_reward: integer = (row.end != GuidelineEnd::Left).then(|| row.sprint_reward()),
            missing "the player left the game";
        /// Number of garbage rows removed in the game.
        pub garbage_cleared: u32 => integer, "rows";
        /// Number of garbage rows on the board at the end of the game.
        pub garbage_left: u32 => integer, "rows";
        /// 1 if the game was won or a limit ended it, 0 if it was lost.
        survived: integer = (row.end != GuidelineEnd::Left).then(|| u32::from(!row.is_lost())),
            missing "the player left the game";
    }
}

impl GuidelineGameRow {
    /// Creates the results of a guideline game before its first piece, with all counts at 0.
    #[must_use]
    pub fn new(game: u64, stream_seed: u64) -> GuidelineGameRow {
        GuidelineGameRow {
            game,
            stream_seed,
            // A placeholder that [`GuidelineGameRow::ended`] replaces.
            end: GuidelineEnd::TopOut,
            pieces: 0,
            lines: 0,
            time_us: 0,
            points: Points::default(),
            attack: 0,
            clears: [[0; 5]; 3],
            perfect_clears: 0,
            longest_combo: 0,
            longest_back_to_back: 0,
            run_of_back_to_back: 0,
            inputs: 0,
            holds: 0,
            planned: 0,
            height_max: 0,
            garbage_cleared: 0,
            garbage_left: 0,
        }
    }

    /// Returns the results of the guideline game, completed by the reason for its end.
    #[must_use]
    pub fn ended(self, end: GuidelineEnd) -> GuidelineGameRow {
        GuidelineGameRow { end, ..self }
    }

    /// Adds a placement's rows, points, keys and hold to the game's results, but not the time.
    pub fn count(&mut self, held: bool, placed: &Placed, path: &InputPath, planned: bool) {
        let clear = placed.clear;
        self.pieces += 1;
        self.lines += u32::from(clear.lines);
        self.points.add(placed.points);
        self.points.drop += path.points();
        self.attack += placed.attack;
        self.inputs += path.inputs.len() as u32 + u32::from(held);
        self.holds += u32::from(held);
        self.planned += u32::from(planned);
        // A placement without rows and spin is not a clear and has no column.
        if clear.lines > 0 || clear.spin != Spin::None {
            self.clears[clear.spin as usize][usize::from(clear.lines)] += 1;
        }
        self.perfect_clears += u32::from(clear.perfect);
        self.longest_combo = self.longest_combo.max(placed.after.combo_state.combo.into());
        if placed.event.back_to_back && clear.is_difficult() {
            self.run_of_back_to_back += 1;
        } else if clear.lines > 0 {
            // An easy clear, or the first difficult one, resets the count; a placement without a
            // clear keeps it.
            self.run_of_back_to_back = 0;
        }
        self.longest_back_to_back = self.longest_back_to_back.max(self.run_of_back_to_back);
        self.height_max = self.height_max.max(placed.event.height.into());
    }

    /// Returns true if the game was lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self.end, GuidelineEnd::TopOut | GuidelineEnd::LockOut)
    }

    /// Returns true if the game was won: a Sprint or a cheese race.
    #[must_use]
    pub fn is_won(&self) -> bool {
        self.end == GuidelineEnd::Won
    }

    /// Computes the reward of a Sprint from the game's pieces, lines and result.
    #[must_use]
    pub fn sprint_reward(&self) -> i64 {
        sprint_reward(!self.is_lost(), self.pieces.into(), self.lines.into())
    }
}

/// Kinds of line clears, each with its name, spin (0: none, 1: mini, 2: full), rows and meaning.
pub(crate) const CLEARS: [(&str, usize, usize, &str); 11] = [
    ("singles", 0, 1, "clears of one row without spin"),
    ("doubles", 0, 2, "clears of two rows without spin"),
    ("triples", 0, 3, "clears of three rows without spin"),
    ("tetrises", 0, 4, "clears of four rows"),
    ("mini_0", 1, 0, "mini T-spins without rows"),
    ("mini_1", 1, 1, "mini T-spin singles"),
    ("mini_2", 1, 2, "mini T-spin doubles"),
    ("t_spin_0", 2, 0, "T-spins without rows"),
    ("t_spin_1", 2, 1, "T-spin singles"),
    ("t_spin_2", 2, 2, "T-spin doubles"),
    ("t_spin_3", 2, 3, "T-spin triples"),
];

/// Reads the games of a guideline run from the table `path`, with times cut to whole milliseconds.
pub(crate) fn read_guideline_games(path: &Path) -> Result<Vec<GuidelineGameRow>> {
    read_rows(path, read_back)
}

/// Returns the end reason and piece count of a recorded game; `None` if not in `games.csv`.
#[must_use]
pub fn logged_end(folder: &Path, game: u64) -> Option<(GuidelineEnd, u32)> {
    let games = read_guideline_games(&folder.join("games.csv")).ok()?;
    let row = games.iter().find(|row| row.game == game)?;
    Some((row.end, row.pieces))
}

fn read_back(row: &LoggedRow) -> Option<GuidelineGameRow> {
    let number = |name: &str| u32::try_from(row.whole(name)?).ok();
    let seed = row.text("stream_seed")?;
    let seed = u64::from_str_radix(seed.strip_prefix("0x")?, 16).ok()?;
    let mut clears = [[0; 5]; 3];
    for (name, spin, lines, _) in CLEARS {
        clears[spin][lines] = number(name)?;
    }
    Some(GuidelineGameRow {
        end: GuidelineEnd::named(row.level("end_reason")?)?,
        pieces: number("pieces")?,
        lines: number("lines")?,
        time_us: u64::try_from(row.whole("time_ms")?).ok()?.checked_mul(1000)?,
        points: Points {
            base: number("points_base")?,
            back_to_back: number("points_b2b")?,
            combo: number("points_combo")?,
            perfect: number("points_perfect")?,
            drop: number("points_drop")?,
        },
        attack: number("attack")?,
        clears,
        perfect_clears: number("perfect_clears")?,
        longest_combo: number("longest_combo")?,
        longest_back_to_back: number("longest_b2b")?,
        inputs: number("inputs")?,
        holds: number("holds")?,
        planned: number("planned")?,
        height_max: number("height_max")?,
        garbage_cleared: number("garbage_cleared")?,
        garbage_left: number("garbage_left")?,
        // Values without a column only matter during play, and this game has ended.
        ..GuidelineGameRow::new(row.whole("game")?.try_into().ok()?, seed)
    })
}

const DEEP_WELL_ROWS: u8 = 3;

/// Counts the kinds of pieces that can be dropped without leaving an empty cell below them.
pub(super) fn count_fitting_pieces(matrix: &Matrix) -> u32 {
    let heights = matrix.heights();
    let fits = |piece: &&Piece| {
        piece.orientations().iter().any(|shape| {
            let width = usize::from(shape.width);
            heights.windows(width).any(|under| {
                let gap = |c: usize| i16::from(under[c]) - i16::from(shape.bottom[c]);
                (1..width).all(|c| gap(c) == gap(0))
            })
        })
    };
    Piece::ALL.iter().filter(fits).count() as u32
}

/// Returns true if the piece at `landing` leaves a hole in the well; `None` if no well has 3 or
/// more rows.
pub(super) fn covers_well(matrix: &Matrix, landing: Landing) -> Option<bool> {
    let heights = matrix.heights().map(usize::from);
    let beside = |column: Option<usize>| {
        column.and_then(|column| heights.get(column)).copied().unwrap_or(usize::MAX)
    };
    let depth = |column: usize| {
        let lower = beside(column.checked_sub(1)).min(beside(Some(column + 1)));
        lower.saturating_sub(heights[column])
    };
    let deepest = (0..WIDTH).map(depth).max()?;
    let well = (0..WIDTH).find(|&column| depth(column) == deepest)?;
    let cells = landing.cells();
    let lowest = cells.iter().filter(|(column, _)| *column == well).map(|(_, row)| *row).min();
    (deepest >= usize::from(DEEP_WELL_ROWS)).then(|| lowest.is_some_and(|row| row > heights[well]))
}

pub(crate) fn guideline_columns(table: &str) -> Option<Vec<Column>> {
    match table {
        "games" => Some(columns(&guideline_game_fields())),
        "placements" => Some(columns(&guideline_placement_fields(MAX_PREVIEWS))),
        "candidates" => {
            let terms: Vec<Term> = Term::all().collect();
            Some(columns(&guideline_candidate_fields(&terms)))
        }
        _ => None,
    }
}

impl RowEncoder<GuidelinePlacement> {
    /// Creates an encoder of placements in guideline games with `previews` visible next pieces.
    pub fn for_guideline(
        columns: &Columns,
        deals_bags: bool,
        previews: usize,
    ) -> Result<RowEncoder<GuidelinePlacement>> {
        let fields = guideline_placement_fields(previews);
        let sets = sets(&fields);
        let mut fields = select_fields(columns, fields, &KEYS, &sets)?;
        let lacks = |column: &str| !deals_bags && BAG_COLUMNS.contains(&column);
        if let Columns::Named(names) = columns
            && let Some(name) = names.iter().find(|name| lacks(name))
        {
            return Err(Error::Config(format!(
                "column {name} exists only for a queue that deals bags: leave it out, or give \
                 {QUEUE} bag"
            )));
        }
        fields.retain(|field| !lacks(&field.column.name));
        Ok(RowEncoder::from_fields(fields))
    }

    /// Creates an encoder of columns that are added to a user's table of guideline placements.
    pub fn annotating_guideline(
        columns: &Columns,
        given: &[String],
    ) -> Result<RowEncoder<GuidelinePlacement>> {
        let mut fields = guideline_placement_fields(0);
        fields.retain(|field| !field.column.name.starts_with("next_"));
        let sets = sets(&fields);
        Ok(RowEncoder::from_fields(select_annotations(
            columns,
            fields,
            &sets,
            &GUIDELINE_HISTORY_COLUMNS,
            given,
        )?))
    }
}

const GUIDELINE_HISTORY_COLUMNS: [&str; 6] =
    ["time_ms", "used_hold", "hold_before", "hold_after", "points_total", "attack_total"];

fn sets(fields: &[Field<GuidelinePlacement>]) -> [(&'static str, Vec<String>); 5] {
    let all = names_of(fields, |_| true);
    [
        ("minimal", names_of(fields, |field| field.minimal)),
        // A controller always uses all of its terms.
        ("controller", all.clone()),
        ("all", all),
        ("features", MEASURED.map(str::to_owned).to_vec()),
        ("heights", (0..WIDTH).map(|column| format!("h{column}")).collect()),
    ]
}

impl RowEncoder<GuidelineCandidate> {
    /// Creates an encoder of candidate placements in guideline games, with the features `terms`.
    #[must_use]
    pub fn for_terms(terms: &Terms) -> RowEncoder<GuidelineCandidate> {
        let terms: Vec<Term> = terms.weights().iter().map(|&(term, _)| term).collect();
        RowEncoder::from_fields(guideline_candidate_fields(&terms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::guideline::RotationState;

    #[test]
    fn rewards_are_the_capstones() {
        let won = GuidelineGameRow { pieces: 112, lines: 40, ..GuidelineGameRow::new(0, 0) }
            .ended(GuidelineEnd::Won);
        assert_eq!(won.sprint_reward(), -112);
        let lost = GuidelineGameRow { pieces: 60, lines: 12, ..GuidelineGameRow::new(0, 0) }
            .ended(GuidelineEnd::TopOut);
        assert_eq!(lost.sprint_reward(), 60 + 60 - 550);
    }

    fn matrix(picture: &str) -> Matrix {
        picture.parse().unwrap()
    }

    #[test]
    fn what_fits_by_hand() {
        // On the floor every piece fits except S and Z, which leave a gap.
        assert_eq!(count_fitting_pieces(&Matrix::EMPTY), 5);
        // With one step up to the right, S fits flat on the step and Z fits upright.
        assert_eq!(count_fitting_pieces(&matrix(".....#####")), 7);
        // With steps of 3 everywhere, up and down, only an upright I fits.
        let teeth = ".#.#.#.#.#/.#.#.#.#.#/.#.#.#.#.#".replace('/', "\n");
        assert_eq!(count_fitting_pieces(&matrix(&teeth)), 1);
        // With steps of 2, J and L also fit with an arm over the step.
        let teeth = ".#.#.#.#.#/.#.#.#.#.#".replace('/', "\n");
        assert_eq!(count_fitting_pieces(&matrix(&teeth)), 3);
    }

    #[test]
    fn a_well_is_covered_by_hand() {
        let walls = matrix("#########.\n#########.\n#########.");
        let flat = Landing::new(Piece::I, RotationState::Spawn, 7, 3);
        assert_eq!(flat.cells().iter().map(|cell| cell.0).max(), Some(9));
        assert_eq!(covers_well(&walls, flat), Some(true));
        let beside = Landing::new(Piece::I, RotationState::Spawn, 1, 3);
        assert_eq!(covers_well(&walls, beside), Some(false));
        let upright = Landing::new(Piece::I, RotationState::Right, 9, 2);
        let rows: Vec<usize> = upright.cells().iter().map(|cell| cell.1).collect();
        assert_eq!((rows.iter().min(), rows.iter().max()), (Some(&0), Some(&3)));
        assert_eq!(covers_well(&walls, upright), Some(false));
        let shallow = matrix("#########.\n#########.");
        let flat = Landing::new(Piece::I, RotationState::Spawn, 7, 2);
        assert_eq!(covers_well(&shallow, flat), None);
    }
}
