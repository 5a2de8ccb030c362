//! Stage 3: `Plan` x `GivenInputs` x `World` -> `ResolvedInputs`. Every fact gets its value, every root its folders; the environment
//! and the clock are read here, once, and nowhere later.

mod facts;

use self::facts::From;
use crate::compile::frozen::Frozen;
use crate::compile::given::GivenInputs;
use crate::compile::plan::{self, Needs, Plan};
use crate::compile::roots::{self, Folders, RootOrigin};
use crate::compile::unusable::unusable;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest::{Lit, Manifest, Program, Root, Scenario, Written};
use crate::prompt::{Changes, FactOrigin};
use crate::source::place::{BoundRoot, RootFolder};
use crate::template::fact::FactValue;
use crate::template::{Scope, Slot, ValueKind, Values};
use crate::text::Json;
use crate::text::document::Document;
use crate::text::tokens::Tokenizer;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The facts and roots of one build.
#[derive(Debug)]
pub struct ResolvedInputs {
    /// Facts and lets.
    pub(in crate::compile) values: Arc<Values>,
    /// Typed facts, for `(fact)NAME`.
    pub(in crate::compile) facts: BTreeMap<String, FactValue>,
    /// Roots by name, built-in ones too; `manifest` for each use that looks in other folders, too.
    pub(in crate::compile) roots: BTreeMap<String, BoundRoot>,
    /// Who named the folders of these roots, where the manifest did not.
    pub(in crate::compile) root_origins: BTreeMap<String, RootOrigin>,
    /// The tokenizer, if tokens are counted.
    pub(in crate::compile) tokenizer: Option<Tokenizer>,
    /// The layers that the caller leaves out.
    pub(in crate::compile) without: BTreeSet<String>,
    /// The tiers that are not rebuilt.
    pub(in crate::compile) front: Option<Arc<Frozen>>,
    /// The folders of roots that the manifest alone does not place.
    pub(in crate::compile) outside: Vec<(String, PathBuf)>,
    /// The facts that the caller or the environment gave, and which of them.
    reported: BTreeMap<String, From>,
}

/// Gives the facts that are needed their values and the roots their folders, then computes lets.
///
/// The inputs are checked even if they are not needed: unknown names, a missing scenario or an invalid time, a `--set`
/// of another type.
///
/// # Errors
/// When what is given has no meaning, a fact that is needed has no value or a wrong one, or a root no folder.
pub fn bind(
    plan: &Plan,
    given: &GivenInputs,
    world: &dyn World,
    needs: &Needs,
    diags: &mut Diagnostics,
) -> Result<ResolvedInputs, ErrorReported> {
    let mut binder = Binder::new(plan, given, world, needs, diags)?;
    binder.check_given_names();
    let files = binder.facts_files();
    let (facts, reported) = binder.facts(&files);
    binder.check_others();
    let roots = binder.roots();
    let names = roots.keys();
    let root_origins = names.filter_map(|name| Some((name.clone(), binder.folders.origin(name)?)));
    let root_origins = root_origins.collect();
    let outside = binder.outside();
    binder.diags.check()?;
    let values = binder.values(&facts);
    diags.check()?;
    let mut bound = ResolvedInputs {
        values,
        facts,
        roots,
        root_origins,
        tokenizer: given.tokenizer.or_else(|| plan.tokenizer()),
        without: given.without.iter().cloned().collect(),
        front: None,
        outside,
        reported,
    };
    bound.show_roots(plan, diags)?;
    Ok(bound)
}

/// Reports the errors of `given` that no additional facts file can fix: missing facts may still be added.
///
/// # Errors
/// As [`bind`], but for facts that have no value.
pub fn check_given(
    plan: &Plan,
    given: &GivenInputs,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    let roots_alone = Needs::named(Some(BTreeSet::new()), None).or_null();
    bind(plan, given, world, &roots_alone, diags).map(|_| ())
}

/// Reports the errors of `given` alone: no fact needs a value, and no root a folder.
///
/// # Errors
/// When a name is given that nothing has, a scenario or time that there is not, or a `--set` of another type.
pub fn check_names(
    plan: &Plan,
    given: &GivenInputs,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    let nothing = Needs::named(Some(BTreeSet::new()), Some(BTreeSet::new())).or_null();
    bind(plan, given, world, &nothing, diags).map(|_| ())
}

