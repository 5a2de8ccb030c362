//! Imports: a document takes in the files that its `@path`s name, and these take in theirs.

use super::loader::ContentLoader;
use super::steps::trimmed;
use crate::compile::plan::Node;
use crate::compile::record::OriginalText;
use crate::diagnostic::span::Lines;
use crate::diagnostic::{self as codes, Diagnostic, DocumentPlace, ErrorReported};
use crate::manifest::{Imports, MissingImport};
use crate::prompt::UnusedReason;
use crate::source::place::{BoundRoot, Raw};
use crate::source::wall::{LARGEST, Obstacle};
use crate::text::document::Document;
use crate::text::import::{self, Reference};
use crate::text::{Text, TextBuf, markdown, measure, normalise};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One document with all that it brings in.
struct Tree<'a> {
    node: &'a Node,
    rule: &'a Imports,
    root: &'a BoundRoot,
    /// The documents that are open, the importing one first, each imported by the one before.
    open: Vec<Arc<str>>,
    /// Imports made so far.
    made: usize,
    /// Bytes of their texts.
    bytes: usize,
    /// Paths at which there is no file. A text can name very many of them.
    nothing: BTreeSet<String>,
    /// Paths at which there is a file that lies too deep.
    there: BTreeSet<String>,
    /// Paths whose import was already reported as an error.
    refused: BTreeSet<String>,
}

impl Tree<'_> {
    /// Whether it has more than it may.
    fn is_full(&self) -> bool {
        self.made > self.rule.limit
            || self.bytes as u64 > LARGEST
            || self.nothing.len() > MOST_IN_VAIN
    }
}

/// The most missing files that a document and those that it imports may name.
const MOST_IN_VAIN: usize = 10_000;

/// The lines of a document's references, which are looked up in order.
struct Places<'a> {
    document: &'a Document,
    /// The lines of its file, after the first lookup.
    lines: Option<Lines>,
    /// The run of the last reference, and its start.
    run: usize,
    at: usize,
}

/// Why an import is not made.
struct Left {
    /// The path inside the root; as it is written, if it leads out.
    path: String,
    reason: UnusedReason,
    /// In words.
    why: String,
}

/// The result of a reference.
enum Outcome {
    Made(Text),
    Left(Left),
    /// A word after an `@` that is not an import.
    Word,
}

