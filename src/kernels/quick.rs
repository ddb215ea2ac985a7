//! The quick way (AVX-512): features of a placement that clears nothing differ from its parent's
//! only where the piece touches, so they are the parent's plus differences read from tables of
//! the parent. Lanes are placements; one vector register holds a table for all 32 rows.

use super::lanes::LANES;
use super::shapes::LANDING;
use super::sheet::Play;
use crate::board::{Board, BoardSize, MAX_WIDTH, full_row};
use crate::features::Feature;
use crate::piece::Piece;
use crate::placement::Placements;

/// Lanes of one vector.
pub(super) const QUICK: usize = 32;

/// One `u16` per lane of a vector.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Lane32(pub(super) [u16; QUICK]);

impl Lane32 {
    const ZERO: Lane32 = Lane32([0; QUICK]);
}

/// Features the quick way knows, in the order of their weights.
pub(super) const KNOWN: [&str; 10] = [
    "row_transitions",
    "column_transitions",
    "holes",
    "wells",
    "hole_depth",
    "rows_with_holes",
    "aggregate_height",
    "bumpiness",
    "complete_rows",
    "pattern_diversity",
];

/// Sets of features that the quick way is compiled for, as bits of [`KNOWN`].
pub(super) const DIVERSITY: u32 = 1 << 9;
pub(super) const DELLACHERIE: u32 = 0b00_1111;
pub(super) const BCTS: u32 = 0b11_1111;
pub(super) const DT: u32 = BCTS | DIVERSITY;
pub(super) const LEE: u32 = 0b1_1100_0100;

/// Up to 32 placements of a piece. Placement i is in lane `lane_of(i)`, the order in which
/// unpacking and multiply-add bring the sums into sequence.
pub(super) struct Half {
    /// Placements here.
    pub(super) count: usize,
    pub(super) rows: [Lane32; 4],
    /// Cells beside the piece in each row.
    pub(super) beside: [Lane32; 4],
    /// The lowest cell of each column, by the row it lies in.
    pub(super) bottoms: [Lane32; 3],
    /// Columns of the piece that end below row 1 or 2.
    pub(super) above: [Lane32; 2],
    /// Columns under the piece; 16 where it is narrower.
    pub(super) columns: [Lane32; 4],
    /// Row of the lowest cell in each.
    pub(super) bottom: [Lane32; 4],
    /// 0xffff where the piece is narrower.
    pub(super) absent: [Lane32; 4],
    pub(super) width: Lane32,
    pub(super) height: Lane32,
    /// Sum of the rows of the lowest cells, and of those above the highest.
    pub(super) low_sum: Lane32,
    pub(super) high_sum: Lane32,
    /// Neighbour columns, or the outermost of the piece itself at a wall.
    pub(super) sides: [Lane32; 2],
    /// Heights of the outermost columns of the piece.
    pub(super) ends: [Lane32; 2],
    /// 0xffff where there is a neighbour.
    pub(super) has_side: [Lane32; 2],
    /// Steps within the piece.
    pub(super) own_steps: Lane32,
    /// Columns c and c + width: bounds of the steps it replaces.
    pub(super) bounds: [Lane32; 2],
    /// Columns whose step from the left it leaves alone.
    pub(super) kept: Lane32,
    /// Whether a step of -2, ... 2 occurs within the piece.
    pub(super) own_kinds: [Lane32; 5],
    /// Landing feature: constant part.
    pub(super) landing: Lane32,
}

/// The weights and tables of the quick way.
pub(super) struct Quick {
    pub(super) set: u32,
    pub(super) size: BoardSize,
    pub(super) play: Play,
    /// Two halves of the placements of each piece.
    pub(super) pieces: Vec<Vec<Half>>,
    pub(super) weights: [i64; KNOWN.len()],
    /// Weight and rows to a step of the landing feature.
    pub(super) landing: i64,
    pub(super) landing_steps: u16,
    pub(super) eroded: i64,
    pub(super) eroded_alone: i64,
    pub(super) lines: i64,
    /// For each digit of the weights: pairs (landing, diversity), (1, 2), (3, 4), (5, 6), (7, 8).
    pub(super) digits: Vec<[i32; 5]>,
}

