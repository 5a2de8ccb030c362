//! Content: sources and the groups around them.

use super::budget::budget;
use super::outline::is_bare;
use super::read::{Context, Once, Reader, Value};
use super::reading::reading;
use super::settings::{TRANSFORMS, template, template_of, transform, waive};
use crate::diagnostic::{Diagnostic, EMPTY_LAYER, SEVERAL_CONTENTS, WRONG_TYPE};
use crate::manifest::file_name::is_component;
use crate::manifest::{
    Budget, Exclude, Invalid, Lit, Missing, Node, NodeKind, Reading, Search, Settings, Source,
    TemplateRef, Transforms, Waive,
};
use crate::source::kind::Takes;
use crate::source::{self, KINDS, SourceKind};
use crate::span::{Literal, Span, Spanned};
use kdl::KdlNode;
use std::sync::LazyLock;

/// The content nodes; inside of a layer `template` is the layer's own.
pub(super) static CONTENT: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let reading = KINDS.iter().map(|kind| kind.word);
    let before = ["text", "fact"].into_iter().chain(reading);
    before.chain(["template", "first", "all"]).collect()
});

/// Whether a node of that name is content; `base` is, in an overlay.
pub(super) fn is_content(name: &str) -> bool {
    CONTENT.contains(&name) || name == "base"
}

/// Reads the one content node among `nodes`, the rest of which is read elsewhere. `owner` is the layer or part.
pub(super) fn single<'a>(
    cx: &Context,
    owner: &str,
    nodes: impl Iterator<Item = &'a KdlNode>,
) -> Option<Node> {
    let mut first: Option<Span> = None;
    let mut content = None;
    for node in nodes {
        let read = self::content(cx, node);
        let at = cx.name_span(node);
        match first {
            None => (first, content) = (Some(at), read),
            Some(first) => cx.report(
                Diagnostic::error(SEVERAL_CONTENTS, format!("{owner} has more than one content"))
                    .at(at)
                    .related(first, "the first one")
                    .help("write `all { … }` around them to join them, or `first { … }` for the first that yields text"),
            ),
        }
    }
    content
}

/// Reads a content node.
fn content(cx: &Context, node: &KdlNode) -> Option<Node> {
    let mut reader = Reader::new(cx, node);
    let kind = reader.kind().to_owned();
    let span = reader.span();
    let start = start(&mut reader);
    let settings = settings(&mut reader);
    let body = body(&mut reader);
    reader.finish();
    let kind = match start? {
        Start::Source(source) => NodeKind::Source(source),
        Start::Reading(reading) => NodeKind::Source(Source::Reading(Box::new(Reading {
            exclude: body.exclude,
            allow: body.allow,
            deny: body.deny,
            hide: body.hide,
            shadow: body.shadow,
            ..*reading
        }))),
        Start::Base => NodeKind::Base {
            bare: is_bare(node),
        },
        Start::Group(join) => {
            if body.written == 0 {
                empty(cx, span, &format!("`{kind}` has no members"));
            }
            match kind.as_str() {
                "first" => NodeKind::First(body.members),
                _ => NodeKind::All {
                    join,
                    members: body.members,
                },
            }
        }
    };
    Some(Node {
        kind,
        settings,
        transforms: body.transforms,
        budgets: body.budgets,
        waivers: body.waivers,
        span,
    })
}

/// Reports that something could never yield text.
pub(super) fn empty(cx: &Context, at: Span, message: &str) {
    cx.report(
        Diagnostic::error(EMPTY_LAYER, message)
            .at(at)
            .help("give it a source, such as `file \"NAME\"` or `text \"…\"`, or remove it"),
    );
}

/// What a content node's own line says.
enum Start {
    Source(Source),
    /// The rest stands in braces.
    Reading(Box<Reading>),
    /// `join=`.
    Group(Option<Literal>),
    /// `base`.
    Base,
}

fn start(reader: &mut Reader) -> Option<Start> {
    if let Some(kind) = source::kind(reader.kind()) {
        return Some(Start::Reading(Box::new(reading(reader, kind)?)));
    }
    Some(match reader.kind() {
        "text" => Start::Source(Source::Text(reader.need_arg("text")?.literal()?)),
        "fact" => Start::Source(Source::Fact(reader.need_arg("name")?.text()?)),
        "template" => Start::Source(Source::Template(template_of(reader)?)),
        "base" => Start::Base,
        "all" => Start::Group(reader.prop("join").and_then(Value::literal)),
        _ => Start::Group(None),
    })
}

fn settings(reader: &mut Reader) -> Settings {
    let mut settings = Settings {
        when: reader.prop("when").and_then(Value::literal),
        filter: reader.prop("where").and_then(Value::literal),
        missing: reader.prop("missing").and_then(missing),
        invalid: reader
            .prop("invalid")
            .and_then(|v| v.choice(&[("error", Invalid::Error), ("missing", Invalid::Missing)])),
        label: reader.prop("label").and_then(Value::text_or_fact),
        about: reader.prop("about").and_then(Value::text_or_fact),
        changes: reader.prop("changes").and_then(Value::changes),
        ..Settings::default()
    };
    // Only what reads documents has a place to read them from; `root=` of a template was read with it.
    if !matches!(reader.kind(), "text" | "fact" | "template") {
        settings.root = reader.prop("root").and_then(Value::name);
        place(reader, &mut settings);
    }
    settings
}

/// `skip` or `error`.
pub(super) fn missing(value: Value) -> Option<Spanned<Missing>> {
    value.choice(&[("skip", Missing::Skip), ("error", Missing::Error)])
}

