//! Builds with only some of the changes, as a second oracle.

use super::build::{Built, Side, build};
use super::verify::{Verdict, breaks, causes, short};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The part that a change affects, which links a cause to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Touch {
    Document(String, String),
    Fact(String),
    Template(String),
    /// A file of the manifest.
    Manifest(String),
}

/// A pair with all the sides between.
pub(crate) struct Between<'a> {
    pub(crate) a: &'a Built,
    pub(crate) b: &'a Built,
    /// The parts that each change affects.
    pub(crate) touches: Vec<Vec<Touch>>,
    /// The side with some of the changes.
    pub(crate) with: &'a dyn Fn(u32) -> Side,
    /// Facts that a template asks for, of which the map does not say where.
    pub(crate) asked: BTreeSet<String>,
    /// Whether the owners of the bytes ask for a cause of a layer, and for no other in its place.
    pub(crate) required: &'a dyn Fn(&str, &Value) -> bool,
    /// Whether a cause of a layer may be named though it changes nothing.
    pub(crate) moved: &'a dyn Fn(&str, &Value) -> bool,
}

/// The join before a layer, its own text, and the layers before it.
type Look = (String, String, Vec<String>);

/// Whether a cause is a change.
pub(crate) fn is(cause: &Value, touch: &Touch) -> bool {
    let path = cause["path"].as_str().unwrap_or_default();
    match touch {
        Touch::Document(root, p) => cause["root"].as_str() == Some(root) && path == p,
        Touch::Fact(f) => cause["fact"].as_str() == Some(f),
        Touch::Template(t) => {
            !t.is_empty() && path.ends_with(t.as_str()) && cause["root"].is_null()
        }
        Touch::Manifest(m) => path.ends_with(m.as_str()) && cause["root"].is_null(),
    }
}

/// Whether a cause, or what it follows from, is a change.
fn leads(cause: &Value, touches: &[Touch]) -> bool {
    // A cut that moved names the document that is cut, not what changed.
    let own = cause["kind"] != "cut-moved" && touches.iter().any(|t| is(cause, t));
    own || causes(cause, "because").iter().any(|c| leads(c, touches))
}

/// Whether a cause is the edited number of a budget, for which it is not specified whether it is reported only if it
/// has an effect.
fn number(c: &Value) -> bool {
    // In the scenes the fact `room` is such a number.
    c["kind"] == "layer-edited" && says_number(c) || c["fact"] == "room"
}

/// Whether a cause shows the numbers of a budget.
fn says_number(c: &Value) -> bool {
    let words = ["budget ", " reserve=", " priority=", " min="];
    let has = |key: &str| {
        let text = c[key].as_str();
        text.is_some_and(|t| words.iter().any(|w| t.contains(w)))
    };
    has("old") || has("new")
}

