//! Plays one classic game from its first piece to its end.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{ClassicConfig, Limits, Snapshot};
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::Step;
use crate::queue::QueueKind;
use crate::record::{EndReason, GameRow, PlacementRecord};
use crate::search::{Decision, Player, Policy, Search};

/// Observer of a game. Placements that it does not need are played faster.
pub trait Recorder {
    /// Returns true if the recorder needs the placement with this number.
    fn wants(&self, piece_no: u64) -> bool;
    /// Receives a placement.
    fn see(&mut self, placement: &PlacementRecord);
    /// Receives the state of the game after every [`LOOK_EVERY`] placements.
    fn look(&mut self, _game: &Snapshot) {}
}

/// Number of placements between two calls of [`Recorder::look`]. A power of two makes the check
/// after each placement a mask instead of a division.
pub const LOOK_EVERY: u64 = 1024;

/// Recorder that ignores everything.
#[derive(Clone, Copy, Debug)]
pub struct Unrecorded;

impl Recorder for Unrecorded {
    fn wants(&self, _: u64) -> bool {
        false
    }

    fn see(&mut self, _: &PlacementRecord) {}
}

/// Plays the game in progress `game` to its end and returns its row. Stops earlier if another
/// thread sets `stop` to true. Reports the placements to `recorder`.
///
/// # Errors
/// [`crate::error::Error::ScriptEnded`] if the scripted pieces run out before the game ends, or the
/// error of an external player.
pub fn play_game(
    config: &ClassicConfig,
    player: &mut Player,
    game: Snapshot,
    stop: &AtomicBool,
    recorder: &mut impl Recorder,
) -> Result<GameRow> {
    // Two copies of the loop, so that games of the best placements take no time for the policy.
    match config.policy {
        Policy::Best => play_on::<true>(config, player, game, stop, recorder),
        _ => play_on::<false>(config, player, game, stop, recorder),
    }
}

/// Plays `game` to its end like [`play_game`]. `IS_BEST` states that the policy is
/// [`Policy::Best`].
fn play_on<const IS_BEST: bool>(
    config: &ClassicConfig,
    player: &mut Player,
    mut game: Snapshot,
    stop: &AtomicBool,
    recorder: &mut impl Recorder,
) -> Result<GameRow> {
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(game.row.ended(EndReason::Interrupted));
        }
        if let Some(reason) = place::<IS_BEST>(config, player, &mut game, recorder)? {
            return Ok(game.row.ended(reason));
        }
        if game.row.pieces.is_multiple_of(LOOK_EVERY) {
            recorder.look(&game);
        }
    }
}

/// Deals one piece and places it. Returns the reason if that ends the game.
///
/// # Errors
/// [`crate::error::Error::ScriptEnded`], or the error of an external player.
pub fn place_next(
    config: &ClassicConfig,
    player: &mut Player,
    game: &mut Snapshot,
    recorder: &mut impl Recorder,
) -> Result<Option<EndReason>> {
    match config.policy {
        Policy::Best => place::<true>(config, player, game, recorder),
        _ => place::<false>(config, player, game, recorder),
    }
}

/// Deals one piece and places it like [`place_next`]. `IS_BEST` states that the policy is
/// [`Policy::Best`].
#[inline(always)]
fn place<const IS_BEST: bool>(
    config: &ClassicConfig,
    player: &mut Player,
    game: &mut Snapshot,
    recorder: &mut impl Recorder,
) -> Result<Option<EndReason>> {
    let piece_no = game.row.pieces + 1;
    let piece = config.rules.deal(&mut game.queue, &game.board)?;
    if piece == Piece::I {
        game.last_i = Some(piece_no);
    }
    // A peek costs time, so only a search that needs the next piece makes one; the pieces are the
    // same.
    let next = if config.search == Search::Next { game.queue.peek(0) } else { None };
    let stream = || Policy::stream(config.seed, game.row.game, piece_no);
    // A decision with its report takes longer than a step, so only logged placements use it. Both
    // choose the same placement.
    let step = if recorder.wants(piece_no) {
        let decision = match IS_BEST {
            true => player.decide(&game.board, piece, next),
            false => player.decide_by(config.policy, &mut stream(), &game.board, piece, next),
        };
        if let Some(decision) = &decision {
            recorder.see(&record(config, player, game, piece, next, decision));
            game.board = decision.outcome.after;
        }
        decision.as_ref().map(Decision::step)
    } else if IS_BEST {
        player.step(&mut game.board, piece, next)
    } else {
        let mut stream = stream();
        player.step_by(config.policy, &mut stream, &mut game.board, piece, next)
    };
    // A blocked piece was dealt but does not count, because nothing was placed.
    let Some(step) = step else {
        player.check_external()?;
        return Ok(Some(EndReason::SpawnBlocked));
    };
    game.row.place(piece, u64::from(step.lines), usize::from(step.stack));
    Ok(end(step, &game.row, &config.limits))
}