/// `search=up|every-level from=ROOT`: both or none; `order=` only where there are many levels.
fn place(reader: &mut Reader, settings: &mut Settings) {
    let cx = reader.cx;
    let search = reader.prop("search");
    let from = reader.prop("from");
    let order = reader.prop("order");
    match (search, from) {
        (Some(search), None) => cx.missing(
            search.whole(),
            "`search=` lacks where it starts",
            "add from=ROOT, the root whose folder it climbs up from",
        ),
        (None, Some(from)) => cx.missing(
            from.whole(),
            "`from=` lacks its search",
            "add search=up, or write root= for the folder to read in",
        ),
        _ => {}
    }
    settings.search =
        search.and_then(|v| v.choice(&[("up", Search::Up), ("every-level", Search::EveryLevel)]));
    settings.from = from.and_then(Value::name);
    let every = settings.search.as_ref().map(|s| s.value) == Some(Search::EveryLevel);
    if let Some(order) = order.filter(|_| !every) {
        let message = "`order=` is that of the levels, and only one counts here";
        cx.conflict(
            order.whole(),
            message,
            "write search=every-level, or remove it",
        );
    }
    settings.order = order.and_then(Value::order);
}

/// What stands in a content node's braces.
#[derive(Default)]
struct Body {
    transforms: Transforms,
    budgets: Vec<Budget>,
    waivers: Vec<Waive>,
    members: Vec<Node>,
    /// Members as written, also those that could not be read.
    written: usize,
    exclude: Vec<Exclude>,
    allow: Vec<Lit<String>>,
    deny: Vec<Lit<String>>,
    hide: Option<TemplateRef>,
    shadow: bool,
}

fn body(reader: &mut Reader) -> Body {
    let cx = reader.cx;
    let kind = reader.kind();
    let is_group = matches!(kind, "first" | "all");
    let takes = source::kind(kind).map_or(&[][..], |kind| kind.takes);
    let takes = |name: &str| takes.iter().find(|t| t.is_node() && t.word() == name);
    let mut once = Once::default();
    let mut body = Body::default();
    for child in reader.children() {
        match (child.name().value(), takes(child.name().value())) {
            (name, _) if TRANSFORMS.contains(&name) => {
                transform(cx, child, &mut once, &mut body.transforms);
            }
            ("budget", _) => body.budgets.extend(budget(cx, child)),
            ("waive", _) => body.waivers.extend(waive(cx, child)),
            (name, _) if is_group && is_content(name) => {
                body.written += 1;
                body.members.extend(content(cx, child));
            }
            (_, Some(taken)) => body.take(*taken, cx, child, &mut once),
            _ => {
                body.written += 1;
                let known = [&own(kind)[..], TRANSFORMS, &["budget", "waive"]].concat();
                cx.unknown_node(child, Some(kind), &known);
            }
        }
    }
    if let Some(kind) = source::kind(kind).filter(|kind| kind.is_listed()) {
        parsed(cx, kind, &body.transforms);
    }
    body
}

impl Body {
    /// Reads what only some sources take.
    fn take(&mut self, taken: Takes, cx: &Context, node: &KdlNode, once: &mut Once) {
        if taken != Takes::Exclude {
            once.node(cx, node);
        }
        match taken {
            Takes::Exclude => self.exclude.push(exclude(cx, node)),
            Takes::Allow => self.allow = names(cx, node, "name"),
            Takes::Deny => self.deny = names(cx, node, "name"),
            Takes::Shadow => self.shadow = shadow(cx, node),
            Takes::Hide => self.hide = template(cx, node),
            // It is a property.
            Takes::Capacity => {}
        }
    }
}

fn names(cx: &Context, node: &KdlNode, what: &str) -> Vec<Lit<String>> {
    let mut reader = Reader::new(cx, node);
    let names = reader.need_rest(what);
    let names = names.into_iter().filter_map(Value::text_or_fact).collect();
    reader.finish();
    names
}

/// `exclude NAME … beside="FILE"`.
fn exclude(cx: &Context, node: &KdlNode) -> Exclude {
    let mut reader = Reader::new(cx, node);
    let names = reader.need_rest("folder name");
    let exclude = Exclude {
        names: names.into_iter().filter_map(Value::text_or_fact).collect(),
        beside: reader.prop("beside").and_then(|v| beside(cx, v)),
    };
    reader.finish();
    exclude
}

/// The name of a file in the folder that is walked.
fn beside(cx: &Context, value: Value) -> Option<Literal> {
    let name = value.literal()?;
    if !is_component(&name.text) {
        cx.report(
            Diagnostic::error(WRONG_TYPE, "`beside` takes the name of one file, not a path")
                .at(name.span)
                .help("write the name of a file that stands in the same folder, such as beside=\"SKILL.md\""),
        );
    }
    Some(name)
}

/// `shadow`, which takes nothing.
fn shadow(cx: &Context, node: &KdlNode) -> bool {
    Reader::new(cx, node).finish();
    true
}

/// The front matter of what is listed is read, so it cannot only be taken away.
fn parsed(cx: &Context, kind: &SourceKind, transforms: &Transforms) {
    if let Some(rule) = transforms.frontmatter
        && !rule.parse
    {
        cx.conflict(
            rule.span,
            format!(
                "`{}` reads the front matter of each {}",
                kind.word,
                kind.one()
            ),
            "remove this, or write `frontmatter parse`",
        );
    }
}

/// What may stand in the braces of a content node of that kind, besides what all take.
fn own(kind: &str) -> Vec<&'static str> {
    match source::kind(kind) {
        Some(kind) => {
            let nodes = kind.takes.iter().filter(|taken| taken.is_node());
            nodes.map(|taken| taken.word()).collect()
        }
        None if matches!(kind, "first" | "all") => CONTENT.clone(),
        None => Vec::new(),
    }
}
