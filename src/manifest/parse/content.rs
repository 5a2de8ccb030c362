//! Content: sources and the groups around them.

use super::budget::budget;
use super::choice::take;
use super::context::{Context, Once};
use super::read::{Reader, Value};
use super::reading::reading;
use super::settings::{template_of, waive};
use super::transforms::transform;
use crate::diagnostic::span::{Literal, Span, Spanned};
use crate::diagnostic::{Diagnostic, EMPTY_LAYER, SEVERAL_CONTENTS};
use crate::manifest::grammar::{self, Row, STAND_IN};
use crate::manifest::slot::base_content;
use crate::manifest::{
    Budget, Choice, Invalid, Missing, Node, NodeKind, Reading, Search, Settings, Source,
    Transforms, Waive,
};
use crate::source::SourceKind;
use crate::syntax;

/// Reads the one content node among `nodes`, the rest of which is read elsewhere. `owner` is the layer or part.
pub(super) fn single<'a>(
    cx: &Context,
    owner: &str,
    nodes: impl Iterator<Item = syntax::Node<'a>>,
) -> Option<Node> {
    let mut first: Option<Span> = None;
    let mut found = None;
    for node in nodes {
        let row = grammar::content(node.name().value());
        let read = row.and_then(|row| content(cx, node, row));
        let at = cx.name_span(node);
        match first {
            None => (first, found) = (Some(at), read),
            Some(first) => cx.report(
                Diagnostic::error(SEVERAL_CONTENTS, format!("{owner} has more than one content"))
                    .at(at)
                    .related(first, "the first one")
                    .help("write `all { … }` around them to join them, or `first { … }` for the first that yields text"),
            ),
        }
    }
    found
}

/// Reads a content node.
fn content(cx: &Context, mut node: syntax::Node<'_>, mut row: &'static Row) -> Option<Node> {
    if row.name == "base" && !cx.is_written() {
        while let Some(content) = base_content(node) {
            node = content;
        }
        row = match node.name().value() {
            "base" => &STAND_IN,
            name => grammar::content(name)?,
        };
    }
    let mut reader = Reader::new(cx, node, row);
    let kind = reader.kind().to_owned();
    let span = reader.span();
    let start = start(&mut reader);
    let settings = settings(&mut reader);
    let body = body(&mut reader);
    reader.finish();
    let kind = match start? {
        Start::Source(source) => NodeKind::Source(source),
        Start::Reading(mut reading) => {
            reading.choice = body.choice;
            NodeKind::Source(Source::Reading(reading))
        }
        // Its content is treated as in a group, with the settings that are written on it.
        Start::Base => NodeKind::First(body.members),
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

/// The settings on a content node's own line.
enum Start {
    Source(Source),
    /// The rest is in braces.
    Reading(Box<Reading>),
    /// `join=`.
    Group(Option<Literal>),
    /// `base`.
    Base,
}

fn start(reader: &mut Reader) -> Option<Start> {
    if let Some(kind) = SourceKind::of(reader.kind()) {
        return Some(Start::Reading(Box::new(reading(reader, kind)?)));
    }
    Some(match reader.kind() {
        "text" => Start::Source(Source::Text(reader.need_arg()?.literal()?)),
        "fact" => Start::Source(Source::Fact(reader.need_arg()?.text()?)),
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

/// The nodes in a content node's braces.
#[derive(Default)]
struct Body {
    transforms: Transforms,
    budgets: Vec<Budget>,
    waivers: Vec<Waive>,
    members: Vec<Node>,
    /// Members as written, also those that could not be read.
    written: usize,
    choice: Choice,
}

fn body(reader: &mut Reader) -> Body {
    let cx = reader.cx;
    let mut once = Once::default();
    let mut body = Body::default();
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            body.written += 1;
            continue;
        };
        match row.name {
            "budget" => body.budgets.extend(budget(cx, child, row)),
            "waive" => body.waivers.extend(waive(cx, child, row)),
            name if grammar::content(name).is_some() => {
                body.written += 1;
                body.members.extend(content(cx, child, row));
            }
            "exclude" | "allow" | "deny" | "hide" | "shadow" => {
                take(cx, child, row, &mut once, &mut body.choice);
            }
            _ => transform(cx, child, row, &mut once, &mut body.transforms),
        }
    }
    if let Some(kind) = SourceKind::of(reader.kind()).filter(|kind| kind.is_listed()) {
        parsed(cx, kind, &body.transforms);
    }
    body
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
                kind.word, kind.one
            ),
            "remove this, or write `frontmatter parse`",
        );
    }
}
