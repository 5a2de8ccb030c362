//! An independent oracle of the causes that `promptc diff` names between requests.
//!
//! Conversations are made in the forms of six APIs, with changes that are known and with spellings that are no change.
//! The causes to be named follow from the changes, by the rules of docs/capture.md; nothing of promptc is used but its
//! binary. `hand` has pairs with answers from the page, `simulate` is the cache of a provider. `class` adds what
//! recordings of the field hold, `twenty` has conversations with their truth, `classes` has a test for each, of which those that do not hold yet are ignored, and
//! `folder` has folders of bodies.
//!
//! `PROMPTC_PAIRS` says how many pairs are drawn (500 if it does not), `PROMPTC_FROM` the first seed, `PROMPTC_SHOWN`
//! how many failures of a class are shown. `PROMPTC_SEED` shows one conversation: its bodies, what is wanted and what
//! the program says. `PROMPTC_WITHOUT` switches off spellings that are no change:
//! `spaces,escapes,numbers,strings,split,blank,explicit,empty,bill,noise`. `notices` falsifies answers that were right:
//! the check has to notice.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "what is wrong is shown to who runs the test"
)]

#[path = "../causes/random.rs"]
mod random;
mod json;
mod model;
mod body;
mod answer;
mod want;
mod maker;
mod write;
mod mutate;
mod generate;
mod program;
mod pairs;
mod hand;
mod across;
mod class;
mod classes;
mod folder;
mod simulate;
mod notices;
mod twenty;
