//! A document that occurs twice in a prompt.

use crate::check::{Build, Context, DocumentPlace, Finding, FindingSet, Rule, RuleInput};
use crate::compile::{NodeUse, Trials};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::{FileName, Lit, Node, NodeKind, Reading, Search};
use crate::prompt::Ingredient;
use crate::source::SourceKind;
use crate::source::kind::Names;
use crate::source::pattern::{Name, Pattern};
use std::collections::{BTreeMap, BTreeSet};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "duplicate-document",
        exit: ExitClass::Success,
        summary: "a document can occur twice in one prompt",
        detail: "It is paid for twice, and an edit of it breaks the prefix at its first occurrence. Members of one `first` and conditions that exclude each other are not reported. With `--sources`, documents with the same text count too, whatever their names.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(by_name), RuleInput::Sources(by_text)],
};

/// Texts below this size, in bytes, may well be the same.
const SMALL: usize = 200;

/// The documents that a source may read.
enum Read<'a> {
    File(Span, String),
    Glob(Span, &'a str, Pattern),
    /// All that a kind finds in a folder.
    Folder(Span, &'a str, &'static SourceKind),
}

fn by_name(context: &Context<'_>, found: &mut FindingSet) {
    let sources: Vec<(&NodeUse<'_>, Vec<Read<'_>>)> = (context.analysis.of_prompt())
        .map(|node| (node, reads(node.node)))
        .filter(|(_, reads)| !reads.is_empty())
        .collect();
    let trials = Trials::new(&context.analysis);
    let mut met = Met::default();
    for (index, (second, later)) in sources.iter().enumerate() {
        // One finding for each source: the first source with the same document.
        let pair = met.like(second.root(), later, |at| {
            let (first, earlier) = &sources[at];
            let (one, two, name) = common(earlier, later, first, second)?;
            can_both(first, second, &trials).then_some((*first, one, two, name))
        });
        met.add(second.root(), later, index);
        let Some((first, one, two, name)) = pair else {
            continue;
        };
        let message = format!(
            "{name} of the root `{}` can occur twice in the prompt: in the layer `{}` and {}",
            second.root(),
            layer(first),
            if layer(first) == layer(second) {
                "here again".to_owned()
            } else {
                format!("in `{}`", layer(second))
            },
        );
        let mut finding = Finding::new(&RULE, two, message)
            .within(&second.site)
            .related(one, "read here first")
            .help("remove one, or make them members of one `first`");
        finding.around.insert(1, first.node.span);
        found.push(finding);
    }
}

/// The sources that were met, by what may be another's document too: a root, and what is read there.
#[derive(Default)]
struct Met<'s>(BTreeMap<(&'s str, Key<'s>), Vec<usize>>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'s> {
    File(&'s str),
    AnyFile,
    Glob(&'s str),
    AnyGlob,
    Folder(&'s str),
}

impl<'s> Met<'s> {
    fn add(&mut self, root: &'s str, reads: &'s [Read<'_>], at: usize) {
        for read in reads {
            let keys: &[Key<'_>] = match read {
                Read::File(_, name) => &[Key::File(name), Key::AnyFile],
                Read::Glob(_, text, _) => &[Key::Glob(text), Key::AnyGlob],
                Read::Folder(_, folder, _) => &[Key::Folder(folder)],
            };
            for key in keys {
                self.0.entry((root, *key)).or_default().push(at);
            }
        }
    }

    /// The first answer for a source that may have a document of `reads`, in their order.
    fn like<T>(
        &self,
        root: &'s str,
        reads: &'s [Read<'_>],
        answer: impl Fn(usize) -> Option<T>,
    ) -> Option<T> {
        let keys = reads.iter().flat_map(|read| match read {
            Read::File(_, name) => vec![Key::File(name), Key::AnyGlob],
            Read::Glob(_, text, _) => vec![Key::Glob(text), Key::AnyFile],
            Read::Folder(_, folder, _) => vec![Key::Folder(folder)],
        });
        let lists: Vec<&Vec<usize>> = keys.filter_map(|key| self.0.get(&(root, key))).collect();
        if let [one] = lists.as_slice() {
            return one.iter().find_map(|at| answer(*at));
        }
        let all: BTreeSet<usize> = lists.into_iter().flatten().copied().collect();
        all.into_iter().find_map(answer)
    }
}

fn layer<'a>(node: &NodeUse<'a>) -> &'a str {
    node.site.layer.map_or("", |l| l.name.value.as_str())
}

fn reads(node: &Node) -> Vec<Read<'_>> {
    let Some(reading) = node.kind.reading() else {
        return Vec::new();
    };
    let names = reading.names.iter();
    names.filter_map(|name| read(reading, name)).collect()
}

