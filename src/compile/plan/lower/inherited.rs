//! The settings that a node passes on to its members.

use super::scan::scan_step;
use crate::compile::merge;
use crate::compile::plan::Steps;
use crate::compile::plan::programs::Programs;
use crate::compile::plan::visible::Visible;
use crate::compile::plan::why::{What, Why};
use crate::diagnostic::span::{Literal, Spanned};
use crate::manifest::{Invalid, Lit, Missing, Settings, Transforms};
use crate::prompt::Changes;
use crate::text::normalise::Marks;

/// The settings that a node passes on to its members.
#[derive(Clone)]
pub(super) struct Inherited {
    pub(super) root: Option<Spanned<String>>,
    pub(super) missing: Option<Missing>,
    pub(super) invalid: Invalid,
    pub(super) changes: Option<Spanned<Changes>>,
    pub(super) filters: Vec<Literal>,
    pub(super) filter_why: Why,
    pub(super) steps: Steps,
    pub(super) import_why: Why,
    pub(super) scan_why: Why,
    pub(super) wrap_why: Why,
    pub(super) join: Literal,
    /// `label=` of a `first`, for the member that it takes.
    pub(super) label: Option<Lit<String>>,
    /// `about=` of a group, for all documents below.
    pub(super) about: Option<Lit<String>>,
}

impl Inherited {
    /// The defaults in a tier with this join of layers.
    pub(super) fn new(join: Literal) -> Self {
        Self {
            root: None,
            missing: None,
            invalid: Invalid::Error,
            changes: None,
            filters: Vec::new(),
            filter_why: Why::default(),
            steps: Steps {
                newlines: true,
                bom: Marks::First,
                trim: true,
                frontmatter: None,
                comments: false,
                imports: None,
                scan: None,
                wrap: None,
            },
            import_why: Why::default(),
            scan_why: Why::default(),
            wrap_why: Why::default(),
            join,
            label: None,
            about: None,
        }
    }

    pub(super) fn with(
        &self,
        settings: &Settings,
        transforms: &Transforms,
        programs: &mut Programs<'_>,
    ) -> Self {
        let mut out = self.clone();
        out.root = settings.root.clone().or(out.root);
        out.missing = settings.missing.as_ref().map(|m| m.value).or(out.missing);
        out.invalid = settings.invalid.as_ref().map_or(out.invalid, |i| i.value);
        out.changes = settings.changes.clone().or(out.changes);
        if let Some(filter) = &settings.filter {
            let why = programs.expression_why(What::Filter, Some(filter), Visible::Document);
            out.filter_why.add(why);
            out.filters.push(filter.clone());
        }
        out.transformed(transforms, programs);
        out
    }

    pub(super) fn transformed(&mut self, transforms: &Transforms, programs: &mut Programs<'_>) {
        let steps = &mut self.steps;
        steps.newlines = transforms.newlines.unwrap_or(steps.newlines);
        steps.bom = transforms.bom.unwrap_or(steps.bom);
        steps.trim = transforms.trim.unwrap_or(steps.trim);
        steps.frontmatter = transforms.frontmatter.or(steps.frontmatter);
        steps.comments = transforms.comments.unwrap_or(steps.comments);
        if let Some(imports) = &transforms.imports {
            steps.imports = Some(imports.clone());
            let wrap = imports.wrap.as_ref();
            self.import_why = programs.template_why(What::Imports, wrap, Visible::Document);
        }
        if let Some(scan) = &transforms.scan {
            (steps.scan, self.scan_why) = scan_step(scan, programs);
        }
        if let Some(wrap) = &transforms.wrap {
            steps.wrap = Some(merge::key(wrap));
            self.wrap_why = programs.template_why(What::Wrap, Some(wrap), Visible::Document);
        }
    }
}
