//! The scan of documents.

use crate::compile::merge;
use crate::compile::plan::lit::{is_label, lit};
use crate::compile::plan::programs::Programs;
use crate::compile::plan::visible::Visible;
use crate::compile::plan::why::{Link, What, Why};
use crate::compile::plan::{DEFAULT_PLACEHOLDER, Excepted, ScanStep, scans};
use crate::manifest::{Except, Lit, Scan};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A scan, and what it depends on; none if it is switched off or something in it is wrong, which is then reported.
pub(super) fn scan_step(scan: &Scan, programs: &mut Programs<'_>) -> (Option<Arc<ScanStep>>, Why) {
    let mut why = Why::default();
    let Some(used) = scan.used() else {
        return (None, why);
    };
    let name = &used.set.value;
    if let Some(scope) = &used.scope {
        let link = Link::new(What::Scan, name.as_str(), scope.span());
        why.through(&link, lit(scope, is_label, programs));
    }
    let except = match &used.except {
        None => None,
        Some(Except::Written(literal)) => {
            let pattern = scans::pattern(programs.manifest, "`except`", literal, programs.diags);
            pattern.map(Excepted::Pattern)
        }
        Some(Except::Fact(fact)) => {
            let link = Link::new(What::Scan, name.as_str(), fact.span);
            let value = lit(&Lit::<()>::Fact(fact.clone()), is_label, programs);
            why.through(&link, value);
            Some(Excepted::Fact(fact.clone()))
        }
    };
    let placeholder = used.placeholder.as_ref();
    why.add(programs.template_why(What::Placeholder, placeholder, Visible::Placeholder));
    programs.keeps_scan(name);
    let reported = &mut BTreeSet::new();
    scans::known(programs.manifest, &used.set, reported, programs.diags);
    let Some(set) = programs.sets.get(name) else {
        return (None, why);
    };
    if let Some(Lit::Value(scope)) = &used.scope
        && !set.scopes.iter().any(|s| **s == *scope.value)
    {
        let unknown = scans::unknown_scope(scope, name, &set.scopes);
        programs.diags.push(unknown);
    }
    let step = ScanStep {
        scopes: set.scopes.clone(),
        rules: set.rules.clone(),
        scope: used.scope.clone(),
        on_hit: used.on_hit,
        placeholder: placeholder.map_or_else(|| DEFAULT_PLACEHOLDER.to_owned(), merge::key),
        except,
        span: used.span,
    };
    (Some(Arc::new(step)), why)
}
