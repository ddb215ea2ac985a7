//! Values of a pure function, kept for the threads that need them again.

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;
use indexmap::IndexMap;

/// Values by key. Which thread computes a value makes no difference to it.
pub(super) struct Memo<K, V> {
    values: Mutex<IndexMap<K, V, FixedState>>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Memo { values: Mutex::new(IndexMap::default()) }
    }
}

impl<K: Hash + Eq, V: Copy> Memo<K, V> {
    /// The value of a key, computed when it is not known yet.
    pub(super) fn get(&self, key: K, value: impl FnOnce() -> V) -> V {
        let lock = || self.values.lock().unwrap_or_else(PoisonError::into_inner);
        // Not held while a value is computed, so that nobody waits; two threads may compute the same one.
        let known = lock().get(&key).copied();
        known.unwrap_or_else(|| {
            let value = value();
            lock().insert(key, value);
            value
        })
    }
}