fn read<'a>(reading: &Reading, name: &'a FileName) -> Option<Read<'a>> {
    let FileName::Written { written, .. } = name else {
        return None;
    };
    Some(match reading.kind.names {
        Names::File | Names::Files => Read::File(written.span, name.constant()?.to_owned()),
        Names::Patterns => {
            let pattern = Pattern::parse(&written.value).ok()?;
            Read::Glob(written.span, &written.value, pattern)
        }
        Names::Folder if reading.choice.allow.is_empty() && reading.choice.deny.is_empty() => {
            Read::Folder(written.span, &written.value, reading.kind)
        }
        Names::Folder => return None,
    })
}

/// The documents that both sources read: their places and their name.
fn common(
    a: &[Read<'_>],
    b: &[Read<'_>],
    first: &NodeUse<'_>,
    second: &NodeUse<'_>,
) -> Option<(Span, Span, String)> {
    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
    for (x, y) in pairs {
        match (x, y) {
            (Read::File(one, name), Read::File(two, other)) if name == other => {
                return Some((*one, *two, format!("`{name}`")));
            }
            (Read::Glob(one, text, _), Read::Glob(two, other, _)) if text == other => {
                return Some((*one, *two, format!("the match of `{text}`")));
            }
            (Read::Folder(one, folder, kind), Read::Folder(two, other, also))
                if folder == other && kind.word == also.word =>
            {
                return Some((*one, *two, format!("each {} in `{folder}`", kind.one)));
            }
            (Read::Glob(one, _, glob), Read::File(two, name)) if finds(first, glob, name) => {
                return Some((*one, *two, format!("`{name}`")));
            }
            (Read::File(one, name), Read::Glob(two, _, glob)) if finds(second, glob, name) => {
                return Some((*one, *two, format!("`{name}`")));
            }
            _ => {}
        }
    }
    None
}

/// Whether a glob certainly enters the folders of a file and lists it; a `where` may leave it out.
fn finds(node: &NodeUse<'_>, glob: &Pattern, path: &str) -> bool {
    let Some(reading) = node.node.kind.reading() else {
        return false;
    };
    if node.way().any(|n| n.settings.filter.is_some()) {
        return false;
    }
    let folders: Vec<&str> = path.split('/').rev().skip(1).collect();
    let enters =
        (reading.choice.exclude.iter())
            .flat_map(|e| &e.names)
            .all(|pattern| match pattern {
                Lit::Value(text) => {
                    let name = Name::parse(&text.value);
                    name.is_ok_and(|name| !folders.iter().any(|f| name.matches(f)))
                }
                Lit::Fact(_) => folders.is_empty(),
            });
    enters && glob.matches(path)
}

/// Whether two nodes read the same folders and can both yield.
fn can_both<'p>(a: &NodeUse<'p>, b: &NodeUse<'p>, trials: &Trials<'_, 'p>) -> bool {
    let hides = |n: &NodeUse<'_>| {
        n.node
            .kind
            .reading()
            .is_some_and(|r| r.choice.hide.is_some())
    };
    if a.root() != b.root() || climbs(a) != climbs(b) || hides(a) || hides(b) {
        return false;
    }
    // Filters may part the documents between them.
    let filters = |n: &NodeUse<'_>| -> Vec<String> {
        let own = n.way().filter_map(|n| n.settings.filter.as_ref());
        own.map(|f| f.text.to_string()).collect()
    };
    let (of_a, of_b) = (filters(a), filters(b));
    if !of_a.is_empty() && !of_b.is_empty() && of_a != of_b {
        return false;
    }
    trials.may_both_yield(a, b)
}

