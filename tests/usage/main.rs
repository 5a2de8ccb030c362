//! An independent oracle of what `promptc usage` says, written from docs/usage.md; nothing of promptc is used but
//! its binary.
//!
//! `hand` has logs whose rows were calculated by hand. `traffic` makes days of requests in the forms of four APIs, with
//! known changes; `cache` is the cache of a provider, which bills them; `truth` gives the reason for each billed token,
//! from the tokens of each part, which the program does not see. `verify` compares the program with that, `sound` the
//! truth with itself.
//!
//! `doing` follows an advice and compares what comes with what was promised: an agent (`agent`) sends prompts that
//! promptc built, and the provider (`seen`, `cache`) bills what it sees.
//!
//! `class` adds what recordings of the field hold: failed requests, missing fields, agents without ids, images and
//! documents (`pictures`), lost breakpoints, and more; `classes` has a test for each, of which those that do not hold yet
//! are ignored, `sights` those of pictures and breakpoints, and `forms` writes a day in other formats.
//!
//! `PROMPTC_DAYS` says how many days of traffic are drawn (6 if it does not), `PROMPTC_FROM` the first seed,
//! `PROMPTC_SHOWN` how many failures are shown. `PROMPTC_SEED` draws that one day and writes its bodies and its truth
//! to the folder `PROMPTC_OUT`.

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
mod pictures;
mod cache;
mod truth;
mod across;
mod wire;
mod class;
mod traffic;
mod verify;
mod forms;
mod classes;
mod sights;
mod apps;
mod sound;
mod seen;
mod agent;
mod doing;
