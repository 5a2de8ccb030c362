//! The value of every fact: what was given, by precedence, and the environment and the clock.

use super::Binder;
use crate::compile::plan::{self, Fact, Plan, Roots};
use crate::compile::roots;
use crate::diagnostic::{self as codes, Diagnostic, suggest};
use crate::manifest::{self, FactType, locked};
use crate::template::fact::{self, FactValue, Mismatch};
use crate::text::value::{Json, Unreadable};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The sources of a fact's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// The caller.
    Call,
    /// The caller earlier in the session, or the environment.
    Told,
    /// The manifest; or the clock, which it names.
    Written,
}

/// The names of all facts, to be looked up: a facts file can hold thousands.
fn names(plan: &Plan) -> BTreeSet<&str> {
    let facts = plan.facts();
    facts.map(|f| f.written.name.value.as_str()).collect()
}

impl<'a> Binder<'a> {
    fn unknown_fact(&mut self, name: &str, place: &str) {
        if self.given.lenient {
            return self.later("fact", name, place);
        }
        let plan = self.plan;
        let diagnostic = Diagnostic::error(
            codes::UNKNOWN_FACT,
            format!("{place} gives `{name}`, and there is no fact of that name"),
        );
        self.diags.push_with(diagnostic, |diagnostic| {
            let names = plan.facts().map(|f| f.written.name.value.as_str());
            match suggest::nearest(name, names) {
                Some(near) => diagnostic.help(format!("there is a fact `{near}`")),
                None => diagnostic.help("`promptc schema facts` shows what the manifest takes"),
            }
        });
    }

    /// Reports what is left out and is no layer.
    fn check_left_out(&mut self) {
        let tiers = &self.plan.tiers;
        let layers = || tiers.iter().flat_map(|tier| &tier.layers);
        let names: BTreeSet<&str> = layers().map(|layer| &*layer.name).collect();
        let unknown = self.given.without.iter();
        for name in unknown.filter(|name| !names.contains(name.as_str())) {
            let message = format!("--without gives `{name}`, and there is no layer of that name");
            let found = Diagnostic::error(codes::UNKNOWN_LAYER, message);
            let known = layers().map(|layer| &*layer.name);
            self.diags
                .push(match suggest::nearest(name, known.clone()) {
                    Some(near) => found.help(format!("there is a layer `{near}`")),
                    None => found.help(format!("the layers are {}", suggest::list(known))),
                });
        }
    }

    /// Inputs that have no effect on a frozen prompt, and may have one when it is rebuilt.
    fn later(&mut self, what: &str, name: &str, place: &str) {
        let message = format!(
            "{place} gives `{name}`, and the session was frozen without a {what} of that name"
        );
        let found = Diagnostic::warning(codes::NOT_FROZEN, message);
        self.diags.push(found.help(
            "it is ignored; if the manifest has it now, it takes effect at the next refresh",
        ));
    }

    pub(super) fn check_given_names(&mut self) {
        let known = names(self.plan);
        for (name, _) in &self.given.sets {
            if !known.contains(name.as_str()) {
                self.unknown_fact(name, "--set");
            }
        }
        self.check_left_out();
        let locks = Roots::new(&self.plan.manifest);
        for (at, (name, _)) in self.given.roots.iter().enumerate() {
            let declared = roots::declared(&self.plan.manifest, name);
            let again = self.given.roots[..at].iter().any(|(n, _)| n == name);
            if let Some(root) = declared.filter(|r| again && !r.is_many() && name != roots::TEXT) {
                let message = format!("--root gives `{name}` several folders, and it takes one");
                let found = Diagnostic::error(codes::ROOT_GIVEN_TWICE, message)
                    .at(root.name.span)
                    .help("give it once, or declare the root many=#true");
                self.diags.push(found);
            }
            let lock = declared.and_then(|_| locks.lock(name));
            if let Some((root, lock)) = declared.zip(lock) {
                let message = format!("--root gives `{name}`, and that root is locked");
                let found = locked(message, root.name.span, lock);
                self.diags.push(found.help("leave it out"));
            }
            if declared.is_none() && name != roots::TEXT && self.given.lenient {
                self.later("root", name, "--root");
            } else if declared.is_none() && name != roots::TEXT {
                let names = self
                    .plan
                    .manifest
                    .roots
                    .iter()
                    .map(|r| r.name.value.as_str());
                let diagnostic = Diagnostic::error(
                    codes::UNKNOWN_ROOT,
                    format!("--root gives `{name}`, and there is no root of that name"),
                );
                self.diags.push(match suggest::nearest(name, names) {
                    Some(near) => diagnostic.help(format!("there is a root `{near}`")),
                    None => diagnostic
                        .help("roots are declared in the manifest: root NAME default=\"…\""),
                });
            }
        }
    }

