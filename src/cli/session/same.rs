//! Whether a session is one of the manifest that a call is about.

use crate::cli::Context;
use crate::cli::given::GivenArgs;
use crate::diagnostic::{self, Diagnostic, Reported};
use crate::session::Terms;
use crate::store::SessionId;
use crate::world::DiskWorld;

/// A session of another agent is not given out by mistake. The same manifest may stand elsewhere after a deployment. `here`
/// is the manifest that the call names or finds.
pub(crate) fn check(
    given: &GivenArgs,
    here: Option<&str>,
    (id, terms): (&SessionId, &Terms),
    context: &mut Context,
) -> Result<(), Reported> {
    if here.is_none() || here == terms.manifest.as_deref() || terms.name.is_none() {
        return Ok(());
    }
    let manifest = given.open(&DiskWorld, context)?;
    let name = manifest.name.as_ref().map(|n| &n.value);
    if name.is_none() || name == terms.name.as_ref() {
        return Ok(());
    }
    let kept = terms.name.as_deref().unwrap_or_default();
    let own = name.map_or("", String::as_str);
    let message = format!("the session `{id}` is one of `{kept}`, and this manifest is `{own}`");
    let found = Diagnostic::error(diagnostic::OTHER_MANIFEST, message)
        .help("use another ID, or another store with --store FILE");
    Err(context.diags.push(found))
}
