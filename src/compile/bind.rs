//! Stage 3: `Plan` x `Given` x `World` -> `Bound`. Every fact gets its value, every root its folders; the environment
//! and the clock are read here, once, and nowhere later.

use super::given::Given;
use super::plan::{Fact, Plan};
use super::roots::{self, Folders};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, Reported, suggest};
use crate::expr::{Scope, Values};
use crate::fact::{FactValue, Mismatch};
use crate::manifest::{Lit, Manifest, Program, Scenario};
use crate::source::place::BoundRoot;
use crate::world::World;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The facts and roots of one build.
#[derive(Debug)]
pub struct Bound {
    /// Facts and lets.
    pub(super) values: Arc<Values>,
    /// Typed facts, for `(fact)NAME`.
    pub(super) facts: BTreeMap<String, FactValue>,
    /// Roots by name, built-in ones too.
    pub(super) roots: BTreeMap<String, BoundRoot>,
}

/// Gives every fact its value and every root its folders.
///
/// # Errors
/// When a fact has no value or a wrong one, or a root no folder.
pub fn bind(
    plan: &Plan,
    given: &Given,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Bound, Reported> {
    let mut binder = Binder {
        plan,
        given,
        scenario: scenario(&plan.manifest, given, diags),
        folders: Folders::new(&plan.manifest, given, world),
        world,
        diags,
    };
    binder.check_given_names();
    let files = binder.facts_files();
    let facts = binder.facts(&files);
    binder.diags.check()?;
    let values = binder.values(&facts);
    let roots = binder.roots(&facts);
    diags.check()?;
    Ok(Bound {
        values,
        facts,
        roots,
    })
}

fn scenario<'a>(manifest: &'a Manifest, given: &Given, diags: &mut Diagnostics) -> Option<&'a Scenario> {
    let name = given.scenario.as_ref()?;
    let found = manifest.scenarios.iter().find(|s| s.name.value == *name);
    if found.is_none() {
        let names = || manifest.scenarios.iter().map(|s| s.name.value.as_str());
        let help = match suggest::nearest(name, names()) {
            Some(near) => format!("there is a scenario `{near}`"),
            None if manifest.scenarios.is_empty() => "this manifest declares none".to_owned(),
            None => format!("the scenarios are {}", suggest::list(names())),
        };
        diags.push(Diagnostic::error(codes::UNKNOWN_SCENARIO, format!("there is no scenario `{name}`")).help(help));
    }
    found
}

struct Binder<'a> {
    plan: &'a Plan,
    given: &'a Given,
    scenario: Option<&'a Scenario>,
    folders: Folders<'a>,
    world: &'a dyn World,
    diags: &'a mut Diagnostics,
}

