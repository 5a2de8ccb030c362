//! The paths that git ignores, by the `.gitignore` files of a folder.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::BTreeMap;

/// The file that says it.
pub(super) const FILE: &str = ".gitignore";
/// The most bytes of such a file; a larger one is skipped.
pub(super) const LARGEST: u64 = 64 * 1024;
/// The most lines of one file that count.
const MOST_RULES: usize = 1_000;

/// The rules of all files that were read, by the folder of the file (empty for the top).
#[derive(Debug, Default)]
pub(super) struct Ignored {
    files: BTreeMap<String, Gitignore>,
}

impl Ignored {
    /// Adds the rules of the file in `folder`. A line that is not well formed names nothing.
    pub(super) fn add(&mut self, folder: &str, text: &str) {
        let mut rules = GitignoreBuilder::new("");
        for line in text.lines().take(MOST_RULES) {
            drop(rules.add_line(None, line));
        }
        if let Ok(rules) = rules.build() {
            self.files.insert(folder.to_owned(), rules);
        }
    }

    /// Whether git ignores `path`, in folders that it does not ignore.
    pub(super) fn itself(&self, path: &str, is_folder: bool) -> bool {
        let folders = path.match_indices('/').map(|(at, _)| at).rev();
        // The file nearest to the path counts, and of its lines the last.
        let mut said = folders.chain([0]).filter_map(|at| {
            let below = path[at..].trim_start_matches('/');
            match self.files.get(&path[..at])?.matched(below, is_folder) {
                Match::None => None,
                Match::Ignore(_) => Some(true),
                Match::Whitelist(_) => Some(false),
            }
        });
        said.next().unwrap_or(false)
    }

    /// Whether git ignores `path` or a folder above it.
    pub(super) fn any(&self, path: &str, is_folder: bool) -> bool {
        let mut above = path.match_indices('/');
        above.any(|(at, _)| self.itself(&path[..at], true)) || self.itself(path, is_folder)
    }
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
