//! The keys and the period of a usage report, parsed from their text form.

use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::request::usage::Key;

/// The default keys of sums for programs.
pub(crate) const USUAL: [Key; 3] = [Key::Day, Key::Model, Key::Cause];

/// The keys of groups.
pub(crate) fn keys(names: &[String], diags: &mut Diagnostics) -> Result<Vec<Key>, ErrorReported> {
    let key = |name: &str| Key::ALL.iter().find(|(known, _)| *known == name);
    let found = names
        .iter()
        .map(|name| key(name).map(|(_, key)| *key).ok_or(name));
    let found: Result<Vec<Key>, &String> = found.collect();
    found.map_err(|name| {
        let all = || Key::ALL.iter().map(|(name, _)| *name);
        let message = format!("`{}` is nothing to group by", name.escape_debug());
        let help = match suggest::nearest(name, all()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("group by {}", suggest::list(all())),
        };
        let found = Diagnostic::error(diagnostic::USAGE, message);
        diags.push(found.help(help))
    })
}
