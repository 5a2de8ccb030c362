//! Workflow commands of GitHub Actions: annotations at lines of files.
//!
//! The form and its escapes: docs.github.com, "Workflow commands for GitHub Actions".

use super::Page;
use super::words::{plain, plain_lines};
use std::fmt::Write as _;

/// One annotation: `notice`, `warning` or `error`; with the path from the repository and the line, from 1, if there is one.
pub(crate) fn command(
    kind: &str,
    place: Option<(&str, Option<usize>)>,
    title: &str,
    message: &str,
) -> Page {
    let mut at = String::new();
    if let Some((path, line)) = place {
        let _ = write!(at, "file={},", property(path));
        if let Some(line) = line {
            let _ = write!(at, "line={line},");
        }
    }
    let (title, message) = (property(title), data(&plain_lines(message)));
    Page::commands(format!("::{kind} {at}title={title}::{message}\n"))
}

/// As the workflow's parser wants messages.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// As it wants the values of properties.
fn property(text: &str) -> String {
    data(&plain(text)).replace(':', "%3A").replace(',', "%2C")
}
