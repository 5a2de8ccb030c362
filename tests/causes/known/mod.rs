//! Pairs made by hand, with what docs/attribution.md demands of them.

mod entries;
mod hidden;
mod pairs;

use super::build::{Side, build, diff};
use super::run::summary;
use super::verify::{breaks, causes, short};
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
    /// The text that must be in `because`: a path or fact.
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
    /// The broken layers, in order, with all their causes.
    wanted: &'static [(&'static str, &'static [Named])],
    /// The other cause that may be named: a path.
    may: &'static [&'static str],
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
    may: &[],
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

fn fits(named: &Named, cause: &Value) -> bool {
    let of =
        |c: &Value| c["path"].as_str() == Some(named.of) || c["fact"].as_str() == Some(named.of);
    let inner = |c: &&Value| {
        c["path"].as_str() == Some(named.because) || c["fact"].as_str() == Some(named.because)
    };
    named.kinds.iter().any(|k| cause["kind"] == *k)
        && (named.of.is_empty() || of(cause))
        && (named.item.is_empty() || cause["item"].as_str() == Some(named.item))
        && (named.because.is_empty() || causes(cause, "because").iter().any(|c| inner(&c)))
}

/// The words after the kind.
fn told(named: &Named, cause: &Value) -> bool {
    let text = |key: &str, want: Option<&str>| want.is_none_or(|w| cause[key].as_str() == Some(w));
    named.line.is_none_or(|l| cause["line"].as_u64() == Some(l))
        && text("old", named.old)
        && text("new", named.new)
}

fn wrong(known: &Known) -> Vec<String> {
    let sides = (side(known, false), side(known, true));
    let (a, b) = match (build(&sides.0), build(&sides.1)) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(e), _) | (_, Err(e)) => return vec![format!("no build: {e}")],
    };
    let report = diff(&a, &b);
    let mut out = Vec::new();
    let layers: Vec<&str> = breaks(&report)
        .iter()
        .filter_map(|b| b["layer"].as_str())
        .collect();
    let wanted: Vec<&str> = known.wanted.iter().map(|w| w.0).collect();
    if layers != wanted {
        out.push(format!("broken are {layers:?}, expected {wanted:?}"));
    }
    for (layer, named) in known.wanted {
        let Some(said) = breaks(&report).into_iter().find(|b| b["layer"] == *layer) else {
            continue;
        };
        if known.quiet {
            let also = causes(said, "also").iter();
            out.extend(
                also.map(|c| format!("{layer}: nothing else changed a byte: also {}", short(c))),
            );
        }
        let said = causes(said, "causes");
        for n in *named {
            match said.iter().filter(|c| fits(n, c)).collect::<Vec<_>>()[..] {
                [] => out.push(format!(
                    "{layer}: no {:?} of `{}` because of `{}`",
                    n.kinds, n.of, n.because
                )),
                ref found if !found.iter().any(|c| told(n, c)) => {
                    out.push(format!(
                        "{layer}: expected line {:?}, {:?} -> {:?}: {}",
                        n.line,
                        n.old,
                        n.new,
                        short(found[0])
                    ));
                }
                _ => {}
            }
        }
        let may = |c: &Value| c["path"].as_str().is_some_and(|p| known.may.contains(&p));
        let right = |c: &Value| named.iter().any(|n| fits(n, c)) || may(c);
        for c in said.iter().filter(|c| !right(c)) {
            out.push(format!("{layer}: too many: {}", short(c)));
        }
    }
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
