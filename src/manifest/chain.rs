//! A manifest file with the files that it extends and includes, each read once.

use super::file::{BUILT_IN, FILE_NAME, read_builtin, read_disk};
use super::model::{ManifestFile, Origin};
use super::parse::{self, Document};
use crate::diagnostic::span::{FileId, Files, Span, Spanned};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported};
use crate::source::exclude::Rules;
use crate::source::pattern::{Name, Pattern};
use crate::source::{walk, wall};
use crate::syntax::{Node, write};
use crate::world::{Kind, World, tidied};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many bases may extend each other, and how deep includes may nest.
const MOST_BASES: usize = 16;

/// Reads the manifest in `file` with what it extends and includes: itself first, then base by base.
///
/// # Errors
/// When a file cannot be read. The files that could be read are returned too.
pub(super) fn read(
    world: &dyn World,
    file: FileId,
    origin: Origin,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> (Vec<Opened>, Result<(), ErrorReported>) {
    let way = String::new();
    let mut chain = Chain {
        world,
        files,
        diags,
        open: Vec::new(),
        included: BTreeSet::new(),
        whole: Ok(()),
    };
    let mut bases = Vec::new();
    let mut next = chain.opened(file, origin, way, false);
    while let Some(opened) = next {
        chain.included.clear();
        let base = chain.base(&opened, bases.len());
        bases.push(opened);
        next = base;
    }
    (bases, chain.whole)
}

/// A file that was read, with those that it includes.
pub(super) struct Opened {
    pub(super) document: Document,
    pub(super) sheet: ManifestFile,
    /// The way to its folder from that of the manifest; ends in `/` unless it is empty.
    way: String,
    pub(super) extends: Option<Spanned<String>>,
    /// For each `include`, in order.
    includes: Vec<Vec<Opened>>,
}

impl Opened {
    /// It and the files that it includes, in the order of reading.
    pub(super) fn all(&self) -> Vec<&Self> {
        let included = self.includes.iter().flatten();
        let below = included.flat_map(Self::all);
        std::iter::once(self).chain(below).collect()
    }

    /// Its nodes, with those of the files that it includes in place.
    pub(super) fn nodes(&self) -> Vec<Node<'_>> {
        let mut includes = self.includes.iter();
        let mut out = Vec::new();
        for node in self.document.nodes() {
            match node.name().value() {
                "include" => {
                    let included = includes.next().into_iter().flatten();
                    out.extend(included.flat_map(Self::nodes));
                }
                _ => out.push(node),
            }
        }
        out
    }
}

struct Chain<'a> {
    world: &'a dyn World,
    files: &'a mut Files,
    diags: &'a mut Diagnostics,
    /// The files that led here, links resolved; of a built-in its name.
    open: Vec<PathBuf>,
    /// The includes of the current level. Files that include others twice would double at each step.
    included: BTreeSet<PathBuf>,
    whole: Result<(), ErrorReported>,
}

