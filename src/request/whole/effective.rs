//! The whole request.

use super::api::Api;
use super::part::{Breakpoint, Message, Part, Setting};
use jiff::Timestamp;
use std::sync::Arc;

/// A request as its model sees it; its parts may be known by their ids alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Request<P = Part> {
    /// Its API.
    pub api: Api,
    /// Its model.
    pub model: String,
    /// When it was sent.
    pub time: Option<Timestamp>,
    /// The settings that a cache depends on.
    pub settings: Vec<Setting>,
    /// The tools.
    pub tools: Vec<P>,
    /// The blocks of the system text.
    pub system: Vec<P>,
    /// The messages; of Anthropic and Bedrock those of one role in a row are one.
    pub messages: Vec<Arc<Message<P>>>,
    /// The places up to which the provider is asked to keep it.
    pub breakpoints: Vec<Breakpoint>,
    /// Why the whole is not known; none if it is.
    pub incomplete: Option<String>,
}
