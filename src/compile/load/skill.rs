//! A skill that a source found, and what becomes of it.

use crate::diagnostic::span::Span;
use crate::prompt::Finding;
use crate::text::document::Document;
use std::sync::Arc;

/// The use of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillStatus {
    /// It is listed.
    Listed,
    /// `allow` does not name it.
    NotAllowed,
    /// `deny` names it.
    Denied,
    /// `hide` gives this reason.
    Hidden(String),
    /// An earlier folder of its root has one of its name.
    Shadowed,
    /// `where` rules it out.
    RuledOut,
    /// A scan leaves it out.
    Refused,
    /// Its front matter cannot be read, and why; nothing is built as long as it is so.
    Unreadable(String),
}

/// A skill that a source found.
#[derive(Debug, Clone)]
pub struct Skill {
    /// Its document; the text is that after the front matter, or a placeholder.
    pub document: Arc<Document>,
    /// Its use.
    pub fate: SkillStatus,
    /// The findings of a scan in it.
    pub findings: Vec<Finding>,
    /// The place of its source in the manifest.
    pub(in crate::compile) source: Span,
}
