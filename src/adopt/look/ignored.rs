//! What git ignores, as the `.gitignore` files of a folder say it.

use crate::source::pattern::Name;
use std::collections::BTreeMap;

/// The file that says it.
pub(super) const FILE: &str = ".gitignore";
/// How much of such a file is read, in bytes; one that is larger is passed over.
pub(super) const LARGEST: u64 = 64 * 1024;
/// How many lines of one file count.
const MOST_RULES: usize = 1_000;

/// The rules of all files that were read, by the folder that they stand in (empty for the top).
#[derive(Debug, Default)]
pub(super) struct Ignored {
    files: BTreeMap<String, Vec<Rule>>,
}

/// A line.
#[derive(Debug)]
struct Rule {
    /// It begins with `!`: what it names is not ignored.
    takes_back: bool,
    folders_only: bool,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    /// `**`: any number of folders.
    Folders,
    Name(Name),
}

impl Ignored {
    /// Adds the rules of the file in `folder`.
    pub(super) fn add(&mut self, folder: &str, text: &str) {
        let rules: Vec<Rule> = text.lines().filter_map(rule).take(MOST_RULES).collect();
        if !rules.is_empty() {
            self.files.insert(folder.to_owned(), rules);
        }
    }

    /// Whether git ignores what stands at `path`, in folders that it does not ignore.
    pub(super) fn itself(&self, path: &str, is_folder: bool) -> bool {
        let mut ignored = false;
        for (at, _) in [(0, "")].into_iter().chain(path.match_indices('/')) {
            let Some(rules) = self.files.get(&path[..at]) else {
                continue;
            };
            let names: Vec<&str> = path[at..].split('/').filter(|n| !n.is_empty()).collect();
            // Of several lines the last counts, and the file nearest to the path.
            for rule in rules {
                if (is_folder || !rule.folders_only) && fits(&rule.parts, &names) {
                    ignored = !rule.takes_back;
                }
            }
        }
        ignored
    }

    /// Whether git ignores what stands at `path`, or a folder above it.
    pub(super) fn any(&self, path: &str, is_folder: bool) -> bool {
        let mut above = path.match_indices('/');
        above.any(|(at, _)| self.itself(&path[..at], true)) || self.itself(path, is_folder)
    }
}

/// Reads a line; none if it names nothing, or is not well formed.
fn rule(line: &str) -> Option<Rule> {
    let line = line.trim_end();
    if line.starts_with('#') {
        return None;
    }
    let (takes_back, line) = match line.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let line = line.strip_prefix('\\').unwrap_or(line);
    let (folders_only, line) = match line.strip_suffix('/') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let mut parts = Vec::new();
    // A name alone is meant at any depth.
    if !line.contains('/') {
        parts.push(Part::Folders);
    }
    for name in line.strip_prefix('/').unwrap_or(line).split('/') {
        parts.push(match name {
            "**" => Part::Folders,
            name => Part::Name(Name::parse(name).ok()?),
        });
    }
    Some(Rule {
        takes_back,
        folders_only,
        parts,
    })
}

/// Whether the parts match all of `names`. The time is that of the two lengths multiplied, whatever the line is.
fn fits(parts: &[Part], names: &[&str]) -> bool {
    let mut reached = vec![false; names.len() + 1];
    reached[0] = true;
    for (index, part) in parts.iter().enumerate() {
        match part {
            Part::Folders => {
                let first = reached.iter().position(|r| *r).unwrap_or(names.len());
                // At the end it stands for what is inside of a folder, and not for the folder.
                let first = first + usize::from(index + 1 == parts.len());
                reached.iter_mut().skip(first).for_each(|r| *r = true);
                reached.iter_mut().take(first).for_each(|r| *r = false);
            }
            Part::Name(name) => {
                for at in (1..=names.len()).rev() {
                    reached[at] = reached[at - 1] && name.matches(names[at - 1]);
                }
                reached[0] = false;
            }
        }
        if !reached.contains(&true) {
            return false;
        }
    }
    reached[names.len()]
}

#[cfg(test)]
mod tests {
    use super::Ignored;

    fn ignored(text: &str, path: &str) -> bool {
        let mut all = Ignored::default();
        all.add("", text);
        all.any(path, false)
    }

    #[test]
    fn a_line_counts_as_git_reads_it() {
        assert!(ignored("AGENTS.md", "AGENTS.md"));
        assert!(ignored("AGENTS.md", "a/b/AGENTS.md"));
        assert!(!ignored("/AGENTS.md", "a/AGENTS.md"));
        assert!(ignored("a/AGENTS.md", "a/AGENTS.md"));
        assert!(!ignored("a/AGENTS.md", "b/a/AGENTS.md"));
        assert!(ignored("build/", "build/x.md"));
        assert!(!ignored("build/", "build"));
        assert!(ignored("*.md\n!AGENTS.md", "a.md"));
        assert!(!ignored("*.md\n!AGENTS.md", "AGENTS.md"));
        assert!(ignored("a/**", "a/b/c"));
        assert!(!ignored("a/**", "a"));
        assert!(ignored("**/c", "a/b/c"));
        assert!(ignored("a/**/c", "a/c"));
        assert!(!ignored("# a\n\n", "a"));
        assert!(ignored("\\#a", "#a"));
        // A line that is not well formed names nothing.
        assert!(!ignored("[", "["));
    }

    #[test]
    fn the_nearest_file_counts() {
        let mut all = Ignored::default();
        all.add("", "*.md");
        all.add("a", "!b.md");
        assert!(all.any("b.md", false));
        assert!(!all.any("a/b.md", false));
        assert!(all.any("a/c.md", false));
    }
}
