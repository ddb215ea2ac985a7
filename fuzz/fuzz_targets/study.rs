//! TOML of studies: conditions, or one line that says what is wrong.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tetrastat_studies::study::conditions;

fuzz_target!(|text: &str| {
    match conditions(text) {
        Ok(conditions) => assert!(!conditions.is_empty()),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});
