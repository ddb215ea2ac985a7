//! Selection of the placements of a run that are logged.

use crate::error::setting::{FROM, SAMPLE_GAMES, TO};
use crate::error::{Error, Result};
use crate::rng::{Purpose, Stream};

/// Selection of logged placements. A placement is kept if it satisfies every condition.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Selection {
    /// Interval between kept placements of a game.
    pub every: u64,
    /// First kept placement of a game, from 1.
    pub from: u64,
    /// Last kept placement of a game.
    pub to: Option<u64>,
    /// Number of final placements of a game that are kept, to study how games end.
    pub only_last: Option<u64>,
    /// Share of the games with logged placements, 0 to 1, drawn by a separate random stream.
    pub sample_games: f64,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection { every: 1, from: 1, to: None, only_last: None, sample_games: 1.0 }
    }
}

impl Selection {
    /// Validates the values that types can't express.
    ///
    /// # Errors
    /// [`Error::Config`] naming the option to change.
    pub fn validate(&self) -> Result<()> {
        let fail = |text: String| Err(Error::Config(text));
        if !(0.0..=1.0).contains(&self.sample_games) {
            return fail(format!("{SAMPLE_GAMES} {}: give a share from 0 to 1", self.sample_games));
        }
        match self.to {
            Some(to) if to < self.from => {
                fail(format!("{FROM} {} is greater than {TO} {to}: exchange them", self.from))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if placement `piece_no` of a kept game is logged.
    #[must_use]
    pub fn keeps(&self, piece_no: u64) -> bool {
        piece_no >= self.from
            && self.to.is_none_or(|to| piece_no <= to)
            // Most runs keep all placements, and a division per piece would cost time.
            && (self.every == 1 || piece_no.is_multiple_of(self.every))
    }

    /// Returns true if placements of this game are logged.
    #[must_use]
    pub fn keeps_game(&self, run_seed: u64, game: u64) -> bool {
        // The draw depends only on the game's number, not on the player or on other games.
        let draw = || Stream::new(run_seed, Purpose::SampleGames, game).below(u32::MAX);
        self.sample_games >= 1.0 || f64::from(draw()) < self.sample_games * f64::from(u32::MAX)
    }

    /// Returns the selection for a game with a known length of `pieces`.
    #[must_use]
    pub fn of_game(&self, pieces: u64) -> Selection {
        let first = self.only_last.map_or(1, |last| pieces.saturating_sub(last) + 1);
        Selection { from: self.from.max(first), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_combine() {
        let selection = Selection { every: 2, from: 3, to: Some(9), ..Selection::default() };
        let kept: Vec<u64> = (1..=12).filter(|&n| selection.keeps(n)).collect();
        assert_eq!(kept, [4, 6, 8]);
        let last = Selection { only_last: Some(3), ..Selection::default() }.of_game(10);
        assert_eq!((1..=10).filter(|&n| last.keeps(n)).collect::<Vec<u64>>(), [8, 9, 10]);
        assert!(Selection { from: 5, to: Some(4), ..selection }.validate().is_err());
        assert!(Selection { sample_games: f64::NAN, ..selection }.validate().is_err());
    }

    /// 2,000 draws at a quarter: mean 500, standard deviation 19.4. A difference of 5 standard
    /// deviations occurs in one of a million seeds.
    #[test]
    fn a_share_of_the_games_is_kept() {
        let quarter = Selection { sample_games: 0.25, ..Selection::default() };
        let kept = (0..2000).filter(|&game| quarter.keeps_game(7, game)).count();
        assert!((403..=597).contains(&kept), "{kept}");
        assert!((0..2000).all(|game| Selection::default().keeps_game(7, game)));
        let none = Selection { sample_games: 0.0, ..Selection::default() };
        assert!((0..2000).all(|game| !none.keeps_game(7, game)));
    }
}
