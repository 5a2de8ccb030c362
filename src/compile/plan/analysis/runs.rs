//! The behaviour of a program at its location: its conditions hold, some facts are known, and its input is empty or
//! not.

use super::cases::{Case, may_be_missing};
use super::site::{ProgramUse, Site, Written};
use crate::compile::merge;
use crate::compile::plan::{Plan, What};
use crate::diagnostic::span::{Literal, Span};
use crate::manifest::{FileName, Layer, Node, NodeKind, Source, TemplateRef, Transforms};
use crate::template::analyse::{
    AbstractEnv, AbstractValue, Code, Common, Let, Loaded, Shown, TestPlace,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The programs of a plan, read.
#[derive(Debug)]
pub(super) struct Runs<'p> {
    plan: &'p Plan,
    /// The values of each fact that hold in any build.
    facts: Case<'p>,
    lets: BTreeMap<&'p str, Let<'p>>,
    templates: BTreeMap<&'p str, Code<'p>>,
    /// The expressions, those of lets included, by place.
    expressions: BTreeMap<Span, Rc<Code<'p>>>,
    /// Layers, by name.
    layers: BTreeMap<&'p str, &'p Layer>,
}

impl<'p> Runs<'p> {
    /// Reads all programs. Unreadable ones were refused before there was a plan.
    pub(super) fn new(plan: &'p Plan) -> Self {
        let manifest = plan.manifest();
        let expressions = plan.expressions.iter().filter_map(|(span, kept)| {
            let code = Code::expression(kept.program.text()).ok()?;
            Some((*span, Rc::new(code)))
        });
        let expressions: BTreeMap<Span, Rc<Code<'p>>> = expressions.collect();
        let lets = manifest.lets.iter().filter_map(|item| {
            let code = expressions.get(&item.expression.span)?.clone();
            let name = item.name.value.as_str();
            let reads = plan.lets.get(name).map_or(&[][..], Vec::as_slice);
            Some((name, Let { code, reads }))
        });
        let templates = (plan.programs.iter())
            .filter_map(|(key, (program, _))| Some((&**key, Code::template(program.text()).ok()?)));
        let facts = manifest.facts.iter().map(|fact| {
            let known = match may_be_missing(fact) {
                true => AbstractValue::Anything,
                false => AbstractValue::Present,
            };
            (fact.name.value.as_str(), known)
        });
        let layers = manifest.tiers.iter().flat_map(|t| &t.layers);
        Self {
            plan,
            facts: facts.collect(),
            lets: lets.collect(),
            templates: templates.collect(),
            layers: layers.map(|l| (l.name.value.as_str(), l)).collect(),
            expressions,
        }
    }

    /// A program, read.
    fn code(&self, used: &ProgramUse<'_>) -> Option<&Code<'p>> {
        match used.written {
            Written::Expression(literal) => self.expression(literal),
            Written::Template(template) => self.templates.get(merge::key(template).as_str()),
            Written::Included => None,
        }
    }

    fn expression(&self, literal: &Literal) -> Option<&Code<'p>> {
        self.expressions.get(&literal.span).map(AsRef::as_ref)
    }

    /// The position in a file of a result of `used`, and its text.
    pub(super) fn place(&self, used: &ProgramUse<'p>, place: &TestPlace) -> (Span, &'p str) {
        let other = place.template.as_ref();
        let other = other.and_then(|name| Some(&self.plan.programs.get(name)?.0));
        let program = other.unwrap_or(used.program);
        let text = program.text().get(place.range()).unwrap_or_default();
        (program.span_of(place.range()), text)
    }

    /// Whether a `when` holds; true if there is none.
    fn holds(&self, when: Option<&Literal>, setting: &AbstractEnv<'_>) -> Option<bool> {
        match when {
            None => Some(true),
            Some(when) => setting.holds(self.expression(when)?),
        }
    }

