//! Pairs made by hand, with the changes that are to blame.

mod entries;
mod hidden;
mod pairs;

use super::build::{Side, build, diff};
use super::report::{breaks, causes, short, summary};
use entries::ENTRIES;
use hidden::HIDDEN;
use pairs::PAIRS;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A cause: its kinds, of which one is right, what it is of, and what else is said.
struct Named {
    kinds: &'static [&'static str],
    of: &'static str,
    line: Option<u64>,
    old: Option<&'static str>,
    new: Option<&'static str>,
    /// What it follows from, of an effect without a place of its own: a path or fact.
    because: &'static str,
    /// The item, if one must be named.
    item: &'static str,
}

/// A pair.
struct Known {
    name: &'static str,
    /// The nodes after the roots.
    manifest: &'static str,
    /// The same of B, if it is another.
    edited: Option<&'static str>,
    files: &'static [(&'static str, &'static str)],
    /// The text of a changed file in B; none if the file is gone.
    changed: &'static [(&'static str, Option<&'static str>)],
    facts: (&'static str, &'static str),
    /// The layers that differ, the broken one first, with the changes of each.
    wanted: &'static [(&'static str, &'static [Named])],
    /// Whether nothing else changed a byte, so that nothing is named besides.
    quiet: bool,
}

const fn named(kinds: &'static [&'static str], of: &'static str) -> Named {
    Named {
        kinds,
        of,
        line: None,
        old: None,
        new: None,
        because: "",
        item: "",
    }
}

const fn changed(of: &'static str, line: u64, old: &'static str, new: &'static str) -> Named {
    Named {
        kinds: &["document-changed"],
        of,
        line: Some(line),
        old: Some(old),
        new: Some(new),
        because: "",
        item: "",
    }
}

const fn cut(because: &'static str) -> Named {
    Named {
        kinds: &["cut-moved"],
        of: "",
        line: None,
        old: None,
        new: None,
        because,
        item: "",
    }
}

const fn item(kinds: &'static [&'static str], of: &'static str, item: &'static str) -> Named {
    Named {
        kinds,
        of,
        line: None,
        old: None,
        new: None,
        because: "",
        item,
    }
}

const HEAD: &str = r#"promptc 1
root workspace default="ws"
root tree default="tree"
root leaf default="tree/s/t"
root both many=#true { default "own" "team" }
fact s string
"#;

/// A manifest under others.
const BASE: &str = r#"promptc 1
root workspace default="ws"
fact s string
tier t {
    layer one { text "One." }
    layer two { all { file "a.md"; file "b.md" } }
    layer three { template "It is {{ s }}." }
}
"#;

const PLAIN: Known = Known {
    name: "",
    manifest: "",
    edited: None,
    files: &[],
    changed: &[],
    facts: ("abc", "abc"),
    wanted: &[],
    quiet: false,
};

fn side(known: &Known, after: bool) -> Side {
    let manifest = match known.edited {
        Some(m) if after => m,
        _ => known.manifest,
    };
    let files = known.files.iter().map(|f| (f.0.to_owned(), f.1.to_owned()));
    let mut files: BTreeMap<String, String> = files.collect();
    // A manifest that begins with its first node is complete.
    let head = if manifest.starts_with("promptc 1") {
        ""
    } else {
        HEAD
    };
    files.insert("promptc.kdl".to_owned(), format!("{head}{manifest}"));
    files.insert("base.kdl".to_owned(), BASE.to_owned());
    files.insert("tree/s/t/keep.txt".to_owned(), "x".to_owned());
    for (path, text) in known.changed.iter().filter(|_| after) {
        match text {
            Some(t) => drop(files.insert((*path).to_owned(), (*t).to_owned())),
            None => drop(files.remove(*path)),
        }
    }
    let value = if after { known.facts.1 } else { known.facts.0 };
    let facts = [("s".to_owned(), json!(value))].into_iter().collect();
    Side { files, facts }
}

/// How a change worked, and not what it was.
const EFFECTS: [&str; 4] = [
    "condition-flipped",
    "cut-moved",
    "document-replaced",
    "whitespace-only",
];

