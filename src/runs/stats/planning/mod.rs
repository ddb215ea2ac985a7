//! Plans experiments: how many games are needed to reach a verdict, and when enough have been
//! played.

mod pilot;
mod plan;
mod sequential;
mod stopping;

pub use pilot::{DetectionPlan, PilotPair, PowerTarget, games_for_half_width, t_quantile};
pub use plan::{ends_for_half_width, games_for_power, share_ended};
pub use sequential::{FIRST_LOOK, Look, Sequential, Verdict, next_look, schedule};
pub use stopping::{FIRST, StopDecision, Stopping};
