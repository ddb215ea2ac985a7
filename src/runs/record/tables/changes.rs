//! Columns that measure the board before a placement, and columns that state how much the placement
//! changes each measure.

use crate::board::Board;
use crate::record::tables::field::Field;
use crate::record::tables::surface::Surface;

/// Functions that return the boards before and after the placement of a record.
pub(crate) type BoardsOf<S, B> = [fn(&S) -> B; 2];

/// Returns the columns `NAME_before` and `d_NAME` of the fact `name`, which `value` computes from a
/// board. Of `max_height` they are `height_before` and `d_height`.
pub(crate) fn changes<S: 'static, B: 'static>(
    name: &str,
    unit: &'static str,
    definition: &str,
    [before, after]: BoardsOf<S, B>,
    value: impl Fn(&B) -> Option<i32> + Copy + Send + Sync + 'static,
) -> [Field<S>; 2] {
    let short = name.strip_prefix("max_").unwrap_or(name);
    let was = format!("{short}_before");
    let of_before = format!("`{name}` of the board before the placement: {definition}");
    let of_change = format!(
        "change of `{name}` by the placement: its value after full rows are removed, minus `{was}`"
    );
    let change = move |row: &S| Some(value(&after(row))? - value(&before(row))?);
    [
        Field::integer(was, unit, of_before, move |row| value(&before(row))).named_only(),
        Field::integer(format!("d_{short}"), unit, of_change, change).named_only(),
    ]
}

/// Returns the columns of [`changes`] for the facts of a [`Surface`] that are counts.
pub(crate) fn surface_changes<S: 'static>(
    boards: BoardsOf<S, Board>,
) -> impl Iterator<Item = Field<S>> {
    type Fact = (&'static str, &'static str, &'static str, fn(&Surface) -> i32);
    let facts: [Fact; 4] = [
        (
            "well_depth",
            "rows",
            "rows by which the deepest column lies below its lower neighbour",
            |surface| surface.well.1.into(),
        ),
        (
            "i_dependencies",
            "columns",
            "columns 3 or more rows below their lower neighbour",
            |surface| surface.i_dependencies as i32,
        ),
        (
            "parity_check",
            "cells",
            "filled cells with column + row even, minus filled cells with column + row odd",
            |surface| surface.parity_check as i32,
        ),
        (
            "parity_column",
            "cells",
            "filled cells in even columns, minus filled cells in odd columns",
            |surface| surface.parity_column as i32,
        ),
    ];
    facts.into_iter().flat_map(move |(name, unit, definition, value)| {
        changes(name, unit, definition, boards, move |board| Some(value(&Surface::of(board))))
    })
}
