//! Parses the windows of cells of `--windows`, and finds the first entries of their tables.

use anyhow::{anyhow, bail};

use crate::board::BoardSize;
use crate::controller::{PatternLayout, PatternWindow, Patterns, TableRows, WindowPlaces};
use crate::error::quoted;

/// Parses windows as `--windows` gives them.
pub(crate) fn windows(text: &str) -> anyhow::Result<Vec<PatternWindow>> {
    text.split(',')
        .map(|text| {
            let mut words = text.trim().split(':');
            let mut window = PatternWindow {
                cells: words.next().unwrap_or_default().to_owned(),
                at: WindowPlaces::Everywhere,
                mirror: true,
                rows: TableRows::Own,
            };
            for word in words {
                match word {
                    "shared" => window.rows = TableRows::Shared,
                    "plain" => window.mirror = false,
                    other => bail!(
                        "--windows: '{}' is no kind of window: write shared or plain after a colon",
                        quoted(other)
                    ),
                }
            }
            Ok(window)
        })
        .collect()
}

/// Lays out the tables of `windows` on boards of `size`.
pub(crate) fn layout(windows: &[PatternWindow], size: BoardSize) -> anyhow::Result<PatternLayout> {
    PatternLayout::new(windows, size).map_err(|problem| anyhow!("--windows: {problem}"))
}

/// Returns the entries of all tables of `layout`, in units of a controller's weights. Windows that
/// `start` has too begin with its entries, others with 0.
///
/// # Errors
/// Returns an error if `start` has a window that `layout` lacks, or if their boards differ in size.
pub(crate) fn first_entries(
    layout: &PatternLayout,
    start: Option<&Patterns>,
) -> anyhow::Result<Vec<f64>> {
    let mut entries = vec![0.0; layout.entries()];
    let Some(start) = start else { return Ok(entries) };
    let (of_start, size) = (start.size(), layout.size());
    if of_start != size {
        bail!("--start has windows on boards of {of_start}, not {size}: give --board {of_start}");
    }
    for (index, window) in start.windows().iter().enumerate() {
        let place = layout.windows().iter().position(|other| other == window);
        let Some(place) = place else {
            bail!(
                "--start has windows of {}, which --windows lacks: add them, or leave out \
                 --windows",
                quoted(&window.cells)
            );
        };
        let (from, to) = (first_entry(start.layout(), index), first_entry(layout, place));
        let count = first_entry(start.layout(), index + 1) - from;
        let values = start.tables()[from..from + count].iter();
        for (entry, value) in entries[to..].iter_mut().zip(values) {
            *entry = f64::from(*value) * start.step();
        }
    }
    Ok(entries)
}

/// Returns the index of the first entry of all tables of the window with the number `window`.
fn first_entry(layout: &PatternLayout, window: usize) -> usize {
    let of_window = layout.lookups().iter().filter(|lookup| lookup.window >= window);
    of_window.map(|lookup| lookup.table).min().unwrap_or(layout.entries())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The windows of the start are found by their cells and kinds, in any order.
    #[test]
    fn tables_of_the_start_keep_their_entries() {
        let size: BoardSize = "6x5".parse().unwrap();
        let layout = |text| layout(&windows(text).unwrap(), size).unwrap();
        let start = layout("1x2:shared,2x1:plain");
        let tables = (0..start.entries() as i16).collect();
        let start = Patterns::new(start.windows(), 0.5, size, tables).unwrap();
        let other = layout("3x1,2x1:plain,2x1,1x2:shared");
        let entries = first_entries(&other, Some(&start)).unwrap();
        let patterns = |entries: &[f64]| {
            let tables = entries.iter().map(|entry| (entry * 2.0) as i16).collect();
            Patterns::new(other.windows(), 0.5, size, tables).unwrap()
        };
        let grown = patterns(&entries);
        let mut differs = false;
        for cells in 0..64u16 {
            let rows = [cells, cells.reverse_bits() >> 10, 0b10010];
            let board = crate::board::Board::from_rows(size, &rows).unwrap();
            assert_eq!(grown.value(&board), start.value(&board), "{cells:b}");
            differs |= grown.value(&board) != grown.value(&crate::board::Board::empty(size));
        }
        assert!(differs);
        assert!(first_entries(&other, None).unwrap().iter().all(|&entry| entry == 0.0));
        let error = first_entries(&layout("1x2:shared,2x1"), Some(&start)).unwrap_err();
        assert!(error.to_string().contains("--start has windows of 2x1"), "{error}");
    }
}
