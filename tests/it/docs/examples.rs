//! The examples of the documentation: each manifest that it shows is built, and each result that it shows is the result.
//!
//! ```text
//! kdl                          a whole manifest; it is written to promptc.kdl in an empty folder and must build
//! kdl error=CODE               the same, and it must fail with that code
//! kdl fragment [error=CODE]    a piece of a manifest; the test writes the rest around it, and the same holds
//! LANGUAGE file=PATH           a file in that folder
//! json facts                   facts, as with --facts
//! text output [scenario=NAME]  the system prompt, byte for byte, without the fence's final newline
//! LANGUAGE story …             a step of a page that is one story, see `story.rs`
//! LANGUAGE of=PATH             lines of that file of the repository, see `quotes.rs`
//! text sketch                  an illustration: a form, or a file that is not one of promptc's
//! text elsewhere               commands that need what a test has not: another program, a network or a long time
//! ```
//!
//! A fragment stands in an empty folder, behind `promptc 1` and `root workspace default="."`. By its first node, `layer` goes into a
//! tier, content into a layer, and anything else stays at the top level, with a tier added if it has none.
//!
//! Under the heading "Filters" a row is `| filter | what it does | template | result |`, the last two as code spans: `\|` stands for
//! `|`, and in the result `⏎` for a line feed. The template is that of a layer with `trim #false`.
//!
//! What follows a manifest up to the next one or the next heading belongs to it. Commands
//! (`sh`, `console`) and artifacts (`json artifact`) are those of `commands.rs`, scripts that need a
//! repository (`bash repository [exit=N]`, `yaml`) those of `ci.rs`, apps (`python app`, `ts app`) those of
//! `session/builds/gateway.rs`.

use crate::docs::markdown::{Fence, Page, anchor, pages, span, top};
use crate::run::{Place, Ran, run};
use promptc::manifest::grammar;
use promptc::template::{FILTERS, FUNCTIONS, TESTS};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// How many manifests the pages show at least, so that a test that finds none does not pass.
const FEWEST_EXAMPLES: usize = 35;

/// A manifest of a page and what belongs to it.
struct Example<'a> {
    page: &'a Page,
    manifest: &'a Fence,
    parts: Vec<&'a Fence>,
}

/// The purpose of a fence.
#[derive(Debug, PartialEq)]
enum Role {
    Manifest,
    File,
    Facts,
    Output,
    Artifact,
    Other,
}

fn role(page: &Page, fence: &Fence) -> Role {
    match (fence.language(), &fence.orders()[..]) {
        ("kdl", [] | ["fragment"]) => Role::Manifest,
        ("kdl", ["fragment", order] | [order]) if order.starts_with("error=") => Role::Manifest,
        ("json", ["facts"]) => Role::Facts,
        ("json", ["artifact"]) => Role::Artifact,
        ("text", ["output"]) => Role::Output,
        ("text", ["output", order]) if order.starts_with("scenario=") => Role::Output,
        (_, ["story", ..]) => Role::Other,
        ("text", ["sketch" | "elsewhere"]) | ("sh" | "yaml", []) => Role::Other,
        (_, [order]) if order.starts_with("of=") => Role::Other,
        ("bash", ["repository"]) => Role::Other,
        ("python" | "ts", ["app"]) => Role::Other,
        ("bash", ["repository", order]) if order.starts_with("exit=") => Role::Other,
        ("console", []) => Role::Other,
        ("console", [order]) if order.starts_with("exit=") => Role::Other,
        (_, [order]) if order.starts_with("file=") => Role::File,
        _ => panic!("{}: no such fence: {:?}", page.place(fence), fence.info),
    }
}

fn examples(page: &Page) -> Vec<Example<'_>> {
    let mut out: Vec<Example<'_>> = Vec::new();
    for fence in &page.fences {
        let role = role(page, fence);
        if role == Role::Manifest {
            out.push(Example {
                page,
                manifest: fence,
                parts: Vec::new(),
            });
        } else if role != Role::Other {
            let example = out
                .last_mut()
                .filter(|e| e.manifest.section == fence.section);
            let place = page.place(fence);
            let example = example.unwrap_or_else(|| panic!("{place}: belongs to no manifest"));
            example.parts.push(fence);
        }
    }
    out
}