/// The search of a node in the folders above, as written on it or around it.
fn climbs<'a>(node: &'a NodeUse<'_>) -> (Option<Search>, Option<&'a str>, Option<Span>) {
    let climbing = node.way().rev().find(|n| n.settings.search.is_some());
    let search = climbing.and_then(|n| n.settings.search.as_ref().map(|s| s.value));
    let from = node.way().rev().find_map(|n| n.settings.from.as_ref());
    // A group climbs for all that is in it: what two such groups find may be of different folders.
    let group = climbing.filter(|n| !matches!(n.kind, NodeKind::Source(_)));
    (
        search,
        from.map(|f| f.value.as_str()),
        group.map(|n| n.span),
    )
}

/// A document in a layer of a build.
struct Copy<'a> {
    layer: &'a str,
    root: &'a str,
    path: &'a str,
}

fn by_text(context: &Context<'_>, build: &Build, found: &mut FindingSet) {
    let mut seen: BTreeMap<&str, Copy<'_>> = BTreeMap::new();
    // What the manifest alone shows was found first.
    let shown = found.of(&RULE).filter(|finding| finding.document.is_none());
    let shown: BTreeSet<_> = shown.filter_map(|finding| finding.layer.clone()).collect();
    for layer in build.prompt.channels.iter().flat_map(|c| &c.layers) {
        for (index, ingredient) in layer.ingredients.iter().enumerate() {
            let Ingredient::Document {
                root,
                path,
                sha256,
                bytes,
                // Only a line or two of an entry are there.
                item: None,
                ..
            } = ingredient
            else {
                continue;
            };
            let stands =
                |s: &crate::prompt::Span| s.ingredient.is_some_and(|i| i as usize == index);
            if *bytes < SMALL || !layer.spans.iter().any(stands) {
                continue;
            }
            let copy = Copy {
                layer: &layer.name,
                root,
                path,
            };
            match seen.get(sha256.as_str()) {
                None => {
                    seen.insert(sha256, copy);
                }
                Some(first) => {
                    let same_file = (first.root, first.path) == (copy.root, copy.path);
                    // Else the manifest alone shows it.
                    if !(same_file && shown.contains(copy.layer))
                        && let Some(finding) = twice(context, build, first, &copy)
                    {
                        found.push(finding);
                    }
                }
            }
        }
    }
}

/// The finding, if the layer is one of the manifest.
fn twice(
    context: &Context<'_>,
    build: &Build,
    first: &Copy<'_>,
    second: &Copy<'_>,
) -> Option<Finding> {
    let same_file = (first.root, first.path) == (second.root, second.path);
    let (layer, site) = context.analysis.layer(second.layer)?;
    let written = layer.written;
    let names = if same_file {
        format!("`{}` of the root `{}` occurs", second.path, second.root)
    } else {
        format!(
            "`{}` of the root `{}` and `{}` of the root `{}` are the same text, which occurs",
            first.path, first.root, second.path, second.root
        )
    };
    let places = if first.layer == second.layer {
        format!("in the layer `{}`", second.layer)
    } else {
        format!("in the layers `{}` and `{}`", first.layer, second.layer)
    };
    let mut finding = Finding::new(
        &RULE,
        written.name.span,
        format!("{names} twice in the prompt, {places}"),
    )
    .within(site)
    .help("leave one of them out");
    finding.document = Some(DocumentPlace {
        root: second.root.to_owned(),
        path: second.path.to_owned(),
        line: 1,
    });
    finding.scenario.clone_from(&build.scenario);
    Some(finding)
}
