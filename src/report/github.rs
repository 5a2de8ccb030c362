//! Workflow commands of GitHub Actions: annotations at lines of files.
//!
//! The form and its escapes: docs.github.com, "Workflow commands for GitHub Actions".

use super::escape::{data, plain_lines, property};
use std::fmt::Write as _;

/// A message at a line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// Its severity.
    pub level: Level,
    /// The path from the repository and the line, from 1, if it is known.
    pub place: Option<(String, Option<usize>)>,
    /// Its title.
    pub title: String,
    /// Its text.
    pub message: String,
}

/// The severity of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Worth knowing.
    Notice,
    /// A warning.
    Warning,
    /// An error.
    Error,
}

/// A command for each annotation.
#[must_use]
pub fn draw(annotations: &[Annotation]) -> String {
    annotations.iter().map(command).collect()
}

fn command(annotation: &Annotation) -> String {
    let level = match annotation.level {
        Level::Notice => "notice",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let mut at = String::new();
    if let Some((path, line)) = &annotation.place {
        let _ = write!(at, "file={},", property(path));
        if let Some(line) = line {
            let _ = write!(at, "line={line},");
        }
    }
    let title = property(&annotation.title);
    let message = data(&plain_lines(&annotation.message));
    format!("::{level} {at}title={title}::{message}\n")
}
