//! Pairs whose prompts the model does not print: manifests as texts, and only the second oracle.

use super::build::{Built, Side, build, diff, show};
use super::random::Random;
use super::run::summary;
use super::subsets::{Between, Touch, verify};
use super::verify::{Verdict, breaks, causes, excerpted, plain, short};
use serde_json::Value;
use std::collections::BTreeSet;

/// A change of files or facts.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    File(String, Option<String>),
    Fact(String, Value),
    /// In a file, this text is another.
    Text(String, String, String),
}

/// The locations of files, and their kinds.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) side: Side,
    /// The possible changes, each with the parts it affects.
    pub(crate) steps: Vec<(Vec<Touch>, Vec<Step>)>,
    /// Facts of which the map does not say where a template asks for them.
    pub(crate) asked: BTreeSet<String>,
    /// The folders of the roots.
    pub(crate) folders: Vec<(&'static str, &'static str)>,
}

impl Scene {
    /// A scene of a manifest.
    pub(crate) fn new(name: &'static str, manifest: &str) -> Self {
        let files = [("promptc.kdl".to_owned(), manifest.to_owned())].into();
        Self {
            name,
            side: Side {
                files,
                facts: serde_json::Map::new(),
            },
            steps: Vec::new(),
            asked: BTreeSet::new(),
            folders: vec![("workspace", "ws")],
        }
    }

    pub(crate) fn file(&mut self, path: &str, text: &str) {
        self.side.files.insert(path.to_owned(), text.to_owned());
    }

    /// The role of a file of a root in a cause.
    pub(crate) fn touch(&self, path: &str) -> Touch {
        for (root, folder) in &self.folders {
            if let Some(inside) = path.strip_prefix(folder).and_then(|p| p.strip_prefix('/')) {
                return Touch::Document((*root).to_owned(), inside.to_owned());
            }
        }
        match path.strip_prefix("templates/") {
            Some(t) => Touch::Template(t.to_owned()),
            None => Touch::Manifest(path.to_owned()),
        }
    }

    /// A file that gets another text, comes or goes.
    pub(crate) fn edits(&mut self, path: &str, text: Option<&str>) {
        let touch = vec![self.touch(path)];
        self.steps.push((
            touch,
            vec![Step::File(path.to_owned(), text.map(str::to_owned))],
        ));
    }

    /// A fact that gets another value.
    pub(crate) fn sets(&mut self, fact: &str, value: Value) {
        let touch = vec![Touch::Fact(fact.to_owned())];
        self.steps
            .push((touch, vec![Step::Fact(fact.to_owned(), value)]));
    }

    /// An edit inside of a file.
    pub(crate) fn says(&mut self, path: &str, from: &str, to: &str) {
        let text = self.side.files.get(path).map_or("", String::as_str);
        assert!(text.contains(from), "{}: no {from:?} in {path}", self.name);
        let touch = vec![self.touch(path)];
        let step = Step::Text(path.to_owned(), from.to_owned(), to.to_owned());
        self.steps.push((touch, vec![step]));
    }

    /// An edit of a manifest over another one, which is reported at the place that counts then.
    pub(crate) fn lays(&mut self, path: &str, from: &str, to: &str) {
        self.says(path, from, to);
        if let Some(last) = self.steps.last_mut() {
            last.0 = vec![
                Touch::Manifest("promptc.kdl".to_owned()),
                Touch::Manifest("core/base.kdl".to_owned()),
            ];
        }
    }

    /// A file that has another name.
    pub(crate) fn renames(&mut self, from: &str, to: &str) {
        let text = self.side.files.get(from).cloned().unwrap_or_default();
        let touch = vec![self.touch(from), self.touch(to)];
        let steps = vec![
            Step::File(from.to_owned(), None),
            Step::File(to.to_owned(), Some(text)),
        ];
        self.steps.push((touch, steps));
    }

    fn with(&self, chosen: &[usize], mask: u32) -> Side {
        let mut out = self.side.clone();
        for (n, at) in chosen.iter().enumerate() {
            if mask >> n & 1 == 0 {
                continue;
            }
            for step in &self.steps[*at].1 {
                match step {
                    Step::File(path, Some(text)) => {
                        drop(out.files.insert(path.clone(), text.clone()))
                    }
                    Step::File(path, None) => drop(out.files.remove(path)),
                    Step::Fact(name, value) => drop(out.facts.insert(name.clone(), value.clone())),
                    Step::Text(path, from, to) => {
                        if let Some(t) = out.files.get_mut(path) {
                            *t = t.replacen(from, to, 1);
                        }
                    }
                }
            }
        }
        out
    }
}

/// The result of a scene.
pub(crate) enum Played {
    Same,
    None(String),
    Judged(Verdict, String),
}

