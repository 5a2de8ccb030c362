//! A kind of source: one value with everything that the stages need to know about it.

use super::KINDS;
use super::exclude::Exclude;
use super::place::{BoundRoot, Read, Wanted};
use super::wall::Obstacle;
use crate::diagnostic::Code;
use crate::text::entries::Entry;
use crate::text::json::{self, CanonicalPart};
use crate::world::World;

/// A kind of source that reads inside a root. Every stage asks it, and none knows it by its word.
#[derive(Debug)]
pub struct SourceKind {
    /// The word in manifests.
    pub word: &'static str,
    /// The name of one of its documents in messages.
    pub one: &'static str,
    /// The arguments after the word.
    pub names: Names,
    /// The text between its documents; if none, that between the layers of the tier.
    pub between: Option<Between>,
    /// Whether it is a source of many documents, whatever the number that it finds.
    pub many: bool,
    /// Finds files in one folder of the root, and reads them.
    pub read: fn(&ReadRequest<'_>) -> Result<Read, Obstacle>,
    /// The paths of these files, unread; what cannot be looked at is left out.
    pub existing: fn(&ReadRequest<'_>) -> Vec<String>,
    /// The use of a file.
    pub makes: Makes,
}

/// The arguments after the word of a source.
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

/// The text between the documents of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Between {
    /// The property that says it.
    pub property: &'static str,
    /// If the manifest says nothing.
    pub default: &'static str,
}

/// The use of a file that a source has read.
#[derive(Debug, Clone, Copy)]
pub enum Makes {
    /// A document with the text of the file.
    Document,
    /// A document with another form of the same data, in which nothing is a comment or an import.
    Data(Data),
    /// A document for each entry; the text between them in the file is also between them in the prompt.
    Entries(Entries),
    /// The document of a skill: it is listed by its front matter, and has files next to it.
    Listed,
}

/// Splits a text into entries: the text, the delimiter, whether white space around one is removed, and the most
/// entries. None if there are more.
pub type Split = fn(&str, &str, bool, usize) -> Option<Vec<Entry>>;

/// The division of a file into entries.
#[derive(Debug, Clone, Copy)]
pub struct Entries {
    /// Takes it apart.
    pub split: Split,
    /// Whether agents write to it, with `capacity=` as the limit.
    pub written: bool,
}

/// The form of data in a prompt.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    /// Converts it, as far as possible with the file's own bytes; or returns the error, which follows the file's name.
    pub form: fn(&str) -> Result<Vec<CanonicalPart>, json::JsonError>,
    /// The code of what is wrong.
    pub fault: Code,
}

/// The files that a source looks for at one place.
#[derive(Clone, Copy)]
pub struct ReadRequest<'a> {
    /// The world outside.
    pub world: &'a dyn World,
    /// Where.
    pub root: &'a BoundRoot,
    /// The folder inside the root; empty for its top.
    pub level: &'a str,
    /// The names after the word.
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

    /// The division of its files into entries, if they have entries.
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