    /// The inputs for facts that are not needed, as far as they can be checked alone: `--set`, which takes precedence
    /// over everything, and `--now`.
    pub(super) fn check_others(&mut self) {
        let (plan, needs) = (self.plan, self.needs);
        let others = plan.facts();
        for fact in others.filter(|fact| !needs.fact(&fact.written.name.value)) {
            let name = &fact.written.name.value;
            let Some(text) = self.sets.get(name.as_str()).and_then(|all| all.first()) else {
                continue;
            };
            let value = FactValue::from_text(fact.written.kind.value, text).map(Some);
            if let Err(diagnostic) = self.typed_set(&fact, text, value) {
                self.diags.push(*diagnostic);
            }
        }
        if self.given.now.is_some()
            && let Err(diagnostic) = self.now()
        {
            self.diags.push(*diagnostic);
        }
    }

    /// The facts files as objects, later ones last. Their text is never shown: it may be private.
    pub(super) fn facts_files(&mut self) -> Vec<(&'a str, &'a Json)> {
        let mut out = Vec::new();
        let known = names(self.plan);
        let given = self.given;
        for file in &given.facts {
            match file.read.as_ref() {
                Err(Unreadable::Twice) => {
                    let message = format!("`{}` has a key twice in one object", file.name);
                    let found = Diagnostic::error(codes::FACTS_NOT_JSON, message);
                    let help = "remove one of them; the key is not shown, since it may be private";
                    self.diags.push(found.help(help));
                }
                Ok(facts @ Json::Object(members)) => {
                    for (name, _) in &**members {
                        if !known.contains(&**name) {
                            self.unknown_fact(name, &format!("`{}`", file.name));
                        }
                    }
                    out.push((&*file.name, facts));
                }
                Ok(_) => {
                    self.diags.push(
                        Diagnostic::error(
                            codes::FACTS_NOT_JSON,
                            format!("`{}` is not a JSON object", file.name),
                        )
                        .help(
                            "write one object whose keys are fact names: {\"platform\": \"cli\"}",
                        ),
                    );
                }
                Err(place) => {
                    self.diags.push(
                        Diagnostic::error(
                            codes::FACTS_NOT_JSON,
                            format!("`{}` is not JSON ({place})", file.name),
                        )
                        .help("write one object whose keys are fact names, {} for none; the content is not shown, since it may be private"),
                    );
                }
            }
        }
        out
    }

    /// The value of each fact that has one, and the names of those that the caller, a session or the environment gave.
    pub(super) fn facts(
        &mut self,
        files: &[(&str, &Json)],
    ) -> (BTreeMap<String, FactValue>, BTreeMap<String, From>) {
        let plan = self.plan;
        let mut out = BTreeMap::new();
        let mut reported = BTreeMap::new();
        // A facts file that cannot be read may hold any of them.
        let unread = [codes::FACTS_NOT_JSON, codes::FACTS_NOT_FOUND];
        let unread = self.diags.iter().any(|d| unread.contains(&d.code));
        for fact in plan.facts() {
            let name = &fact.written.name.value;
            if !self.needs.fact(name) {
                continue;
            }
            match self.fact(&fact, files) {
                Ok(Some((value, from))) => {
                    let value = match &fact.written.clock {
                        Some(zone) => value.in_zone(&zone.value),
                        None => value,
                    };
                    out.insert(name.clone(), value);
                    if from != From::Written {
                        reported.insert(name.clone(), from);
                    }
                }
                Ok(None) if fact.written.is_optional() || unread => {}
                Ok(None) if !self.needs.must_be_there() => {}
                Ok(None) => {
                    self.diags.push(missing(&fact, self.scenario));
                }
                Err(diagnostic) => {
                    self.diags.push(*diagnostic);
                }
            }
        }
        (out, reported)
    }

