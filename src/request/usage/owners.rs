//! The owner of a text of a request.

use crate::request::whole::{Cause, LoadedFile, Request};
use std::fmt::Debug;

/// The layer of each line of each block of a system prompt, where it is certain.
pub type LayersOfLines = Vec<Vec<Option<String>>>;

/// A source of the owners of texts.
pub trait Owners: Debug + Sync {
    /// Notes the layer and the file of a change.
    fn note(&self, first: &mut Cause, before: &Request, now: &Request);

    /// The files that are in a text, in order.
    fn files(&self, text: &str) -> Vec<LoadedFile>;

    /// The layers of a system prompt; none if no layers are known.
    fn lines(&self, request: &Request) -> Option<LayersOfLines>;
}
