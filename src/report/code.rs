//! Lines of code.

use similar::{ChangeTag, TextDiff};

/// The number of lines that are shown around those that differ.
const AROUND: usize = 2;

/// Lines of code.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// The language, as Markdown names it.
    pub language: &'static str,
    /// The lines.
    pub lines: Vec<String>,
}

impl Code {
    /// The differing lines of two texts, each after its sign and a blank.
    #[must_use]
    pub fn diff(old: &str, new: &str) -> Self {
        let diff = TextDiff::from_lines(old, new);
        let mut lines = Vec::new();
        for (at, group) in diff.grouped_ops(AROUND).iter().enumerate() {
            if at > 0 {
                lines.push("  …".to_owned());
            }
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                };
                let line = change.value();
                let line = line.strip_suffix('\n').unwrap_or(line);
                lines.push(format!("{sign} {line}"));
            }
        }
        Self::of(lines)
    }

    /// The differing lines of a file, in the format of `patch`.
    #[must_use]
    pub fn patch(file: &str, old: &str, new: &str) -> Self {
        let diff = TextDiff::from_lines(old, new);
        let mut unified = diff.unified_diff();
        unified.context_radius(AROUND);
        let drawn = unified.header(&format!("a/{file}"), &format!("b/{file}"));
        Self::of(drawn.to_string().lines().map(str::to_owned).collect())
    }

    fn of(lines: Vec<String>) -> Self {
        Self {
            language: "diff",
            lines,
        }
    }
}
