//! What a kind of source is: one value with all that the stages ask of it.

use super::KINDS;
use super::exclude::Exclude;
use super::place::{BoundRoot, Read, Wanted};
use super::wall::Obstacle;
use crate::diagnostic::Code;
use crate::text::entries::Entry;
use crate::text::json::{self, CanonicalPart};
use crate::world::World;

/// A kind of source that reads inside a root. Every stage asks it, and none of them knows it by its word.
#[derive(Debug)]
pub struct SourceKind {
    /// The word in manifests.
    pub word: &'static str,
    /// What one of its documents is called in messages.
    pub one: &'static str,
    /// What stands behind the word.
    pub names: Names,
    /// What stands between its documents; if none, what stands between the layers of the tier.
    pub between: Option<Between>,
    /// Whether it is a source of many documents, whatever the number that it finds.
    pub many: bool,
    /// Finds files in one folder of the root, and reads them.
    pub read: fn(&ReadRequest<'_>) -> Result<Read, Obstacle>,
    /// The paths of these files, unread; what cannot be looked at is left out.
    pub existing: fn(&ReadRequest<'_>) -> Vec<String>,
    /// What becomes of a file.
    pub makes: Makes,
}

/// What stands behind the word of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// The name of one file.
    File,
    /// Names of files, of which one is enough.
    Files,
    /// Patterns of names, each of which finds files of its own.
    Patterns,
    /// The name of a folder, which has files below it.
    Folder,
}

impl Names {
    /// Whether all of them count, and not the first with a file.
    #[must_use]
    pub fn all_count(self) -> bool {
        matches!(self, Self::Patterns | Self::Folder)
    }
}

/// What stands between the documents of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Between {
    /// The property that says it.
    pub property: &'static str,
    /// If the manifest says nothing.
    pub default: &'static str,
}

/// What becomes of a file that a source has read.
#[derive(Debug, Clone, Copy)]
pub enum Makes {
    /// A document with the text of the file.
    Document,
    /// A document with another form of the same data, in which nothing is a comment or an import.
    Data(Data),
    /// A document for each entry; what stands between them in the file stands between them in the prompt.
    Entries(Entries),
    /// The document of a skill: it is listed by what its front matter says, and has files beside it.
    Listed,
}

/// Takes a text apart into entries: the text, what stands between them, whether white space around one goes, and how many
/// there may be. None if there are more.
pub type Split = fn(&str, &str, bool, usize) -> Option<Vec<Entry>>;

/// How a file is entries.
#[derive(Debug, Clone, Copy)]
pub struct Entries {
    /// Takes it apart.
    pub split: Split,
    /// Whether agents write to it, with `capacity=` for how much may stand in it.
    pub written: bool,
}

/// The form in which data stands in a prompt.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    /// Makes it, as far as it can of the file's own bytes; or says what is wrong, behind the file's name.
    pub form: fn(&str) -> Result<Vec<CanonicalPart>, json::JsonError>,
    /// The code of what is wrong.
    pub fault: Code,
}

/// What a source looks for at one place.
#[derive(Clone, Copy)]
pub struct ReadRequest<'a> {
    /// The world outside.
    pub world: &'a dyn World,
    /// Where.
    pub root: &'a BoundRoot,
    /// The folder inside the root; empty for its top.
    pub level: &'a str,
    /// The names behind the word.
    pub names: &'a [Wanted],
    /// Folders that are not entered.
    pub exclude: &'a [Exclude],
}

impl ReadRequest<'_> {
    /// The names that something can be called.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter_map(Wanted::file)
    }
}

impl SourceKind {
    /// The kind of that word.
    #[must_use]
    pub fn of(word: &str) -> Option<&'static Self> {
        KINDS.iter().copied().find(|kind| kind.word == word)
    }

    /// Whether its files are data, in which nothing is a comment or an import.
    #[must_use]
    pub fn is_data(&self) -> bool {
        matches!(self.makes, Makes::Data(_))
    }

    /// How its files are entries, if they are.
    #[must_use]
    pub fn entries(&self) -> Option<Entries> {
        match self.makes {
            Makes::Entries(entries) => Some(entries),
            Makes::Document | Makes::Data(_) | Makes::Listed => None,
        }
    }

    /// Whether agents write to its file.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.entries().is_some_and(|entries| entries.written)
    }

    /// Whether its documents are listed by what their front matter says.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        matches!(self.makes, Makes::Listed)
    }
}