impl ContentLoader<'_> {
    /// The text of a document with what it imports; none if it holds no reference.
    pub(super) fn with_imports(
        &mut self,
        node: &Node,
        document: &Document,
    ) -> Result<Option<Text>, ErrorReported> {
        let root = node.root.as_deref();
        let root = root.and_then(|root| self.context.bound.roots.get(root));
        let (Some(rule), Some(root)) = (&node.steps.imports, root) else {
            return Ok(None);
        };
        if node.kind.is_data() {
            return Ok(None);
        }
        let mut tree = Tree {
            node,
            rule,
            root,
            open: vec![document.path.clone()],
            made: 0,
            bytes: 0,
            nothing: BTreeSet::new(),
            there: BTreeSet::new(),
            refused: BTreeSet::new(),
        };
        self.taken_in(&mut tree, document)
    }

    fn taken_in(
        &mut self,
        tree: &mut Tree<'_>,
        document: &Document,
    ) -> Result<Option<Text>, ErrorReported> {
        let text = &document.text;
        let references = import::references(text.as_str());
        let references = references.map_err(|_| self.too_large_to_read(tree.node, document))?;
        let mut made = Vec::new();
        let mut gone = Vec::new();
        let mut failed = None;
        let mut places = Places {
            document,
            lines: None,
            run: 0,
            at: 0,
        };
        for reference in &references {
            match self.import(tree, document, reference) {
                Err(reported) if tree.is_full() => return Err(reported),
                // The errors of the others are reported, too.
                Err(reported) => failed = Some(reported),
                Ok(Outcome::Made(text)) => made.push((reference.range.clone(), text)),
                Ok(Outcome::Left(left)) => {
                    let told = self.left(tree, &mut places, reference, left);
                    failed = told.err().or(failed);
                    if tree.rule.missing == MissingImport::Drop {
                        gone.push(reference.range.clone());
                    }
                }
                Ok(Outcome::Word) => {}
            }
        }
        if let Some(reported) = failed {
            return Err(reported);
        }
        if made.is_empty() && gone.is_empty() {
            return Ok(None);
        }
        let mut out = TextBuf::default();
        let mut made = made.into_iter().peekable();
        for kept in markdown::without(text.as_str(), &gone) {
            let mut at = kept.start;
            while let Some((range, imported)) = made.next_if(|(range, _)| range.end <= kept.end) {
                out.push_part(text, at..range.start);
                out.push(&imported);
                at = range.end;
            }
            out.push_part(text, at..kept.end);
        }
        Ok(Some(out.finish()))
    }

    fn import(
        &mut self,
        tree: &mut Tree<'_>,
        by: &Document,
        reference: &Reference,
    ) -> Result<Outcome, ErrorReported> {
        let root = tree.root;
        let left = |path: &str, reason, why: String| {
            Ok(Outcome::Left(Left {
                path: path.to_owned(),
                reason,
                why,
            }))
        };
        let outside = || format!("it leads out of the root `{}`", root.name);
        let Some(path) = import::resolve(&by.dir, &reference.path) else {
            return left(&reference.path, UnusedReason::Missing, outside());
        };
        // A file that is known to exist is not read only to report that it is not imported.
        if tree.open.iter().any(|open| **open == *path) {
            let why = "it imports itself".to_owned();
            return left(&path, UnusedReason::Cycle, why);
        }
        let too_deep = tree.open.len() > tree.rule.depth;
        let why = || format!("imports go no deeper than {}", tree.rule.depth);
        if too_deep && tree.there.contains(&path) {
            return left(&path, UnusedReason::Depth, why());
        }
        let found = if tree.nothing.contains(&path) {
            Ok(None)
        } else {
            read(self.context.world, root, by.root_index, &path)
        };
        let (root_index, bytes) = match found {
            Ok(Some(found)) => found,
            Ok(None) => {
                tree.nothing.insert(path.clone());
                if tree.nothing.len() > MOST_IN_VAIN {
                    return Err(
                        self.too_many(tree, "names more than 10,000 files that do not exist")
                    );
                }
                if !reference.is_path {
                    return Ok(Outcome::Word);
                }
                let why = format!("there is no such file in the root `{}`", root.name);
                return left(&path, UnusedReason::Missing, why);
            }
            Err(Obstacle::Link { .. }) => return left(&path, UnusedReason::Missing, outside()),
            Err(
                obstacle
                @ (Obstacle::Leaves { .. } | Obstacle::Loop { .. } | Obstacle::Name { .. }),
            ) => return left(&reference.path, UnusedReason::Missing, obstacle.to_string()),
            Err(obstacle) => {
                return Err(self.report(obstacle.diagnostic().at(tree.rule.span)));
            }
        };
        if too_deep {
            let left = left(&path, UnusedReason::Depth, why());
            tree.there.insert(path);
            return left;
        }
        let raw = Raw {
            root: root.name.clone(),
            root_index,
            path,
            bytes,
        };
        self.made(tree, by, reference, raw)
    }

    /// A file to import that was read.
    fn made(
        &mut self,
        tree: &mut Tree<'_>,
        by: &Document,
        reference: &Reference,
        raw: Raw,
    ) -> Result<Outcome, ErrorReported> {
        tree.made += 1;
        if tree.made > tree.rule.limit {
            let most = measure::thousands(&tree.rule.limit.to_string());
            return Err(self.too_many(tree, &format!("imports more than {most} files")));
        }
        let path: Arc<str> = raw.path.as_str().into();
        let Some(mut document) = self.opened(tree.node, tree.root, raw, Some(&by.path))? else {
            // It is written down as what it is.
            return Ok(Outcome::Left(Left {
                path: path.to_string(),
                reason: UnusedReason::Invalid,
                why: "it is not UTF-8".to_owned(),
            }));
        };
        document.label = reference.path.as_str().into();
        self.readied(tree.node, &mut document, false)?;
        tree.bytes += document.text.as_str().len();
        if tree.bytes as u64 > LARGEST {
            return Err(self.too_large(tree));
        }
        if normalise::is_blank(document.text.as_str()) {
            return Ok(Outcome::Made(self.blank(&document)));
        }
        document.total = document.text.as_str().chars().count();
        self.record.kept(document.ingredient, document.total);
        tree.open.push(path);
        let text = self.taken_in(tree, &document);
        tree.open.pop();
        let text = text?.map(|text| trimmed(tree.node, &text));
        if text.is_some_and(|text| !self.becomes(&mut document, text)) {
            return Ok(Outcome::Made(self.blank(&document)));
        }
        if let Some(wrap) = &tree.rule.wrap {
            let key = crate::compile::merge::key(wrap);
            let mut document = Arc::new(document);
            let scope = self.scope().with_document(document.clone());
            let text = self.run(&key, &scope)?;
            drop(scope);
            self.becomes(Arc::make_mut(&mut document), text.clone());
            return Ok(Outcome::Made(text));
        }
        Ok(Outcome::Made(document.text))
    }

    /// An imported document without text: it is there, and it says nothing.
    fn blank(&mut self, document: &Document) -> Text {
        self.record.kept(document.ingredient, 0);
        self.record
            .unused(&document.root, &document.path, UnusedReason::Blank);
        Text::default()
    }

    /// Reports that an import was not made.
    fn left(
        &mut self,
        tree: &mut Tree<'_>,
        places: &mut Places<'_>,
        reference: &Reference,
        left: Left,
    ) -> Result<(), ErrorReported> {
        let Left { path, reason, why } = left;
        let start = tree.open.iter().position(|open| **open == *path);
        // A file is reported once, for all its imports.
        let is_new = match tree.rule.missing {
            MissingImport::Error => tree.refused.insert(path),
            _ => self.record.unused(&tree.root.name, &path, reason),
        };
        if !is_new {
            return Ok(());
        }
        let line = self.line_of(places, reference);
        if reason == UnusedReason::Cycle && tree.rule.missing != MissingImport::Error {
            self.circular(tree, start.unwrap_or_default(), places.document, line);
        }
        let (by, written) = (&places.document.path, &reference.path);
        let message = format!("`{by}`, line {line}, imports `{written}`: {why}");
        match tree.rule.missing {
            MissingImport::Keep => self.record.notice("not-imported", message),
            MissingImport::Drop => self.record.notice("dropped", message),
            MissingImport::Error => {
                return Err(self.report(
                    Diagnostic::error(codes::IMPORT_NOT_MADE, message)
                        .at(tree.rule.span)
                        .help("fix the path, put it in backticks, or write missing=keep or missing=drop here"),
                ));
            }
        }
        Ok(())
    }

    /// Warns that the last of the open documents imports the one at `start`.
    fn circular(&mut self, tree: &Tree<'_>, start: usize, by: &Document, line: usize) {
        let open = tree.open[start..].iter().chain(&tree.open[start..=start]);
        let chain: Vec<String> = open.map(|path| format!("`{path}`")).collect();
        let message = format!(
            "`{}`, line {line}: an import cycle: {}",
            by.path,
            chain.join(" imports ")
        );
        let place = DocumentPlace {
            root: by.root.to_string(),
            path: by.path.to_string(),
            line,
        };
        let warning = Diagnostic::warning(codes::IMPORT_CYCLE, message)
            .at(tree.node.span)
            .in_document(Some(place))
            .help("remove one of these imports, or put its `@` in backticks");
        self.report(warning);
    }

    /// The line of a reference in its file, from 1.
    fn line_of(&self, places: &mut Places<'_>, reference: &Reference) -> usize {
        let runs = places.document.text.runs();
        while let Some(run) = runs.get(places.run)
            && places.at + run.len <= reference.range.start
        {
            places.at += run.len;
            places.run += 1;
        }
        let Some(run) = runs.get(places.run) else {
            return 1;
        };
        let Some(OriginalText::Document(text)) =
            run.ingredient.and_then(|i| self.record.place_of(i))
        else {
            return 1;
        };
        let lines = places.lines.get_or_insert_with(|| Lines::of(text));
        lines.line(run.offset + (reference.range.start - places.at))
    }

    fn too_many(&mut self, tree: &Tree<'_>, what: &str) -> ErrorReported {
        let top = tree.open.first().cloned().unwrap_or_default();
        let message = format!("`{top}` {what}");
        self.report(
            Diagnostic::error(codes::TOO_MANY_IMPORTS, message)
                .at(tree.rule.span)
                .help("all files count, also those that imported ones import; limit=N sets another bound"),
        )
    }

    fn too_large(&mut self, tree: &Tree<'_>) -> ErrorReported {
        let top = tree.open.first().cloned().unwrap_or_default();
        let message = format!("`{top}` with its imports is larger than 64 MiB");
        self.report(Diagnostic::error(codes::DOCUMENT_TOO_LARGE, message).at(tree.rule.span))
    }
}

/// The file at `path` in the folder of the importing document; in a root with several folders, the first one that has
/// it.
fn read(
    world: &dyn crate::world::World,
    root: &BoundRoot,
    root_index: usize,
    path: &str,
) -> Result<Option<(usize, Vec<u8>)>, Obstacle> {
    let folders = root.folders.iter().enumerate();
    for (index, folder) in folders.filter(|(i, _)| root.overlaid || *i == root_index) {
        if let Some(bytes) = folder.read(world, path)? {
            return Ok(Some((index, bytes)));
        }
    }
    Ok(None)
}
