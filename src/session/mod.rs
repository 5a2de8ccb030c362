//! The contents of a session, and when it is rebuilt.
//!
//! A [`Store`](crate::session::store::Store) stores texts; this module gives them their meaning. Pure: nothing is
//! read or written.

pub mod store;
mod identity;
mod terms;
mod inputs;
mod keep;
mod restore;
mod mark;
mod export;
pub mod history;
mod drift;

pub use drift::{Drift, Drifted, drift};
pub use export::{EXPORT, Export, Exported, Imported, NoImport, export};
pub use identity::{Identity, KEY, value_at};
pub use inputs::Inputs;
pub use keep::{Kept, delivered, keep};
pub use mark::mark;
pub use restore::{Contents, frozen, program, record, restore, steady, told};
pub use terms::{Call, SessionMeta};