impl ResolvedInputs {
    /// A root as it is bound for each of its uses.
    pub(in crate::compile) fn bound_as<'s>(
        &'s self,
        name: &'s str,
    ) -> impl Iterator<Item = &'s BoundRoot> {
        let roots = self.roots.values();
        roots.filter(move |root| *root.name == *name)
    }

    /// The folder that a document was found in.
    pub(in crate::compile) fn folder_of<'s>(
        &'s self,
        document: &'s Document,
    ) -> Option<&'s RootFolder> {
        let mut uses = self.bound_as(&document.root);
        uses.find_map(|root| {
            let folder = root.folders.get(document.root_index);
            folder.filter(|folder| folder.is_somewhere())
        })
    }

    /// The value of a fact or let; `None` if it is missing.
    pub(in crate::compile) fn value(&self, name: &str) -> Option<FactValue> {
        match self.facts.get(name) {
            Some(value) => Some(value.clone()),
            None => self.values.get(name).and_then(computed),
        }
    }

    /// Facts that a session remembers: the caller or the environment gave them, and they are neither private nor of one turn,
    /// nor do they say who the session is.
    pub(in crate::compile) fn remembered(&self, plan: &Plan) -> BTreeMap<String, Json> {
        let kept = plan.facts().filter(|fact| {
            let changes = fact.written.changes.as_ref().map(|c| c.value);
            !fact.written.is_private()
                && !plan.says_who(&fact.written.name.value)
                && changes != Some(Changes::Turn)
                && self.reported.contains_key(&fact.written.name.value)
        });
        let names = kept.map(|fact| fact.written.name.value.clone());
        names
            .filter_map(|name| Some((name.clone(), self.facts.get(&name)?.to_json())))
            .collect()
    }

    /// The facts among `names` to which the call itself gives a value.
    pub(in crate::compile) fn called(&self, names: &[String]) -> BTreeSet<String> {
        let called = names
            .iter()
            .filter(|name| self.reported.get(*name) == Some(&From::Call));
        called.cloned().collect()
    }

    /// What gave a fact its value.
    pub(in crate::compile) fn origin(&self, name: &str) -> FactOrigin {
        match self.reported.get(name) {
            Some(From::Call) => FactOrigin::Call,
            Some(From::Told) => FactOrigin::Environment,
            Some(From::Written) | None => FactOrigin::Manifest,
        }
    }

    /// The private facts that have a value which no default gives.
    pub(in crate::compile) fn private(&self, plan: &Plan) -> Vec<String> {
        let private = plan.facts().filter(|f| f.written.is_private());
        let names = private.map(|fact| fact.written.name.value.clone());
        names
            .filter(|name| self.reported.contains_key(name))
            .collect()
    }

    /// The values of facts, as JSON; null if missing.
    pub(in crate::compile) fn watched(&self, names: &[String]) -> BTreeMap<String, Json> {
        let value = |name: &String| self.facts.get(name).map_or(Json::Null, FactValue::to_json);
        names
            .iter()
            .map(|name| (name.clone(), value(name)))
            .collect()
    }

    /// `as=` of every root: how its paths are written. It may be a let, so it comes last.
    fn show_roots(&mut self, plan: &Plan, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
        for root in &plan.manifest.roots {
            if !self.roots.contains_key(&root.name.value) {
                continue;
            }
            let shown = match &root.shown {
                None => None,
                Some(Lit::Value(text)) => Some(text.value.as_str().into()),
                Some(Lit::Fact(name)) => match self.value(&name.value).map(|v| v.printed()) {
                    None => None,
                    Some(Some(text)) => Some(text),
                    Some(None) => {
                        diags.push(unusable(&name.value, name.span, "a string, number or date"));
                        None
                    }
                },
            };
            if let Some(bound) = self.roots.get_mut(&root.name.value) {
                bound.shown = shown;
            }
        }
        diags.check()
    }
}

/// The value of a let, as a fact would hold it; `none` is missing, as null is.
fn computed(slot: &Slot) -> Option<FactValue> {
    let value = slot.value();
    if let Some(text) = slot.printed() {
        return Some(FactValue::String(text.clone()));
    }
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => None,
        ValueKind::Bool => Some(FactValue::Bool(value.is_true())),
        ValueKind::Number if value.is_integer() => {
            i64::try_from(value.clone()).ok().map(FactValue::Int)
        }
        ValueKind::Number => f64::try_from(value.clone()).ok().map(FactValue::Float),
        ValueKind::Seq | ValueKind::Iterable => {
            let items = value.try_iter().ok()?;
            let items = items.map(|item| item.as_str().map_or(Json::Null, Json::from));
            Some(FactValue::List(Json::list(items)))
        }
        // Its keys and values are not looked at: where a literal is expected no map fits.
        _ => Some(FactValue::Map(Json::object([]))),
    }
}

