//! The data that a session would freeze if it were built now.

use super::identity;
use crate::compile::{GivenInputs, Plan, freeze_recorded, prepare, watch};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest::{self, Refresh};
use crate::project::{BuildCall, Carrier, Project, Run, carried};
use crate::session::{Inputs, Kept, keep};
use crate::world::{DiskWorld, RebasedWorld, Recorder, TracingWorld, World};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A build, what it was made by, and which files were read for it.
pub(crate) struct Now {
    pub(crate) kept: Kept,
    pub(crate) plan: Plan,
    /// With what the session was given before.
    pub(crate) given: GivenInputs,
    /// Files of facts, too.
    pub(crate) read: BTreeSet<PathBuf>,
}

/// The carrier of a session's inputs.
const CARRIER: Carrier = Carrier {
    carries: "a session stores",
    without: "it stores none of them",
    help: "comparisons with it name the layers that differ, and no causes",
};

/// Builds from the inputs of the call and of the session: with the manifest that the call names or that is here or
/// above, else with the session's. `source` says which manifest that is, if it is known.
pub(crate) fn build(
    args: &BuildCall,
    before: Option<&Inputs>,
    source: Option<String>,
    run: &mut Run,
) -> Result<Now, ErrorReported> {
    let outside = args.project.world();
    let noted = TracingWorld::new(outside);
    let mut given = given(args, &noted, run)?;
    let facts = noted.into_read();
    let noted = TracingWorld::new(outside);
    let here = here(run)?;
    if let Some(before) = before {
        may_build(before, args, run)?;
    }
    let own = before.filter(|_| args.project.name().is_none() && !args.project.is_found());
    let (folder, reference) = match own {
        Some(before) => (before.folder.clone(), before.manifest.clone()),
        None => (here, args.project.name().map(str::to_owned)),
    };
    let world = RebasedWorld {
        world: &noted,
        folder: folder.clone(),
    };
    let recorder = Recorder::new(&world);
    let Run { files, diags, .. } = &mut *run;
    let mut found = Diagnostics::default();
    let manifest = manifest::open(&recorder, reference.as_deref(), files, &mut found);
    diags.extend(&match own {
        Some(before) => found.map(|found| gone(found, before, source.as_deref())),
        None => found,
    });
    let manifest = manifest?;
    if let Some(before) = before {
        before.remind(&manifest, &mut given);
    }
    let plan = prepare(&manifest, &given, &recorder, files, diags)?;
    let program = recorder.tape();
    let watched = watched(&plan);
    if let Some(before) = before.filter(|before| !before.identity.is_empty()) {
        let facts: Vec<String> = before.identity.names().into_iter().collect();
        let facts = watch(&plan, &given, &facts, &world, diags)?;
        identity::check(before, &facts.values, diags)?;
    }
    let made = freeze_recorded(&plan, &given, &watched, recorder, diags);
    let (mut made, inputs) = made.inspect_err(|_| {
        // A missing value may be the reason.
        let facts = watch(&plan, &given, &[], &world, &mut Diagnostics::default());
        if let (Some(before), Ok(facts)) = (before, facts) {
            untold(before, &facts.private, diags);
        }
    })?;
    made.frozen.prompt.inputs = carried(inputs, CARRIER, diags);
    let notice = manifest::notice(&manifest);
    made.frozen.prompt.notices.extend(notice.clone());
    made.prompt.notices.extend(notice);
    if let Some(before) = before {
        untold(before, &made.private, diags);
    }
    let kept = keep(
        &plan,
        made,
        program,
        &given,
        reference.as_deref(),
        source,
        &folder,
    );
    let mut read = noted.into_read();
    let kept = (kept.from(&read)).identified(&plan, identity::key(diags)?);
    // Later calls do not get these files: a session stores their content.
    read.extend(facts);
    Ok(Now {
        kept: kept.map_err(|found| diags.push(*found))?,
        plan,
        given,
        read,
    })
}

/// The facts whose values are stored with a build: those that rebuild it and those of its identity.
fn watched(plan: &Plan) -> Vec<String> {
    let watched = plan.refresh().facts.iter();
    let who = plan.identity().iter().map(|who| who.fact().to_owned());
    watched.map(|f| f.value.clone()).chain(who).collect()
}

/// The events that the manifest of the call names now; none if it cannot be read.
pub(crate) fn events(project: &Project) -> Option<Vec<String>> {
    let manifest = project.read(&mut Run::default()).ok()?;
    let refresh = manifest.session.iter().flat_map(|session| &session.refresh);
    let events = refresh.filter_map(|occasion| match occasion {
        Refresh::Event(name) => Some(name.value.clone()),
        Refresh::Idle(_) | Refresh::Fact(_) => None,
    });
    Some(events.collect())
}

/// The manifest that the call names, as the program of a session that was imported: neither the one in the export nor one
/// that merely is near decides what is read on this machine.
pub(crate) fn named<'a>(args: &'a BuildCall, run: &mut Run) -> Result<&'a str, ErrorReported> {
    args.project.name().ok_or_else(|| {
        let message = "the session was imported, and this needs a manifest that the call names";
        let found = Diagnostic::error(diagnostic::IMPORTED_PLAN, message);
        run.diags.push(found.help(
            "-m FILE names it; only texts are restored from an import, and the manifest in it never runs",
        ))
    })
}

/// Fails if the session may not be built again by this call.
pub(crate) fn may_build(
    before: &Inputs,
    args: &BuildCall,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    if before.imported {
        named(args, run).map(|_| ())
    } else {
        Ok(())
    }
}

/// The inputs of a call, with absolute folders.
pub(crate) fn given(
    args: &BuildCall,
    world: &dyn World,
    run: &mut Run,
) -> Result<GivenInputs, ErrorReported> {
    let mut given = args.inputs.read(world, &mut run.diags);
    if !given.roots.is_empty() {
        let here = here(run)?;
        for (_, folder) in &mut given.roots {
            *folder = here.join(&*folder);
        }
    }
    Ok(given)
}

/// The current directory.
pub(crate) fn here(run: &mut Run) -> Result<PathBuf, ErrorReported> {
    DiskWorld.canonical(Path::new(".")).map_err(|error| {
        let why = crate::project::output::reason(&error);
        let message = format!("the current directory cannot be found: {why}");
        let found = Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message);
        run.diags.push(found.help("change to a folder that exists"))
    })
}

/// The error of a missing manifest. If only the session names the manifest, the error says which it was.
fn gone(found: Diagnostic, before: &Inputs, source: Option<&str>) -> Diagnostic {
    if found.code != diagnostic::MANIFEST_NOT_FOUND || found.span.is_some() {
        return found;
    }
    let name = before.manifest.as_deref().unwrap_or(manifest::FILE_NAME);
    let path = match source {
        Some(source) => source.to_owned(),
        None => before.folder.join(name).display().to_string(),
    };
    let message = format!("the session was built from `{path}`, which is missing");
    Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message)
        .help("-m names the manifest that it is built from now; the stored text is printed anyway")
}

/// Reports which private facts are missing; `now` are those that have a value.
fn untold(before: &Inputs, now: &[String], diags: &mut Diagnostics) {
    for fact in before.untold(now) {
        diags.push(missing_warning(fact));
    }
}

/// The warning that a private fact is missing which there was when the session was frozen.
pub(crate) fn missing_warning(fact: &str) -> Diagnostic {
    let message = format!(
        "the private fact `{fact}` had a value when the session was frozen, and this call gives none"
    );
    Diagnostic::warning(diagnostic::PRIVATE_NOT_KEPT, message)
        .help("a session keeps no private values; give it again with --set or --facts")
}