/// The manifest and files of the last example at or above `fence` in its section, put into `place`.
pub(crate) fn lay_out_around(page: &Page, fence: &Fence, place: &Place, folder: &str) {
    let example = examples(page)
        .into_iter()
        .rev()
        .find(|e| e.manifest.section == fence.section && e.manifest.line < fence.line);
    if let Some(example) = example {
        example.lay_out(place, folder);
    }
}

impl Example<'_> {
    fn lay_out(&self, place: &Place, folder: &str) {
        place.file(&format!("{folder}promptc.kdl"), self.whole());
        for part in &self.parts {
            if role(self.page, part) == Role::Facts {
                place.file(&format!("{folder}facts.json"), &part.text);
            } else if let Some(path) = part.order("file") {
                place.file(&format!("{folder}{path}"), &part.text);
            }
        }
    }

    /// The manifest, with what a fragment leaves out.
    fn whole(&self) -> String {
        let text = &self.manifest.text;
        if !self.manifest.orders().contains(&"fragment") {
            assert!(
                text.starts_with("promptc 1\n"),
                "{}: a whole manifest starts with `promptc 1`",
                self.page.place(self.manifest)
            );
            return text.clone();
        }
        let first = text.split_whitespace().next().unwrap_or_default();
        let rest = match first {
            "layer" => format!("tier t {{\n{text}}}\n"),
            word if is_content(word) => format!("tier t {{\nlayer l {{\n{text}}}\n}}\n"),
            _ if text.lines().any(|l| l.starts_with("tier ")) => text.clone(),
            _ => format!("{text}tier t {{ layer l {{ text \"x\" }} }}\n"),
        };
        format!("promptc 1\nroot workspace default=\".\"\n{rest}")
    }

    fn check(&self) -> Result<(), String> {
        let place = Place::new();
        self.lay_out(&place, "");
        let mut args = vec!["build", "--message-format", "json"];
        if place.path().join("facts.json").exists() {
            args.extend(["--facts", "facts.json"]);
        }
        if let Some(code) = self.manifest.order("error") {
            return fails_with(code, &build(&place, &args));
        }
        let mut built = false;
        for part in &self.parts {
            let mut args = args.clone();
            args.extend(part.order("scenario").map(|_| "--scenario"));
            args.extend(part.order("scenario"));
            if role(self.page, part) == Role::Output {
                let shown = part.text.strip_suffix('\n').unwrap_or(&part.text);
                same(shown, succeeded(&build(&place, &args))?)?;
                built = true;
            }
        }
        if !built {
            succeeded(&build(&place, &args))?;
        }
        Ok(())
    }
}

/// Whether a node of this name is content, and nothing else at the top level.
fn is_content(word: &str) -> bool {
    let (every, _) = grammar::top_level();
    let all = grammar::all();
    let is_content = all.iter().any(|row| row.name == word && row.is_content());
    is_content && every.iter().all(|row| row.name != word)
}

fn build(place: &Place, args: &[&str]) -> Ran {
    let mut command = place.command(args);
    command.env("HOME", place.path().join("home"));
    run(command, b"")
}

fn succeeded(ran: &Ran) -> Result<&str, String> {
    match ran.code {
        0 => Ok(ran.stdout()),
        code => Err(format!("exit {code}: {}", ran.stderr)),
    }
}

fn fails_with(code: &str, ran: &Ran) -> Result<(), String> {
    let shown = format!("\"code\":\"{code}\"");
    if (ran.code == 2 || ran.code == 3) && ran.stdout.is_empty() && ran.stderr.contains(&shown) {
        Ok(())
    } else {
        let (code, stderr) = (ran.code, &ran.stderr);
        Err(format!("does not fail so, but with {code}: {stderr}"))
    }
}

fn same(shown: &str, real: &str) -> Result<(), String> {
    if shown == real {
        return Ok(());
    }
    Err(format!("shown:\n{shown}\n--- and really:\n{real}\n---"))
}

