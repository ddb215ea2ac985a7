//! Tests of [`tetrastat_core::rules::Garbage`].

use tetrastat_core::rules::Garbage;

/// Returns the number of rows, of 20,000, for each distance of a hole from that of the row
/// before it, to the right around the board of ten columns.
fn distances(messiness: Option<f64>) -> [f64; 10] {
    let settings = Garbage { rows: 0, messiness, every: Some(1) };
    let mut garbage = settings.begin("10x20".parse().unwrap(), 3, 0).1;
    let mut holes = Vec::new();
    let mut lift = |row: u16| {
        assert_eq!((row.count_ones(), row >> 10), (9, 0));
        holes.push((!row).trailing_zeros());
        true
    };
    for _ in 0..=20_000 {
        assert_eq!(garbage.after_placement(&settings, None, 10, (0, false), &mut lift), (0, false));
    }
    let mut distances = [0.0; 10];
    for pair in holes.windows(2) {
        distances[((10 + pair[1] - pair[0]) % 10) as usize] += 1.0;
    }
    distances
}

/// Returns the chi-square statistic of `counts`, if all are equally likely.
fn chi_square(counts: &[f64]) -> f64 {
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    counts.iter().map(|count| (count - mean).powi(2) / mean).sum()
}

/// The quantiles of 99.9 % with 9 and 8 degrees of freedom are 27.88 and 26.12. The seed is
/// fixed.
#[test]
fn holes_move_with_the_probability_of_the_messiness() {
    assert!(chi_square(&distances(None)) < 27.88);
    assert_eq!(distances(Some(0.0))[0], 20_000.0);
    for messiness in [0.3, 1.0_f64] {
        let distances = distances(Some(messiness));
        let sd = (20_000.0 * messiness * (1.0 - messiness)).sqrt();
        let moved = 20_000.0 - distances[0];
        assert!((moved - 20_000.0 * messiness).abs() <= 3.3 * sd, "{messiness}: {moved}");
        assert!(chi_square(&distances[1..]) < 26.12, "{messiness}");
    }
}

/// The row before the first one that enters is the row at the floor.
#[test]
fn clean_garbage_has_one_column() {
    let settings = Garbage { rows: 3, messiness: Some(0.0), every: Some(2) };
    let (mut board, mut garbage) = settings.begin("10x20".parse().unwrap(), 1, 0);
    for _ in 0..4 {
        garbage.after_placement(&settings, None, 10, (0, false), |row| board.lift(row));
    }
    assert_eq!((board.to_hex().as_str(), garbage.remaining()), ("2ff:2ff:2ff:2ff:2ff", 5));
}

#[test]
fn rows_are_counted_by_hand() {
    let settings = Garbage { rows: 3, messiness: None, every: Some(2) };
    let mut garbage = settings.begin("10x20".parse().unwrap(), 1, 0).1;
    let mut entered = 0;
    let mut place = |removed, race| {
        let placed = garbage.after_placement(&settings, race, 10, (removed, false), |_| {
            entered += 1;
            true
        });
        (placed.0, garbage.remaining(), entered, garbage.are_removed(5))
    };
    // Rows 0 and 2 are garbage, and row 3 is stack.
    assert_eq!(place(0b1101, None), (2, 1, 0, false));
    assert_eq!(place(0b0010, None), (0, 2, 1, false));
    // A race of five rows: the fifth enters, because three may lie on the board.
    assert_eq!(place(0b0100, Some(5)), (0, 2, 1, false));
    assert_eq!(place(0b0000, Some(5)), (0, 3, 2, false));
    assert_eq!(place(0b0001, Some(5)), (1, 2, 2, false));
    assert_eq!(place(0b0000, Some(5)), (0, 2, 2, false));
    assert_eq!(place(0b0011, Some(5)), (2, 0, 2, true));
}

#[test]
fn no_row_enters_a_lost_game() {
    let settings = Garbage { rows: 4, messiness: None, every: None };
    let mut garbage = settings.begin("10x20".parse().unwrap(), 1, 0).1;
    assert_eq!(garbage.after_placement(&settings, Some(9), 10, (0b11, true), |_| true), (2, true));
    // Two rows are due; the first ends the game.
    assert_eq!(garbage.after_placement(&settings, Some(9), 10, (0, false), |_| false), (0, true));
    assert_eq!(garbage.remaining(), 3);
}