impl Binder<'_> {
    fn unknown_fact(&mut self, name: &str, place: &str) {
        let names = self.plan.facts.iter().map(|f| f.written.name.value.as_str());
        let diagnostic =
            Diagnostic::error(codes::UNKNOWN_FACT, format!("{place} gives `{name}`, and there is no fact of that name"));
        self.diags.push(match suggest::nearest(name, names) {
            Some(near) => diagnostic.help(format!("there is a fact `{near}`")),
            None => diagnostic.help("`promptc schema facts` shows what the manifest takes"),
        });
    }

    fn check_given_names(&mut self) {
        for (name, _) in &self.given.sets {
            if !self.plan.facts.iter().any(|f| f.written.name.value == *name) {
                self.unknown_fact(name, "--set");
            }
        }
        for (name, _) in &self.given.roots {
            let declared = roots::declared(&self.plan.manifest, name);
            if declared.is_none() && name != roots::TEXT {
                let names = self.plan.manifest.roots.iter().map(|r| r.name.value.as_str());
                let diagnostic = Diagnostic::error(
                    codes::UNKNOWN_ROOT,
                    format!("--root gives `{name}`, and there is no root of that name"),
                );
                self.diags.push(match suggest::nearest(name, names) {
                    Some(near) => diagnostic.help(format!("there is a root `{near}`")),
                    None => diagnostic.help("roots are declared in the manifest: root NAME default=\"…\""),
                });
            }
        }
    }

    /// The facts files as objects, later ones last. Their text is never shown: it may be private.
    fn facts_files(&mut self) -> Vec<(String, serde_json::Map<String, Json>)> {
        let mut out = Vec::new();
        for file in &self.given.facts {
            let bytes = file.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&file.bytes);
            match serde_json::from_slice::<Json>(bytes) {
                Ok(Json::Object(object)) => {
                    for name in object.keys() {
                        if !self.plan.facts.iter().any(|f| f.written.name.value == *name) {
                            self.unknown_fact(name, &format!("`{}`", file.name));
                        }
                    }
                    out.push((file.name.clone(), object));
                }
                Ok(_) => {
                    self.diags.push(
                        Diagnostic::error(codes::FACTS_NOT_JSON, format!("`{}` is not a JSON object", file.name))
                            .help("write one object whose keys are fact names: {\"platform\": \"cli\"}"),
                    );
                }
                Err(e) => {
                    self.diags.push(
                        Diagnostic::error(
                            codes::FACTS_NOT_JSON,
                            format!("`{}` is not JSON (line {}, column {})", file.name, e.line(), e.column()),
                        )
                        .help("the content is not shown, since it may be private"),
                    );
                }
            }
        }
        out
    }

    fn facts(&mut self, files: &[(String, serde_json::Map<String, Json>)]) -> BTreeMap<String, FactValue> {
        let plan = self.plan;
        let mut out = BTreeMap::new();
        for fact in &plan.facts {
            let name = &fact.written.name.value;
            match self.fact(fact, files) {
                Ok(Some(value)) => {
                    out.insert(name.clone(), value);
                }
                Ok(None) if fact.written.optional => {}
                Ok(None) => {
                    self.diags.push(missing(fact));
                }
                Err(diagnostic) => {
                    self.diags.push(*diagnostic);
                }
            }
        }
        out
    }

    /// The value of one fact, by precedence.
    fn fact(
        &self,
        fact: &Fact,
        files: &[(String, serde_json::Map<String, Json>)],
    ) -> Result<Option<FactValue>, Box<Diagnostic>> {
        let written = &fact.written;
        let (name, kind) = (&written.name.value, written.kind.value);
        let typed = |value: Result<Option<FactValue>, Mismatch>, place: &str| self.typed(fact, value, place);
        for (_, text) in self.given.sets.iter().rev().filter(|(n, _)| n == name) {
            let value = FactValue::from_text(kind, text).map(Some);
            if let Some(value) = typed(value, "--set")? {
                return Ok(Some(value));
            }
        }
        for (file, object) in files.iter().rev() {
            let Some(json) = object.get(name) else { continue };
            if let Some(value) = typed(FactValue::from_json(kind, json), &format!("`{file}`"))? {
                return Ok(Some(value));
            }
        }
        let scenario = self.scenario.and_then(|s| s.sets.iter().find(|(n, _)| n.value == *name));
        if let Some((_, value)) = scenario {
            // The plan has typed every scenario.
            if let Ok(Some(value)) = FactValue::from_written(kind, value) {
                return Ok(Some(value));
            }
        }
        match self.ambient(fact)? {
            Some(value) => Ok(Some(value)),
            None => Ok(fact.default.clone()),
        }
    }

    /// From the environment or the clock.
    fn ambient(&self, fact: &Fact) -> Result<Option<FactValue>, Box<Diagnostic>> {
        let written = &fact.written;
        let kind = written.kind.value;
        if let Some(variable) = &written.env {
            if let Some(value) = self.folders.env(&variable.value) {
                let place = format!("the environment variable {}", variable.value);
                let Some(text) = value.to_str() else {
                    return Err(Box::new(
                        Diagnostic::error(codes::WRONG_FACT_TYPE, format!("{place} is not UTF-8")).at(variable.span),
                    ));
                };
                return self.typed(fact, FactValue::from_text(kind, text).map(Some), &place);
            }
        }
        if let Some(variable) = &written.env_set {
            return Ok(Some(FactValue::Bool(self.folders.env(&variable.value).is_some())));
        }
        if let Some(zone) = &written.clock {
            if let Some(now) = self.now()? {
                // The plan has checked the zone.
                return Ok(FactValue::from_clock(kind, now, &zone.value).ok());
            }
        }
        Ok(None)
    }

    /// Seconds since 1970: `--now`, else (outside a scenario) `SOURCE_DATE_EPOCH`, else the clock.
    fn now(&self) -> Result<Option<i64>, Box<Diagnostic>> {
        let invalid = |place: &str, help: &str| {
            Box::new(
                Diagnostic::error(codes::INVALID_TIME, format!("{place} is not a point in time")).help(help.to_owned()),
            )
        };
        if let Some(now) = &self.given.now {
            return match now.parse::<jiff::Timestamp>() {
                Ok(time) => Ok(Some(time.as_second())),
                Err(_) => Err(invalid("--now", "write RFC 3339, such as 2026-03-30T09:00:00Z")),
            };
        }
        if self.scenario.is_some() {
            return Ok(None);
        }
        match self.world.env("SOURCE_DATE_EPOCH") {
            Some(value) => match value.to_str().and_then(|v| v.parse().ok()) {
                Some(seconds) if jiff::Timestamp::from_second(seconds).is_ok() => Ok(Some(seconds)),
                _ => Err(invalid("SOURCE_DATE_EPOCH", "write whole seconds since 1970-01-01")),
            },
            None => Ok(Some(self.world.now())),
        }
    }

    fn typed(
        &self,
        fact: &Fact,
        value: Result<Option<FactValue>, Mismatch>,
        place: &str,
    ) -> Result<Option<FactValue>, Box<Diagnostic>> {
        let name = &fact.written.name.value;
        match value {
            Ok(Some(value)) if !super::plan::allows(&fact.written, &value) => {
                let allowed: Vec<String> = fact.written.one_of.iter().map(|v| plain(&v.value)).collect();
                Err(Box::new(
                    Diagnostic::error(
                        codes::NOT_ONE_OF,
                        format!("the value that {place} gives for `{name}` is not one of those that it allows"),
                    )
                    .at(fact.written.span)
                    .help(format!(
                        "`{name}` is one of {}",
                        suggest::list(allowed.iter().map(String::as_str))
                    )),
                ))
            }
            Ok(value) => Ok(value),
            Err(mismatch) => Err(Box::new(
                Diagnostic::error(
                    codes::WRONG_FACT_TYPE,
                    format!("the value that {place} gives for `{name}` is not {}", mismatch.expected),
                )
                .at(fact.written.kind.span)
                .label("declared here"),
            )),
        }
    }

    /// Facts and lets as templates see them.
    fn values(&mut self, facts: &BTreeMap<String, FactValue>) -> Arc<Values> {
        let mut values = Arc::new(Values::default());
        for fact in &self.plan.facts {
            let name = &fact.written.name.value;
            Arc::make_mut(&mut values).insert_fact(name.as_str(), facts.get(name), fact.written.private);
        }
        for item in &self.plan.manifest.lets {
            let name = &item.name.value;
            // The scope is gone before the value is added, so that nothing is copied.
            let answer = self.plan.engine.evaluate(&item.expression.text, &Scope::new(values.clone()));
            match answer {
                Ok(answer) => {
                    let facts = self.plan.lets.get(name).cloned().unwrap_or_default();
                    Arc::make_mut(&mut values).insert_let(name.as_str(), answer.value, facts);
                }
                Err(failure) => {
                    self.diags
                        .push(failure.diagnostic(&Program::Inline(item.expression.clone())));
                }
            }
        }
        values
    }

    fn roots(&mut self, facts: &BTreeMap<String, FactValue>) -> BTreeMap<String, BoundRoot> {
        let manifest = &self.plan.manifest;
        let mut out = BTreeMap::new();
        for name in super::plan::root_names(manifest) {
            let declared = roots::declared(manifest, name);
            match self.folders.of(name) {
                Ok(folders) => {
                    let shown = declared.and_then(|r| r.shown.as_ref()).and_then(|lit| match lit {
                        Lit::Value(v) => Some(v.value.as_str().into()),
                        Lit::Fact(fact) => facts.get(&fact.value).and_then(FactValue::printed),
                    });
                    out.insert(
                        name.to_owned(),
                        BoundRoot {
                            name: name.into(),
                            folders: roots::bound(name, folders, declared.is_some_and(|r| r.follow_links)),
                            overlaid: name == roots::TEXT,
                            shown,
                        },
                    );
                }
                Err(diagnostic) => {
                    self.diags.push(diagnostic);
                }
            }
        }
        out
    }
}

fn missing(fact: &Fact) -> Diagnostic {
    let name = &fact.written.name.value;
    let mut ways = vec![format!("--set {name}=…"), "--facts FILE".to_owned()];
    if let Some(variable) = &fact.written.env {
        ways.push(format!("the environment variable {}", variable.value));
    }
    Diagnostic::error(codes::MISSING_FACT, format!("the fact `{name}` has no value"))
        .at(fact.written.name.span)
        .help(format!(
            "give it with {}; or declare a default, or optional=#true",
            ways.join(", ")
        ))
}

fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