#[test]
fn every_example_is_valid() {
    let pages = pages();
    let examples: Vec<Example<'_>> = pages.iter().flat_map(examples).collect();
    let wrong: Vec<String> = examples
        .iter()
        .filter_map(|e| Some((e, e.check().err()?)))
        .map(|(e, problem)| format!("{}: {problem}", e.page.place(e.manifest)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let found = examples.len();
    assert!(found >= FEWEST_EXAMPLES, "only {found} examples were found");
}

#[test]
fn every_filter_matches_the_table() {
    let page = Page::read("docs/templates.md");
    let mut shown = BTreeSet::new();
    let mut wrong = Vec::new();
    for (section, row) in &page.rows {
        if page.heading(*section) != "Filters" {
            continue;
        }
        let [_, _, template, result] = &row[..] else {
            panic!("{row:?}");
        };
        let (Some(template), Some(result)) = (span(template), span(result)) else {
            continue;
        };
        shown.extend(filters_in(&template));
        let place = Place::new();
        let manifest = format!(
            "promptc 1\ntier t {{ layer l {{ trim #false; template ##\"{template}\"## }} }}\n"
        );
        place.file("promptc.kdl", manifest);
        let ran = place.run(&["build"]);
        let result = result.replace('⏎', "\n");
        if let Err(problem) = succeeded(&ran).and_then(|real| same(&result, real)) {
            wrong.push(format!("{template}: {problem}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let without: Vec<&str> = FILTERS
        .iter()
        .copied()
        .filter(|f| !shown.contains(*f))
        .collect();
    assert!(without.is_empty(), "no example of {without:?}");
}

#[test]
fn every_test_function_and_field_is_described() {
    let templates = Page::read("docs/templates.md").prose;
    let words = TESTS.iter().chain(FUNCTIONS).copied();
    let words = words.filter(|w| w.starts_with(char::is_alphabetic));
    let missing: Vec<&str> = words.filter(|w| !names(&templates, w)).collect();
    assert!(missing.is_empty(), "docs/templates.md: {missing:?}");

    let artifact = Page::read("docs/artifact.md").prose;
    let schema = fs::read_to_string(top().join("schema/prompt.schema.json")).unwrap();
    let mut fields = BTreeSet::new();
    collect_words(&serde_json::from_str(&schema).unwrap(), &mut fields);
    assert!(fields.contains("fingerprint") && fields.contains("not-first"));
    fields.retain(|f| !names(&artifact, f));
    assert!(fields.is_empty(), "docs/artifact.md: {fields:?}");
}

/// Whether a code span of `page` begins with `word`.
fn names(page: &str, word: &str) -> bool {
    let behind =
        |rest: &str| rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    page.split(&format!("`{word}")).skip(1).any(behind)
}

/// The names of properties and the words for kinds in a JSON Schema.
fn collect_words(schema: &Value, out: &mut BTreeSet<String>) {
    let below: Vec<&Value> = match schema {
        Value::Array(items) => items.iter().collect(),
        Value::Object(object) => {
            let properties = object.get("properties").and_then(Value::as_object);
            out.extend(properties.into_iter().flat_map(|p| p.keys().cloned()));
            let words = object.get("enum").and_then(Value::as_array);
            let words = words.into_iter().flatten().chain(object.get("const"));
            out.extend(words.filter_map(Value::as_str).map(str::to_owned));
            // The names of properties are no words of the schema's own.
            let other = object.iter().filter(|(key, _)| *key != "properties");
            let properties = properties.into_iter().flat_map(|p| p.values());
            other.map(|(_, value)| value).chain(properties).collect()
        }
        _ => Vec::new(),
    };
    for schema in below {
        collect_words(schema, out);
    }
}

/// The words after each `|`.
fn filters_in(template: &str) -> Vec<String> {
    let word = |t: &str| {
        let name = t.trim_start().chars();
        name.take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    template.split('|').skip(1).map(word).collect()
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    for page in &pages {
        let folder = top().join(&page.path);
        let folder = folder.parent().unwrap();
        for target in page.prose.split("](").skip(1) {
            let target = target.split(')').next().unwrap();
            if target.starts_with("https://") {
                continue;
            }
            let (file, place) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() {
                top().join(&page.path)
            } else {
                folder.join(file)
            };
            assert!(path.exists(), "{}: no {target}", page.path);
            if !place.is_empty() {
                let path = path.strip_prefix(top()).unwrap().to_str().unwrap();
                let there = Page::read(path);
                let found = there.headings.iter().any(|(_, h)| anchor(h) == place);
                assert!(found, "{}: no {target}", page.path);
            }
        }
    }
}
