//! The `candidates` table of guideline runs: one row per candidate of a placement kept, for models of choice.

use super::GuidelinePlacement;
use crate::features::guideline::Term;
use crate::piece::Piece;
use crate::record::tables::field::Field;
use crate::rules::guideline::{RotationState, Spin};
use crate::search::guideline::{RankedLanding, SCALE, Terms};

/// A candidate as the columns see it.
#[derive(Clone, Debug)]
pub(crate) struct GuidelineCandidate {
    game: u64,
    piece_no: u32,
    /// Its number in tie order, from 1.
    number: i64,
    ranked: RankedLanding,
    chosen: bool,
    /// The values of the controller's terms.
    values: Vec<i32>,
}

impl GuidelineCandidate {
    /// The candidates of a placement, in tie order.
    pub(super) fn of<'a>(
        seen: &'a GuidelinePlacement,
        ranked: Vec<RankedLanding>,
        terms: &'a Terms,
    ) -> impl Iterator<Item = GuidelineCandidate> + 'a {
        (1..).zip(ranked).map(|(number, ranked)| GuidelineCandidate {
            game: seen.game,
            piece_no: seen.piece_no,
            number,
            chosen: ranked.landing == seen.landing && ranked.choice.held == seen.held,
            values: terms.values(&ranked.placed),
            ranked,
        })
    }
}

type Candidate = GuidelineCandidate;

/// All columns of `candidates` with these terms.
pub(crate) fn guideline_candidate_fields(terms: &[Term]) -> Vec<Field<Candidate>> {
    let mut fields = vec![
        Field::count("game", "-", "index of the game in its run, from 0", |s: &Candidate| s.game),
        Field::count(
            "piece_no",
            "-",
            "number of the piece in its game, from 1",
            |s: &Candidate| u64::from(s.piece_no),
        ),
        Field::factor("piece", "the piece that it places", Piece::ALL, |s: &Candidate| {
            s.ranked.landing.piece.index()
        }),
        Field::integer(
            "candidate",
            "-",
            "number in tie order, from 1: the current piece first, then what the hold gives",
            |s: &Candidate| s.number,
        ),
        Field::logical("used_hold", "-", "whether it uses the hold", |s: &Candidate| {
            s.ranked.choice.held
        }),
        Field::factor(
            "rot",
            "its state: quarter turns from the spawn",
            RotationState::ALL.map(RotationState::name),
            |s: &Candidate| s.ranked.landing.state.index(),
        ),
        Field::integer("column", "-", "column of the leftmost cell, from 0", |s: &Candidate| {
            s.ranked.landing.left() as i64
        }),
        Field::integer("landing_row", "-", "row of the lowest cell, from 0", |s: &Candidate| {
            s.ranked.landing.low() as i64
        }),
        Field::factor("tspin", "its spin", Spin::NAMES, |s: &Candidate| {
            s.ranked.landing.spin as usize
        }),
        Field::integer("lines", "rows", "rows it removes", |s: &Candidate| {
            i64::from(s.ranked.placed.clear.lines)
        }),
        Field::logical("lost", "-", "whether it ends the game by losing it", |s: &Candidate| {
            s.ranked.placed.lost
        }),
    ];
    fields.extend(worth_fields());
    fields.extend(terms.iter().enumerate().map(|(place, term)| {
        let entry = term.definition();
        Field::integer(entry.name, "-", entry.definition, move |s: &Candidate| {
            s.values.get(place).copied().map(i64::from)
        })
    }));
    fields
}

/// What it is worth, and whether it was played.
fn worth_fields() -> [Field<Candidate>; 3] {
    [
        Field::real("score", "-", "its value under the search", |s: &Candidate| {
            s.ranked.value.map(|value| value as f64 / SCALE)
        })
        .missing("it loses, the beam kept no line that begins with it, or others win the game"),
        Field::real(
            "own_score",
            "-",
            "what it is worth by itself, as greedy play has it: the sum of the terms times their weights",
            |s: &Candidate| s.ranked.own as f64 / SCALE,
        ),
        Field::logical("chosen", "-", "whether it was played", |s: &Candidate| s.chosen),
    ]
}
