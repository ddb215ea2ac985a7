//! Reads the processor's time-stamp counter.

/// Returns ticks since an arbitrary moment, or `None` if the processor has no such counter.
///
/// The rate is constant, the processor's nominal one: ticks measure time and not cycles.
#[must_use]
pub fn ticks() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: RDTSC is part of every x86-64 processor, and user programs may run it on every
    // system that Rust supports there.
    return Some(unsafe { std::arch::x86_64::_rdtsc() });
    #[cfg(not(target_arch = "x86_64"))]
    None
}
