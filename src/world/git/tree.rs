//! The tree of a commit: every path with its object.

use super::run;
use crate::diagnostic::Diagnostic;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The entry at a path of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// A file; the object with its content.
    File(String),
    /// A symbolic link; the object with its target.
    Link(String),
    /// A folder, or a submodule, which is as empty as a clone leaves it.
    Folder,
}

/// By path from the top, folders too. The top itself is not in it.
pub(super) type Tree = BTreeMap<PathBuf, Node>;

pub(super) fn read(folder: &Path, commit: &str) -> Result<Tree, Box<Diagnostic>> {
    let args = ["ls-tree", "-r", "-z", "--full-tree", commit].map(OsStr::new);
    let listed = run::git(folder, args)?;
    if !listed.success {
        return Err(listed.failed("ls-tree"));
    }
    let mut tree = Tree::new();
    for entry in listed.stdout.split(|byte| *byte == 0) {
        if let Some((path, node)) = entry_of(entry) {
            for above in path.ancestors().skip(1) {
                if above != Path::new("") {
                    tree.entry(above.to_owned()).or_insert(Node::Folder);
                }
            }
            tree.insert(path, node);
        }
    }
    Ok(tree)
}

/// `MODE TYPE OBJECT<tab>PATH`.
fn entry_of(entry: &[u8]) -> Option<(PathBuf, Node)> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let mut words = std::str::from_utf8(&entry[..tab]).ok()?.split(' ');
    let (mode, kind, object) = (words.next()?, words.next()?, words.next()?);
    let node = match (mode, kind) {
        ("120000", _) => Node::Link(object.to_owned()),
        (_, "blob") => Node::File(object.to_owned()),
        _ => Node::Folder,
    };
    Some((run::path(&entry[tab + 1..]), node))
}
