//! Whether the model is one that the tables know, and one that takes such requests.

use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::request::emit::Shape;
use crate::request::provider::{Catalog, ModelMatch};

/// Warns of a model of which nothing is known, if the request depends on it, and of one that takes other requests.
pub(super) fn tell(
    name: &str,
    shape: &Shape,
    found: Option<&ModelMatch>,
    catalog: &Catalog,
    diags: &mut Diagnostics,
) {
    let shown = name.escape_debug();
    if let Some(found) = found
        && !shape.takes(found)
    {
        let message = format!(
            "`{shown}` is a model of {}, which takes other requests than `{}`",
            found.provider.name, shape.name
        );
        let help = "take another shape, or write PROVIDER/MODEL if somebody else serves it under that name";
        diags.push(Diagnostic::warning(diagnostic::OTHER_REQUESTS, message).help(help));
    }
    if found.is_some_and(|found| found.model.is_some()) {
        return;
    }
    let tables = catalog.tables();
    let patterns = tables
        .iter()
        .flat_map(|t| &t.models)
        .flat_map(|m| &m.patterns);
    let bare = name.rsplit('/').next().unwrap_or(name);
    let names = patterns.map(String::as_str).filter(|p| !p.contains('*'));
    let near = nearest(bare, names);
    if near.is_none() && !shape.depends() {
        return;
    }
    let message = format!("no table has the model `{shown}`: what it takes and keeps is not known");
    let found = Diagnostic::warning(diagnostic::UNKNOWN_MODEL, message);
    diags.push(match near {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help("`promptc providers list` shows all; --providers FILE adds a table"),
    });
}
