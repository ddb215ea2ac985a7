//! Computes the duration of placements, from a fixed rate or from the duration of each input.

use serde::{Deserialize, Serialize};

use crate::rules::guideline::{Input, InputPath};

/// Durations of inputs, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputTiming {
    /// Duration of each key press: shift, turn, hold, hard drop.
    pub key_us: u64,
    /// Time for which a shift key is held before it repeats (delayed auto shift). The move by the
    /// first column needs no time beyond it.
    pub das_us: u64,
    /// Time for each further column while a shift key is held (auto repeat rate).
    pub arr_us: u64,
    /// Time for each row of a soft drop.
    pub row_us: u64,
}

impl InputTiming {
    /// Returns the duration in microseconds of a placement by the inputs `path`. If `held` is true,
    /// the hold was used before them, which takes one more key press.
    #[must_use]
    pub fn of(&self, path: &InputPath, held: bool) -> u64 {
        let is_far = |input: &&Input| matches!(input, Input::FarLeft | Input::FarRight);
        let is_drop = |input: &&Input| matches!(input, Input::SonicDrop | Input::SoftDrop);
        let far = path.inputs.iter().filter(is_far).count() as u64;
        let drops = path.inputs.iter().filter(is_drop).count() as u64;
        let keys = path.inputs.len() as u64 - far - drops + u64::from(held);
        keys * self.key_us
            + far * self.das_us
            + (u64::from(path.far).saturating_sub(far)) * self.arr_us
            + u64::from(path.soft) * self.row_us
    }
}

/// Model of the time that placements take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "RecordedClock", from = "RecordedClock")]
pub enum Clock {
    /// Fixed number of pieces per second.
    Rate(f64),
    /// Sum of the durations of a placement's inputs.
    Inputs(InputTiming),
}

/// Form of a [`Clock`] in `run.json`.
#[derive(Serialize, Deserialize)]
struct RecordedClock {
    pieces_per_second: Option<f64>,
    timing: Option<InputTiming>,
}

impl From<Clock> for RecordedClock {
    fn from(clock: Clock) -> RecordedClock {
        match clock {
            Clock::Rate(rate) => RecordedClock { pieces_per_second: Some(rate), timing: None },
            Clock::Inputs(timing) => {
                RecordedClock { pieces_per_second: None, timing: Some(timing) }
            }
        }
    }
}

impl From<RecordedClock> for Clock {
    fn from(RecordedClock { pieces_per_second, timing }: RecordedClock) -> Clock {
        timing.map_or(Clock::Rate(pieces_per_second.unwrap_or(2.0)), Clock::Inputs)
    }
}

impl Clock {
    /// Returns the duration in microseconds of a placement by the inputs `path`; `held` is true if
    /// the hold was used before them.
    #[must_use]
    pub fn of(&self, path: &InputPath, held: bool) -> u64 {
        match self {
            Clock::Rate(pieces) => (1e6 / pieces).round() as u64,
            Clock::Inputs(timing) => timing.of(path, held),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::piece::Piece;
    use crate::rules::guideline::{Guideline, Landing, RotationState, shortest};

    #[test]
    fn inputs_add_up_by_hand() {
        let timing = InputTiming { key_us: 50, das_us: 150, arr_us: 40, row_us: 30 };
        let time = |landing: Landing, held| {
            let path = shortest(&Guideline::capstone(), &Matrix::EMPTY, landing).unwrap();
            timing.of(&path, held)
        };
        assert_eq!(
            time(Landing::new(Piece::T, RotationState::Spawn, 4, 0), false),
            50,
            "hard drop"
        );
        assert_eq!(
            time(Landing::new(Piece::T, RotationState::Spawn, 4, 0), true),
            100,
            "hold, hard drop"
        );
        // Shift held to the wall over three columns: 150 + 2 x 40; then a hard drop.
        assert_eq!(time(Landing::new(Piece::T, RotationState::Spawn, 1, 0), false), 280);
        assert_eq!(Clock::Rate(3.0).of(&InputPath::default(), false), 333_333);
    }
}
