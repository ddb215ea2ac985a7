//! Plans experiments: how many games a verdict needs, and when enough have been played.

mod pilot;
mod plan;
mod sequential;
mod stopping;

pub use pilot::{PilotPair, Question, ToTell, games_for_half_width};
pub use plan::{ends_for_half_width, ends_to_tell, power, share_ended};
pub use sequential::{FIRST_LOOK, Look, Sequential, Verdict, next_look, schedule};
pub use stopping::{AfterLook, FIRST, Stopping};
