//! The implementation that the laws are checked with, independent of the program's.

use super::model::{Kind, Manifest};
use super::sample::Sample;
use promptc::prompt::{Ingredient, Prompt};
use serde_json::Value;
use sha2::Digest as _;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The `delimiter=` of samples, and the default.
const DELIMITERS: [&str; 3] = ["\n§\n", " ", "\n"];

/// `sha256:` and hex.
pub(super) fn hash(bytes: &[u8]) -> String {
    let hex: String = sha2::Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    format!("sha256:{hex}")
}

/// CRLF and CR become LF.
pub(super) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}

/// Unicode white space and the four separators of ASCII.
pub(super) fn is_white(c: char) -> bool {
    matches!(c, '\u{1C}'..='\u{1F}') || c.is_whitespace()
}

pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_white)
}

/// The possible texts of a document after the newline and BOM steps: one if no step is ever switched off.
pub(super) fn readings(text: &str, switched: bool) -> Vec<String> {
    let usual = without_mark(&with_line_feeds(text)).to_owned();
    if !switched {
        return vec![usual];
    }
    vec![
        usual,
        with_line_feeds(text),
        without_mark(text).to_owned(),
        text.to_owned(),
    ]
}

/// Whether any step of the manifest is switched off.
pub(super) fn has_switches(manifest: &Manifest) -> bool {
    let off = |s: &super::model::Steps| [s.newlines, s.bom].contains(&Some(false));
    manifest.tiers.iter().any(|t| off(&t.steps))
        || manifest
            .layers()
            .any(|l| off(&l.steps) || l.nodes().iter().any(|n| off(&n.steps)))
}

/// The size of a text.
pub(super) fn size(text: &str, unit: &str) -> usize {
    match unit {
        "chars" => text.chars().count(),
        "bytes" => text.len(),
        // Lines as a text editor counts them: a last one without an end counts.
        "lines" => text.split_inclusive('\n').count(),
        other => panic!("a unit {other}"),
    }
}

/// The folders of a root, in order.
pub(super) fn folders(root: &str) -> &'static [&'static str] {
    match root {
        "workspace" => &["agent/ws"],
        "deep" => &["agent/ws/sub"],
        "rules" => &["agent/r1", "agent/r2"],
        "manifest" | "project" => &["agent"],
        "text" => &["agent/text"],
        "gone" => &[],
        other => panic!("a root {other}"),
    }
}

/// The bytes that an ingredient of kind document was read from.
pub(super) fn file<'a>(sample: &'a Sample, root: &str, path: &str, sha256: &str) -> &'a [u8] {
    let mut there = folders(root)
        .iter()
        .filter_map(|f| sample.files.get(&format!("{f}/{path}")));
    there
        .find(|bytes| hash(bytes) == sha256)
        .unwrap_or_else(|| panic!("no file {path} with {sha256}"))
}

/// The files of that path, one for each folder of the root that has it.
pub(super) fn files<'a>(
    sample: &'a Sample,
    root: &'a str,
    path: &'a str,
) -> impl Iterator<Item = &'a Vec<u8>> {
    folders(root)
        .iter()
        .filter_map(move |f| sample.files.get(&format!("{f}/{path}")))
}

/// The original of an ingredient of kind document: a whole file, or one entry of it.
pub(super) fn read<'a>(
    sample: &'a Sample,
    root: &str,
    path: &str,
    sha256: &str,
    item: Option<&str>,
) -> Cow<'a, [u8]> {
    // A source names an entry of a file by a number; skills here have other names.
    if item.is_none_or(|item| item.parse::<usize>().is_err()) {
        return Cow::Borrowed(file(sample, root, path, sha256));
    }
    let texts = files(sample, root, path).filter_map(|bytes| std::str::from_utf8(bytes).ok());
    let readings: Vec<String> = texts.flat_map(|text| readings(text, true)).collect();
    let pieces = readings.iter().flat_map(|text| {
        let delimiters = DELIMITERS.into_iter();
        delimiters.flat_map(move |delimiter| text.split(delimiter))
    });
    let white = |c: char| c.is_whitespace() || ('\u{1C}'..='\u{1F}').contains(&c);
    let both = pieces.flat_map(|piece| [piece, piece.trim_matches(white)]);
    let found = both
        .into_iter()
        .find(|piece| hash(piece.as_bytes()) == sha256);
    let found = found.unwrap_or_else(|| panic!("no entry of {path} with {sha256}"));
    Cow::Owned(found.as_bytes().to_vec())
}

