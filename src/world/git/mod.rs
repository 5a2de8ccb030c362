//! A door next to [`World`](crate::world::World): the files of a git repository at a revision, read by the program
//! `git`.
//!
//! Neither the work tree nor the index is touched or looked at. Content is what is committed: line ends and filters
//! that a checkout would apply are not applied, and content that git stores elsewhere (large files, submodules, missing
//! objects of a partial clone) is not fetched. Nothing that a repository names is run.

mod name;
mod object;
mod run;
mod tree;
mod blobs;
mod revision;
mod history;

pub use blobs::Blobs;
pub use history::Version;
pub use object::ObjectFormat;
pub use revision::Revision;

use crate::diagnostic::{self, Diagnostic};
use crate::world::{DiskWorld, World as _};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The usual names of a default branch, after that of `init.defaultBranch`.
const USUAL: [&str; 2] = ["main", "master"];

/// A repository, as seen from a folder.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Where git is run.
    folder: PathBuf,
    /// The folder of the repository's tree, without links.
    top: PathBuf,
}

impl Repository {
    /// The repository around `folder`, or the one that `GIT_DIR` names.
    ///
    /// # Errors
    /// When there is none, or git does not run.
    pub fn open(folder: &Path) -> Result<Self, Box<Diagnostic>> {
        let none = || {
            let message = "there is no git repository here";
            let none = Diagnostic::error(diagnostic::NOT_A_REPOSITORY, message);
            Box::new(
                none.help("a revision is looked up in the repository around the current directory"),
            )
        };
        // A relative GIT_DIR counts from here.
        let folder = match DiskWorld.env("GIT_DIR") {
            Some(_) => folder.to_owned(),
            None => top(folder).ok_or_else(none)?,
        };
        let args = ["rev-parse", "--show-toplevel"].map(OsStr::new);
        let found = run::git(&folder, args)?;
        if !found.success {
            return Err(if found.says("not a git repository") {
                none()
            } else {
                found.failed("rev-parse")
            });
        }
        let named = run::path(found.line());
        let top = DiskWorld.canonical(&named).unwrap_or(named);
        Ok(Self { folder, top })
    }

    /// The tree of the commit that `name` leads to.
    ///
    /// # Errors
    /// When there is no such commit, or git does not run.
    pub fn revision(&self, name: &str) -> Result<Revision, Box<Diagnostic>> {
        let commit = self.commit(name)?;
        let tree = tree::read(&self.folder, &commit)?;
        Ok(Revision::new(self, name, &commit, tree))
    }

    /// The content of its objects, in whatever commit they are.
    ///
    /// # Errors
    /// When git does not run.
    pub fn blobs(&self) -> Result<Blobs, Box<Diagnostic>> {
        Blobs::start(&self.folder)
    }

    /// The hash that names its objects; SHA-1 if git does not tell.
    #[must_use]
    pub fn object_format(&self) -> ObjectFormat {
        let format = self.answer(&["rev-parse", "--show-object-format"]);
        match format {
            Ok(Some(format)) if format == "sha256" => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        }
    }

    /// The commit where `HEAD` left the default branch, by the name of that branch. This is what `origin/HEAD` names, else the
    /// first of the usual ones that `origin` has, or that is here. `None` if there is none, or no commit in common.
    ///
    /// # Errors
    /// When git does not run.
    pub fn branch_point(&self) -> Result<Option<Revision>, Box<Diagnostic>> {
        let own = self.answer(&["config", "--get", "init.defaultBranch"])?;
        let usual = own.iter().map(String::as_str).chain(USUAL);
        let usual =
            usual.flat_map(|name| ["remotes/origin", "heads"].map(|of| format!("{of}/{name}")));
        for name in ["remotes/origin/HEAD".to_owned()].into_iter().chain(usual) {
            let whole = format!("refs/{name}");
            let args = ["rev-parse", "--verify", "--quiet", "--abbrev-ref", &whole];
            let Some(branch) = self.answer(&args)? else {
                continue;
            };
            let Some(commit) = self.answer(&["merge-base", "HEAD", &whole])? else {
                return Ok(None);
            };
            let tree = tree::read(&self.folder, &commit)?;
            return Ok(Some(Revision::new(self, &branch, &commit, tree)));
        }
        Ok(None)
    }

    /// The versions of the file at `path`, which counts from the folder of the repository, up to `HEAD`: the newest first, at most so many.
    ///
    /// # Errors
    /// When git does not run, or there is no commit.
    pub fn versions(&self, path: &Path, most: usize) -> Result<Vec<Version>, Box<Diagnostic>> {
        history::of(&self.folder, path, most)
    }

    /// The folder of its tree, without links.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// What git answers on one line; `None` if it fails.
    fn answer(&self, args: &[&str]) -> Result<Option<String>, Box<Diagnostic>> {
        let found = run::git(&self.folder, args.iter().map(OsStr::new))?;
        if found.killed {
            return Err(found.failed(args[0]));
        }
        let line = || String::from_utf8_lossy(found.line()).into_owned();
        Ok(found.success.then(line))
    }

    fn commit(&self, name: &str) -> Result<String, Box<Diagnostic>> {
        if !name::is_of_commit(name) {
            let message = format!("`{name}` is not the name of a commit");
            let unknown = Diagnostic::error(diagnostic::UNKNOWN_REVISION, message);
            return Err(Box::new(unknown.help(name::FORMS)));
        }
        let peeled = format!("{name}^{{commit}}");
        if let Some(commit) = self.answer(&["rev-parse", "--verify", "--quiet", &peeled])? {
            return Ok(commit);
        }
        let message = format!("git knows no commit `{name}` here");
        let unknown = Diagnostic::error(diagnostic::UNKNOWN_REVISION, message);
        Err(Box::new(unknown.help(if self.is_shallow() { "this clone is shallow: `git fetch --unshallow` gets the rest of the history" } else { "`git log --oneline` and `git branch --all` show what there is; `git fetch` gets what is new" })))
    }

    fn is_shallow(&self) -> bool {
        let shallow = self.answer(&["rev-parse", "--is-shallow-repository"]);
        shallow.is_ok_and(|is| is.as_deref() == Some("true"))
    }
}

/// The folder at or above `folder` that holds a `.git`, the work tree of a repository. One without it that looks like a
/// repository itself is not taken: a commit can hold such a folder, with settings.
#[must_use]
pub fn top(folder: &Path) -> Option<PathBuf> {
    let folder = DiskWorld.canonical(folder).ok()?;
    let mut above = folder.ancestors();
    let top = above.find(|folder| DiskWorld.kind(&folder.join(".git")).is_ok())?;
    Some(top.to_owned())
}
