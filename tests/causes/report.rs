//! What a report says, and what is wrong with its words.

use super::build::Side;
use serde_json::Value;

/// The result of a pair.
#[derive(Default, Debug)]
pub(crate) struct Verdict {
    /// The errors: a class, and the words.
    pub(crate) wrong: Vec<(&'static str, String)>,
    /// How many rounds were judged.
    pub(crate) verified: usize,
    /// Of them those of which what they keep was built here, and those that take back a part of a change.
    pub(crate) exact: usize,
    pub(crate) partly: usize,
}

impl Verdict {
    pub(crate) fn says(&mut self, class: &'static str, words: String) {
        self.wrong.push((class, words));
    }
}

/// The causes of a break.
pub(crate) fn causes<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of[name].as_array().map_or(&[], Vec::as_slice)
}

/// All breaks of a report, the first one first.
pub(crate) fn breaks(report: &Value) -> Vec<&Value> {
    let first = Some(&report["break"]).filter(|of| !of.is_null());
    first.into_iter().chain(causes(report, "hidden")).collect()
}

/// A number of a report; the largest where there is none.
pub(crate) fn number(v: &Value) -> usize {
    v.as_u64()
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(usize::MAX)
}

/// The text that an excerpt is of, without what stands for text that is left out.
fn excerpted(said: &str) -> String {
    let text = said.replace("\\u{20}", " ");
    text.trim_matches(['.', '…']).to_owned()
}

/// A cause in one line.
pub(crate) fn short(c: &Value) -> String {
    let mut words = Vec::new();
    for key in ["kind", "path", "line", "fact", "item", "old", "new"] {
        if !c[key].is_null() {
            words.push(format!("{key}={}", c[key]));
        }
    }
    for b in causes(c, "because") {
        words.push(format!("because({})", short(b)));
    }
    words.join(" ")
}

/// A report, in a few lines.
pub(crate) fn summary(report: &Value) -> String {
    let mut out = String::new();
    for round in breaks(report) {
        let head =
            ["layer", "offset", "together", "undone"].map(|key| format!("{key} {}", round[key]));
        out.push_str(&format!("{}\n", head.join(", ")));
        for key in ["causes", "also"] {
            for cause in causes(round, key) {
                out.push_str(&format!("    {key}: {}\n", short(cause)));
            }
        }
    }
    out
}

/// The report about documents is theirs. `folders` are the folders of roots.
pub(crate) fn words(folders: &[(&str, &str)], report: &Value, sides: [&Side; 2], v: &mut Verdict) {
    for at in breaks(report) {
        let name = at["layer"].as_str().unwrap_or_default();
        for cause in causes(at, "causes").iter().chain(causes(at, "also")) {
            one(folders, name, cause, sides, v);
        }
    }
}

fn one(folders: &[(&str, &str)], name: &str, c: &Value, sides: [&Side; 2], v: &mut Verdict) {
    for inner in causes(c, "because") {
        one(folders, name, inner, sides, v);
    }
    let kind = c["kind"].as_str().unwrap_or_default();
    if matches!(kind, "cut-moved" | "condition-flipped")
        && causes(c, "because").is_empty()
        && c["fact"].is_null()
    {
        v.says("no because", format!("{name}: {}", short(c)));
    }
    let (Some(root), Some(path)) = (c["root"].as_str(), c["path"].as_str()) else {
        return;
    };
    let texts = sides.map(|side| -> Vec<String> {
        let folders = folders.iter().filter(|folder| folder.0 == root);
        folders
            .filter_map(|folder| side.files.get(&format!("{}/{path}", folder.1)).cloned())
            .collect()
    });
    quoted(name, c, &texts, v);
    let [a, b] = &texts;
    let wrong = match kind {
        // A root may have several folders.
        "document-appeared" => a.len() >= b.len(),
        "document-vanished" => a.len() <= b.len(),
        "document-changed" => a == b && !a.is_empty(),
        _ => false,
    };
    if wrong {
        v.says("other kind", format!("{name}: {}", short(c)));
    }
}

/// What is quoted of a document is in it.
fn quoted(name: &str, c: &Value, [a, b]: &[Vec<String>; 2], v: &mut Verdict) {
    let kind = c["kind"].as_str().unwrap_or_default();
    let other = [
        "document-replaced",
        "item-reordered",
        "condition-flipped",
        "document-renamed",
        "cut-moved",
    ];
    if other.contains(&kind) {
        return;
    }
    let is_item = kind.starts_with("item-");
    for (key, texts) in [("old", a), ("new", b)] {
        let Some(word) = c[key].as_str() else {
            continue;
        };
        let word = excerpted(word);
        let in_line = |text: &String, word: &str| text.lines().any(|line| line.contains(word));
        let stands = |text: &String| {
            word.split("\\n")
                .all(|word| in_line(text, word.trim_start_matches("- ")))
                && (is_item || !word.contains("\\n"))
        };
        if !texts.iter().any(stands) {
            v.says("text of no line", format!("{name}: {key} of {}", short(c)));
        }
    }
    if let (Some(line), Some(word)) = (c["line"].as_u64(), c["new"].as_str()) {
        let word = excerpted(word);
        let at = usize::try_from(line).unwrap_or(1).saturating_sub(1);
        let stands = |text: &String| {
            text.lines()
                .nth(at)
                .is_some_and(|line| line.contains(&word))
        };
        if !is_item && !b.iter().any(stands) {
            v.says("new is not of its line", format!("{name}: {}", short(c)));
        }
    }
}