/// The lane of the i-th placement of a half.
pub(super) fn lane_of(index: usize) -> usize {
    let within = index % 16;
    within / 4 * 8 + within % 4 + index / 16 * 4
}

impl Quick {
    /// The quick way for weighted features, if it knows them all.
    pub(super) fn new(size: BoardSize, play: Play, terms: &[(Feature, i64)]) -> Option<Quick> {
        let mut quick = Quick {
            set: 0,
            size,
            play,
            pieces: Vec::new(),
            weights: [0; KNOWN.len()],
            landing: 0,
            landing_steps: 0,
            eroded: 0,
            eroded_alone: 0,
            lines: 0,
            digits: Vec::new(),
        };
        let mut landing = None;
        for &(feature, weight) in terms {
            let name = feature.definition().name;
            if let Some(known) = KNOWN.iter().position(|&other| other == name) {
                quick.weights[known] += weight;
                quick.set |= 1 << known;
            } else if let Some(k) = LANDING.iter().position(|&(other, _)| other == name) {
                if landing.is_some_and(|other| other != k) {
                    return None;
                }
                landing = Some(k);
                quick.landing += weight;
                quick.landing_steps = LANDING[k].1;
            } else {
                match name {
                    "eroded_cells" => quick.eroded += weight,
                    "eroded_cells_guide" => quick.eroded_alone += weight,
                    "rows_removed" => quick.lines += weight,
                    _ => return None,
                }
            }
        }
        let known = [DELLACHERIE, BCTS, DT, LEE];
        quick.set = known.into_iter().find(|set| quick.set & !set == 0)?;
        quick.digits = digits(quick.landing, &quick.weights)?;
        quick.pieces = Piece::ALL.map(|piece| halves(size.width(), piece, landing)).into();
        Some(quick)
    }
}

/// The digits of all weights, paired for multiply-add.
fn digits(landing: i64, weights: &[i64; KNOWN.len()]) -> Option<Vec<[i32; 5]>> {
    let mut rest = [landing, weights[9], 0, 0, 0, 0, 0, 0, 0, 0];
    rest[2..].copy_from_slice(&weights[..8]);
    let mut digits = Vec::new();
    while digits.is_empty() || rest.iter().any(|&weight| weight != 0) {
        let mut lowest = [0i16; 10];
        for (digit, weight) in lowest.iter_mut().zip(&mut rest) {
            *digit = ((*weight + 0x2000) & 0x3fff) as i16 - 0x2000;
            *weight = (*weight - i64::from(*digit)) >> 14;
        }
        let pair = |k: usize| i32::from(lowest[2 * k + 1]) << 16 | i32::from(lowest[2 * k] as u16);
        digits.push(std::array::from_fn(pair));
    }
    (digits.len() <= 3).then_some(digits)
}

fn halves(width: usize, piece: Piece, landing: Option<usize>) -> Vec<Half> {
    let placements = Placements::new(width).of(piece).to_vec();
    placements.chunks(QUICK).map(|chunk| half(width, piece, chunk, landing)).collect()
}

