//! Accepted breaks, written.

use super::{AcceptedBreak, AcceptedBreaks, AcceptedCause, folder};
use crate::compare::{Cause, own_text};
use crate::diagnostic::ErrorReported;
use crate::project::{Compared, Run, output};
use crate::prompt::{Deliver, sha256};
use crate::syntax::write::one_line as string;
use std::path::{Path, PathBuf};

/// The number of hex digits of its hash that name a file.
const DIGITS: usize = 12;

/// The breaks of a comparison of a scenario, each accepted for the reason `because`.
pub(crate) fn breaks(scenario: &str, compared: &Compared, because: &str) -> Vec<AcceptedBreak> {
    let all = compared.diff.first.iter().chain(&compared.diff.hidden);
    let accepted = all.filter_map(|found| {
        let layer = found.layer.clone()?;
        Some(AcceptedBreak {
            scenario: scenario.to_owned(),
            channel: found.channel,
            text: sha256(own_text(&compared.b, found.channel, &layer)),
            layer,
            causes: found.reasons().iter().map(AcceptedCause::of).collect(),
            because: because.to_owned(),
        })
    });
    accepted.collect()
}

/// Writes the breaks of a manifest that are not accepted yet, from `before` to `there`, each to a file of its own.
/// Returns these files.
///
/// # Errors
/// When one of them cannot be written.
pub(crate) fn write(
    manifest: &Path,
    accepted: &[AcceptedBreak],
    there: &AcceptedBreaks,
    before: &AcceptedBreaks,
    run: &mut Run,
) -> Result<AcceptedBreaks, ErrorReported> {
    let mut files = AcceptedBreaks::new();
    for new in accepted {
        let same = |(path, old): (&PathBuf, &AcceptedBreak)| {
            old.is_same(new) && before.get(path) != Some(old)
        };
        if !there.iter().any(same) {
            files.insert(free(manifest, new, there, &files), new.clone());
        }
    }
    for path in files.keys() {
        output::check_unnamed(path, run)?;
    }
    for (path, new) in &files {
        output::folder_of(path, run)?;
        output::to_file(path, new.text_of_file().as_bytes(), run)?;
        run.wrote = true;
    }
    Ok(files)
}

/// A free file name: the same break may be accepted, undone and accepted again.
fn free(
    manifest: &Path,
    new: &AcceptedBreak,
    there: &AcceptedBreaks,
    files: &AcceptedBreaks,
) -> PathBuf {
    let parts = [&new.scenario, new.channel.name(), &new.layer, &new.text];
    let hash = sha256(parts.join("\0"));
    let id = &hash["sha256:".len()..][..DIGITS];
    let name = |n: usize| match n {
        1 => format!("{id}.kdl"),
        n => format!("{id}-{n}.kdl"),
    };
    let mut paths = (1..).map(|n| folder(manifest).join(name(n)));
    let free = paths.find(|path| !there.contains_key(path) && !files.contains_key(path));
    free.unwrap_or_else(|| folder(manifest).join(name(1)))
}

impl AcceptedBreak {
    /// Whether it is the same break, whatever the reasons.
    fn is_same(&self, other: &Self) -> bool {
        let key = |of: &Self| {
            (
                of.scenario.clone(),
                of.channel,
                of.layer.clone(),
                of.text.clone(),
            )
        };
        key(self) == key(other)
    }

    /// The text of its file.
    fn text_of_file(&self) -> String {
        let channel = match self.channel {
            Deliver::System => String::new(),
            other => format!(" channel={}", other.name()),
        };
        let causes: String = self
            .causes
            .iter()
            .map(AcceptedCause::line_of_file)
            .collect();
        format!(
            "accepted 1\nscenario {}\nlayer {}{channel} sha256={}\n{causes}because {}\n",
            string(&self.scenario),
            string(&self.layer),
            string(&self.text),
            string(&self.because),
        )
    }
}

impl AcceptedCause {
    fn of(cause: &Cause) -> Self {
        Self {
            kind: cause.kind.name().to_owned(),
            path: cause.path.clone(),
            line: cause.line,
            fact: cause.fact.clone(),
        }
    }

    fn line_of_file(&self) -> String {
        let text = |name: &str, value: &Option<String>| {
            let value = value.as_deref().map(string);
            value.map_or_else(String::new, |value| format!(" {name}={value}"))
        };
        let line = self.line.map_or_else(String::new, |n| format!(" line={n}"));
        let (kind, path) = (&self.kind, text("path", &self.path));
        format!("cause {kind}{path}{line}{}\n", text("fact", &self.fact))
    }
}
