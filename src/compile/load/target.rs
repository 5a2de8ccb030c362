//! A memory as those see it who write to it: which file, and under which terms.

use super::loader::{ContentLoader, Context};
use crate::compile::bind;
use crate::compile::given::GivenInputs;
use crate::compile::layer_facts::LayerFacts;
use crate::compile::plan::{Excepted, Layer, Needs, Node, Plan};
use crate::compile::roots::{MANIFEST, name_of};
use crate::diagnostic::span::Span;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest::{FileName, Lit, OnHit, Reading};
use crate::source::kind::Split;
use crate::source::place::{BoundRoot, Wanted};
use crate::source::wall::Folder;
use crate::text::normalise::Cleaning;
use crate::text::scan::{Pattern, Rules};
use crate::world::World;
use std::sync::Arc;

/// The memory of a layer, to be written.
#[derive(Debug, Clone)]
pub struct MemoryTarget {
    /// The layer's name.
    pub layer: Arc<str>,
    /// `about=`: what it is for.
    pub about: Option<Arc<str>>,
    /// The name of its root.
    pub root: String,
    /// Where the manifest declares that, if it does.
    pub root_span: Option<Span>,
    /// The folder of its root.
    pub folder: Folder,
    /// Whether that is the folder of a base, which others extend too.
    pub of_base: bool,
    /// Its path in there.
    pub path: String,
    /// Its format and its rules.
    pub terms: MemoryTerms,
    /// Its source in the manifest.
    pub span: Span,
}

/// The format of the file of a memory, and the rules for its content.
#[derive(Debug, Clone)]
pub struct MemoryTerms {
    /// Takes it apart into entries.
    pub split: Split,
    /// Between two entries; not empty.
    pub delimiter: Arc<str>,
    /// The handling of line ends and byte order marks.
    pub cleaning: Cleaning,
    /// Whether white space around an entry goes.
    pub trim: bool,
    /// Its capacity in Unicode scalar values, including delimiters.
    pub capacity: Option<usize>,
    /// The scan of its entries, unless findings only warn.
    pub scan: Option<MemoryScan>,
}

/// The scan of the entries of a memory.
#[derive(Debug, Clone)]
pub struct MemoryScan {
    /// The rules.
    pub rules: Arc<Rules>,
    /// The last scope whose rules apply.
    pub scope: usize,
    /// Entries in which this is found stay as they are when they are read.
    pub except: Option<Pattern>,
}

impl MemoryTarget {
    /// Reports a memory that a call may not change: to write a file of a base would reach all that extend it, and a new file
    /// before it would hide its entries.
    ///
    /// # Errors
    /// When it is next to a base.
    pub fn check_writable(&self, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
        if !self.of_base {
            return Ok(());
        }
        let message = format!(
            "the memory `{}` belongs to a base of the manifest, and others that extend the base read it too",
            self.path
        );
        let help = "copy the file next to the manifest; if the layer is locked, the base can read it from a root of its own";
        let found = Diagnostic::error(codes::MEMORY_NOT_WRITABLE, message);
        Err(diags.push(found.at(self.span).help(help)))
    }
}

impl MemoryScan {
    /// The findings in a text that is to be written. `except` excludes findings in existing file content: without it,
    /// new text could quote that content to pass the scan.
    #[must_use]
    pub fn in_new(&self, text: &str) -> Vec<Arc<str>> {
        let found = self.rules.scan(text, self.scope);
        found.into_iter().map(|finding| finding.id).collect()
    }

    /// The finding in an entry that is read; a prompt then has a placeholder for it.
    #[must_use]
    pub fn in_old(&self, text: &str) -> Vec<Arc<str>> {
        match &self.except {
            Some(except) if except.is_in(text) => Vec::new(),
            _ => self.in_new(text),
        }
    }
}

/// The layers that read a memory, in order.
#[must_use]
pub fn memory_layers(plan: &Plan) -> Vec<Arc<str>> {
    let layers = plan.tiers.iter().flat_map(|tier| &tier.layers);
    let remembers = |layer: &&Layer| !found_in(layer).is_empty();
    layers.filter(remembers).map(|l| l.name.clone()).collect()
}

