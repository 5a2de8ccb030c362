//! Rule sets of scans: what they extend is laid beneath them, and every pattern is read.

use crate::diagnostic::span::{Literal, Span, Spanned};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, suggest};
use crate::manifest::{InvisibleRule, Manifest, Origin, ScanRule, ScanSet};
use crate::text::scan::{Definition, Flaw, Invisible, ListError, Pattern, Rule, Rules, words};
use crate::world::threads;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The scope of a set that writes none.
const ONLY_SCOPE: &str = "all";

/// The rule sets that can be used, by name.
pub(super) type Sets = BTreeMap<String, RuleSet>;

/// A rule set with all that it extends.
#[derive(Debug, Clone)]
pub struct RuleSet {
    /// Its scopes, in order.
    pub scopes: Vec<Arc<str>>,
    /// Its rules.
    pub rules: Arc<Rules>,
}

/// Reads the rule sets of a manifest. One in which something is wrong is reported, and left out.
#[must_use]
pub fn rule_sets(manifest: &Manifest, diags: &mut Diagnostics) -> BTreeMap<String, RuleSet> {
    let mut written: Vec<(String, &Literal)> = Vec::new();
    for set in &manifest.scans {
        for rule in &set.rules {
            let of = format!("the rule `{}`", rule.id.value);
            let unless = rule.unless.iter().filter(|u| !u.text.is_empty());
            let both = std::iter::once(&rule.pattern).chain(unless);
            written.extend(both.map(|written| (of.clone(), written)));
        }
        let of = || format!("`unless` of the rule set `{}`", set.name.value);
        written.extend(set.unless.iter().map(|written| (of(), written)));
    }
    let patterns = read_all(manifest, &written, diags);
    let mut reader = Reader {
        manifest,
        patterns,
        told: BTreeSet::new(),
        diags,
    };
    let all = manifest.scans.iter();
    let sets = all.filter_map(|set| Some((set.name.value.clone(), reader.set(set)?)));
    sets.collect()
}

/// Patterns of so many bytes are read by more than one thread.
const LONG: usize = 1 << 15;

/// Reads patterns, each of something; those with a flaw are reported in their order, and left out.
fn read_all(
    manifest: &Manifest,
    written: &[(String, &Literal)],
    diags: &mut Diagnostics,
) -> BTreeMap<Span, Pattern> {
    let read = |(_, written): &(String, &Literal)| read(manifest, written);
    let patterns = match written.iter().map(|(_, w)| w.text.len()).sum() {
        LONG.. => threads::map(written, read),
        _ => written.iter().map(read).collect(),
    };
    let all = written.iter().zip(patterns);
    let all = all.filter_map(|((of, written), read)| {
        Some((written.span, reported(of, written, read, diags)?))
    });
    all.collect()
}

/// Reads the pattern of something; one that is part of the program is known to be well formed.
pub(super) fn pattern(
    manifest: &Manifest,
    of: &str,
    written: &Literal,
    diags: &mut Diagnostics,
) -> Option<Pattern> {
    reported(of, written, read(manifest, written), diags)
}

fn read(manifest: &Manifest, written: &Literal) -> Result<Pattern, Flaw> {
    match manifest.origin_of(written.span.file) {
        Origin::BuiltIn { .. } => Ok(Pattern::embedded(written.text.clone())),
        _ => Pattern::new(&written.text),
    }
}

fn reported(
    of: &str,
    written: &Literal,
    read: Result<Pattern, Flaw>,
    diags: &mut Diagnostics,
) -> Option<Pattern> {
    let read = read.map_err(|flaw| {
        let at = written.span_of(flaw.range);
        let message = format!("{of}: {}", flaw.message);
        diags.push(
            Diagnostic::error(codes::PATTERN_SYNTAX, message)
                .at(at)
                .help(flaw.help),
        )
    });
    read.ok()
}

struct Reader<'a> {
    manifest: &'a Manifest,
    patterns: BTreeMap<Span, Pattern>,
    /// The errors that were reported already, by location: sets that extend an invalid one have the same error.
    told: BTreeSet<Span>,
    diags: &'a mut Diagnostics,
}

/// The rules of a set and of those that it extends.
#[derive(Default)]
struct Whole<'a> {
    scopes: &'a [Spanned<String>],
    rules: Vec<&'a ScanRule>,
    invisible: Option<&'a InvisibleRule>,
    nfkc: bool,
    window: Option<usize>,
    unless: Option<&'a Literal>,
}

impl<'a> Reader<'a> {
    fn set(&mut self, set: &'a ScanSet) -> Option<RuleSet> {
        let whole = self.whole(set)?;
        let scopes: Vec<Arc<str>> = match whole.scopes {
            [] => vec![ONLY_SCOPE.into()],
            scopes => scopes.iter().map(|s| s.value.as_str().into()).collect(),
        };
        let rules = whole
            .rules
            .iter()
            .map(|rule| self.rule(rule, &scopes, whole.unless, set));
        // All rules are read, so that all errors are reported.
        let rules: Vec<Option<Rule>> = rules.collect();
        let invisible = match whole.invisible.filter(|i| i.on) {
            None => None,
            Some(written) => Some(self.invisible(written)?),
        };
        let definition = Definition {
            rules: rules.into_iter().collect::<Option<_>>()?,
            invisible,
            nfkc: whole.nfkc,
            window: whole.window,
        };
        Some(RuleSet {
            scopes,
            rules: Arc::new(Rules::new(definition)),
        })
    }

