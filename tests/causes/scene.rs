//! Pairs whose manifests are written as texts.

use super::build::Side;
use super::judge::Touch;
use super::random::Random;
use serde_json::Value;

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

    /// The side with some of the chosen steps.
    pub(crate) fn with(&self, chosen: &[usize], mask: u32) -> Side {
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

    /// One to three of the steps.
    pub(crate) fn chosen(&self, r: &mut Random) -> Vec<usize> {
        let n = r.from(1, 3);
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < n {
            let at = r.below(self.steps.len());
            // Of two new texts of one file only the second would count.
            let other = |c: &usize| {
                self.steps[*c].0 != self.steps[at].0
                    || matches!(self.steps[at].1[..], [Step::Text(..)])
            };
            if !chosen.contains(&at) && chosen.iter().all(other) {
                chosen.push(at);
            }
        }
        chosen
    }
}
