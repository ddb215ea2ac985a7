//! Plays guideline games on all cores: Sprint, Blitz and endless games.

mod bot;
mod clock;
mod config;
mod external;
mod game;
mod summary;

pub use bot::{BotReply, GuidelineBot};
pub use clock::{Clock, InputTiming};
pub use config::{GuidelineConfig, Mode, PERSON, SPRINT_LINES, Unseen};
pub use game::{GuidelinePlayer, InPlay, look, play};
pub use summary::{main_measure, measure};