    /// The value of one fact, by precedence. Null in a facts file means no value, and stops a remembered value.
    fn fact(
        &self,
        fact: &Fact<'_>,
        files: &[(&str, &Json)],
    ) -> Result<Option<(FactValue, From)>, Box<Diagnostic>> {
        let written = &fact.written;
        let (name, kind) = (&written.name.value, written.kind.value);
        let typed = |value: Result<Option<FactValue>, Mismatch>, place: &str| {
            self.typed(fact, value, place)
        };
        if let Some(fixed) = &self.given.fixed {
            let value = fixed.facts.get(name).map(|json| {
                let value = FactValue::from_json(kind, json);
                typed(value, "the record")
            });
            let value = value.transpose()?.flatten();
            return Ok(value.map(|value| (value, From::Written)));
        }
        for text in self.sets.get(name.as_str()).into_iter().flatten() {
            let value = FactValue::from_text(kind, text).map(Some);
            if let Some(value) = self.typed_set(fact, text, value)? {
                return Ok(Some((value, From::Call)));
            }
        }
        let mut given_up = false;
        for (file, facts) in files.iter().rev() {
            let Some(json) = facts.get_sorted(name) else {
                continue;
            };
            if let Some(value) = typed(FactValue::from_json(kind, json), &format!("`{file}`"))? {
                return Ok(Some((value, From::Call)));
            }
            given_up = true;
        }
        let remembered = self.remembered(fact).filter(|_| !given_up);
        if self.given.reminded
            && let Some(value) = remembered.clone()
        {
            return Ok(Some((value, From::Told)));
        }
        // A scenario that is remembered does not say who calls.
        let set = self.scenario_sets.get(name.as_str());
        if let Some(value) = set.filter(|_| !self.given.reminded || !self.says_who(name)) {
            // The scenario was checked.
            if let Ok(Some(value)) = FactValue::from_written(kind, value) {
                return Ok(Some((value, From::Written)));
            }
        }
        if let Some(value) = self.ambient(fact)? {
            let from = match written.env {
                Some(_) => From::Told,
                None => From::Written,
            };
            return Ok(Some((value, from)));
        }
        if let Some(value) = remembered {
            return Ok(Some((value, From::Told)));
        }
        Ok(fact.default.cloned().map(|value| (value, From::Written)))
    }

    /// Whether a fact says who the session is, by the manifest or by what the session was built from.
    fn says_who(&self, name: &str) -> bool {
        self.plan.says_who(name) || self.given.who.contains(name)
    }

    /// The values that a session remembers. One that the manifest no longer accepts is forgotten.
    fn remembered(&self, fact: &Fact<'_>) -> Option<FactValue> {
        let (written, given) = (&fact.written, self.given);
        // A caller identifies the session at each call.
        if self.says_who(&written.name.value) {
            return None;
        }
        let json = given.remembered.get(&written.name.value)?;
        let value = FactValue::from_json(written.kind.value, json).ok()??;
        plan::allows(written, &value).then_some(value)
    }

    /// From the environment or the clock.
    fn ambient(&self, fact: &Fact<'_>) -> Result<Option<FactValue>, Box<Diagnostic>> {
        let written = &fact.written;
        let kind = written.kind.value;
        self.refuse_ambient(written)?;
        if let Some(variable) = &written.env
            && let Some(value) = self.folders.env(&variable.value)
        {
            let place = format!("the environment variable {}", variable.value);
            let Some(text) = value.to_str() else {
                return Err(Box::new(
                    Diagnostic::error(codes::WRONG_FACT_TYPE, format!("{place} is not UTF-8"))
                        .at(variable.span),
                ));
            };
            return self.typed(fact, FactValue::from_text(kind, text).map(Some), &place);
        }
        if let Some(variable) = &written.env_set {
            return Ok(Some(FactValue::Bool(
                self.folders.env(&variable.value).is_some(),
            )));
        }
        if let Some(zone) = &written.clock
            && let Some(now) = self.now()?
        {
            // The plan has checked the zone.
            return Ok(FactValue::from_clock(kind, now, &zone.value).ok());
        }
        Ok(None)
    }