fn half(
    board_width: usize,
    piece: Piece,
    placements: &[crate::placement::Placement],
    landing: Option<usize>,
) -> Half {
    let zero = Lane32::ZERO;
    let mut half = Half {
        count: placements.len(),
        rows: [zero; 4],
        beside: [zero; 4],
        bottoms: [zero; 3],
        above: [zero; 2],
        columns: [Lane32([MAX_WIDTH as u16; QUICK]); 4],
        bottom: [zero; 4],
        absent: [Lane32([u16::MAX; QUICK]); 4],
        width: zero,
        height: zero,
        low_sum: zero,
        high_sum: zero,
        sides: [zero; 2],
        ends: [zero; 2],
        has_side: [zero; 2],
        own_steps: zero,
        bounds: [zero; 2],
        kept: zero,
        own_kinds: [zero; 5],
        landing: zero,
    };
    let full = full_row(board_width);
    let constants = super::shapes::Shapes::new(board_width, piece);
    for (index, placement) in placements.iter().enumerate() {
        let lane = lane_of(index);
        let shape = &piece.orientations()[placement.orientation as usize];
        let (c, w) = (placement.column as usize, shape.width as usize);
        let top = |j: usize| u16::from(shape.bottom[j] + shape.thickness[j]);
        for k in 0..4 {
            let row = shape.rows[k] << c;
            half.rows[k].0[lane] = row;
            half.beside[k].0[lane] = (row << 1 | row >> 1) & !row & full;
        }
        for j in 0..w {
            let column = 1u16 << (c + j);
            half.bottoms[shape.bottom[j] as usize].0[lane] |= column;
            for k in 1..3 {
                half.above[k - 1].0[lane] |= if top(j) <= k as u16 { column } else { 0 };
            }
            half.columns[j].0[lane] = (c + j) as u16;
            half.bottom[j].0[lane] = u16::from(shape.bottom[j]);
            half.absent[j].0[lane] = 0;
            half.low_sum.0[lane] += u16::from(shape.bottom[j]);
            half.high_sum.0[lane] += top(j);
            if j > 0 {
                half.own_steps.0[lane] += top(j).abs_diff(top(j - 1));
                if let Some(kind) = half.own_kinds.get_mut((top(j) + 2 - top(j - 1)) as usize) {
                    kind.0[lane] = 1;
                }
            }
        }
        half.width.0[lane] = w as u16;
        half.height.0[lane] = u16::from(shape.height);
        half.sides[0].0[lane] = c.saturating_sub(1) as u16;
        half.sides[1].0[lane] = (c + w).min(board_width - 1) as u16;
        half.ends[0].0[lane] = top(0);
        half.ends[1].0[lane] = top(w - 1);
        half.has_side[0].0[lane] = if c > 0 { u16::MAX } else { 0 };
        half.has_side[1].0[lane] = if c + w < board_width { u16::MAX } else { 0 };
        half.kept.0[lane] = !(((1u32 << (w + 1)) - 1) << c) as u16;
        half.bounds[0].0[lane] = c as u16;
        half.bounds[1].0[lane] = (c + w) as u16;
        if let Some(k) = landing {
            half.landing.0[lane] = constants.landing[k].0[constants.lane(*placement)];
        }
    }
    half
}

/// What the quick way finds.
pub(super) struct Found {
    pub(super) scores: [i64; LANES],
    pub(super) rows: [u8; LANES],
    pub(super) lost: u64,
    pub(super) best: usize,
    pub(super) score: i64,
}

/// Marks that every placement loses.
pub(super) const ALL_LOSE: usize = 64;

impl Found {
    pub(super) fn nothing() -> Found {
        Found { scores: [0; LANES], rows: [0; LANES], lost: 0, best: ALL_LOSE, score: 0 }
    }
}

/// Finds the best placement of each piece; false where the quick way does not lead.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn find(
    quick: &Quick,
    board: &Board,
    pieces: &[Piece],
    found: &mut Found,
    scores: Option<&mut [Option<i64>]>,
) -> bool {
    // SAFETY: a plan has a quick way only if it owns a level of AVX-512.
    unsafe { super::quick512::find(quick, board, pieces, found, scores) }
}

/// No level other than AVX-512 has a quick way.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn find(
    _: &Quick,
    _: &Board,
    _: &[Piece],
    _: &mut Found,
    _: Option<&mut [Option<i64>]>,
) -> bool {
    false
}

/// The board once a placement is played, and the rows it removed.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn play(
    quick: &Quick,
    board: &Board,
    piece: Piece,
    index: usize,
    row: usize,
) -> Option<(Board, u32)> {
    // SAFETY: a plan has a quick way only if it owns a level of AVX-512.
    (row <= 28).then(|| unsafe { super::quick512::play(quick, board, piece, index, row) })
}

/// No level other than AVX-512 has a quick way.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn play(_: &Quick, _: &Board, _: Piece, _: usize, _: usize) -> Option<(Board, u32)> {
    None
}
