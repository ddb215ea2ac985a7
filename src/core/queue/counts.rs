//! Counts of the seven pieces: the content of a bag, or weights.

use std::fmt;

use crate::error::{Error, Result, quoted};
use crate::piece::Piece;

/// A number for each piece: how often a bag contains it, or its weight. At least one number is
/// above 0. The text form lists these: `I=2+O=1`.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{piece::Piece, queue::PieceCounts};
/// let counts = PieceCounts::new([2, 1, 0, 0, 0, 0, 0])?; // in the order of Piece::ALL
/// assert_eq!((counts.to_string(), counts.total()), ("I=2+O=1".to_owned(), 3));
/// assert_eq!((counts.of(Piece::I), counts.of(Piece::T)), (2, 0));
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceCounts([u16; 7]);

impl PieceCounts {
    /// Largest sum of the seven numbers.
    pub const LARGEST_TOTAL: u32 = 1000;

    /// Creates counts from the numbers of the seven pieces, in the order of [`Piece::ALL`].
    ///
    /// # Errors
    /// Returns [`Error::Config`] if all numbers are 0, or their sum is above
    /// [`PieceCounts::LARGEST_TOTAL`].
    pub fn new(numbers: [u16; 7]) -> Result<PieceCounts> {
        let counts = PieceCounts(numbers);
        match counts.total() {
            1..=PieceCounts::LARGEST_TOTAL => Ok(counts),
            total => Err(refused(&format!("the numbers add up to {total}"))),
        }
    }

    /// Creates counts of `number` for every piece.
    ///
    /// # Errors
    /// Returns the errors of [`PieceCounts::new`].
    pub fn equal(number: u16) -> Result<PieceCounts> {
        PieceCounts::new([number; 7])
    }

    /// Parses pieces with their numbers, such as `I=2+O=1` or `I=2,O=1`. A piece without a number
    /// has 0. The text form has no comma, because tables would replace it.
    pub(super) fn parse(text: &str) -> Result<PieceCounts> {
        let mut numbers = [None; 7];
        for part in text.split(['+', ',']) {
            let parsed = part.split_once('=').and_then(|(piece, number)| {
                Some((piece.trim().parse::<Piece>().ok()?, number.trim().parse::<u16>().ok()?))
            });
            let Some((piece, number)) = parsed else {
                return Err(refused(&format!("'{}' is no piece with a number", quoted(part))));
            };
            if numbers[piece.index()].replace(number).is_some() {
                return Err(refused(&format!("{} has two numbers", piece.name())));
            }
        }
        PieceCounts::new(numbers.map(Option::unwrap_or_default))
    }

    /// Returns the number of `piece`.
    #[must_use]
    pub fn of(&self, piece: Piece) -> u32 {
        self.0[piece.index()].into()
    }

    /// Returns the sum of the seven numbers.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.0.iter().map(|&number| u32::from(number)).sum()
    }

    /// Returns the number that all pieces have, or `None` if their numbers differ.
    #[must_use]
    pub fn common(&self) -> Option<u16> {
        self.0.iter().all(|number| *number == self.0[0]).then_some(self.0[0])
    }

    /// Returns every piece as often as its number says, in the order of [`Piece::ALL`].
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        Piece::ALL.into_iter().flat_map(move |piece| (0..self.of(piece)).map(move |_| piece))
    }
}

impl fmt::Display for PieceCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Piece::ALL.into_iter().filter(|&piece| self.of(piece) > 0);
        let parts: Vec<String> =
            named.map(|piece| format!("{}={}", piece.name(), self.of(piece))).collect();
        f.write_str(&parts.join("+"))
    }
}

fn refused(problem: &str) -> Error {
    Error::Config(format!(
        "{problem}: give pieces with whole numbers that add up to 1 to {}, such as I=2+O=1; pieces \
         without a number never come",
        PieceCounts::LARGEST_TOTAL
    ))
}
