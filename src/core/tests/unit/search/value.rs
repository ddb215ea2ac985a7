//! Tests of [`tetrastat_core::search::value`].

use tetrastat_core::search::*;

#[test]
fn fewer_unanswered_pieces_beat_any_score() {
    let safe = Value { unanswered: 0, answered: 7, sum: -1000 };
    let risky = Value { unanswered: 1, answered: 6, sum: 1000 };
    assert!(safe > risky && risky > Value::LOST);
    assert_eq!(safe.margin(risky, 1.0), None);
    assert_eq!(Value::LOST.score(1.0), None);
    assert_eq!(Value::from_score(5).margin(Value::from_score(2), 2.0), Some(1.5));
}
