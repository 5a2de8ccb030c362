//! Whether the model is one that the tables know, and one that takes such requests.

use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::request::emit::Shape;
use crate::request::provider::{Catalog, ModelMatch};

/// The error of a model that no table has: what the request says of breakpoints would be a guess.
pub(super) fn refused(name: &str, catalog: &Catalog) -> Diagnostic {
    let (message, help) = unknown(name, near(name, catalog));
    let help = format!("{help}; --allow-unknown-model makes the request all the same");
    Diagnostic::error(diagnostic::UNKNOWN_MODEL, message).help(help)
}

/// Warns of a model of which nothing is known, if the request depends on it, and of one that takes other requests.
pub(super) fn tell(
    name: &str,
    shape: &Shape,
    found: Option<&ModelMatch>,
    catalog: &Catalog,
    diags: &mut Diagnostics,
) {
    other_shape(name, shape, found, diags);
    if found.is_some_and(|found| found.model.is_some()) {
        return;
    }
    let near = near(name, catalog);
    if near.is_none() && !shape.depends() {
        return;
    }
    let (message, help) = unknown(name, near);
    diags.push(Diagnostic::warning(diagnostic::UNKNOWN_MODEL, message).help(help));
}

/// Warns of a model that takes requests of another shape.
fn other_shape(name: &str, shape: &Shape, found: Option<&ModelMatch>, diags: &mut Diagnostics) {
    let Some(found) = found.filter(|found| !shape.takes(found)) else {
        return;
    };
    let message = format!(
        "`{}` is a model of {}, which takes other requests than `{}`",
        name.escape_debug(),
        found.provider.name,
        shape.name
    );
    let help =
        "take another shape, or write PROVIDER/MODEL if somebody else serves it under that name";
    diags.push(Diagnostic::warning(diagnostic::OTHER_REQUESTS, message).help(help));
}

/// The known name that this one is most like.
fn near(name: &str, catalog: &Catalog) -> Option<String> {
    let tables = catalog.tables();
    let models = tables.iter().flat_map(|t| &t.models);
    let patterns = models.flat_map(|m| &m.patterns);
    let bare = name.rsplit('/').next().unwrap_or(name);
    let names = patterns.map(String::as_str).filter(|p| !p.contains('*'));
    nearest(bare, names).map(str::to_owned)
}

/// What is said of a name without a row, and how to go on.
fn unknown(name: &str, near: Option<String>) -> (String, String) {
    let message = format!(
        "no table has the model `{}`: what it takes and keeps is not known",
        name.escape_debug()
    );
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`promptc providers list` shows all; --providers FILE adds a table".to_owned(),
    };
    (message, help)
}
