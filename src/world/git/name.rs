//! The valid names of a revision.

/// The most bytes of a name: as many as the path of a reference may have.
const LONGEST: usize = 4096;

/// The names that [`is_of_commit`] accepts, for people.
pub(super) const FORMS: &str = "a revision is a branch, a tag or a hash, and `~N`, `^N` or `@{…}` may follow it: `HEAD~2`, `v1.0`, `origin/main`, `main@{upstream}`";

/// Whether git reads `name` as a commit, and as nothing else: an option, a file of the index or of a commit, a search through
/// messages, which others wrote, or a range.
pub(super) fn is_of_commit(name: &str) -> bool {
    let starts = ["~", "^", "@{"].map(|start| name.find(start));
    let end = starts.into_iter().flatten().min().unwrap_or(name.len());
    let (base, steps) = name.split_at(end);
    // git-check-ref-format(1); what it refuses leads nowhere, or elsewhere.
    let plain = !base.starts_with('-')
        && !base.contains("..")
        && !base.contains([' ', ':', '?', '*', '[', '\\'])
        && (!base.is_empty() || steps.starts_with("@{"));
    plain && name.len() <= LONGEST && !name.contains(char::is_control) && are_steps(steps)
}

/// Whether each of the steps from a commit leads to one.
fn are_steps(mut steps: &str) -> bool {
    while !steps.is_empty() {
        let rest = if let Some(inside) = steps.strip_prefix("@{") {
            let step = inside
                .split_once('}')
                .filter(|(which, _)| !which.is_empty());
            step.map(|(_, rest)| rest)
        } else if let Some(kind) = steps.strip_prefix("^{") {
            kind.strip_prefix("commit")
                .unwrap_or(kind)
                .strip_prefix('}')
        } else {
            let parent = steps.strip_prefix(['~', '^']);
            parent.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        };
        let Some(rest) = rest else { return false };
        steps = rest;
    }
    true
}
