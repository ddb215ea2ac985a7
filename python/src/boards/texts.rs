//! Conversion of texts from elsewhere to boards: pictures of common kinds, and fumens.

use tetrastat::board::{Board, BoardSize};
use tetrastat::error::{Error, Result};
use tetrastat::pictures::fumen::{Field, FumenPage, ROWS, WIDTH, decode, encode};

/// Signs of empty cells besides the space.
const EMPTY: [char; 3] = ['.', '_', '0'];
/// Signs of filled cells. The letters are those of the pieces, and G stands for garbage.
const FILLED: [char; 12] = ['#', 'X', 'x', '1', 'G', 'I', 'O', 'T', 'S', 'Z', 'J', 'L'];
/// Number of rows above the rows in play that a board stores.
const OVERFLOW: usize = 4;

/// Reads a picture with one row a line, the top row first. Rows above the picture are empty if
/// `size` has more rows; without `size`, the board has the size of the picture.
///
/// If the picture marks empty cells by another character than a space, such as `.`, spaces at the
/// start and the end of a line are ignored. Otherwise each space is an empty cell, and spaces at
/// the end of a line may be omitted.
pub(super) fn of_picture(text: &str, size: Option<BoardSize>) -> Result<Board> {
    let has_margins = text.contains(EMPTY);
    let row = |line: &'_ str| match has_margins {
        true => line.trim().to_owned(),
        false => line.trim_end().to_owned(),
    };
    let lines: Vec<String> = text.lines().map(row).collect();
    let blank = |line: &&String| line.is_empty();
    // A blank first line follows the opening quotes of a text. In a picture with spaces as cells,
    // a line of spaces is a row, so only lines without any characters are left out there.
    let first = match has_margins {
        true => lines.iter().take_while(blank).count(),
        false => text.lines().take_while(|line| line.is_empty()).count(),
    };
    let end = lines.len() - lines.iter().rev().take_while(blank).count();
    let picture = lines.get(first..end).unwrap_or_default();
    let width = picture.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    if picture.is_empty() {
        return Err(Error::Config(format!("text: no filled row: {SIGNS}")));
    }
    let mut rows = Vec::with_capacity(picture.len());
    for (number, line) in picture.iter().enumerate().rev() {
        let (line_no, cells) = (first + number + 1, line.chars().count());
        if has_margins && cells != width {
            return Err(Error::Config(format!(
                "text, line {line_no}: {cells} cells, but another line has {width}"
            )));
        }
        if width > 16 {
            return Err(Error::Config(format!(
                "text, line {line_no}: {width} cells: a board has 4 to 16 columns"
            )));
        }
        let mut bits = 0;
        for (column, sign) in line.chars().enumerate() {
            if FILLED.contains(&sign) {
                bits |= 1 << column;
            } else if !(EMPTY.contains(&sign) || sign == ' ' && !has_margins) {
                return Err(Error::Config(format!(
                    "text, line {line_no}: {sign:?} is no cell: {SIGNS}"
                )));
            }
        }
        rows.push(bits);
    }
    let size = match size {
        Some(size) if has_margins && size.width() != width || size.width() < width => {
            return Err(Error::Config(format!(
                "text: {width} columns, but size {size} has {}",
                size.width()
            )));
        }
        Some(size) => size,
        None => BoardSize::new(width, rows.len())?,
    };
    check_height(&rows, size)?;
    Board::from_rows(size, &rows)
}

const SIGNS: &str = "use . _ 0 or a space for an empty cell, and # X 1 or the letter of a \
    piece for a filled one";

/// Reads the board of the page number `page` of a fumen, before the page's piece is placed. A
/// negative number counts from the last page.
pub(super) fn of_fumen(text: &str, page: isize, size: BoardSize) -> Result<Board> {
    check_width(size.width())?;
    let pages = decode(text)?;
    let index = if page < 0 { page + pages.len() as isize } else { page };
    let found = usize::try_from(index).ok().and_then(|index| pages.get(index));
    let FumenPage { field, .. } = found.ok_or_else(|| {
        let last = pages.len() - 1;
        Error::Config(format!("page {page}: this fumen has pages 0 to {last}"))
    })?;
    let cell = |row, column| u16::from(field.is_filled(column, row)) << column;
    let bits = |row| (0..WIDTH).map(|column| cell(row, column)).sum();
    let rows: Vec<u16> = (0..ROWS).map(bits).collect();
    check_height(&rows, size)?;
    Board::from_rows(size, &rows)
}

/// Writes the board as a fumen of one page without a piece. Its filled cells are grey.
pub(super) fn to_fumen(board: &Board) -> Result<String> {
    check_width(board.width())?;
    if board.stack_height() > ROWS {
        let text = format!("the board has cells above the {ROWS} rows of a fumen");
        return Err(Error::Config(text));
    }
    let mut field = Field::default();
    for row in 0..board.stack_height() {
        for column in (0..WIDTH).filter(|&column| board.is_filled(column, row)) {
            field.fill(column, row, None);
        }
    }
    Ok(encode(&[FumenPage::new(field, None)]))
}

fn check_width(width: usize) -> Result<()> {
    match width {
        WIDTH => Ok(()),
        _ => Err(Error::Config(format!("a fumen has {WIDTH} columns, and this board {width}"))),
    }
}

/// Returns an error if `rows` have cells higher than a board of `size` stores.
fn check_height(rows: &[u16], size: BoardSize) -> Result<()> {
    let height = rows.iter().rposition(|&row| row != 0).map_or(0, |row| row + 1);
    if height > size.height() + OVERFLOW {
        return Err(Error::Config(format!(
            "the stack has {height} rows, and a board of size {size} stores {}: give a larger size",
            size.height() + OVERFLOW
        )));
    }
    Ok(())
}
