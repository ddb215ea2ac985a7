//! What is shown, and how keys and time change it.

use std::time::Instant;

use ratatui::crossterm::event::KeyCode;

use super::game::Watched;
use super::playback_clock::{DuePlacements, PlaybackClock};
use super::timeline::Timeline;
use crate::error::Result;
use crate::explain::analysis::Analysis;

/// What is shown: a timeline at a placement, and how it goes on.
pub struct WatchApp<G: Watched> {
    timeline: Timeline<G>,
    clock: PlaybackClock,
    paused: bool,
    quit: bool,
    /// The candidate that the viewer holds against the chosen one, by rank.
    other: Option<usize>,
    analysis: Option<Analysis>,
}

impl<G: Watched> WatchApp<G> {
    /// Shows a timeline from the placement it is at, or its first.
    ///
    /// # Errors
    /// As [`Timeline::forward`].
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
        app.look();
        Ok(app)
    }

    /// The timeline.
    #[must_use]
    pub fn timeline(&self) -> &Timeline<G> {
        &self.timeline
    }

    /// How fast it goes.
    #[must_use]
    pub fn clock(&self) -> &PlaybackClock {
        &self.clock
    }

    /// Whether it stands still until a key is pressed.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused || self.timeline.ending().is_some()
    }

    /// Whether the viewer has had enough.
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    /// Why the placement shown was chosen.
    #[must_use]
    pub fn analysis(&self) -> Option<&Analysis> {
        self.analysis.as_ref()
    }

    /// When something happens by itself; never while it is paused.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        (!self.is_paused()).then(|| self.clock.due())
    }

    /// Does what a key asks.
    ///
    /// # Errors
    /// As [`Timeline::forward`].
    pub fn press(&mut self, key: KeyCode, now: Instant) -> Result<()> {
        match key {
            KeyCode::Char('q') | KeyCode::Esc => self.quit = true,
            KeyCode::Char(' ') => {
                self.paused = !self.paused;
                // Otherwise the time that it stood still would be owed.
                self.clock.restart(now);
            }
            // The same key without shift, as on most keyboards.
            KeyCode::Char('+' | '=') => self.clock.faster(now),
            KeyCode::Char('-' | '_') => self.clock.slower(now),
            KeyCode::Right | KeyCode::Char('n') => {
                self.paused = true;
                self.timeline.forward()?;
                self.turn();
            }
            KeyCode::Left | KeyCode::Char('b') => self.go(|timeline| {
                timeline.back();
            }),
            KeyCode::Home => self.go(Timeline::first),
            KeyCode::End | KeyCode::Char('g') => self.go(Timeline::last),
            KeyCode::Down => self.compare(1),
            KeyCode::Up => self.compare(-1),
            _ => {}
        }
        Ok(())
    }

    /// Does what time asks: makes the placements that are due.
    ///
    /// # Errors
    /// As [`Timeline::forward`].
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
        // Explained once for all that were made, since nobody sees those in between.
        self.turn();
        Ok(())
    }

    /// Moves among the placements there are, and stands still.
    fn go(&mut self, move_to: impl FnOnce(&mut Timeline<G>)) {
        self.paused = true;
        move_to(&mut self.timeline);
        self.turn();
    }

    /// Another placement is shown.
    fn turn(&mut self) {
        self.other = None;
        self.look();
    }

    /// Holds another candidate against the chosen one.
    fn compare(&mut self, by: isize) {
        self.paused = true;
        let Some(analysis) = &self.analysis else { return };
        let Some(other) = analysis.other else { return };
        let skip = |rank: usize| rank.checked_add_signed(by);
        // One further, and past the chosen one, which is not held against itself.
        let next = skip(other)
            .and_then(|rank| if Some(rank) == analysis.chosen { skip(rank) } else { Some(rank) });
        if let Some(next) = next.filter(|&rank| rank < analysis.candidates.len()) {
            self.other = Some(next);
            self.look();
        }
    }

    /// Explains the placement shown.
    fn look(&mut self) {
        self.analysis = self.timeline.analysis(self.other);
    }
}
