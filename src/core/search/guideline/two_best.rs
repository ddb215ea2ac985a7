//! Finds the best placement of a search and the value of the second best.

/// Returns the best value, the index of its first placement (the smallest of equal values), and the
/// best value of any other first placement. Returns `None` if `found` is empty.
pub(super) fn two_best(found: impl Iterator<Item = (i64, u16)>) -> Option<(i64, u16, Option<i64>)> {
    let mut best: Option<(i64, u16, Option<i64>)> = None;
    for (value, root) in found {
        best = Some(match best {
            None => (value, root, None),
            Some((most, first, second)) if root == first => (most.max(value), first, second),
            Some((most, first, _)) if value > most || (value == most && root < first) => {
                (value, root, Some(most))
            }
            Some((most, first, second)) => (most, first, second.max(Some(value))),
        });
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_best_by_hand() {
        let best = |pairs: &[(i64, u16)]| two_best(pairs.iter().copied());
        assert_eq!(best(&[]), None);
        assert_eq!(best(&[(3, 1), (5, 1)]), Some((5, 1, None)));
        assert_eq!(best(&[(3, 0), (5, 1), (4, 2), (4, 1)]), Some((5, 1, Some(4))));
        assert_eq!(best(&[(5, 2), (5, 0), (7, 0), (6, 0)]), Some((7, 0, Some(5))));
        assert_eq!(best(&[(-5, 2), (-5, 1), (-9, 0)]), Some((-5, 1, Some(-5))));
    }
}