/// Every text that the manifest holds as program or literal, file programs with their one final line end off.
pub(super) fn programs(sample: &Sample) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let manifest = &sample.manifest;
    let mut inline = |text: &str| out.push((hash(text.as_bytes()), text.to_owned()));
    let wraps = manifest.layers().flat_map(|l| {
        let nodes = l.nodes();
        let of_nodes = nodes
            .iter()
            .filter_map(|n| n.steps.wrap.clone())
            .collect::<Vec<_>>();
        l.steps.wrap.clone().into_iter().chain(of_nodes)
    });
    for text in wraps.chain(manifest.layers().filter_map(|l| l.template.clone())) {
        inline(&text);
    }
    for layer in manifest.layers() {
        let nodes = layer.nodes();
        let budgets = nodes.iter().flat_map(|n| &n.budgets).chain(&layer.budgets);
        budgets
            .filter_map(|b| b.marker.as_deref())
            .for_each(&mut inline);
        for node in &nodes {
            match &node.kind {
                Kind::Text(text) | Kind::Template(text) => inline(text),
                _ => {}
            }
        }
    }
    // The `label=`, `about=` and `placeholder=` of samples, and the defaults of DESIGN §2.
    for text in [
        "A label",
        "what it is",
        "[{{ label }} {{ s1 }} {{ findings | map(attribute='id') | join(', ') }}]",
        "[{{ label }} left out: {{ findings | map(attribute='id') | join(', ') }}]",
    ] {
        inline(text);
    }
    for unit in ["chars", "bytes", "lines"] {
        // From DESIGN §3; the word after the numbers is the budget's unit.
        inline(&format!(
            "\n\n[… {{{{ label }}}}: {{{{ omitted }}}} of {{{{ total }}}} {unit} left out …]\n\n"
        ));
    }
    for (_, bytes) in sample
        .files
        .iter()
        .filter(|(path, _)| path.ends_with(".j2"))
    {
        let text = without_mark(&with_line_feeds(std::str::from_utf8(bytes).unwrap())).to_owned();
        out.push((
            hash(bytes),
            text.strip_suffix('\n').unwrap_or(&text).to_owned(),
        ));
    }
    out
}

/// All joins of a manifest.
pub(super) fn joins(manifest: &Manifest) -> BTreeSet<&str> {
    let mut out = BTreeSet::from([manifest.join.as_deref().unwrap_or("\n\n")]);
    out.extend(manifest.tiers.iter().filter_map(|t| t.join.as_deref()));
    for layer in manifest.layers() {
        out.extend(layer.nodes().iter().filter_map(|n| match &n.kind {
            Kind::All(join, _) => join.as_deref(),
            _ => None,
        }));
        for node in layer.nodes() {
            match &node.kind {
                // Entries are separated as in their file.
                Kind::Memory(..) => out.extend(DELIMITERS),
                Kind::Skills(..) => out.extend(["\n"]),
                _ => {}
            }
        }
    }
    out
}

/// How a fact prints, from its JSON form.
pub(super) fn printed(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(n) if n.is_i64() => Some(n.to_string()),
        // How floats print is another test's business.
        _ => None,
    }
}

/// The ingredients of every layer, absent ones too.
pub(super) fn ingredients(prompt: &Prompt) -> Vec<(&str, &Ingredient)> {
    let there = prompt.channels.iter().flat_map(|c| &c.layers);
    let there = there.flat_map(|l| l.ingredients.iter().map(|i| (l.name.as_str(), i)));
    let absent = prompt
        .absent
        .iter()
        .flat_map(|a| a.ingredients.iter().map(|i| (a.layer.as_str(), i)));
    there.chain(absent).collect()
}