/// Checks a report.
pub(crate) fn verify(between: &Between, report: &Value, v: &mut Verdict) {
    let n = between.touches.len();
    let full = (1_u32 << n) - 1;
    let mut texts: BTreeMap<u32, Option<Built>> = BTreeMap::new();
    for mask in 1..full {
        texts.insert(mask, build(&(between.with)(mask)).ok());
    }
    let built = |mask: u32| match mask {
        0 => Some(between.a),
        m if m == full => Some(between.b),
        m => texts[&m].as_ref(),
    };
    for said in breaks(report) {
        let Some(name) = said["layer"].as_str() else {
            continue;
        };
        let of = |mask: u32| built(mask).map(|b| look(b, name));
        let place = |m: Option<Option<Look>>| m.map(|l| l.map(|l| l.0 + &l.1));
        let named = causes(said, "causes");
        let moved =
            place(of(0)) == place(of(full)) || named.iter().any(|c| c["kind"] == "layer-moved");
        // Whether a change makes a difference to the layer, with any of the others.
        let counts = |c: usize| {
            (0..=full)
                .filter(|m| m >> c & 1 == 0)
                .any(|m| match (of(m), of(m | 1 << c)) {
                    (Some(x), Some(y)) if moved => x != y,
                    (x @ Some(_), y @ Some(_)) => place(x) != place(y),
                    _ => true,
                })
        };
        let effect: Vec<bool> = (0..n).map(counts).collect();
        // The outermost change decides for the owners, whether or not an inner one alone would suffice.
        let any = vec![true; n];
        let asked = |c: &Value| (between.required)(name, c);
        let found = named
            .iter()
            .any(|c| (0..n).any(|i| (effect[i] || asked(c)) && leads(c, &between.touches[i])));
        if !found && named.iter().any(number) && n > 1 {
            v.skipped
                .push("the number of a budget was edited, and something else");
            continue;
        }
        if !found {
            let words: Vec<String> = named.iter().map(short).collect();
            v.says(
                "leads nowhere",
                format!("{name}: no cause leads to a change that has an effect: {words:?}"),
            );
        }
        brought(name, named, between, &built, v);
        // A layer with another one before it has another join, which breaks nothing of it.
        let text = |m: u32| of(m).map(|l| l.unwrap_or_default()).map(|l| (l.0, l.1));
        for c in named {
            spaced(name, c, between, &text, full, v);
        }
        // A cause that may be named though it changes nothing is neither idle nor masked.
        let counted = |c: &&Value| !(between.moved)(name, c);
        let own = named.iter().filter(counted);
        for c in own.filter(|c| n == 1 || !number(c)) {
            let of = if asked(c) { &any } else { &effect };
            if !asked(c) {
                masked(name, c, between, &text, full, v);
            }
            idle("idle cause", name, c, between, of, v);
        }
        for c in causes(said, "also").iter().filter(counted) {
            idle("idle also", name, c, between, &effect, v);
        }
    }
}

/// The text of a layer in a build.
fn look(built: &Built, name: &str) -> Option<Look> {
    let at = built.layers.iter().position(|l| l.name == name)?;
    let before = built.layers[..at].iter().map(|l| l.name.clone());
    let made = &built.layers[at];
    Some((made.join.clone(), made.text.clone(), before.collect()))
}

/// A condition that asks for a layer follows from what brings that layer or takes it away.
fn brought<'a>(
    name: &str,
    named: &[Value],
    between: &Between,
    built: &dyn Fn(u32) -> Option<&'a Built>,
    v: &mut Verdict,
) {
    let n = between.touches.len();
    for c in named {
        let Some(layer) = asks_for(c) else { continue };
        let there = |m: u32| built(m).is_some_and(|b| b.layer(layer).is_some());
        let brings = |i: usize| (0..1 << n).any(|m| there(m & !(1 << i)) != there(m | 1 << i));
        let changes: Vec<usize> = (0..n).filter(|i| brings(*i)).collect();
        let told = |i: &usize| leads(c, &between.touches[*i]);
        if !changes.is_empty() && !changes.iter().any(told) {
            v.says("because of another layer", format!("{name}: {}", short(c)));
        }
    }
}

/// An edit of a budget that is reported as white space: then its cut and its mark differ in nothing else.
fn spaced(
    name: &str,
    c: &Value,
    between: &Between,
    text: &dyn Fn(u32) -> Option<(String, String)>,
    full: u32,
    v: &mut Verdict,
) {
    if c["kind"] != "whitespace-only" || !says_number(c) {
        return;
    }
    let edits = |i: &usize| between.touches[*i].iter().any(|t| is(c, t));
    let own: Vec<usize> = (0..between.touches.len()).filter(edits).collect();
    let [one] = own[..] else { return };
    let bare = |m: u32| text(m).map(|t| t.1.split_whitespace().collect::<String>());
    let pairs = [(0, 1 << one), (full & !(1 << one), full)];
    let seen = pairs.iter().find(|(x, y)| text(*x) != text(*y));
    if seen.is_some_and(|(x, y)| bare(*x) != bare(*y)) {
        v.says("a budget as white space", format!("{name}: {}", short(c)));
    }
}