impl Chain<'_> {
    /// Reads the includes of `file`. None if it is in a circle.
    fn opened(
        &mut self,
        file: FileId,
        origin: Origin,
        way: String,
        included: bool,
    ) -> Option<Opened> {
        let document = parse::document(file, self.files);
        let links = document.links(self.files);
        self.open.push(self.identity(file, &origin));
        let shown = self.files.get(file).name.clone();
        let last = shown.rsplit(['/', '\\']).next().unwrap_or(&shown);
        let name = match &origin {
            Origin::Disk { .. } => format!("{way}{last}"),
            Origin::BuiltIn { .. } => shown.to_string(),
        };
        let sheet = ManifestFile {
            file,
            origin,
            name: name.into(),
            included,
        };
        let mut includes = Vec::new();
        for names in links.includes {
            let depth = self.open.len();
            let list = names
                .iter()
                .flat_map(|name| self.include(&sheet, &way, name));
            let list = list.collect();
            self.open.truncate(depth);
            includes.push(list);
        }
        Some(Opened {
            document,
            sheet,
            way,
            extends: links.extends,
            includes,
        })
    }

    /// The identity of a file, however it was named.
    fn identity(&self, file: FileId, origin: &Origin) -> PathBuf {
        let shown = PathBuf::from(self.files.get(file).name.as_ref());
        match origin {
            Origin::BuiltIn { .. } => shown,
            Origin::Disk { folder } => {
                let path = folder.join(shown.file_name().unwrap_or_default());
                self.world.canonical(&path).unwrap_or(path)
            }
        }
    }

    /// The base of `opened`, with `below` others above it.
    fn base(&mut self, opened: &Opened, below: usize) -> Option<Opened> {
        let name = opened.extends.as_ref()?;
        if below == MOST_BASES {
            let message = format!("more than {MOST_BASES} manifests extend each other");
            self.report(
                Diagnostic::error(codes::TOO_MANY_BASES, message)
                    .at(name.span)
                    .help("merge some of them"),
            );
            return None;
        }
        let (read, way) = match (name.value.strip_prefix(BUILT_IN), &opened.sheet.origin) {
            (Some(builtin), _) => {
                let read = self.heard(name.span, |chain, diags| {
                    read_builtin(builtin, Some(name.span), chain.files, diags)
                });
                (read?, String::new())
            }
            (None, Origin::BuiltIn { .. }) => {
                self.report(
                    Diagnostic::error(
                        codes::MANIFEST_NOT_FOUND,
                        "a built-in manifest can only extend a built-in one",
                    )
                    .at(name.span),
                );
                return None;
            }
            (None, Origin::Disk { folder }) => {
                let folder = folder.clone();
                (self.disk(&folder, name)?, way(&opened.way, &name.value))
            }
        };
        self.fresh(read, way, false, name.span)
    }

    /// The files that an `include` names.
    fn include(&mut self, sheet: &ManifestFile, here: &str, name: &Spanned<String>) -> Vec<Opened> {
        if self.open.len() > 2 * MOST_BASES {
            self.report(
                Diagnostic::error(codes::TOO_MANY_BASES, "files include each other too deeply")
                    .at(name.span)
                    .help("include them from one file"),
            );
            return Vec::new();
        }
        if let Some(builtin) = name.value.strip_prefix(BUILT_IN) {
            let depth = self.open.len();
            let read = self.heard(name.span, |chain, diags| {
                read_builtin(builtin, Some(name.span), chain.files, diags)
            });
            let opened = read.and_then(|read| self.fresh(read, String::new(), true, name.span));
            self.open.truncate(depth);
            return opened.into_iter().collect();
        }
        let Origin::Disk { folder } = &sheet.origin else {
            self.report(
                Diagnostic::error(
                    codes::MANIFEST_NOT_FOUND,
                    "a built-in manifest includes built-in ones only",
                )
                .at(name.span),
            );
            return Vec::new();
        };
        let folder = folder.clone();
        let mut out = Vec::new();
        for found in self.matching(&folder, name) {
            let depth = self.open.len();
            if let Some(read) = self.disk(&folder, &found) {
                let there = way(here, &found.value);
                out.extend(self.fresh(read, there, true, name.span));
            }
            self.open.truncate(depth);
        }
        out
    }

    /// The files of a pattern, in byte order of their paths; a name without wildcards is the file itself.
    fn matching(&mut self, folder: &Path, name: &Spanned<String>) -> Vec<Spanned<String>> {
        let Some((fixed, pattern)) = pattern_of(&name.value) else {
            return vec![name.clone()];
        };
        let folder = wall::Folder::new(folder.join(fixed), true);
        let found = Pattern::parse(pattern)
            .and_then(|pattern| walk::glob(self.world, &folder, &pattern, &Rules::none(), ""));
        match found {
            Ok(hits) => hits
                .into_iter()
                .map(|hit| Spanned::new(format!("{fixed}{}", hit.path), name.span))
                .collect(),
            Err(obstacle) => {
                self.report(obstacle.diagnostic().at(name.span));
                Vec::new()
            }
        }
    }

    fn disk(&mut self, folder: &Path, name: &Spanned<String>) -> Option<(FileId, Origin)> {
        let path = folder.join(&name.value);
        if matches!(self.world.kind(&path), Ok(Kind::Folder)) {
            self.is_folder(&path, name);
            return None;
        }
        // `a/../b` is written as `b`, unless a link makes them differ.
        let short = tidied(&path);
        let same = self.world.canonical(&short).ok() == self.world.canonical(&path).ok();
        let path = if same { short } else { path };
        self.heard(name.span, |chain, diags| {
            read_disk(chain.world, &path, chain.files, diags)
        })
    }

    fn is_folder(&mut self, path: &Path, name: &Spanned<String>) {
        let message = format!("`{}` is a folder, not a manifest", name.value);
        let found = Diagnostic::error(codes::MANIFEST_NOT_FOUND, message).at(name.span);
        let inside = path.join(FILE_NAME);
        let real = self.world.canonical(&inside);
        self.report(match self.world.kind(&inside) {
            Ok(Kind::File) if real.is_ok_and(|path| self.open.contains(&path)) => {
                found.help("the one in it leads here: take this out, or name another file")
            }
            Ok(Kind::File) => {
                let inside = Path::new(&name.value).join(FILE_NAME);
                let written = write::one_line(&inside.display().to_string());
                found.help("there is one in it").suggest(name.span, written)
            }
            _ => found.help("name the file in it"),
        });
    }

    /// A file that is not open already.
    fn fresh(
        &mut self,
        (file, origin): (FileId, Origin),
        way: String,
        included: bool,
        at: Span,
    ) -> Option<Opened> {
        let identity = self.identity(file, &origin);
        let name = self.files.get(file).name.clone();
        if self.open.contains(&identity) {
            let message = format!("`{name}` leads back to itself");
            self.report(
                Diagnostic::error(codes::MANIFEST_CYCLE, message)
                    .at(at)
                    .help("`extends` and `include` must end somewhere: take one of them out"),
            );
            return None;
        }
        if included && !self.included.insert(identity) {
            let message = format!("`{name}` is included twice");
            self.report(
                Diagnostic::error(codes::DUPLICATE_NODE, message)
                    .at(at)
                    .help("`include` takes everything that a file says: once is enough"),
            );
            return None;
        }
        self.opened(file, origin, way, included)
    }

    /// Reads the file that is named at `at`; its errors are reported there.
    fn heard<T>(
        &mut self,
        at: Span,
        read: impl FnOnce(&mut Self, &mut Diagnostics) -> Result<T, ErrorReported>,
    ) -> Option<T> {
        let mut found = Diagnostics::default();
        let result = read(self, &mut found);
        for mut diagnostic in found.iter().cloned() {
            if diagnostic.code == codes::MANIFEST_NOT_FOUND {
                diagnostic.help = Some("names count from the folder of the file that writes them; a built-in is builtin:NAME@N".to_owned());
            }
            self.report(diagnostic.at(at));
        }
        result.ok()
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.whole = Err(self.diags.push(diagnostic));
    }
}

/// The folders that a pattern names before its first wildcard, with the `/` after them, and the rest of it; none if it
/// is a plain name.
fn pattern_of(name: &str) -> Option<(&str, &str)> {
    let plain = |part: &str| {
        matches!(part, "" | "." | "..")
            || part != "**" && Name::parse(part).is_ok_and(|n| n.literal().is_some())
    };
    let mut at = 0;
    for part in name.split('/') {
        if !plain(part) {
            return Some(name.split_at(at));
        }
        at += part.len() + 1;
    }
    None
}

/// The way to the folder of a file that is named from a folder to which `here` is the way.
fn way(here: &str, name: &str) -> String {
    if Path::new(name).is_absolute() {
        // The machine's own paths are not for a prompt's map.
        return String::new();
    }
    let folder = tidied(&Path::new(here).join(name));
    let folder = folder.parent().unwrap_or(Path::new(""));
    let parts = folder.components().map(|c| c.as_os_str().to_string_lossy());
    parts.map(|part| format!("{part}/")).collect()
}
