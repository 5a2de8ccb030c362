//! The value of a YAML document: of YAML 1.2, or of 1.1 as Python's safe loader composes it.

use super::events::{Events, Message};
use super::{
    DEEPEST, FrontmatterError, IN_ITSELF, MALFORMED, MISFIT, MOST_NODES, MOST_TEXT, NO_KEY, NO_TAG,
    SECOND_DOCUMENT, TOO_MUCH, TWICE, UNKNOWN_ALIAS, core, scalar,
};
use granit_parser::{Event, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The value of a YAML document; null if it has none.
pub(super) fn compose(yaml: &str, yaml11: bool) -> Result<Value, FrontmatterError> {
    let mut composer = Composer {
        yaml11,
        events: Events::new(yaml, yaml11),
        anchors: BTreeMap::new(),
        names: BTreeSet::new(),
        nodes: 0,
        text: 0,
    };
    let composed = composer.document();
    composed.map_err(|message| super::explain(message, Some(composer.events.line), yaml))
}

/// A value with what it takes.
#[derive(Debug, Clone)]
struct Node {
    value: Value,
    /// Its form as a key; none for lists and maps.
    key: Option<String>,
    /// Whether it is `<<` or `=`, which may be keys alone.
    only_key: bool,
    /// Its depth; 0 for a single value.
    depth: usize,
    /// The number of its values, itself included.
    nodes: usize,
    /// Bytes of its texts.
    text: usize,
}

struct Composer<'y> {
    yaml11: bool,
    events: Events<'y>,
    anchors: BTreeMap<usize, Node>,
    /// The anchors' names.
    names: BTreeSet<String>,
    /// The numbers of values and of bytes of text so far.
    nodes: usize,
    text: usize,
}

impl<'y> Composer<'y> {
    fn document(&mut self) -> Result<Value, Message> {
        self.events.check()?;
        let mut value = None;
        loop {
            match self.events.next()? {
                Event::StreamStart | Event::DocumentEnd => {}
                Event::StreamEnd => return Ok(value.unwrap_or_default()),
                Event::DocumentStart(..) if value.is_some() => return Err(SECOND_DOCUMENT),
                Event::DocumentStart(..) => {
                    let first = self.events.next()?;
                    value = Some(self.value(first, 0)?.value);
                }
                _ => return Err(MALFORMED),
            }
        }
    }

    /// The node that an event begins, `depth` levels below the top.
    fn node(&mut self, event: Event<'y>, depth: usize) -> Result<Node, Message> {
        let anchor = event.anchor_id();
        if anchor.is_some() {
            self.name()?;
        }
        let node = match event {
            Event::Scalar(text, style, _, tag) => self.scalar(&text, style, tag.as_deref())?,
            Event::SequenceStart(_, _, tag) => {
                self.expect(tag.as_deref(), "seq")?;
                self.list(depth)?
            }
            Event::MappingStart(_, _, tag) => {
                self.expect(tag.as_deref(), "map")?;
                self.map(depth)?
            }
            Event::Alias(id) => return self.alias(id, depth),
            Event::UnresolvedAlias(_) => return Err(UNKNOWN_ALIAS),
            _ => return Err(MALFORMED),
        };
        if let Some(id) = anchor {
            self.anchors.insert(id, node.clone());
        }
        Ok(node)
    }

    /// An anchor's name, which must be unique in 1.1.
    fn name(&mut self) -> Result<(), Message> {
        let Event::Anchor(_, name) = self.events.next()? else {
            return Err(MALFORMED);
        };
        if self.names.insert(name.into_owned()) || !self.yaml11 {
            return Ok(());
        }
        Err("two anchors have one name")
    }

    fn count(&mut self, nodes: usize, text: usize) -> Result<(), Message> {
        self.nodes += nodes;
        self.text += text;
        if self.nodes > MOST_NODES || self.text > MOST_TEXT {
            return Err(TOO_MUCH);
        }
        Ok(())
    }

    fn alias(&mut self, id: usize, depth: usize) -> Result<Node, Message> {
        let node = self.anchors.get(&id).ok_or(IN_ITSELF)?;
        if depth + node.depth > DEEPEST {
            return Err(TOO_MUCH);
        }
        // Counted before it is copied.
        let (nodes, text) = (node.nodes, node.text);
        self.count(nodes, text)?;
        self.anchors.get(&id).cloned().ok_or(IN_ITSELF)
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
    ) -> Result<Node, Message> {
        self.count(1, text.len())?;
        let (value, only_key) = if self.yaml11 {
            scalar_of_11(text, style, tag)?
        } else {
            (scalar_of_12(text, style, tag)?, false)
        };
        let key = if value.is_null() { "null" } else { text };
        Ok(Node {
            key: Some(key.to_owned()),
            only_key,
            depth: 0,
            nodes: 1,
            text: text.len(),
            value,
        })
    }

    fn list(&mut self, depth: usize) -> Result<Node, Message> {
        let mut around = self.collection(depth)?;
        let mut items = Vec::new();
        loop {
            match self.events.next()? {
                Event::SequenceEnd => break,
                event => items.push(around.take(self.value(event, depth + 1)?)),
            }
        }
        around.value = Value::Array(items);
        Ok(around)
    }