fn scenario<'a>(
    manifest: &'a Manifest,
    given: &GivenInputs,
    diags: &mut Diagnostics,
) -> Result<Option<&'a Scenario>, ErrorReported> {
    let Some(name) = &given.scenario else {
        return Ok(None);
    };
    if let Some(found) = manifest.scenarios.iter().find(|s| s.name.value == *name) {
        // The plan has checked those that the manifest itself writes.
        if !manifest.is_own(found.span.file) {
            let reported = diags.iter().len();
            let roots = plan::Roots::new(manifest);
            plan::check_scenarios(manifest, std::iter::once(found), &roots, diags);
            if diags.iter().len() > reported {
                diags.check()?;
            }
        }
        return Ok(Some(found));
    }
    let names = || manifest.scenarios.iter().map(|s| s.name.value.as_str());
    let mut layers = manifest.tiers.iter().flat_map(|tier| &tier.layers);
    let help = match suggest::nearest(name, names()) {
        _ if layers.any(|layer| layer.name.value == *name) => {
            format!("`{name}` is a layer: `promptc explain {name}` shows it")
        }
        Some(near) => format!("there is a scenario `{near}`"),
        None if manifest.scenarios.is_empty() => {
            "this manifest declares none: leave `--scenario` out, or declare `scenario NAME { set FACT VALUE }`".to_owned()
        }
        None if name == "default" => format!(
            "leave `--scenario` out to build the manifest by its defaults; the scenarios are {}",
            suggest::list(names())
        ),
        None => format!("the scenarios are {}", suggest::list(names())),
    };
    let message = format!("there is no scenario `{name}`");
    Err(diags.push(Diagnostic::error(codes::UNKNOWN_SCENARIO, message).help(help)))
}

struct Binder<'a> {
    plan: &'a Plan,
    given: &'a GivenInputs,
    needs: &'a Needs,
    scenario: Option<&'a Scenario>,
    /// The values of `--set`, by name; of several values the last comes first.
    sets: BTreeMap<&'a str, Vec<&'a str>>,
    /// The values of the scenario.
    scenario_sets: BTreeMap<&'a str, &'a Written>,
    folders: Folders<'a>,
    world: &'a dyn World,
    diags: &'a mut Diagnostics,
}

impl<'a> Binder<'a> {
    fn new(
        plan: &'a Plan,
        given: &'a GivenInputs,
        world: &'a dyn World,
        needs: &'a Needs,
        diags: &'a mut Diagnostics,
    ) -> Result<Self, ErrorReported> {
        let scenario = scenario(&plan.manifest, given, diags)?;
        let mut sets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, text) in given.sets.iter().rev() {
            sets.entry(name).or_default().push(text);
        }
        let written = scenario.iter().flat_map(|s| s.sets.iter().rev());
        Ok(Self {
            plan,
            given,
            needs,
            scenario,
            sets,
            scenario_sets: written.map(|(n, v)| (n.value.as_str(), v)).collect(),
            folders: Folders::new(&plan.manifest, given, world),
            world,
            diags,
        })
    }
}

impl Binder<'_> {
    /// Facts and lets as templates see them.
    fn values(&mut self, facts: &BTreeMap<String, FactValue>) -> Arc<Values> {
        let mut values = Arc::new(Values::default());
        for fact in self.plan.facts() {
            let name = &fact.written.name.value;
            Arc::make_mut(&mut values).insert_fact(
                name.as_str(),
                facts.get(name),
                fact.written.is_private(),
            );
        }
        let computed = self.needs.computed(self.plan);
        let lets = self.plan.manifest.lets.iter();
        let lets = lets.filter(|item| computed.contains(item.name.value.as_str()));
        for item in lets {
            let name = &item.name.value;
            // The scope is gone before the let is added, so that nothing is copied.
            let answer = {
                let scope = Scope::new(values.clone());
                self.plan.engine.evaluate(&item.expression.text, &scope)
            };
            match answer {
                Ok(answer) => {
                    let facts = self.plan.lets.get(name).cloned().unwrap_or_default();
                    let values = Arc::make_mut(&mut values);
                    let expression = item.expression.text.clone();
                    values.insert_let(name.as_str(), expression, answer.value, facts);
                }
                Err(failure) => {
                    self.diags
                        .push(failure.diagnostic(&Program::Inline(item.expression.clone())));
                }
            }
        }
        values
    }

    /// The folders of roots that the manifest alone does not place.
    fn outside(&mut self) -> Vec<(String, PathBuf)> {
        let mut out = Vec::new();
        let names = crate::compile::plan::root_names(&self.plan.manifest);
        for name in names.into_iter().filter(|name| *name != roots::MANIFEST) {
            let folders = self.folders.outside(name).into_iter();
            out.extend(folders.map(|folder| (name.to_owned(), folder)));
        }
        out
    }

    fn roots(&mut self) -> BTreeMap<String, BoundRoot> {
        let manifest = &self.plan.manifest;
        let mut out = BTreeMap::new();
        for name in crate::compile::plan::root_names(manifest) {
            if !self.needs.root(name) {
                continue;
            }
            let declared = self.folders.declared(name);
            match self.folders.of(name) {
                Ok(folders) => {
                    out.insert(
                        name.to_owned(),
                        BoundRoot {
                            name: name.into(),
                            folders: roots::bound(
                                name,
                                folders,
                                declared.is_some_and(Root::follows_links),
                            ),
                            overlaid: name == roots::TEXT,
                            shown: None,
                        },
                    );
                    if name == roots::MANIFEST {
                        let uses = self.plan.homes.iter();
                        out.extend(
                            uses.map(|(key, homes)| (key.to_string(), homes.bound(manifest))),
                        );
                    }
                }
                Err(diagnostic) => {
                    self.diags.push(*diagnostic);
                }
            }
        }
        out
    }
}