    /// A set over all that it extends.
    fn whole(&mut self, set: &'a ScanSet) -> Option<Whole<'a>> {
        let mut chain = vec![set];
        while let Some(extends) = chain.last().and_then(|s| s.extends.as_ref()) {
            let other = known(self.manifest, extends, &mut self.told, self.diags)?;
            if chain.iter().any(|s| s.name.value == other.name.value) {
                // A circle is reported once, as a whole.
                let circle = chain.iter().rev().filter_map(|s| s.extends.as_ref());
                let new: Vec<bool> = circle.map(|e| self.told.insert(e.span)).collect();
                if new.first() == Some(&true) {
                    let message = format!("the rule set `{}` extends itself", other.name.value);
                    let found = Diagnostic::error(codes::SCAN_CYCLE, message).at(extends.span);
                    self.diags
                        .push(found.help("end the chain at a set that extends none"));
                }
                return None;
            }
            chain.push(other);
        }
        let mut whole = Whole::default();
        for set in chain.into_iter().rev() {
            whole.lay(set);
        }
        Some(whole)
    }

    fn rule(
        &mut self,
        rule: &ScanRule,
        scopes: &[Arc<str>],
        unless: Option<&Literal>,
        set: &ScanSet,
    ) -> Option<Rule> {
        let scope = match &rule.scope {
            None => 0,
            Some(scope) => match scopes.iter().position(|s| **s == *scope.value) {
                Some(at) => at,
                None => {
                    if self.told.insert(scope.span) {
                        self.diags
                            .push(unknown_scope(scope, &set.name.value, scopes));
                    }
                    return None;
                }
            },
        };
        let unless = rule.unless.as_ref().or(unless);
        let unless = match unless.filter(|u| !u.text.is_empty()) {
            None => None,
            Some(unless) => Some(self.patterns.get(&unless.span)?.clone()),
        };
        Some(Rule {
            id: rule.id.value.as_str().into(),
            pattern: self.patterns.get(&rule.pattern.span)?.clone(),
            words: rule.words.iter().flat_map(|w| words(&w.value)).collect(),
            scope,
            unless,
            private: rule.private,
            about: (rule.about.as_ref()).map_or_else(Arc::default, |a| a.value.as_str().into()),
        })
    }

    fn invisible(&mut self, written: &InvisibleRule) -> Option<Invisible> {
        let id = written.id.as_ref().map(|id| id.value.as_str());
        let Some(chars) = &written.chars else {
            return Some(Invisible::usual(id));
        };
        let (message, at) = match Invisible::listed(&chars.text, id) {
            Ok(invisible) => return Some(invisible),
            Err(ListError::Empty) => ("`chars` names no character", chars.span),
            Err(ListError::Range(at)) => (
                "a `-` in `chars` goes between the first and the last character of a range",
                chars.span_of(at..at + 1),
            ),
            Err(ListError::Visible(at)) => (
                "`chars` is for invisible characters, and this one is visible",
                chars.span_of(at..at + 1),
            ),
        };
        if self.told.insert(at) {
            self.diags.push(
                Diagnostic::error(codes::OUT_OF_RANGE, message)
                    .at(at)
                    .help(r#"write the characters by their numbers, such as "\u{200b}-\u{200f}""#),
            );
        }
        None
    }
}

impl<'a> Whole<'a> {
    /// Lays a set over the rules so far: a rule of a known id takes the place of that one.
    fn lay(&mut self, set: &'a ScanSet) {
        if !set.scopes.is_empty() {
            self.scopes = &set.scopes;
        }
        for rule in &set.rules {
            let mut old = self.rules.iter_mut();
            match old.find(|old| old.id.value == rule.id.value) {
                Some(old) => *old = rule,
                None => self.rules.push(rule),
            }
        }
        self.invisible = set.invisible.as_ref().or(self.invisible);
        self.nfkc = set.nfkc.as_ref().map_or(self.nfkc, |n| n.value);
        self.unless = set.unless.as_ref().or(self.unless);
        self.window = set.window.as_ref().map(|w| w.value).or(self.window);
    }
}

/// The set of that name; reports a missing one.
pub(super) fn known<'a>(
    manifest: &'a Manifest,
    name: &Spanned<String>,
    told: &mut BTreeSet<Span>,
    diags: &mut Diagnostics,
) -> Option<&'a ScanSet> {
    let found = manifest.scans.iter().find(|s| s.name.value == name.value);
    if found.is_some() || !told.insert(name.span) {
        return found;
    }
    let message = format!("there is no rule set `{}`", name.value);
    let mut diagnostic = Diagnostic::error(codes::UNKNOWN_SCAN, message).at(name.span);
    if let Some(at) = manifest.removal("scan", &name.value) {
        diagnostic = diagnostic.related(at, "removed here");
    }
    let names = || manifest.scans.iter().map(|s| s.name.value.as_str());
    diags.push(match suggest::nearest(&name.value, names()) {
        Some(near) => diagnostic
            .help(format!("there is a rule set `{near}`"))
            .suggest(name.span, near),
        None if manifest.scans.is_empty() => diagnostic.help(format!(
            "declare it: scan {} {{ rule ID PATTERN }}",
            name.value
        )),
        None => diagnostic.help(format!("the rule sets are {}", suggest::list(names()))),
    });
    None
}

/// Reports a scope that a set does not have.
pub(super) fn unknown_scope(scope: &Spanned<String>, set: &str, scopes: &[Arc<str>]) -> Diagnostic {
    let message = format!("the rule set `{set}` has no scope `{}`", scope.value);
    let found = Diagnostic::error(codes::UNKNOWN_SCOPE, message).at(scope.span);
    let names = || scopes.iter().map(|s| &**s);
    match suggest::nearest(&scope.value, names()) {
        Some(near) => found
            .help(format!("there is a scope `{near}`"))
            .suggest(scope.span, near),
        None => found.help(format!("its scopes: {}", suggest::list(names()))),
    }
}
