//! A session or one of its builds, as an argument: `ID` or `ID@N`.

use super::stored::Stored;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::session::store::{Build, Key, Restored, Session, SessionId, Store};

/// The most builds that an error names.
const MOST: usize = 12;

/// The target of an argument.
pub(crate) struct Target {
    pub(crate) session: Session,
    /// The one that is meant.
    pub(crate) build: Build,
    /// Its number, if one was written; else the newest is meant, whichever that is by now.
    pub(crate) number: Option<u64>,
}

/// Looks up `ID` or `ID@N`. An ID may hold an `@` itself: a session of the whole name comes first.
pub(crate) fn find(
    written: &str,
    stored: &mut Stored,
    run: &mut Run,
) -> Result<Target, ErrorReported> {
    let whole = SessionId::known(written).map_err(|why| run.diags.push(no_id(&why.to_string())))?;
    let numbered = numbered(written);
    let found = stored.step(None, |store| store.session(&whole), run)?;
    let (id, number) = match (&found, numbered) {
        (None, Some((id, number))) => (id, Some(number)),
        _ => (whole, None),
    };
    let session = match found {
        Some(session) => session,
        None => stored.session(&id, run)?,
    };
    let builds = stored.step(Vec::new(), |store| store.builds(&id), run)?;
    let build = match number {
        None => Some(session.build.clone()),
        Some(number) => {
            let number = number.parse::<u64>().ok();
            builds.iter().find(|b| Some(b.number) == number).cloned()
        }
    };
    match build {
        Some(build) => Ok(Target {
            session,
            number: number.map(|_| build.number),
            build,
        }),
        None => {
            let found = no_build(&id, number.unwrap_or_default(), &builds);
            Err(run.diags.push(found))
        }
    }
}

/// Reads what an argument names, with contents of it, as it was at one time.
pub(crate) fn restored(
    written: &str,
    wanted: impl Fn(&Build) -> Vec<Key>,
    stored: &mut Stored,
    run: &mut Run,
) -> Result<Restored, ErrorReported> {
    let Target {
        session,
        build,
        number,
    } = find(written, stored, run)?;
    let id = &session.id;
    let step = |store: &mut dyn Store| store.restore(id, number, &|_, build| wanted(build));
    match stored.step(None, step, run)? {
        Some(restored) => Ok(restored),
        None => Err(gone(&session.id, build.number, run)),
    }
}

/// The error for a build that another process removed since it was found.
pub(crate) fn gone(id: &SessionId, number: u64, run: &mut Run) -> ErrorReported {
    let found = no_build(id, &number.to_string(), &[]);
    run.diags.push(found)
}

/// The ID and the number in `ID@N`.
fn numbered(written: &str) -> Option<(SessionId, &str)> {
    let (id, number) = written.rsplit_once('@')?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    Some((SessionId::known(id).ok().filter(|_| digits)?, number))
}

fn no_id(why: &str) -> Diagnostic {
    let message = format!(
        "the ID of a session is 1 to 256 bytes without control and format characters, and {why}"
    );
    Diagnostic::error(diagnostic::USAGE, message).help("`promptc session list` shows the IDs")
}

fn no_build(id: &SessionId, number: &str, builds: &[Build]) -> Diagnostic {
    let message = format!("the session `{id}` has no build {number}");
    let skipped = builds.len().saturating_sub(MOST);
    let numbers: Vec<String> = builds[skipped..]
        .iter()
        .map(|b| b.number.to_string())
        .collect();
    let last = if skipped > 0 {
        "the last of its builds"
    } else {
        "its builds"
    };
    Diagnostic::error(diagnostic::UNKNOWN_BUILD, message).help(match numbers.as_slice() {
        [] => "it is gone".to_owned(),
        [one] => format!("its only build is {one}"),
        [front @ .., end] => format!("{last} are {} and {end}", front.join(", ")),
    })
}
