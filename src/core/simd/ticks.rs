//! The processor's time-stamp counter.

/// Ticks since some moment, at a constant rate; `None` where the processor has no such counter.
///
/// The rate is the processor's nominal one and not that at which it runs just now, so that ticks measure time
/// and not cycles.
#[must_use]
pub fn ticks() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: RDTSC is part of every x86-64 processor, and user programs may run it on every
    // system that Rust supports there.
    return Some(unsafe { std::arch::x86_64::_rdtsc() });
    #[cfg(not(target_arch = "x86_64"))]
    None
}
