//! Reads the processor's time-stamp counter.

/// Returns the time-stamp counter: ticks since an arbitrary moment. Returns `None` if the processor
/// has no such counter.
///
/// The counter runs at the processor's constant nominal rate: ticks measure time and not cycles.
#[must_use]
pub fn ticks() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: RDTSC is part of every x86-64 processor, and user programs may run it on every
    // system that Rust supports there.
    return Some(unsafe { std::arch::x86_64::_rdtsc() });
    #[cfg(not(target_arch = "x86_64"))]
    None
}
