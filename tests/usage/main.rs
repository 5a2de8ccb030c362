//! An independent oracle of what `promptc usage` says, written from docs/usage.md; nothing of promptc is used but its binary.
//!
//! `hand` has logs whose rows were worked out by hand. `traffic` makes days of requests in the forms of four APIs, with changes that
//! are known; `cache` is the cache of a provider, which bills them; `truth` says of each token why it was billed, from the tokens of
//! each part, which the program does not see. `judge` compares the program with that, `sound` the truth with itself.
//!
//! `doing` follows an advice and compares what comes with what was promised: an agent (`agent`) sends prompts that promptc built, and the
//! provider (`seen`, `cache`) bills what it sees.
//!
//! `PROMPTC_DAYS` says how many days of traffic are drawn (6 if it does not), `PROMPTC_FROM` the first seed, `PROMPTC_SHOWN` how many
//! failures are shown. `PROMPTC_SEED` draws that one day and writes its bodies and its truth to the folder `PROMPTC_OUT`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "what is wrong is shown to who runs the test"
)]

#[path = "../causes/random.rs"]
mod random;
mod money;
mod program;
mod hand;
mod parts;
mod cache;
mod truth;
mod wire;
mod traffic;
mod judge;
mod sound;
mod seen;
mod agent;
mod doing;
