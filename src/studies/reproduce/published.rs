//! Published results of controllers, from `data/published.csv` (compiled in).

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::record::{PublishedScore, Statistic};

const FILE: &str = include_str!("../data/published.csv");

/// Row of `published.csv`: one published number with its source and the settings of its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// Name of the condition that reproduces the number.
    pub condition: String,
    /// Publication that contains the number.
    pub source: String,
    /// Page or table within the publication.
    pub place: String,
    /// Controller's name in this project.
    pub controller: String,
    /// Rules of the published games.
    pub rules: String,
    /// Board size, as width x height.
    pub board: String,
    /// Rule for the piece sequence of the published games: `uniform` or `bag`.
    pub queue: String,
    /// Search depth of the published games.
    pub search: String,
    games: String,
    score: String,
    low: String,
    high: String,
    kind: String,
    note: String,
    /// Measured quantity: `lines`, `pieces` or `score`.
    pub measure: String,
    statistic: Statistic,
}

impl Published {
    /// Parses the published number with its interval and its source. The measure and the settings
    /// of the games are left out.
    ///
    /// # Errors
    /// [`Error::Config`] if a field that should contain a number or `NA` contains anything else.
    pub fn score(&self) -> Result<PublishedScore> {
        Ok(PublishedScore {
            source: self.source.clone(),
            place: self.place.clone(),
            games: number(&self.games)?,
            score: number(&self.score)?,
            low: number(&self.low)?,
            high: number(&self.high)?,
            kind: self.kind.clone(),
            note: (self.note != "NA").then(|| self.note.clone()),
            statistic: self.statistic,
        })
    }
}

fn number<T: std::str::FromStr>(cell: &str) -> Result<Option<T>> {
    if cell == "NA" {
        return Ok(None);
    }
    let wrong = |_| Error::Config(format!("data/published.csv: '{cell}' is no number"));
    cell.parse().map(Some).map_err(wrong)
}

/// Returns every published number, in the file's order.
///
/// # Errors
/// [`Error::Config`] if the compiled-in file can't be parsed. A test checks that it can.
pub fn published() -> Result<Vec<Published>> {
    let rows = csv::Reader::from_reader(FILE.as_bytes()).into_deserialize();
    let rows = rows.collect::<std::result::Result<Vec<Published>, csv::Error>>();
    rows.map_err(|error| Error::Config(format!("data/published.csv: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::KINDS;

    #[test]
    fn every_line_can_be_read_and_stand_in_a_table() {
        for row in published().unwrap() {
            let score = row.score().unwrap();
            assert!(score.score.is_some() || (score.low.is_some() && score.high.is_some()));
            assert!(score.low < score.high || score.low.is_none(), "{row:?}");
            assert!(KINDS.contains(&&*score.kind), "{row:?}");
            for text in [&row.source, &row.place, &row.note] {
                assert!(!text.is_empty() && !text.contains([',', '"', '\n']), "{text}");
            }
        }
    }
}