fn fits(named: &Named, cause: &Value) -> bool {
    let of = if named.of.is_empty() {
        named.because
    } else {
        named.of
    };
    let is_it = cause["path"] == of || cause["fact"] == of || of.is_empty();
    let mut kinds = named.kinds.iter();
    is_it
        && kinds.any(|kind| cause["kind"] == *kind || EFFECTS.contains(kind))
        && (named.item.is_empty() || cause["item"] == named.item)
}

/// The causes of a round, and what they follow from.
fn chain(causes_of: &[Value]) -> Vec<&Value> {
    let inner = |cause| chain(causes(cause, "because"));
    let all = causes_of
        .iter()
        .flat_map(|cause| std::iter::once(cause).chain(inner(cause)));
    all.collect()
}

/// The words after the kind.
fn told(named: &Named, cause: &Value) -> bool {
    let text = |key: &str, want: Option<&str>| want.is_none_or(|w| cause[key].as_str() == Some(w));
    named.line.is_none_or(|l| cause["line"].as_u64() == Some(l))
        && text("old", named.old)
        && text("new", named.new)
}

/// What of a report is not as it was expected.
fn against(known: &Known, report: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let rounds = breaks(report);
    let (layer, first) = known.wanted[0];
    if report["break"]["layer"] != layer {
        out.push(format!(
            "broken is {}, expected {layer}",
            report["break"]["layer"]
        ));
    }
    let named = causes(&report["break"], "causes");
    if !chain(named)
        .iter()
        .any(|cause| first.iter().any(|one| fits(one, cause)))
    {
        out.push("the first break has another cause".to_owned());
    }
    let all = rounds.iter().flat_map(|round| causes(round, "causes"));
    let all: Vec<Value> = all.cloned().collect();
    let also = rounds.iter().flat_map(|round| causes(round, "also"));
    let also: Vec<Value> = also.cloned().collect();
    let wanted = || known.wanted.iter().flat_map(|(_, named)| named.iter());
    for named in wanted() {
        let found: Vec<&Value> = chain(&all)
            .into_iter()
            .filter(|cause| fits(named, cause))
            .collect();
        let is_only_beside = chain(&also).iter().any(|cause| fits(named, cause));
        if found.is_empty() && !is_only_beside {
            out.push(format!(
                "no {:?} of `{}{}`",
                named.kinds, named.of, named.because
            ));
        } else if !found.is_empty() && !found.iter().any(|cause| told(named, cause)) {
            let words = short(found[0]);
            out.push(format!(
                "line {:?}, {:?} -> {:?}: {words}",
                named.line, named.old, named.new
            ));
        }
    }
    let is_wanted = |cause: &Value| {
        chain(std::slice::from_ref(cause))
            .iter()
            .any(|cause| wanted().any(|one| fits(one, cause)))
    };
    let more = all
        .iter()
        .chain(&also)
        .filter(|cause| known.quiet && !is_wanted(cause));
    out.extend(more.map(|cause| format!("nothing else changed a byte: {}", short(cause))));
    out
}

fn wrong(known: &Known) -> Vec<String> {
    let sides = (side(known, false), side(known, true));
    let (a, b) = match (build(&sides.0), build(&sides.1)) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(e), _) | (_, Err(e)) => return vec![format!("no build: {e}")],
    };
    let report = diff(&a, &b);
    let mut out = against(known, &report);
    if !out.is_empty() {
        let texts = |side: &str, built: &super::build::Built| -> Vec<String> {
            let line = |l: &super::build::Made| format!("{side} {}: {:?}", l.name, l.text);
            built.layers.iter().map(line).collect()
        };
        out.extend(texts("A", &a));
        out.extend(texts("B", &b));
        out.push(summary(&report));
    }
    out
}

#[test]
fn known_pairs() {
    let mut failed = 0;
    let all = PAIRS.iter().chain(ENTRIES).chain(HIDDEN);
    for known in all.clone() {
        let wrong = wrong(known);
        failed += usize::from(!wrong.is_empty());
        if !wrong.is_empty() {
            println!("{}\n    {}", known.name, wrong.join("\n    "));
        }
    }
    assert!(
        failed == 0,
        "{failed} of {} known pairs are wrong",
        all.count()
    );
}
