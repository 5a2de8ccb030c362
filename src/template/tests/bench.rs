//! A run without a manifest: an engine, facts and documents, and the output of a render, compared with its owners.

use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest::model::{FactType, Program};
use crate::prompt::{Ingredient, Ingredients, sha256};
use crate::template::fact::FactValue;
use crate::template::{Engine, Failure, NamesInScope, Rendered, Scope, Values, analyse};
use crate::text::document::Document;
use crate::text::{SpanKind, Text};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) fn template_ingredient(name: &str) -> Ingredient {
    Ingredient::Template {
        file: name.to_owned(),
        line: None,
        sha256: sha256(name),
    }
}

/// A run: templates, facts, documents, and the source text of each document ingredient.
pub(super) struct Bench {
    pub(super) engine: Engine,
    pub(super) values: Values,
    pub(super) ingredients: Ingredients,
    sources: BTreeMap<u32, String>,
    pub(super) templates: BTreeMap<String, String>,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self {
            engine: Engine::new(),
            values: Values::default(),
            ingredients: Ingredients::default(),
            sources: BTreeMap::new(),
            templates: BTreeMap::new(),
        }
    }

    pub(super) fn template(mut self, name: &str, source: &str) -> Self {
        let ingredient = template_ingredient(name);
        self.engine.add_template(name, source, ingredient).unwrap();
        self.templates.insert(name.to_owned(), source.to_owned());
        self
    }

    pub(super) fn fact(mut self, name: &str, kind: FactType, json: serde_json::Value) -> Self {
        let value = FactValue::from_json(kind, &json.into()).unwrap();
        self.values.insert_fact(name, value.as_ref(), false);
        self
    }

    pub(super) fn string(self, name: &str, text: &str) -> Self {
        self.fact(name, FactType::String, json!(text))
    }

    pub(super) fn scope(&self) -> Scope {
        Scope::new(Arc::new(self.values.clone()))
    }

    /// A document whose text is its file without the first two bytes, so that offsets are not all 0.
    pub(super) fn document(&mut self, path: &str, text: &str) -> Arc<Document> {
        let file = format!("# {text}");
        let index = self.ingredients.add(Ingredient::Document {
            root: "workspace".to_owned(),
            base: 0,
            path: path.to_owned(),
            sha256: sha256(&file),
            bytes: file.len(),
            chars: file.chars().count(),
            kept: 0,
            dropped: 0,
            imported_by: None,
            item: None,
            findings: Vec::new(),
        });
        self.sources.insert(index, file);
        let shared = |s: &str| -> Arc<str> { s.into() };
        Arc::new(Document {
            name: shared(path),
            path: shared(path),
            dir: shared(""),
            location: shared(path),
            root: shared("workspace"),
            root_index: 0,
            label: shared(path),
            own_label: None,
            about: Text::new("what it is about", SpanKind::Derived, Some(index), 0),
            text: Text::new(text, SpanKind::Document, Some(index), 2),
            meta: BTreeMap::from([
                ("kind".to_owned(), json!("rule").into()),
                ("deep".to_owned(), json!({"n": 3}).into()),
            ]),
            meta_texts: BTreeMap::new(),
            total: text.chars().count(),
            truncated: false,
            replaced: false,
            entry: None,
            ingredient: Some(index),
        })
    }

    pub(super) fn render(&mut self, name: &str, scope: &Scope) -> Result<Rendered, Failure> {
        let rendered = self.engine.render(name, scope, &mut self.ingredients)?;
        self.verify(&rendered.text);
        Ok(rendered)
    }

    /// Every run's bytes are those of its ingredient at its offset, and the runs tile the text.
    fn verify(&self, text: &Text) {
        let mut at = 0;
        for run in text.runs() {
            assert!(run.len > 0);
            let bytes = &text.as_str()[at..at + run.len];
            at += run.len;
            let source = match (run.kind, run.ingredient) {
                (SpanKind::Document, Some(i)) => self.sources[&i].clone(),
                (SpanKind::Fact, Some(i)) => match &self.ingredients[i as usize] {
                    Ingredient::Fact { name, .. } => self
                        .values
                        .get(name)
                        .unwrap()
                        .printed()
                        .unwrap()
                        .to_string(),
                    other => panic!("{other:?} is no fact"),
                },
                (SpanKind::Template, Some(i)) => match &self.ingredients[i as usize] {
                    Ingredient::Template { file, .. } => self.templates[file].clone(),
                    other => panic!("{other:?} is no template"),
                },
                (SpanKind::Join, _) => continue,
                (SpanKind::Derived, i) => {
                    assert!((i.unwrap() as usize) < self.ingredients.len());
                    continue;
                }
                other => panic!("{other:?} without an ingredient"),
            };
            assert_eq!(&source[run.offset..run.offset + run.len], bytes);
        }
        assert_eq!(at, text.as_str().len());
    }

    /// The runs as `kind name text`.
    pub(super) fn map(&self, text: &Text) -> Vec<String> {
        let mut at = 0;
        let mut out = Vec::new();
        for run in text.runs() {
            let bytes = &text.as_str()[at..at + run.len];
            at += run.len;
            let of = run.ingredient.map(|i| &self.ingredients[i as usize]);
            let of = match of {
                Some(Ingredient::Document { path, .. }) => path.as_str(),
                Some(Ingredient::Fact { name, .. } | Ingredient::Let { name, .. }) => name.as_str(),
                Some(Ingredient::Template { file, .. }) => file.as_str(),
                _ => "-",
            };
            let kind = serde_json::to_string(&run.kind).unwrap();
            out.push(format!("{} {of} {bytes:?}", kind.trim_matches('"')));
        }
        out
    }
}

pub(super) fn shows(bench: &mut Bench, template: &str, scope: &Scope, expected: &[&str]) {
    let rendered = bench.render(template, scope).unwrap();
    assert_eq!(
        bench.map(&rendered.text),
        expected,
        "{:?}",
        rendered.text.as_str()
    );
}

/// Renders a template on its own.
pub(super) fn print(source: &str) -> Result<String, Failure> {
    let mut bench = Bench::new().template("t", source);
    let scope = bench.scope();
    Ok(bench.render("t", &scope)?.text.as_str().to_owned())
}

pub(super) fn fails(source: &str) -> Failure {
    print(source).unwrap_err()
}

pub(super) fn lists(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

pub(super) fn codes(source: &str, known: &NamesInScope) -> Vec<String> {
    let mut files = Files::default();
    let file = files.add("t.j2", source);
    let program = Program::File {
        file,
        text: source.into(),
    };
    let mut diagnostics = Diagnostics::default();
    analyse::template(source, &known.document_lists)
        .unwrap()
        .check(known, &program, &mut diagnostics);
    diagnostics
        .iter()
        .map(|d| {
            let fix = d.suggestion.as_ref().map_or(String::new(), |s| {
                let mut fixed = source.to_owned();
                fixed.replace_range(s.span.range(), &s.text);
                format!(" -> {fixed}")
            });
            format!("{} {}{fix}", d.code.name, &source[d.span.unwrap().range()])
        })
        .collect()
}
