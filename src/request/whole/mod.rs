//! Whole requests of any agent: what a provider was sent, in one form for each API; what it answered; and what broke between
//! two of them.
//!
//! `docs/capture.md` has the rules. A body goes through `body` to a [`Sent`], with the answers before it to a [`Request`]; `compare`
//! names the causes between two of a chain.

mod members;
mod api;
pub(crate) mod host;
mod media;
mod part;
mod recent;
mod agent;
mod turns;
mod said;
mod redact;
mod terms;
mod body;
mod answer;
mod effective;
mod chain;
mod continued;
mod compare;
mod loaded;
mod advice;
pub mod log;
pub mod inline;
pub mod import;

pub use advice::advice;
pub use agent::Agent;
pub use answer::{Answer, AnswerState, Judge, reason};
pub use api::Api;
pub use body::{BodyError, Leading, Sent, Session};
pub(in crate::request) use compare::lines_of;
pub use compare::{
    Action, Advice, Cause, Confidence, Kind, NotReused, Overlap, Reused, SourcePlace, Standing,
    State, Step, compare, first_change, is_section, not_reused, respelled, system_pairs, texts,
    tool_name,
};
pub use effective::{Request, ToolChanges};
pub use loaded::{LoadedFile, changed_text, loaded_change, loaded_files, loaded_place, version};
pub use part::{Breakpoint, From, Message, Part, PartId, Setting};
pub(in crate::request) use recent::Recent;
pub use redact::{KEY, Redactor, without_hashes};
pub use said::Said;
pub use terms::{Terms, of_usage as terms_of_usage};
pub(in crate::request) use turns::mixed;
