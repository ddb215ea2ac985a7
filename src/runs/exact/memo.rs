//! Caches the values of a pure function for several threads.

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;
use indexmap::IndexMap;

/// Cache of a pure function's values, by key. The values do not depend on which thread computes
/// them.
pub(super) struct Memo<K, V> {
    values: Mutex<IndexMap<K, V, FixedState>>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Memo { values: Mutex::new(IndexMap::default()) }
    }
}

impl<K: Hash + Eq, V: Copy> Memo<K, V> {
    /// Returns the cached value of `key`. If there is none, `value` computes it.
    pub(super) fn get(&self, key: K, value: impl FnOnce() -> V) -> V {
        let lock = || self.values.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is not held during the computation, so no thread waits. Two threads may compute
        // the same value.
        let known = lock().get(&key).copied();
        known.unwrap_or_else(|| {
            let value = value();
            lock().insert(key, value);
            value
        })
    }
}
