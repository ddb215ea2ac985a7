//! Implements the state of `tetrastat watch`, and its changes by keys and time.

use std::time::Instant;

use ratatui::crossterm::event::KeyCode;

use super::playback_clock::{DuePlacements, PlaybackClock};
use super::timeline::Timeline;
use crate::error::Result;
use crate::explain::Watched;
use crate::explain::analysis::Analysis;

/// The state of `tetrastat watch`: the timeline of a game, the shown placement and its explanation,
/// and the playback.
pub struct WatchApp<G: Watched> {
    timeline: Timeline<G>,
    clock: PlaybackClock,
    paused: bool,
    quit: bool,
    /// Rank of the candidate that the viewer compares with the chosen placement. `None` means the
    /// best other candidate.
    other: Option<usize>,
    analysis: Option<Analysis>,
}

impl<G: Watched> WatchApp<G> {
    /// Creates the state that shows `timeline` at its current placement, or at its first one if
    /// none is shown yet.
    ///
    /// # Errors
    /// Returns the errors of [`Timeline::forward`].
    pub fn new(
        mut timeline: Timeline<G>,
        clock: PlaybackClock,
        paused: bool,
    ) -> Result<WatchApp<G>> {
        if timeline.step().is_none() {
            timeline.forward()?;
        }
        let mut app =
            WatchApp { timeline, clock, paused, quit: false, other: None, analysis: None };
        app.explain();
        Ok(app)
    }

    /// Returns the timeline.
    #[must_use]
    pub fn timeline(&self) -> &Timeline<G> {
        &self.timeline
    }

    /// Returns the clock of the playback.
    #[must_use]
    pub fn clock(&self) -> &PlaybackClock {
        &self.clock
    }

    /// Returns true if the playback makes no placements by itself: the viewer paused it, or the
    /// game is over.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused || self.timeline.ending().is_some()
    }

    /// Returns true if the viewer quit.
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    /// Returns the explanation of the shown placement.
    #[must_use]
    pub fn analysis(&self) -> Option<&Analysis> {
        self.analysis.as_ref()
    }

    /// Returns the time at which the screen changes without a key, or `None` while paused.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        (!self.is_paused()).then(|| self.clock.due())
    }

    /// Handles the press of `key` at the time `now`.
    ///
    /// # Errors
    /// Returns the errors of [`Timeline::forward`].
    pub fn press(&mut self, key: KeyCode, now: Instant) -> Result<()> {
        match key {
            KeyCode::Char('q') | KeyCode::Esc => self.quit = true,
            KeyCode::Char(' ') => {
                self.paused = !self.paused;
                // Without a restart, the next placement would be due at once after a pause.
                self.clock.restart(now);
            }
            // The plus key without shift, as on most keyboards.
            KeyCode::Char('+' | '=') => self.clock.faster(now),
            KeyCode::Char('-' | '_') => self.clock.slower(now),
            KeyCode::Right | KeyCode::Char('n') => {
                self.paused = true;
                self.timeline.forward()?;
                self.show_new();
            }
            KeyCode::Left | KeyCode::Char('b') => self.jump(|timeline| {
                timeline.back();
            }),
            KeyCode::Home => self.jump(Timeline::first),
            KeyCode::End | KeyCode::Char('g') => self.jump(Timeline::last),
            KeyCode::Down => self.compare(1),
            KeyCode::Up => self.compare(-1),
            _ => {}
        }
        Ok(())
    }

    /// Makes the placements that are due at `now`.
    ///
    /// # Errors
    /// Returns the errors of [`Timeline::forward`].
    pub fn tick(&mut self, now: Instant) -> Result<()> {
        if self.is_paused() || now < self.clock.due() {
            return Ok(());
        }
        match self.clock.take(now) {
            DuePlacements::Placements(count) => {
                for _ in 0..count {
                    self.timeline.forward()?;
                }
            }
            DuePlacements::Until(end) => while self.timeline.forward()? && Instant::now() < end {},
        }
        // One explanation is enough for all new placements, since those in between are not shown.
        self.show_new();
        Ok(())
    }

    /// Pauses, and moves the timeline to another stored placement by `move_to`.
    fn jump(&mut self, move_to: impl FnOnce(&mut Timeline<G>)) {
        self.paused = true;
        move_to(&mut self.timeline);
        self.show_new();
    }

    /// Explains the placement that is now shown, compared with the best other candidate.
    fn show_new(&mut self) {
        self.other = None;
        self.explain();
    }

    /// Pauses, and compares the chosen placement with the next candidate. `by` is 1 for the next
    /// worse candidate, -1 for the next better one.
    fn compare(&mut self, by: isize) {
        self.paused = true;
        let Some(analysis) = &self.analysis else { return };
        let Some(other) = analysis.other else { return };
        let skip = |rank: usize| rank.checked_add_signed(by);
        // Skips the chosen placement, which is not compared with itself.
        let next = skip(other)
            .and_then(|rank| if Some(rank) == analysis.chosen { skip(rank) } else { Some(rank) });
        if let Some(next) = next.filter(|&rank| rank < analysis.candidates.len()) {
            self.other = Some(next);
            self.explain();
        }
    }

    /// Updates the explanation of the shown placement.
    fn explain(&mut self) {
        self.analysis = self.timeline.analysis(self.other);
    }
}
