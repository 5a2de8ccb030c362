//! A manifest as written, its bases and includes merged: every value keeps its span, no name is resolved yet.

mod program;
mod waive;
mod fact;
mod scenario;
mod scan;
mod transforms;
mod budget;
mod content;
mod root;
mod tier;
mod session;
mod directory_rules;
mod removed;
mod expect;

pub use budget::*;
pub use content::*;
pub use directory_rules::*;
pub use expect::*;
pub use fact::*;
pub use program::*;
pub use removed::*;
pub use root::*;
pub use scan::*;
pub use scenario::*;
pub use session::*;
pub use tier::*;
pub use transforms::*;
pub use waive::*;

use super::file_name::FileName;
use crate::diagnostic::span::{FileId, Literal, Span, Spanned};
use crate::prompt::Overlays;
use crate::syntax::Tree;
pub use crate::text::cut::Boundary;
pub use crate::text::measure::Unit;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a manifest came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file; relative defaults count from its folder.
    Disk {
        /// Its folder.
        folder: PathBuf,
    },
    /// A built-in; relative defaults count from the current directory.
    BuiltIn {
        /// Its name, such as `mushroom@1`.
        name: String,
    },
}

/// A file that a manifest was made from.
#[derive(Debug, Clone)]
pub struct ManifestFile {
    /// Its text.
    pub file: FileId,
    /// Where it came from.
    pub origin: Origin,
    /// Its name in the map: without the way to the first of them, which differs from place to place.
    pub name: Arc<str>,
    /// Whether `include` named it; then no file is looked for in its folder.
    pub included: bool,
}

/// A manifest with everything that it extends and includes.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The file that was named; what it says wins.
    pub file: FileId,
    /// Where that file came from.
    pub origin: Origin,
    /// All files, that one first, each base after the manifest that extends it.
    pub sheets: Vec<ManifestFile>,
    /// `name NAME`.
    pub name: Option<Spanned<String>>,
    /// `join "…"`: between tiers, and between layers of a tier that sets none.
    pub join: Option<Literal>,
    /// `budget N`: the whole system prompt.
    pub budget: Option<MaxBudget>,
    /// `root NAME …`, in order.
    pub roots: Vec<Root>,
    /// `fact NAME TYPE …`, in order.
    pub facts: Vec<Fact>,
    /// `let NAME "EXPR"`, in order.
    pub lets: Vec<Let>,
    /// `scan NAME { … }`, in order.
    pub scans: Vec<ScanSet>,
    /// `tier NAME { … }`, in order.
    pub tiers: Vec<Tier>,
    /// `directory-rules … { … }`, if there is one.
    pub directory_rules: Option<DirectoryRules>,
    /// `session { … }`; without one it is as if it said `refresh event=compaction`.
    pub session: Option<Session>,
    /// `scenario NAME { … }`, in order.
    pub scenarios: Vec<Scenario>,
    /// `expect NAME { … }`, in order.
    pub expects: Vec<Expect>,
    /// `waive CODE because="…"` at the top level.
    pub waivers: Vec<Waive>,
    /// The nodes that overlays removed.
    pub removed: Vec<Removed>,
    /// The rule sets that overlays refined, each with the place.
    pub refined: Vec<Spanned<String>>,
    /// The layers that overlays moved and removed.
    pub overlays: Arc<Overlays>,
    /// The tree that it was read from: of one file, or of several that were merged.
    pub(crate) tree: Arc<Tree>,
}

impl Manifest {
    /// An empty manifest of these files.
    pub(in crate::manifest) fn empty(sheets: Vec<ManifestFile>, file: FileId) -> Self {
        let name = String::new();
        let origin = sheets.first().map(|sheet| sheet.origin.clone());
        Self {
            file,
            origin: origin.unwrap_or(Origin::BuiltIn { name }),
            sheets,
            name: None,
            join: None,
            budget: None,
            roots: Vec::new(),
            facts: Vec::new(),
            lets: Vec::new(),
            scans: Vec::new(),
            tiers: Vec::new(),
            directory_rules: None,
            session: None,
            scenarios: Vec::new(),
            expects: Vec::new(),
            waivers: Vec::new(),
            removed: Vec::new(),
            refined: Vec::new(),
            overlays: Arc::default(),
            tree: Arc::default(),
        }
    }

    /// Where one of its files came from.
    #[must_use]
    pub fn origin_of(&self, file: FileId) -> &Origin {
        let sheet = self.sheets.iter().find(|s| s.file == file);
        sheet.map_or(&self.origin, |s| &s.origin)
    }

    /// The number of manifests above one of its files: 0 for those of the first, 1 for those of its base.
    #[must_use]
    pub fn level_of(&self, file: FileId) -> usize {
        let upto = self.sheets.iter().take_while(|s| s.file != file);
        let own = self.sheets.iter().find(|s| s.file == file);
        let upto = upto.chain(own).filter(|s| !s.included).count();
        upto.saturating_sub(1)
    }

    /// Whether a file is the manifest's own, and not of a base.
    #[must_use]
    pub fn is_own(&self, file: FileId) -> bool {
        self.level_of(file) == 0
    }

    /// The scenarios that are built where all are: those of the manifest and of its bases on disk. Those of a built-in are
    /// tried out with the built-in.
    pub fn tried(&self) -> impl Iterator<Item = &Scenario> {
        let own = self.is_built_in();
        let tried =
            move |s: &&Scenario| own || matches!(self.origin_of(s.span.file), Origin::Disk { .. });
        self.scenarios.iter().filter(tried)
    }

    /// Whether it is inside promptc.
    fn is_built_in(&self) -> bool {
        matches!(self.origin, Origin::BuiltIn { .. })
    }

    /// The name of one of its files in the map.
    #[must_use]
    pub fn name_of(&self, file: FileId) -> Arc<str> {
        let sheet = self.sheets.iter().find(|s| s.file == file);
        sheet
            .or(self.sheets.first())
            .map_or_else(|| "".into(), |s| s.name.clone())
    }
}

/// A literal, or `(fact)NAME` in its place.
#[derive(Debug, Clone, PartialEq)]
pub enum Lit<T> {
    /// Written out.
    Value(Spanned<T>),
    /// The value of a fact or let.
    Fact(Spanned<String>),
}

impl<T> Lit<T> {
    /// Its location.
    pub fn span(&self) -> Span {
        match self {
            Self::Value(v) => v.span,
            Self::Fact(f) => f.span,
        }
    }
}
