//! Whether a session is one of the manifest that a call is about.

use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::BuildCall;
use crate::project::Run;
use crate::session::SessionMeta;
use crate::session::store::SessionId;
use crate::world::DiskWorld;

/// The relation of the manifest of a call to an existing session.
pub(crate) enum Same {
    /// The one that it was built from: by its place, or by its name.
    Confidence,
    /// Perhaps that of another agent: it is elsewhere, and a name that would identify it is missing.
    Unsure {
        /// Why that is.
        message: String,
        /// The command that forgets the session.
        forget: String,
    },
}

/// Prevents that a session of another agent is returned by mistake. The same manifest may be elsewhere after a
/// deployment; its `name` identifies it. `here` is the manifest that the call names or finds.
pub(crate) fn check(
    given: &BuildCall,
    here: Option<&str>,
    (id, terms): (&SessionId, &SessionMeta),
    run: &mut Run,
) -> Result<Same, ErrorReported> {
    let Some(here) = here.filter(|here| Some(*here) != terms.manifest.as_deref()) else {
        return Ok(Same::Confidence);
    };
    let Some(kept) = &terms.name else {
        return Ok(Same::unsure(id, terms, here, "what it was built from has"));
    };
    let manifest = given.project.open_in(&DiskWorld, run)?;
    let Some(own) = manifest.name.as_ref().map(|n| &n.value) else {
        return Ok(Same::unsure(id, terms, here, "this manifest has"));
    };
    if own == kept {
        return Ok(Same::Confidence);
    }
    let message = format!("the session `{id}` is one of `{kept}`, and this manifest is `{own}`");
    let found = Diagnostic::error(diagnostic::OTHER_MANIFEST, message)
        .help("use another ID, or another store with --store FILE");
    Err(run.diags.push(found))
}

impl Same {
    fn unsure(id: &SessionId, terms: &SessionMeta, here: &str, who: &str) -> Self {
        let kept = terms.manifest.as_deref().unwrap_or("another manifest");
        Self::Unsure {
            message: format!(
                "the session `{id}` was built from `{kept}`, and whether `{here}` is of the same agent is not known: {who} no `name`"
            ),
            forget: format!("promptc session rm {id}"),
        }
    }

    /// The frozen prompt is returned, with a warning if it may be another agent's.
    pub(crate) fn given(self, run: &mut Run) {
        if let Self::Unsure { message, .. } = self {
            let found = Diagnostic::warning(diagnostic::OTHER_MANIFEST, message);
            run.diags.push(found.help(
                "write the same `name` in both; two agents use different IDs, or a store each with --store FILE",
            ));
        }
    }

    /// Nothing is built over what may be another agent's.
    pub(crate) fn check_rebuild(&self, run: &mut Run) -> Result<(), ErrorReported> {
        match self {
            Self::Confidence => Ok(()),
            Self::Unsure { message, forget } => {
                let message = format!("{message}; it is not rebuilt");
                let found = Diagnostic::error(diagnostic::OTHER_MANIFEST, message);
                Err(run.diags.push(found.help(format!(
                    "write a `name` in the manifest; for the same agent `{forget}` forgets what is kept, for another one use another ID or --store FILE"
                ))))
            }
        }
    }
}