    /// A setting in which this is known of facts, nothing else is, and all these conditions hold; none if that cannot be, or
    /// fails.
    pub(super) fn inside<'s>(
        &'s self,
        conditions: &[&Literal],
        case: BTreeMap<&'s str, AbstractValue>,
    ) -> Option<AbstractEnv<'s>> {
        let common = Common {
            facts: &self.facts,
            lets: &self.lets,
            templates: &self.templates,
            loaded: self,
        };
        let mut setting = AbstractEnv::new(common, case);
        for condition in conditions {
            let code = self.expression(condition)?;
            if setting.holds(code) == Some(false) {
                return None;
            }
            setting.assume(code, true);
        }
        Some(setting)
    }

    /// The result of a run of a program there.
    pub(super) fn run(&self, used: &ProgramUse<'_>, setting: &AbstractEnv<'_>) -> Option<Shown> {
        Some(setting.run(self.code(used)?))
    }

    /// Whether a condition is true there; none if it fails.
    pub(super) fn truth(
        &self,
        condition: &Literal,
        setting: &AbstractEnv<'_>,
    ) -> Option<Option<bool>> {
        Some(setting.value(self.expression(condition)?)?.truth())
    }

    /// Whether a program surely does not run, although its conditions hold: what it works on yields nothing, or a member of a
    /// `first` before it yields.
    pub(super) fn is_idle(&self, used: &ProgramUse<'_>, setting: &AbstractEnv<'_>) -> bool {
        let of_node = matches!(used.what, What::Wrap | What::Marker);
        let of_layer = of_node || used.what == What::Template;
        let site = &used.site;
        let works_on = match site.nodes.last() {
            Some(node) => Some(*node).filter(|_| of_node),
            None => (site.layer.filter(|_| of_layer)).and_then(|layer| layer.content.as_ref()),
        };
        self.follows_yielding(site, setting)
            || works_on.is_some_and(|node| self.yields_nothing(node, setting))
    }

    /// Whether it is in a `first` after a member that always yields.
    pub(super) fn follows_yielding(&self, site: &Site<'_>, setting: &AbstractEnv<'_>) -> bool {
        let outer = site.layer.is_some_and(|l| may_take_all(&l.transforms))
            || site.tier.is_some_and(|t| may_take_all(&t.transforms));
        if outer {
            return false;
        }
        site.nodes.windows(2).enumerate().any(|(at, pair)| {
            let NodeKind::First(members) = &pair[0].kind else {
                return false;
            };
            let mut before = members.iter().take_while(|m| m.span != pair[1].span);
            !site.nodes[..=at].iter().any(|n| may_empty(n))
                && before.any(|m| self.surely_yields(m, setting))
        })
    }

    /// Whether a node surely yields text.
    fn surely_yields(&self, node: &Node, setting: &AbstractEnv<'_>) -> bool {
        if may_empty(node) || self.holds(node.settings.when.as_ref(), setting) != Some(true) {
            return false;
        }
        match &node.kind {
            NodeKind::First(members) | NodeKind::All { members, .. } => {
                members.iter().any(|m| self.surely_yields(m, setting))
            }
            NodeKind::Source(Source::Text(text)) => {
                // Front matter and comments may be taken away.
                let text = text.text.trim();
                !text.is_empty() && !text.starts_with("---") && !text.contains("<!--")
            }
            NodeKind::Source(Source::Template(template @ TemplateRef::Inline(_))) => {
                (self.plan.kept(template)).is_some_and(|(_, analysis)| analysis.prints_text)
            }
            NodeKind::Source(_) => false,
        }
    }

    /// Whether a node surely yields nothing.
    fn yields_nothing(&self, node: &Node, setting: &AbstractEnv<'_>) -> bool {
        if self.holds(node.settings.when.as_ref(), setting) == Some(false) {
            return true;
        }
        let missing = |name: &str| {
            let known = setting.name(name);
            matches!(known, AbstractValue::Value(_)) && known.is_missing()
        };
        match &node.kind {
            NodeKind::First(members) | NodeKind::All { members, .. } => {
                members.iter().all(|m| self.yields_nothing(m, setting))
            }
            NodeKind::Source(Source::Fact(name)) => missing(&name.value),
            NodeKind::Source(Source::Reading(reading)) => {
                // A value that includes a missing fact is missing.
                let nameless = |name: &FileName| name.facts().any(|fact| missing(&fact.value));
                reading.names.iter().all(nameless)
            }
            NodeKind::Source(Source::Text(_) | Source::Template(_)) => false,
        }
    }
}

impl Loaded for Runs<'_> {
    fn loaded(&self, layer: &str, setting: &AbstractEnv<'_>) -> AbstractValue {
        let layer = self.layers.get(layer).copied();
        let holds = layer.and_then(|l| self.holds(l.when.as_ref(), setting));
        // A required layer yields text, or the build fails.
        let yields = |layer: &Layer| {
            let takes_all = || may_take_all(&layer.transforms);
            let surely = |content| !takes_all() && self.surely_yields(content, setting);
            layer.required == Some(true) || layer.content.as_ref().is_none_or(surely)
        };
        match (layer, holds) {
            (_, Some(false)) => AbstractValue::boolean(false),
            (Some(layer), Some(true)) if yields(layer) => AbstractValue::boolean(true),
            _ => AbstractValue::Present,
        }
    }
}

/// Whether something on a node may leave its text blank.
fn may_empty(node: &Node) -> bool {
    node.settings.filter.is_some() || may_take_all(&node.transforms)
}

/// Whether a transform may leave a text blank.
fn may_take_all(transforms: &Transforms) -> bool {
    transforms.wrap.is_some() || transforms.scan.is_some()
}