/// Returns the record of a decision; `game` is still before the placement.
#[inline(always)]
fn record(
    config: &ClassicConfig,
    player: &Player,
    game: &Snapshot,
    piece: Piece,
    next: Option<Piece>,
    decision: &Decision,
) -> PlacementRecord {
    let piece_no = game.row.pieces + 1;
    PlacementRecord {
        game: game.row.game,
        stream_seed: game.row.stream_seed,
        piece_no,
        piece,
        next,
        lines_total: game.row.lines + u64::from(decision.outcome.played.lines),
        since_i: game.last_i.map(|last| piece_no - last),
        deals_bags: config.queue == QueueKind::Bag,
        decision: *decision,
        before: game.board,
        measured: player.scorer().measured(),
        scale: player.scorer().scale(),
        patterns: player.pattern_value(&decision.outcome),
    }
}

fn end(step: Step, row: &GameRow, limits: &Limits) -> Option<EndReason> {
    let reached = |limit: Option<u64>, count| limit.is_some_and(|limit| count >= limit);
    match () {
        // A loss precedes limits: a game that ends with the last allowed piece is not censored.
        () if step.lost => Some(EndReason::TopOut),
        () if reached(limits.lines, row.lines) => Some(EndReason::LineLimit),
        () if reached(limits.pieces, row.pieces) => Some(EndReason::PieceLimit),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::rules::Rules;

    fn config(queue: QueueKind, rules: Rules) -> ClassicConfig {
        let bcts = Controller::load("bcts").unwrap();
        ClassicConfig { rules, queue, ..ClassicConfig::new(bcts, "10x20".parse().unwrap()) }
    }

    fn play(config: &ClassicConfig, is_stopped: bool) -> GameRow {
        let (mut player, first) = (config.player().unwrap(), Snapshot::first(config, 0));
        let stop = AtomicBool::new(is_stopped);
        play_game(config, &mut player, first, &stop, &mut Unrecorded).unwrap()
    }

    /// Five O side by side fill two rows; ten leave the board empty after four lines.
    #[test]
    fn ten_squares_clear_four_lines() {
        let script = QueueKind::script("OOOOOOOOOO", false).unwrap();
        let limits = Limits { pieces: Some(10), lines: None };
        let row = play(&ClassicConfig { limits, ..config(script, Rules::simplified()) }, false);
        assert_eq!((row.pieces, row.lines, row.clears), (10, 4, [0, 2, 0, 0]));
        assert_eq!((row.end_reason, row.height_max), (EndReason::PieceLimit, 2));
        assert!(row.end_reason.is_censored());
        assert_eq!(row.pieces_of[Piece::O.index()], 10);
    }

    #[test]
    fn a_line_limit_censors() {
        let limits = Limits { pieces: None, lines: Some(3) };
        let squares = QueueKind::script("O", true).unwrap();
        let row = play(&ClassicConfig { limits, ..config(squares, Rules::simplified()) }, false);
        assert_eq!((row.lines, row.end_reason), (4, EndReason::LineLimit));
    }

    /// S and Z alone end every game: by overflow under one set of rules, by a blocked spawn under
    /// the other.
    #[test]
    fn the_adversary_ends_the_game_under_both_rules() {
        let row = play(&config(QueueKind::AlternatingSz, Rules::simplified()), false);
        assert_eq!(row.end_reason, EndReason::TopOut);
        assert!(row.lines > 0 && row.height_max > 20);
        let row = play(&config(QueueKind::AlternatingSz, Rules::standard()), false);
        assert_eq!(row.end_reason, EndReason::SpawnBlocked);
        assert!(row.height_max <= 20);
    }

    /// Recorder of all placements, and of the state of the game at the last look.
    #[derive(Default)]
    struct All {
        placements: Vec<PlacementRecord>,
        looked_at: Option<Snapshot>,
    }

    impl Recorder for All {
        fn wants(&self, _: u64) -> bool {
            true
        }

        fn see(&mut self, placement: &PlacementRecord) {
            self.placements.push(*placement);
        }

        fn look(&mut self, game: &Snapshot) {
            self.looked_at = Some(game.clone());
        }
    }

    fn play_all(config: &ClassicConfig, from: Snapshot) -> (GameRow, All) {
        let (mut player, mut all) = (config.player().unwrap(), All::default());
        let row = play_game(config, &mut player, from, &AtomicBool::new(false), &mut all).unwrap();
        (row, all)
    }

    fn with_policy(policy: Policy) -> ClassicConfig {
        let limits = Limits { pieces: Some(3_000), lines: None };
        ClassicConfig { policy, limits, ..config(QueueKind::Bag, Rules::simplified()) }
    }

    const POLICIES: [Policy; 3] =
        [Policy::Epsilon(0.02), Policy::Softmax(1.0), Policy::Misdrop(0.05)];

    /// A seed deals the same pieces under every policy. Logged and unlogged games are equal, and so
    /// is a game that continues from a stored state.
    #[test]
    fn policies_change_placements_and_nothing_else() {
        let best = with_policy(Policy::Best);
        let (usual, all) = play_all(&best, Snapshot::first(&best, 2));
        let pieces: Vec<Piece> = all.placements.iter().map(|placed| placed.piece).collect();
        for policy in POLICIES {
            let config = with_policy(policy);
            let first = Snapshot::first(&config, 2);
            let (row, all) = play_all(&config, first.clone());
            assert!(row != usual && row.pieces > LOOK_EVERY, "{policy}: {row:?}");
            let same = all.placements.iter().map(|placed| placed.piece).zip(&pieces);
            assert!(same.into_iter().all(|(piece, other)| piece == *other), "{policy}");
            let mut player = config.player().unwrap();
            let go = AtomicBool::new(false);
            let unlogged = play_game(&config, &mut player, first, &go, &mut Unrecorded).unwrap();
            assert_eq!(unlogged, row, "{policy}");
            let stored = serde_json::to_string(&all.looked_at.unwrap()).unwrap();
            let stored: Snapshot = serde_json::from_str(&stored).unwrap();
            let stored = stored.restored(&config.queue, &config).unwrap();
            assert_eq!(play_all(&config, stored).0, row, "{policy}");
        }
        for policy in [Policy::Epsilon(0.0), Policy::Misdrop(0.0)] {
            let config = with_policy(policy);
            assert_eq!(play_all(&config, Snapshot::first(&config, 2)).0, usual, "{policy}");
        }
    }

    /// Checks that the number of placements that are not the best lies within 4 standard deviations
    /// of its mean. The seed is fixed; of 15,000 other seeds, about one would fail.
    #[test]
    fn the_share_of_other_placements_is_that_of_the_policy() {
        let probability = 0.1;
        for policy in [Policy::Epsilon(probability), Policy::Misdrop(probability)] {
            let config = with_policy(policy);
            let (mut count, mut mean, mut variance) = (0.0, 0.0, 0.0);
            for game in 0..6 {
                for placed in play_all(&config, Snapshot::first(&config, game)).1.placements {
                    // Epsilon draws the best placement itself, too.
                    let of_best = 1.0 / placed.decision.candidates as f64;
                    let other = match policy {
                        Policy::Epsilon(_) => probability * (1.0 - of_best),
                        _ => probability,
                    };
                    mean += other;
                    variance += other * (1.0 - other);
                    count += f64::from(u8::from(placed.decision.best.is_some()));
                }
            }
            assert!(mean > 100.0, "{policy}: {mean}");
            let sd = f64::sqrt(variance);
            assert!((count - mean).abs() < 4.0 * sd, "{policy}: {count}, not {mean} +- {sd}");
        }
    }

    #[test]
    fn a_stopped_game_is_censored() {
        let row = play(&config(QueueKind::Uniform, Rules::simplified()), true);
        assert_eq!((row.pieces, row.end_reason), (0, EndReason::Interrupted));
        assert!(row.lifetime().censored);
    }
}
