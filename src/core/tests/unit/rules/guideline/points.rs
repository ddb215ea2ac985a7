//! Tests of [`tetrastat_core::rules::guideline::points`].

use tetrastat_core::rules::guideline::*;
use tetrastat_core::rules::guideline::{Guideline, Spin};

const NONE: Clear = Clear { lines: 0, spin: Spin::None, perfect: false };

const fn plain(lines: u8) -> Clear {
    Clear { lines, ..NONE }
}

const fn full(lines: u8) -> Clear {
    Clear { lines, spin: Spin::Full, perfect: false }
}

const fn mini(lines: u8) -> Clear {
    Clear { lines, spin: Spin::Mini, perfect: false }
}

const fn perfect(clear: Clear) -> Clear {
    Clear { perfect: true, ..clear }
}

fn reward(rules: &Guideline, clears: &[Clear]) -> Vec<u32> {
    let mut combo_state = ComboState::default();
    let one = |clear: &Clear| {
        let points = points(rules, *clear, combo_state).total();
        combo_state = combo_state.after(rules, *clear);
        points
    };
    clears.iter().map(one).collect()
}

/// Points published by the guideline of 2009; the last column is for rules of capstone.
#[test]
fn sequences_earn_the_published_points() {
    let both = |clears: &[Clear], want: &[u32], capstone: &[u32]| {
        assert_eq!(reward(&Guideline::official(), clears), want);
        assert_eq!(reward(&Guideline::capstone(), clears), capstone);
    };
    let same = |clears: &[Clear], want: &[u32]| both(clears, want, want);
    same(&[plain(1), NONE, plain(1)], &[100, 0, 100]);
    same(&[plain(1), plain(2), plain(3)], &[100, 350, 600]);
    same(
        &[plain(4), NONE, NONE, plain(4), NONE, full(2), plain(1)],
        &[800, 0, 0, 1200, 0, 1800, 150],
    );
    both(&[full(2), full(0), plain(4)], &[1200, 400, 1200], &[1200, 600, 1200]);
    same(&[mini(1), full(1)], &[200, 1250]);
    same(&[plain(4), NONE, perfect(full(3))], &[800, 0, 4200]);
    same(&[plain(4), NONE, perfect(plain(2)), NONE, plain(4)], &[800, 0, 1500, 0, 800]);
    same(&[mini(0), plain(1)], &[100, 100]);
    both(&[plain(4), NONE, perfect(plain(4))], &[800, 0, 4400], &[800, 0, 4000]);
    same(&[perfect(plain(1))], &[900]);
    same(&[perfect(plain(3)), NONE, perfect(plain(4))], &[2300, 0, 2800]);
    same(&[perfect(full(3))], &[3400]);
}
