//! Properties of any bytes: what a fuzzer attacks (`fuzz/`), and what `tests/it/attack/replay.rs` runs against the
//! inputs that one found, on stable. A new one is a file here, with `pub(super) fn check(data: &[u8])`, and its
//! name in the list below.
//!
//! A property panics where it does not hold. It shares no code with what it judges, but for the measure of a text and the single
//! pattern of a rule, which have tests of their own.

mod input;
mod building;
mod owners;

/// Hands the names of all properties to a macro.
macro_rules! each_property {
    ($to:ident) => {
        $to! {
            manifest
            template
            expression
            document
            cut
            scan
            frontmatter
            facts
            diff
            lock
            artifact
            providers
            litellm
            emit
            adopt
        }
    };
}

macro_rules! declared {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// All of them, by name.
        pub(super) const ALL: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name::check)),*];
    };
}

each_property!(declared);