    fn map(&mut self, depth: usize) -> Result<Node, Message> {
        let mut around = self.collection(depth)?;
        let (mut merged, mut own) = (Map::new(), Map::new());
        let mut numbers = BTreeSet::new();
        loop {
            let event = self.events.next()?;
            if matches!(event, Event::MappingEnd) {
                break;
            }
            let line = self.events.line;
            let key = self.node(event, depth + 1)?;
            let text = key.key.ok_or_else(|| self.events.at(line, NO_KEY))?;
            // To 1.2, `1` and `0x1` are one key.
            let whole = key.value.as_number().and_then(Number::as_i128);
            let again = whole.is_some_and(|whole| !numbers.insert(whole));
            if !self.yaml11 && (again || own.contains_key(&text)) {
                return Err(self.events.at(line, TWICE));
            }
            let event = self.events.next()?;
            let value = self.value(event, depth + 1)?;
            around.nodes += key.nodes;
            around.text += key.text;
            let value = around.take(value);
            if key.only_key && text != "=" {
                merge(&mut merged, value)?;
            } else {
                own.insert(text, value);
            }
        }
        merged.append(&mut own);
        around.value = Value::Object(merged);
        Ok(around)
    }

    /// A list or map that is about to be filled.
    fn collection(&mut self, depth: usize) -> Result<Node, Message> {
        if depth >= DEEPEST {
            return Err(TOO_MUCH);
        }
        self.count(1, 0)?;
        Ok(Node {
            value: Value::Null,
            key: None,
            only_key: false,
            depth: 1,
            nodes: 1,
            text: 0,
        })
    }

    /// A list or map has its own tag or none; in 1.2 others say nothing.
    fn expect(&self, tag: Option<&Tag>, kind: &str) -> Result<(), Message> {
        const KNOWN: [&str; 8] = [
            "str",
            "null",
            "bool",
            "int",
            "float",
            "timestamp",
            "seq",
            "map",
        ];
        let Some(tag) = tag.filter(|tag| !is_bare(tag)) else {
            return Ok(());
        };
        let name = if self.yaml11 { own(tag) } else { name(tag) };
        match name {
            Some(name) if name == kind => Ok(()),
            Some(name) if KNOWN.contains(&name) => Err(MISFIT),
            _ if self.yaml11 => Err(NO_TAG),
            _ => Ok(()),
        }
    }

    fn value(&mut self, event: Event<'y>, depth: usize) -> Result<Node, Message> {
        let node = self.node(event, depth)?;
        if node.only_key {
            return Err("a value is a mark that only keys may be");
        }
        Ok(node)
    }
}

impl Node {
    /// Takes in what a member takes, and gives its value.
    fn take(&mut self, member: Self) -> Value {
        self.depth = self.depth.max(member.depth + 1);
        self.nodes += member.nodes;
        self.text += member.text;
        member.value
    }
}

/// Takes in what `<<` names: a map, or a list of maps of which the first wins.
fn merge(into: &mut Map<String, Value>, value: Value) -> Result<(), Message> {
    match value {
        Value::Object(mut map) => into.append(&mut map),
        Value::Array(maps) => {
            for map in maps.into_iter().rev() {
                match map {
                    Value::Object(mut map) => into.append(&mut map),
                    _ => return Err(NO_MERGE),
                }
            }
        }
        _ => return Err(NO_MERGE),
    }
    Ok(())
}

const NO_MERGE: &str = "the value merged by `<<` is not a map";

/// Whether a tag is `!`, which says nothing.
fn is_bare(tag: &Tag) -> bool {
    matches!(tag.parts(), ("", "!") | ("!", ""))
}

/// The name of a tag to 1.2, where `!int` means what `!!int` does; empty for `!`.
fn name(tag: &Tag) -> Option<&str> {
    let (handle, suffix) = tag.parts();
    let local = (handle == "!").then_some(suffix);
    own(tag).or(local).or_else(|| is_bare(tag).then_some(""))
}

/// The name of one of YAML's own tags.
fn own(tag: &Tag) -> Option<&str> {
    let (handle, suffix) = tag.parts();
    let whole = suffix.strip_prefix("tag:yaml.org,2002:");
    if handle == "tag:yaml.org,2002:" {
        Some(suffix)
    } else {
        whole.filter(|_| handle.is_empty())
    }
}

fn is_merge(tag: &Tag) -> bool {
    own(tag) == Some("merge")
}

/// The value of a scalar of 1.1, and whether it may be a key alone.
fn scalar_of_11(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<(Value, bool), Message> {
    // A bare `!` makes any value but none read as if it had no quotes.
    let bare = tag.is_some_and(is_bare);
    let tag = tag.filter(|_| !bare);
    let unquoted = if bare {
        !text.is_empty()
    } else {
        style == ScalarStyle::Plain
    };
    let plain = tag.is_none() && unquoted;
    let only_key = plain && matches!(text, "<<" | "=") || tag.is_some_and(is_merge);
    let value = match tag {
        _ if only_key => text.into(),
        Some(tag) => scalar::tagged(own(tag).unwrap_or_default(), text).ok_or(NO_TAG)??,
        None if plain => scalar::plain(text)?,
        None => text.into(),
    };
    Ok((value, only_key))
}

/// The value of a scalar of 1.2, where a tag that is not known says nothing.
fn scalar_of_12(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, Message> {
    match tag.and_then(|tag| core::tagged(name(tag)?, text)) {
        Some(value) => value,
        None if style == ScalarStyle::Plain => Ok(core::plain(text)),
        None => Ok(text.into()),
    }
}
