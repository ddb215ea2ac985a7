//! Lists all features, with their exact definitions and sources. Frozen: names and order.

use super::{Direction, FeatureDefinition, FeatureFunction, Unit, scalar};
use crate::board::BoardSize;

use Direction::{Cost, Gain, Neutral};
use FeatureFunction::{Board, Indexed, Move};

fn no_indices(_: BoardSize) -> usize {
    0
}

fn columns(size: BoardSize) -> usize {
    size.width()
}

fn neighbours(size: BoardSize) -> usize {
    size.width() - 1
}

fn five_indices(_: BoardSize) -> usize {
    5
}

const fn unindexed(
    name: &'static str,
    unit: Unit,
    direction: Direction,
    measure: FeatureFunction,
    definition: &'static str,
    source: &'static str,
) -> FeatureDefinition {
    FeatureDefinition { name, definition, source, unit, direction, indices: no_indices, measure }
}

const fn cost(
    name: &'static str,
    measure: FeatureFunction,
    definition: &'static str,
    source: &'static str,
) -> FeatureDefinition {
    unindexed(name, Unit::One, Cost, measure, definition, source)
}

const MDP: &str = "MDPTetris src/feature_functions.c (Thiery & Scherrer 2009)";

/// All features of classic games, in the order of the code book.
pub static REGISTRY: &[FeatureDefinition] = &[
    unindexed(
        "landing_height",
        Unit::Half,
        Cost,
        Move(scalar::landing_height),
        "row of the piece's lowest cell before clearing + (rows of the piece - 1)/2",
        "MDPTetris feature 1; Dellacherie (Fahey 2003, 1-based: + 1)",
    ),
    unindexed(
        "landing_height_mean",
        Unit::Quarter,
        Cost,
        Move(scalar::landing_height_mean),
        "mean over the piece's cells of (row + 1)",
        "guide: board height - mean row, rows counted from the top",
    ),
    cost(
        "landing_height_anchor",
        Move(scalar::landing_height_anchor),
        "landing row (0 at the floor) + 1 + row of the notebook's anchor cell in the piece's box, \
         by orientation from 0: I 0 0, O 0, T 1 0 1 1, S 1 0, Z 1 0, J 0 0 1 2, L 1 0 0 2",
        "notebook: board height - anchor row",
    ),
    unindexed(
        "piece_height_unity",
        Unit::One,
        Neutral,
        Move(scalar::piece_height_unity),
        "row of the piece's lowest cell (0 at the floor) - row, in the piece's box (0 its lowest \
         row), of the top cell of its leftmost column",
        "Unity pieceHeight as coded (its sign of the second term is a bug there)",
    ),
    unindexed(
        "eroded_cells",
        Unit::One,
        Gain,
        Move(scalar::eroded_cells),
        "rows removed x cells of this piece in the removed rows",
        "MDPTetris feature 2; Dellacherie (Fahey 2003)",
    ),
    unindexed(
        "eroded_cells_guide",
        Unit::One,
        Gain,
        Move(scalar::eroded_cells_guide),
        "rows removed x cells of this piece that complete their row alone",
        "guide, as its code is printed (a flat I that completes a row counts 0)",
    ),
    unindexed(
        "rows_removed",
        Unit::One,
        Gain,
        Move(scalar::rows_removed),
        "rows removed by this placement",
        "El-Tetris; MDPTetris feature 13 (Fahey)",
    ),
    unindexed(
        "complete_rows",
        Unit::One,
        Gain,
        Board(scalar::complete_rows),
        "full rows that stand on the measured board (0 when measured after clearing)",
        "Lee 2013; notebook; capstone",
    ),
    cost(
        "row_transitions",
        Board(scalar::row_transitions),
        "changes between filled and empty along all rows, both walls filled; an empty row has 2",
        "MDPTetris feature 3; Dellacherie (Fahey 2003)",
    ),
    cost(
        "row_flips_unity",
        Board(scalar::row_flips_unity),
        "changes along all rows, the left edge empty and the right edge not counted",
        "Unity rowFlips",
    ),
    cost(
        "column_transitions",
        Board(scalar::column_transitions),
        "changes along all columns, the floor filled and the sky empty; an empty column has 1",
        "MDPTetris feature 4; Dellacherie (Fahey 2003)",
    ),
    cost(
        "column_transitions_floor",
        Board(scalar::column_transitions_floor),
        "changes along all columns, the floor filled and the sky not counted",
        "El-Tetris (differs from column_transitions only where the top row is filled)",
    ),
    cost(
        "column_transitions_ceiling",
        Board(scalar::column_transitions_ceiling),
        "changes along all columns, floor and ceiling filled; an empty column has 2",
        "guide; notebook",
    ),
    cost(
        "column_transitions_open",
        Board(scalar::column_transitions_open),
        "changes along all columns, neither floor nor ceiling counted",
        "Unity colFlips",
    ),
    cost(
        "holes",
        Board(scalar::holes),
        "empty cells with at least one filled cell above in the same column",
        "MDPTetris feature 5",
    ),
    cost(
        "wells",
        Board(scalar::wells),
        "over well cells (empty, left and right filled, walls filled, covered or not): consecutive \
         empty cells from it downward, itself included",
        "MDPTetris feature 6; Dellacherie (Fahey 2003)",
    ),
    cost(
        "wells_fast",
        Board(scalar::wells_fast),
        "each column from the top: the first well cell of an empty run adds 1 + ... + n, n = empty \
         cells from it downward, enclosed or not",
        "MDPTetris feature -6",
    ),
    cost(
        "wells_open",
        Board(scalar::wells_open),
        "per column 1 + ... + k for its k well cells open to the sky; a gap does not reset the \
         counter",
        "notebook cumulative_wells",
    ),
    cost(
        "wells_open_restart",
        Board(scalar::wells_open_restart),
        "as wells_open, but the counter starts again after a gap",
        "notebook, the reading of its prose",
    ),
    cost(
        "wells_by_height",
        Board(scalar::wells_by_height),
        "per column d(d+1)/2, d = how far its height lies below the lower neighbour's (walls above \
         all)",
        "column-height shortcut seen in re-implementations",
    ),
    cost(
        "wells_guide",
        Board(scalar::wells_guide),
        "each maximal empty run of d cells of a column, up to the board's top row: d(d+1)/2 when \
         each neighbour column has at least one filled cell beside it; a wall counts as filled",
        "guide, as its code is printed; grows with the board's height",
    ),
    cost(
        "wells_squared",
        Board(scalar::wells_squared),
        "over inner columns (lower neighbour's height - own height) squared, bumps included",
        "Unity wells",
    ),
    cost(
        "well_cells",
        Board(scalar::well_cells),
        "empty cells that are well cells or lie below one in the same empty run",
        "MDPTetris feature 12 (Fahey), as the golden rows have it",
    ),
    cost(
        "hole_depth",
        Board(scalar::hole_depth),
        "over holes: consecutive filled cells directly above the hole",
        "MDPTetris feature -1",
    ),
    cost(
        "hole_depth_all",
        Board(scalar::hole_depth_all),
        "over holes: all filled cells above the hole",
        "guide; notebook hole_depths",
    ),
    cost(
        "rows_with_holes",
        Board(scalar::rows_with_holes),
        "rows with at least one hole",
        "MDPTetris feature -2",
    ),
    unindexed(
        "pattern_diversity",
        Unit::One,
        Gain,
        Board(scalar::pattern_diversity),
        "distinct values of h[k+1] - h[k] that lie in -2..2 (0 to 5); others are ignored",
        "MDPTetris feature -14",
    ),
    cost(
        "aggregate_height",
        Board(scalar::aggregate_height),
        "sum of the column heights",
        "Lee 2013; guide; notebook; capstone",
    ),
    cost(
        "aggregate_top_index",
        Board(scalar::aggregate_top_index),
        "sum over columns of the row of the top filled cell, -1 for an empty column",
        "Unity sumHeights",
    ),
    unindexed(
        "mean_height",
        Unit::PerColumn,
        Cost,
        Board(scalar::aggregate_height),
        "mean of the column heights",
        "MDPTetris feature 18",
    ),
    cost(
        "max_height",
        Board(scalar::max_height),
        "height of the highest column",
        "MDPTetris feature 7 (Bertsekas & Ioffe 1996)",
    ),
    cost(
        "height_range",
        Board(scalar::height_range),
        "highest minus lowest column height",
        "MDPTetris feature 15 (Boehm et al. 2005)",
    ),
    cost(
        "bumpiness",
        Board(scalar::bumpiness),
        "sum of the absolute height differences of neighbouring columns",
        "MDPTetris feature 17 (Lagoudakis et al. 2002); Lee 2013",
    ),
    cost(
        "occupied_cells",
        Board(scalar::occupied_cells),
        "filled cells",
        "MDPTetris feature 10 (Fahey)",
    ),
    cost(
        "weighted_cells",
        Board(scalar::weighted_cells),
        "filled cells, each counted (row + 1) times",
        "MDPTetris feature 11 (Fahey)",
    ),
    unindexed("constant", Unit::One, Neutral, Board(scalar::constant), "1", MDP),
    FeatureDefinition {
        name: "height",
        definition: "height of column k: 1 + row of its highest filled cell, 0 when empty",
        source: "MDPTetris feature 8 (Bertsekas & Ioffe 1996)",
        unit: Unit::One,
        direction: Cost,
        indices: columns,
        measure: Indexed(scalar::height),
    },
    FeatureDefinition {
        name: "height_diff",
        definition: "absolute difference of the heights of columns k and k + 1",
        source: "MDPTetris feature 9 (Bertsekas & Ioffe 1996)",
        unit: Unit::One,
        direction: Cost,
        indices: neighbours,
        measure: Indexed(scalar::height_diff),
    },
    FeatureDefinition {
        name: "rbf",
        definition: "exp(-(mean height - i H/4)^2 / (2 (H/5)^2)), H the board's height in rows (20 \
            on 10x20), i = 0..4, rounded to four decimals",
        source: "value functions of Gabillon et al. 2013 and Scherrer et al. 2015",
        unit: Unit::TenThousandth,
        direction: Neutral,
        indices: five_indices,
        measure: Indexed(scalar::rbf),
    },
];