/// Changes a scene in one to three ways, and checks the diff.
pub(crate) fn play(scene: &Scene, r: &mut Random, words: bool) -> Played {
    let n = r.from(1, 3);
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < n {
        let at = r.below(scene.steps.len());
        // Of two new texts of one file only the second would count.
        let other = |c: &usize| {
            scene.steps[*c].0 != scene.steps[at].0
                || matches!(scene.steps[at].1[..], [Step::Text(..)])
        };
        if !chosen.contains(&at) && chosen.iter().all(other) {
            chosen.push(at);
        }
    }
    let full = (1 << n) - 1;
    let (sa, sb) = (scene.side.clone(), scene.with(&chosen, full));
    let (a, b) = match (build(&sa), build(&sb)) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(e), _) => return Played::None(format!("{}: A: {e}", scene.name)),
        (_, Err(e)) => return Played::None(format!("{}: B: {e}", scene.name)),
    };
    if a.channels == b.channels {
        return Played::Same;
    }
    let report = diff(&a, &b);
    let mut v = Verdict::default();
    plain(&a, &b, &report, &mut v);
    said(scene, &report, &sa, &sb, &mut v);
    let with = |mask: u32| scene.with(&chosen, mask);
    let between = Between {
        a: &a,
        b: &b,
        touches: chosen.iter().map(|c| scene.steps[*c].0.clone()).collect(),
        with: &with,
        asked: scene.asked.clone(),
        required: &|_, _| false,
        moved: &|_, _| false,
    };
    verify(&between, &report, &mut v);
    v.verified = breaks(&report).len();
    for w in &mut v.wrong {
        w.1.insert_str(0, &format!("{}: ", scene.name));
    }
    let built: [&Built; 2] = [&a, &b];
    let told = match words {
        true => {
            let steps: Vec<_> = chosen.iter().map(|c| &scene.steps[*c].1).collect();
            let json = serde_json::to_string_pretty(&report).unwrap_or_default();
            format!(
                "{json}\n{}\n{steps:?}\n{}",
                show(&sa, &sb, &built),
                summary(&report)
            )
        }
        false => String::new(),
    };
    Played::Judged(v, told)
}

/// The report about documents is theirs.
fn said(scene: &Scene, report: &Value, a: &Side, b: &Side, v: &mut Verdict) {
    for at in breaks(report) {
        let name = at["layer"].as_str().unwrap_or_default();
        for c in causes(at, "causes").iter().chain(causes(at, "also")) {
            one(scene, name, c, a, b, v);
        }
    }
}

fn one(scene: &Scene, name: &str, c: &Value, a: &Side, b: &Side, v: &mut Verdict) {
    for inner in causes(c, "because") {
        one(scene, name, inner, a, b, v);
    }
    let kind = c["kind"].as_str().unwrap_or_default();
    if kind == "unexplained" {
        v.says("unexplained", name.to_owned());
    }
    if matches!(kind, "cut-moved" | "condition-flipped")
        && causes(c, "because").is_empty()
        && c["fact"].is_null()
    {
        v.says("no because", format!("{name}: {}", short(c)));
    }
    let (Some(root), Some(path)) = (c["root"].as_str(), c["path"].as_str()) else {
        return;
    };
    let text = |side: &Side| -> Vec<String> {
        let folders = scene.folders.iter().filter(|f| f.0 == root);
        folders
            .filter_map(|f| side.files.get(&format!("{}/{path}", f.1)).cloned())
            .collect()
    };
    let (ta, tb) = (text(a), text(b));
    let plain = !matches!(
        kind,
        "document-replaced" | "item-reordered" | "condition-flipped"
    );
    let item = kind.starts_with("item-");
    for (key, texts) in [("old", &ta), ("new", &tb)] {
        let Some(word) = c[key].as_str() else {
            continue;
        };
        let word = excerpted(word);
        let in_line = |t: &String, w: &str| t.lines().any(|l| l.contains(w));
        let stands = |t: &String| {
            word.split("\\n")
                .all(|w| in_line(t, w.trim_start_matches("- ")))
                && (item || !word.contains("\\n"))
        };
        if plain && !texts.iter().any(stands) {
            v.says("text of no line", format!("{name}: {key} of {}", short(c)));
        }
    }
    if let (Some(line), Some(word)) = (c["line"].as_u64(), c["new"].as_str()) {
        let word = excerpted(word);
        let at = usize::try_from(line).unwrap_or(1).saturating_sub(1);
        let stands = |t: &String| t.lines().nth(at).is_some_and(|l| l.contains(&word));
        if plain && !item && !tb.iter().any(stands) {
            v.says("new is not of its line", format!("{name}: {}", short(c)));
        }
    }
    let there = |texts: &Vec<String>| !texts.is_empty();
    let wrong = match kind {
        "document-appeared" => there(&ta) || !there(&tb),
        "document-vanished" => !there(&ta) || there(&tb),
        "document-changed" => ta == tb && there(&ta),
        _ => false,
    };
    if wrong {
        v.says("other kind", format!("{name}: {}", short(c)));
    }
}
