//! Reads the processor's name.

/// Returns the processor's name, read from the processor and not from the operating system. Returns
/// `None` if the processor has no instruction for it.
#[must_use]
pub fn cpu_brand() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    return x86();
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Reads the processor's name from three CPUID functions, 48 bytes of text in all.
#[cfg(target_arch = "x86_64")]
fn x86() -> Option<String> {
    use std::arch::x86_64::__cpuid;

    const MOST: u32 = 0x8000_0000;
    // The highest function: the name takes 0x8000_0002 to 0x8000_0004, sixteen bytes each.
    if __cpuid(MOST).eax < MOST + 4 {
        return None;
    }
    let mut name = Vec::new();
    for part in 2..=4 {
        let text = __cpuid(MOST + part);
        name.extend([text.eax, text.ebx, text.ecx, text.edx].map(u32::to_le_bytes).as_flattened());
    }
    let name = String::from_utf8_lossy(&name);
    // Padded with zeros or, on some processors, with leading blanks.
    let name = name.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    (!name.is_empty()).then(|| name.to_owned())
}