/// A cause without which B would be the same, and that alone would not break A at this place.
fn masked(
    name: &str,
    c: &Value,
    between: &Between,
    text: &dyn Fn(u32) -> Option<(String, String)>,
    full: u32,
    v: &mut Verdict,
) {
    let own: Vec<usize> = (0..between.touches.len())
        .filter(|i| between.touches[*i].iter().any(|t| is(c, t)))
        .collect();
    let [one] = own[..] else { return };
    // A change that brings another layer does so independently of others.
    if of_layers(c) {
        return;
    }
    let told = [
        "layer-moved",
        "layer-added",
        "layer-removed",
        "cut-moved",
        "template-changed",
    ];
    if told.iter().any(|k| c["kind"] == *k) {
        return;
    }
    // Whether a document is there is asked before the budget that would have left it out too.
    let of_manifest = |t: &Touch| matches!(t, Touch::Manifest(_));
    let whole = [
        "document-appeared",
        "document-vanished",
        "item-added",
        "item-removed",
    ];
    if whole.iter().any(|k| c["kind"] == *k) && between.touches.iter().flatten().any(of_manifest) {
        return;
    }
    // The same holds for the presence of its node: what it would have found is invisible.
    let edited = c["kind"] == "layer-edited" && (c["old"].is_null() || c["new"].is_null());
    let is_document = |t: &Touch| matches!(t, Touch::Document(..));
    if edited && between.touches.iter().flatten().any(is_document) {
        return;
    }
    if c["fact"]
        .as_str()
        .is_some_and(|f| between.asked.contains(f))
        || full == 1 << one
    {
        return;
    }
    let (Some(a), Some(b)) = (text(0), text(full)) else {
        return;
    };
    let (Some(without), Some(alone)) = (text(full & !(1 << one)), text(1 << one)) else {
        return;
    };
    let common = |x: &str, y: &str| x.bytes().zip(y.bytes()).take_while(|(x, y)| x == y).count();
    let at = |y: &(String, String)| match a.1 == b.1 {
        true => common(&format!("{}{}", a.0, a.1), &format!("{}{}", y.0, y.1)),
        false => common(&a.1, &y.1),
    };
    if without == b && (alone == a || at(&alone) > at(&b)) {
        v.says(
            "masked cause",
            format!("{name}: without it B is the same: {}", short(c)),
        );
    }
}

/// Whether a cause is a condition that asks for another layer.
fn of_layers(c: &Value) -> bool {
    asks_for(c).is_some()
}

/// The layer that a condition asks for.
fn asks_for(c: &Value) -> Option<&str> {
    let item = c["item"]
        .as_str()
        .filter(|_| c["kind"] == "condition-flipped")?;
    item.split_once("loaded('")?.1.split('\'').next()
}

/// A cause without a change that has an effect.
fn idle(
    class: &'static str,
    name: &str,
    c: &Value,
    between: &Between,
    effect: &[bool],
    v: &mut Verdict,
) {
    let asked = c["fact"]
        .as_str()
        .is_some_and(|f| between.asked.contains(f));
    let leading = |i: usize| leads(c, &between.touches[i]);
    if c["kind"] == "cut-moved" {
        // The source of a computed text is named, whether or not it alone would suffice.
        return;
    }
    if (0..effect.len()).any(|i| effect[i] && leading(i)) || asked {
        if of_layers(c) {
            return;
        }
        for inner in causes(c, "because") {
            idle(class, name, inner, between, effect, v);
        }
        return;
    }
    match (0..effect.len()).any(leading) {
        true => v.says(class, format!("{name}: it changes nothing: {}", short(c))),
        false => v.says(
            "no change",
            format!("{name}: nobody changed this: {}", short(c)),
        ),
    }
}
