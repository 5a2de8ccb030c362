//! When a session is rebuilt: the manifest's settings, compared with its facts.

use super::names;
use super::programs::Programs;
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{self as codes, Diagnostic, suggest};
use crate::manifest::{self, Fact, FactType, Manifest};
use crate::prompt::Changes;

/// The event on which a session is rebuilt if the manifest sets no occasion: the conversation was compacted, so that
/// the prompt cache of it is lost anyway.
pub const COMPACTION: &str = "compaction";

/// The occasions on which a session is rebuilt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refresh {
    /// Events that an app reports, in order. The default event is at the start of the file.
    pub events: Vec<Spanned<String>>,
    /// The session was not used for this many seconds.
    pub idle: Option<Spanned<u64>>,
    /// Facts of which one has another value, in order. None is private, and none changes with every turn.
    pub facts: Vec<Spanned<String>>,
}

/// The settings of `session`, or the defaults.
pub(super) fn refresh(manifest: &Manifest, programs: &mut Programs<'_>) -> Refresh {
    let mut out = Refresh::default();
    let written = manifest.session.as_ref().map(|s| s.refresh.as_slice());
    let written = written.unwrap_or_default();
    if written.is_empty() {
        let start = Span::new(manifest.file, 0..0);
        out.events.push(Spanned::new(COMPACTION.to_owned(), start));
    }
    for occasion in written {
        match occasion {
            manifest::Refresh::Event(name) => out.events.push(name.clone()),
            manifest::Refresh::Idle(seconds) => out.idle = Some(seconds.clone()),
            manifest::Refresh::Fact(name) => {
                check(name, programs);
                out.facts.push(name.clone());
            }
        }
    }
    out
}

/// A fact that says who a session is, or a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityFact {
    /// The name of the fact, and the keys that lead into it, as `identity` writes them: `user.id`.
    pub path: Spanned<String>,
    /// Whether its value must not be stored.
    pub private: bool,
}

impl IdentityFact {
    /// The name of the fact.
    #[must_use]
    pub fn fact(&self) -> &str {
        fact_of(&self.path.value)
    }
}

/// The fact into which a path leads. No name of a fact has a dot.
#[must_use]
pub fn fact_of(path: &str) -> &str {
    path.split_once('.').map_or(path, |(fact, _)| fact)
}

/// The facts of `session { identity … }`.
pub(super) fn identity(manifest: &Manifest, programs: &mut Programs<'_>) -> Vec<IdentityFact> {
    let Some(session) = &manifest.session else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for path in &session.identity {
        let name = name_in(path);
        let refreshes = session.refresh.iter().find_map(|r| match r {
            manifest::Refresh::Fact(fact) if fact.value == name.value => Some(fact.span),
            _ => None,
        });
        if let Some(at) = refreshes {
            let message = format!(
                "`{}` identifies the session, and another value of it would rebuild the session",
                name.value
            );
            let found = Diagnostic::error(codes::CONFLICTING_SETTINGS, message)
                .at(name.span)
                .related(at, "builds it again")
                .help("a session that becomes someone else's is a new one: keep `identity`, or keep `refresh`");
            programs.diags.push(found);
        }
        match programs.fact(&name.value) {
            Some(fact) => match unfit(fact, path) {
                Some(found) => _ = programs.diags.push(found.at(path.span)),
                None => out.push(IdentityFact {
                    path: path.clone(),
                    private: fact.is_private(),
                }),
            },
            None if programs.is_let(&name.value) => {
                let found = of_let(&name, programs).at(name.span);
                programs.diags.push(found);
            }
            None => names::unknown_fact(programs.manifest, &name, "string", programs.diags),
        }
    }
    out
}

/// The name of the fact at the beginning of a path, at its place in a text without escapes.
fn name_in(path: &Spanned<String>) -> Spanned<String> {
    let fact = fact_of(&path.value).to_owned();
    let whole = path.span.range();
    let start = match whole.len().saturating_sub(path.value.len()) {
        0 => whole.start,
        2 => whole.start + 1,
        _ => return Spanned::new(fact, path.span),
    };
    let span = Span::new(path.span.file, start..start + fact.len());
    Spanned::new(fact, span)
}

/// Why a fact, or the value that `path` names in it, cannot say who a session is.
fn unfit(fact: &Fact, path: &Spanned<String>) -> Option<Diagnostic> {
    let name = &fact.name.value;
    let mut keys = path.value.split('.').skip(1);
    let found = |message: String| Diagnostic::error(codes::FACT_NOT_USABLE, message);
    if fact.class() == Changes::Turn {
        let message =
            format!("`{name}` may differ at every call, so it cannot identify the session");
        let at = fact.changes.as_ref().map_or(fact.span, |c| c.span);
        let help = "name a fact that stays the same in a conversation";
        return Some(found(message).related(at, "says how often").help(help));
    }
    if keys.clone().any(str::is_empty) {
        let message = format!("`{}` has a dot without a key", path.value);
        return Some(found(message).help("write the keys with a dot before each: user.id"));
    }
    keys.next().filter(|_| fact.kind.value != FactType::Map)?;
    let message = format!("`{name}` is no map, so that `{}` leads nowhere", path.value);
    let help = format!("name the fact alone, or declare it as a map: fact {name} map");
    let found = found(message).related(fact.kind.span, "declared here");
    Some(found.help(help))
}

/// A change can be an occasion only for a fact whose value is stored and that is more stable than a turn.
fn check(name: &Spanned<String>, programs: &mut Programs<'_>) {
    let found = match programs.fact(&name.value) {
        Some(fact) => not_usable(fact, name),
        None if programs.is_let(&name.value) => Some(of_let(name, programs)),
        None => return names::unknown_fact(programs.manifest, name, "string", programs.diags),
    };
    if let Some(found) = found {
        programs.diags.push(found.at(name.span));
    }
}

fn not_usable(fact: &Fact, name: &Spanned<String>) -> Option<Diagnostic> {
    let error = |message| Diagnostic::error(codes::FACT_NOT_USABLE, message);
    let name = &name.value;
    if fact.is_private() {
        let message =
            format!("`{name}` is private: its value is not kept, so no change of it can be seen");
        let help = "refresh on an event that you report, or on a fact that may be kept";
        return Some(
            error(message)
                .related(fact.span, "declared here")
                .help(help),
        );
    }
    if fact.class() == Changes::Turn {
        let message =
            format!("`{name}` may differ at every call, and each call would rebuild the session");
        let at = fact.changes.as_ref().map_or(fact.span, |c| c.span);
        let help = "refresh on a more stable fact, or on an event that you report";
        return Some(error(message).related(at, "says how often").help(help));
    }
    None
}

fn of_let(name: &Spanned<String>, programs: &Programs<'_>) -> Diagnostic {
    let after = programs.facts_read_by(&name.value);
    let facts: Vec<&str> = after.iter().map(|n| &**n).collect();
    let message = format!("`{}` is a let, and sessions compare facts", name.value);
    let found = Diagnostic::error(codes::FACT_NOT_USABLE, message);
    match facts.as_slice() {
        [] => found.help("it reads no fact, so it never changes: remove the line"),
        [one] => found
            .help(format!("it is computed from `{one}`"))
            .suggest(name.span, *one),
        all => found.help(format!(
            "name those that count: it is computed from {}",
            suggest::list(all.iter().copied())
        )),
    }
}