/// The memory of the layer called `name`. Only the facts that it needs must have a value, and only its root a folder.
///
/// # Errors
/// When there is none, it is not one file at a known place, or what is given is of no use.
pub fn memory_target(
    plan: &Plan,
    name: &str,
    given: &GivenInputs,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<MemoryTarget, ErrorReported> {
    let layers = plan.tiers.iter().flat_map(|tier| &tier.layers);
    let found = layers.map(|layer| (layer, found_in(layer)));
    let Some((layer, found)) = found
        .into_iter()
        .find(|(l, f)| *l.name == *name && !f.is_empty())
    else {
        let message = format!("there is no memory `{name}`");
        return Err(diags.push(Diagnostic::error(codes::UNKNOWN_MEMORY, message)));
    };
    let [
        MemoryNode {
            node,
            memory,
            split,
        },
    ] = found[..]
    else {
        return Err(diags.push(several(layer, &found)));
    };
    // It, or a group around it, searches the folders above.
    let mut climbing = layer.nodes().filter(|n| n.climb.is_some());
    if climbing.any(|n| n.descendants().any(|below| below.span == node.span)) {
        let message = format!(
            "the memory of `{name}` is searched for in several folders, so there is no one place to write it"
        );
        return Err(diags.push(
            Diagnostic::error(codes::MEMORY_NOT_WRITABLE, message)
                .at(node.span)
                .help("name its place: take `search=` away from it and from the groups around it"),
        ));
    }
    let needed = needed(plan, node, memory);
    let bound = bind::bind(plan, given, world, &needed, diags)?;
    let asked = LayerFacts::default();
    let context = Context {
        plan,
        bound: &bound,
        world,
        asked: &asked,
        layer,
    };
    let mut loader = ContentLoader::new(context, diags);
    loader.target(node, memory, split)
}

/// A memory among the content of a layer.
struct MemoryNode<'p> {
    node: &'p Node,
    memory: &'p Reading,
    split: Split,
}

fn found_in(layer: &Layer) -> Vec<MemoryNode<'_>> {
    let memories = layer.nodes().filter_map(|node| {
        let memory = node.kind.reading()?;
        let entries = memory.kind.entries().filter(|e| e.written)?;
        Some(MemoryNode {
            node,
            memory,
            split: entries.split,
        })
    });
    memories.collect()
}

/// The parts of a manifest that define the location of a memory and its rules. They include the root that its own is
/// derived from.
fn needed(plan: &Plan, node: &Node, memory: &Reading) -> Needs {
    let facts = memory.names.iter().flat_map(FileName::facts);
    let mut names: Vec<&str> = facts.map(|f| f.value.as_str()).collect();
    if let Some(Lit::Fact(name)) = &memory.capacity {
        names.push(&name.value);
    }
    let scan = node.steps.scan.as_ref();
    let scope = scan.and_then(|step| step.scope.as_ref());
    for lit in node.about.iter().chain(scope) {
        if let Lit::Fact(name) = lit {
            names.push(&name.value);
        }
    }
    if let Some(Excepted::Fact(name)) = scan.and_then(|step| step.except.as_ref()) {
        names.push(&name.value);
    }
    let facts = names.into_iter().flat_map(|name| plan.read_with(name));
    let root = node.root.iter().map(|root| name_of(root).into());
    Needs::named(Some(facts.collect()), Some(root.collect()))
}

/// The form in which the file of a memory is written.
fn written(memory: &Reading) -> &str {
    memory.names.first().map_or("", FileName::written)
}

