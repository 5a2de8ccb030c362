//! A node of a manifest without its layout: what two manifests are compared by, and written from.

use crate::diagnostic::span::{Files, Lines};
use crate::manifest::grammar::{self, Overlay, Row};
use crate::syntax::{self, Entry, Node, Nodes, Scalar, write};
use crate::text::common::shared;
use std::collections::BTreeMap;

/// The characters of a head of which it is seen how alike two are.
const HEAD: usize = 200;

/// A node.
#[derive(Debug, Clone)]
pub(super) struct PlainNode {
    ty: Option<String>,
    pub(super) name: String,
    /// As they are written in one line.
    pub(super) arguments: Vec<String>,
    /// By name; of two of one name the last counts.
    pub(super) properties: BTreeMap<String, String>,
    /// Those of them that are texts.
    texts: BTreeMap<String, String>,
    pub(super) children: Option<Vec<Self>>,
    /// Its line, from 1.
    pub(super) line: usize,
    /// The first argument, if it is a text.
    argument: Option<String>,
    /// Its row in the grammar; none of a node that the language does not have here.
    row: Option<&'static Row>,
    /// The node in one line: equal nodes have equal ones.
    pub(super) whole: String,
}

/// Written on one line, with its annotation.
fn written(entry: Entry<'_>) -> String {
    let ty = entry
        .ty()
        .map(|ty| format!("({})", write::name(ty.value())));
    let value = match entry.value() {
        Scalar::Text(text) => write::one_line(text),
        _ => entry.written().to_owned(),
    };
    ty.unwrap_or_default() + &value
}

impl PlainNode {
    /// The nodes of the text of a manifest; none if it is not written as one.
    pub(super) fn read(text: &[u8]) -> Option<Vec<Self>> {
        let text = std::str::from_utf8(text).ok()?;
        let mut files = Files::default();
        let file = files.add("", text);
        let tree = syntax::read(file, &files.get(file).text).ok()?;
        let lines = Lines::of(text);
        let line = |at: usize| lines.line_column(text, at).0;
        Some(Self::all(tree.nodes(), &line))
    }

    /// The text of a property; none if it has none, or another kind of value.
    pub(super) fn text(&self, property: &str) -> Option<&str> {
        self.texts.get(property).map(String::as_str)
    }

    /// The nodes of a manifest; `line` gives the line of a byte of its file.
    pub(super) fn all(nodes: Nodes<'_>, line: &dyn Fn(usize) -> usize) -> Vec<Self> {
        let (every, of_overlays) = grammar::top_level();
        let rows = [every, of_overlays].concat();
        let row = |name: &str| rows.iter().copied().find(|row| row.name == name);
        let nodes = nodes.iter();
        nodes
            .map(|node| Self::of(node, row(node.name().value()), line))
            .collect()
    }

    fn of(node: Node<'_>, row: Option<&'static Row>, line: &dyn Fn(usize) -> usize) -> Self {
        let first = node.arguments().next();
        let argument = first.and_then(|entry| match entry.value() {
            Scalar::Text(text) => Some(text.to_owned()),
            _ => None,
        });
        let properties = node.entries().filter_map(|entry| {
            let name = entry.name()?.value().to_owned();
            Some((name, written(entry)))
        });
        let texts = node.entries().filter_map(|entry| {
            let name = entry.name()?.value().to_owned();
            match entry.value() {
                Scalar::Text(text) => Some((name, text.to_owned())),
                _ => None,
            }
        });
        let children = node.children().map(|children| {
            let below = |name: &str| row.and_then(|row| row.child(name));
            let children = children.iter();
            let children = children.map(|child| Self::of(child, below(child.name().value()), line));
            children.collect()
        });
        let mut out = Self {
            ty: node.ty().map(|ty| ty.value().to_owned()),
            name: node.name().value().to_owned(),
            arguments: node.arguments().map(written).collect(),
            properties: properties.collect(),
            texts: texts.collect(),
            children,
            line: line(node.span().start as usize),
            argument,
            row,
            whole: String::new(),
        };
        out.whole = out.in_one_line();
        out
    }

    fn in_one_line(&self) -> String {
        let Some(children) = &self.children else {
            return self.head();
        };
        let children: Vec<&str> = children.iter().map(|child| child.whole.as_str()).collect();
        format!("{} {{ {} }}", self.head(), children.join("; "))
    }

    /// Its name, arguments and properties.
    pub(super) fn head(&self) -> String {
        let ty = self.ty.as_deref();
        let ty = ty.map(|ty| format!("({})", write::name(ty)));
        let mut out = ty.unwrap_or_default() + &write::name(&self.name);
        let properties = self.properties.iter();
        let properties = properties.map(|(name, value)| format!("{}={value}", write::name(name)));
        for word in self.arguments.iter().cloned().chain(properties) {
            out.push(' ');
            out.push_str(&word);
        }
        out
    }

    /// The node as a manifest has it, at the end of `out`.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str(&self.whole);
        out.push('\n');
    }

    /// The same node with other parts.
    pub(super) fn with(
        &self,
        arguments: Vec<String>,
        properties: BTreeMap<String, String>,
        children: Option<Vec<Self>>,
    ) -> Self {
        let mut out = Self {
            arguments,
            properties,
            children,
            ..self.clone()
        };
        out.whole = out.in_one_line();
        out
    }

    /// Its first argument, if that is a text.
    pub(super) fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    pub(super) fn below(&self) -> &[Self] {
        self.children.as_deref().unwrap_or_default()
    }

    /// What identifies it among the nodes of a list; none if only its content does.
    pub(super) fn key(&self) -> Option<String> {
        let row = self.row?;
        let of_argument = || Some(format!("{} {}", self.name, self.arguments.first()?));
        match self.name.as_str() {
            "refine" => of_argument().or_else(|| {
                let tier = self.properties.get("tier")?;
                Some(format!("refine tier={tier}"))
            }),
            "remove" => Some(self.head()),
            "move" => of_argument(),
            _ if row.is_named() || row.overlay == Overlay::ReplacesNamed => of_argument(),
            _ if row.is_content() || row.overlay == Overlay::Adds => None,
            name => Some(name.to_owned()),
        }
    }

    /// Whether it says where the content of its layer comes from.
    pub(super) fn is_content(&self) -> bool {
        self.row.is_some_and(Row::is_content)
    }

    /// How alike two nodes of one name are, from 0 to 1,000.
    pub(super) fn likeness(&self, other: &Self) -> usize {
        if self.whole == other.whole {
            return 1_000;
        }
        let is_same = self.arguments == other.arguments;
        let [a, b] = [self.below(), other.below()];
        if a.is_empty() && b.is_empty() {
            let heads = [self, other].map(|node| node.head().chars().take(HEAD).collect());
            let heads: [Vec<char>; 2] = heads;
            return shared(&heads[0], &heads[1], 300) + 600 * usize::from(is_same);
        }
        let [a, b] = [a, b].map(|nodes| nodes.iter().map(|node| &node.whole).collect());
        let (a, b): (Vec<&String>, Vec<&String>) = (a, b);
        shared(&a, &b, 800) + 200 * usize::from(is_same)
    }
}
