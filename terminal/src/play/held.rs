//! Computes the times at which keys that are held down repeat.

/// The state of the left and right keys. If both are held down, the one pressed last is active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shifting {
    /// True if the key is held down, for left and for right.
    held: [bool; 2],
    /// Active direction, -1 or 1, or 0 for none.
    pub(super) direction: i32,
    /// Time of the next repeat in milliseconds, or `None` if there is none.
    pub(super) next: Option<u64>,
    /// True if the delay before the first repeat (DAS) has passed.
    pub(super) charged: bool,
}

impl Shifting {
    pub(super) fn press(&mut self, direction: i32, now: u64, das: u64) {
        self.held[usize::from(direction > 0)] = true;
        *self = Shifting { held: self.held, direction, next: Some(now + das), charged: false };
    }

    /// Releases the key of `direction`. If the other key is still down, it becomes active and its
    /// delay of `das` milliseconds restarts.
    pub(super) fn release(&mut self, direction: i32, now: u64, das: u64) {
        self.held[usize::from(direction > 0)] = false;
        if self.direction != direction {
            return;
        }
        *self = Shifting { held: self.held, ..Shifting::default() };
        if self.held[usize::from(direction < 0)] {
            self.press(-direction, now, das);
        }
    }

    /// Schedules the next repeat, `arr` milliseconds after `now`. If `arr` is 0 there is none,
    /// since the piece is shifted whenever possible.
    pub(super) fn repeated(&mut self, now: u64, arr: u64) {
        self.charged = true;
        self.next = (arr > 0).then_some(now + arr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_key_counts() {
        let mut keys = Shifting::default();
        keys.press(-1, 100, 150);
        assert_eq!((keys.direction, keys.next), (-1, Some(250)));
        keys.press(1, 200, 150);
        assert_eq!((keys.direction, keys.next), (1, Some(350)));
        keys.release(1, 300, 150);
        assert_eq!((keys.direction, keys.next, keys.charged), (-1, Some(450), false));
        keys.release(-1, 310, 150);
        assert_eq!(keys, Shifting::default());
    }

    #[test]
    fn releasing_a_key_that_does_not_count_changes_nothing() {
        let mut keys = Shifting::default();
        keys.press(-1, 0, 150);
        keys.press(1, 10, 150);
        keys.release(-1, 20, 150);
        assert_eq!((keys.direction, keys.next), (1, Some(160)));
        keys.release(1, 30, 150);
        assert_eq!(keys, Shifting::default());
    }

    #[test]
    fn without_time_between_repeats_there_is_no_next() {
        let mut keys = Shifting::default();
        keys.press(1, 0, 150);
        keys.repeated(150, 75);
        assert_eq!((keys.next, keys.charged), (Some(225), true));
        keys.repeated(225, 0);
        assert_eq!((keys.next, keys.charged), (None, true));
    }
}
