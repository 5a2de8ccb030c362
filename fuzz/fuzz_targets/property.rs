//! Attacks the property that `PROMPTC_PROPERTY` names, of those in `tests/properties`.
#![no_main]

#[macro_use]
#[path = "../../tests/properties/mod.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

/// The property that is asked for.
fn chosen() -> fn(&[u8]) {
    let asked = std::env::var("PROMPTC_PROPERTY").unwrap_or_default();
    let found = properties::ALL.iter().find(|(name, _)| *name == asked);
    let Some((_, check)) = found else {
        let names: Vec<&str> = properties::ALL.iter().map(|(name, _)| *name).collect();
        panic!("PROMPTC_PROPERTY names one of: {}", names.join(" "));
    };
    *check
}

fuzz_target!(|data: &[u8]| {
    static CHOSEN: OnceLock<fn(&[u8])> = OnceLock::new();
    CHOSEN.get_or_init(chosen)(data);
});
