//! How a training stands, for those who look on.

use std::sync::{Mutex, PoisonError};

use crate::sim::Totals;

/// What a training does now.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// Generations done.
    pub generation: u64,
    /// Whether the finalists play.
    pub finals: bool,
    /// Best and mean of the last generation.
    pub last: Option<(f64, f64)>,
    /// The last check.
    pub held_out: Option<f64>,
}

/// Read by a progress display while a training runs.
#[derive(Debug, Default)]
pub struct Watch {
    /// Games and pieces so far.
    pub totals: Totals,
    standing: Mutex<Standing>,
}

impl Watch {
    /// How it stands.
    #[must_use]
    pub fn standing(&self) -> Standing {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes how it stands.
    pub(super) fn tell(&self, change: impl FnOnce(&mut Standing)) {
        change(&mut self.standing.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