    /// With `--hermetic` a fact has its value from elsewhere. The values of a scenario do not come from the
    /// environment.
    fn refuse_ambient(&self, fact: &manifest::Fact) -> Result<(), Box<Diagnostic>> {
        if !self.given.hermetic || self.scenario.is_some() {
            return Ok(());
        }
        let name = &fact.name.value;
        let set = format!("give it with --set {name}=… or --facts FILE");
        let (at, place, help) = if let Some(variable) = fact.env.as_ref().or(fact.env_set.as_ref())
        {
            let place = format!("from the environment variable {}", variable.value);
            (variable.span, place, set)
        } else if let Some(zone) = fact.clock.as_ref().filter(|_| self.given.now.is_none()) {
            let now = "give the time with --now TIME, or the fact with";
            let help = format!("{now} --set {name}=…");
            (zone.span, "from the clock".to_owned(), help)
        } else {
            return Ok(());
        };
        let message = format!("the fact `{name}` would be read {place}, which --hermetic forbids");
        let found = Diagnostic::error(codes::NOT_HERMETIC, message);
        Err(Box::new(found.at(at).help(help)))
    }

    /// Seconds since 1970: `--now`, else (outside a scenario) `SOURCE_DATE_EPOCH`, else the clock.
    fn now(&self) -> Result<Option<i64>, Box<Diagnostic>> {
        if let Some(now) = &self.given.now {
            return fact::now(now).map(Some);
        }
        if self.scenario.is_some() {
            return Ok(None);
        }
        match self.world.env("SOURCE_DATE_EPOCH") {
            Some(value) => match value.to_str().and_then(|v| v.parse().ok()) {
                Some(seconds) if jiff::Timestamp::from_second(seconds).is_ok() => Ok(Some(seconds)),
                _ => {
                    let message = "SOURCE_DATE_EPOCH is not a point in time";
                    let found = Diagnostic::error(codes::INVALID_TIME, message);
                    Err(Box::new(found.help("write whole seconds since 1970-01-01")))
                }
            },
            None => Ok(Some(self.world.now())),
        }
    }

    /// The value of a `--set`, as it was written.
    fn typed_set(
        &self,
        fact: &Fact<'_>,
        text: &str,
        value: Result<Option<FactValue>, Mismatch>,
    ) -> Result<Option<FactValue>, Box<Diagnostic>> {
        let kind = fact.written.kind.value;
        let is_json = matches!(kind, FactType::List | FactType::Map);
        if is_json
            && value.is_err()
            && matches!(Json::read_fact(text.as_bytes()), Err(Unreadable::Twice))
        {
            let name = &fact.written.name.value;
            let message =
                format!("the value that --set gives for `{name}` has a key twice in one object");
            let help = "remove one of them; the key is not shown, since it may be private";
            let found = Diagnostic::error(codes::INVALID_SET, message).help(help);
            return Err(Box::new(found));
        }
        self.typed(fact, value, "--set")
    }

    fn typed(
        &self,
        fact: &Fact<'_>,
        value: Result<Option<FactValue>, Mismatch>,
        place: &str,
    ) -> Result<Option<FactValue>, Box<Diagnostic>> {
        let name = &fact.written.name.value;
        match value {
            Ok(Some(value)) if !plan::allows(fact.written, &value) => {
                let allowed: Vec<String> = fact
                    .written
                    .one_of
                    .iter()
                    .map(|v| plain(&v.value))
                    .collect();
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
                    format!(
                        "the value that {place} gives for `{name}` is not {}",
                        mismatch.expected
                    ),
                )
                .at(fact.written.kind.span)
                .label("declared here"),
            )),
        }
    }
}

fn missing(fact: &Fact<'_>, scenario: Option<&manifest::Scenario>) -> Diagnostic {
    let name = &fact.written.name.value;
    // First in the scenario, which is all that `promptc test` builds from.
    let in_scenario =
        scenario.map(|s| format!("`set {name} …` in the scenario `{}`", s.name.value));
    let mut ways: Vec<String> = in_scenario.into_iter().collect();
    ways.extend([format!("--set {name}=…"), "--facts FILE".to_owned()]);
    if let Some(variable) = &fact.written.env {
        ways.push(format!("the environment variable {}", variable.value));
    }
    Diagnostic::error(
        codes::MISSING_FACT,
        format!("the fact `{name}` has no value"),
    )
    .at(fact.written.name.span)
    .help(format!(
        "give it with {}; or declare a default, or optional=#true",
        ways.join(", ")
    ))
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