/// A layer with several memories: they cannot be told apart.
fn several(layer: &Layer, found: &[MemoryNode<'_>]) -> Diagnostic {
    let names: Vec<&str> = found.iter().map(|f| written(f.memory)).collect();
    let message = format!(
        "the layer `{}` reads {} memories, {}, and the call must name one of them",
        layer.name,
        found.len(),
        suggest::list(names.iter().copied())
    );
    let error = Diagnostic::error(codes::MEMORY_NOT_WRITABLE, message).at(layer.span);
    let error = error.help("give each a layer of its own, so that it can be named");
    let places = found.iter().map(|f| f.node.span);
    places.fold(error, |error, place| error.related(place, "one of them"))
}

impl ContentLoader<'_> {
    fn target(
        &mut self,
        node: &Node,
        memory: &Reading,
        split: Split,
    ) -> Result<MemoryTarget, ErrorReported> {
        let path = self.only_name(node, memory)?;
        let (folder, of_base) = self.only_folder(node, &path)?;
        let root = self.root(node)?.name.to_string();
        let declared = self.context.plan.manifest.roots.iter();
        let declared = declared.filter(|r| r.name.value == root);
        let root_span = declared.map(|r| r.name.span).next();
        let capacity = match &memory.capacity {
            Some(capacity) => self.bounds().size(capacity)?,
            None => None,
        };
        let about = self.string(node.about.as_ref())?;
        Ok(MemoryTarget {
            layer: self.context.layer.name.clone(),
            about,
            root,
            root_span,
            folder,
            of_base,
            path,
            terms: MemoryTerms {
                split,
                delimiter: memory.delimiter(),
                cleaning: node.steps.cleaning(),
                trim: node.steps.trim,
                capacity,
                scan: self.memory_scan(node)?,
            },
            span: node.span,
        })
    }

    fn memory_scan(&mut self, node: &Node) -> Result<Option<MemoryScan>, ErrorReported> {
        let Some(step) = node.steps.scan.clone() else {
            return Ok(None);
        };
        if step.on_hit == OnHit::Warn {
            return Ok(None);
        }
        Ok(Some(MemoryScan {
            rules: step.rules.clone(),
            scope: self.scan_scope(&step)?,
            except: self.exception(&step)?,
        }))
    }

    /// The folder of a memory, whose path there is `path`, and whether it is that of a base.
    fn only_folder(&mut self, node: &Node, path: &str) -> Result<(Folder, bool), ErrorReported> {
        let root = self.root(node)?;
        match &root.folders[..] {
            _ if &*root.name == MANIFEST => self.manifest_folder(node, root, path),
            [one] if one.is_disk() => Ok((one.folder.clone(), false)),
            folders => {
                let why = if folders.iter().all(|f| f.is_disk()) {
                    format!("has {} folders", folders.len())
                } else {
                    "has files that promptc carries".to_owned()
                };
                let message = format!(
                    "the root `{}` {why}, so there is no one place to write a memory",
                    root.name
                );
                Err(self.report(
                    Diagnostic::error(codes::MEMORY_NOT_WRITABLE, message)
                        .at(node.span)
                        .help("read it from a root of one folder"),
                ))
            }
        }
    }

    /// The folder next to a manifest that has the file, else the outermost one, and whether that is the folder of a base.
    fn manifest_folder(
        &mut self,
        node: &Node,
        root: &BoundRoot,
        path: &str,
    ) -> Result<(Folder, bool), ErrorReported> {
        let folders = root.folders.iter().enumerate();
        let folders: Vec<_> = folders.filter(|(_, folder)| folder.is_disk()).collect();
        let mut place = folders.first();
        for found in &folders {
            match found.1.has(self.context.world, path) {
                Ok(false) => {}
                Ok(true) => {
                    place = Some(found);
                    break;
                }
                Err(obstacle) => return Err(self.report(obstacle.diagnostic().at(node.span))),
            }
        }
        let (level, folder) = place.map_or((0, Folder::new("", false)), |(level, folder)| {
            (*level, folder.folder.clone())
        });
        Ok((folder, level > 0))
    }

    /// The name of the file that a memory is written to.
    fn only_name(&mut self, node: &Node, memory: &Reading) -> Result<String, ErrorReported> {
        let names = self.names(memory)?;
        let why = match &names[..] {
            [Wanted::File(name)] => return Ok(name.clone()),
            [Wanted::Nothing(_)] => "a fact in it is missing or is not a plain name",
            [] => "its fact is missing",
            _ => "its fact names several files",
        };
        let message = format!("`{}` names no file to write: {why}", written(memory));
        Err(self.report(
            Diagnostic::error(codes::MEMORY_NOT_WRITABLE, message)
                .at(node.span)
                .help("give the facts in the name with --set or --facts"),
        ))
    }
}
