//! What Claude Code itself says of misses of its cache. Only the command of a status line gets it, in the member `prompt_cache` of an object: users
//! who keep these objects, one a line, have the verdicts.
//!
//! Seen in what 2.1.270 wrote, and in the help of 2.1.331. The rules:
//! - The object has the newest miss of the session alone, and comes again as long as there is no other one.
//! - `last_miss_at` is the second in which the answer ended; no request is named. Only requests of the conversation itself are judged, not those
//!   of its agents.
//! - `last_miss_cause.causes` is never empty. It is null where nothing was diagnosed.

use super::Members;
use crate::text::Json;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// The longest time between the end of an answer, as its transcript has it, and the middle of the second of a miss.
const NEAR: SignedDuration = SignedDuration::from_secs(2);

/// A miss: its session, and its second since 1970.
type Miss = (String, i64);

/// The verdicts of Claude Code on misses.
#[derive(Debug, Default)]
pub struct Verdicts {
    causes: BTreeMap<Miss, Json>,
    /// Those that are on a request.
    met: Mutex<BTreeSet<Miss>>,
}

impl Verdicts {
    /// Whether an object is one that the command of a status line is given.
    pub(super) fn are_in(line: &Members<'_>) -> bool {
        ["session_id", "transcript_path", "workspace"]
            .iter()
            .all(|key| line.get(key).is_some())
    }

    /// Notes the verdict of a line, if it has one.
    ///
    /// # Errors
    /// When the line is no object of a status line.
    pub fn note(&mut self, line: &str) -> Result<(), &'static str> {
        let line = Members::read(line).ok_or(super::NO_OBJECT)?;
        let session = super::id(&line, "session_id").ok_or("an object without a session")?;
        let cache = line.get("prompt_cache").and_then(Members::read);
        let Some(cache) = cache else {
            // No request was answered yet.
            return Ok(());
        };
        let Some(cause) = cache
            .get("last_miss_cause")
            .filter(|cause| *cause != "null")
        else {
            return Ok(());
        };
        let causes = Members::read(cause).and_then(|cause| cause.value("causes"));
        let causes = causes.filter(|causes| causes.items().iter().any(|c| c.as_text().is_some()));
        let at = cache.get("last_miss_at").and_then(|at| at.parse().ok());
        let (at, causes) = at
            .zip(causes)
            .ok_or("a verdict without its second or its causes")?;
        let verdict = Json::object([("causes", causes)]);
        self.causes.insert((session, at), verdict);
        Ok(())
    }

    /// The verdicts on the answers of a session, which ended at these times: each is on the one that ended nearest.
    pub(super) fn of<'a>(
        &'a self,
        session: &str,
        ended: &BTreeMap<Timestamp, usize>,
    ) -> Vec<(usize, &'a Json)> {
        let first = (session.to_owned(), i64::MIN);
        let all = self.causes.range(first..);
        let all = all.take_while(|((of, _), _)| of == session);
        let found = all.filter_map(|(miss, verdict)| {
            let middle = Timestamp::new(miss.1, 500_000_000).ok()?;
            let near = middle.checked_sub(NEAR).ok()?..=middle.checked_add(NEAR).ok()?;
            let distance = |at: &Timestamp| at.duration_since(middle).abs();
            let near = ended.range(near);
            let (_, call) = near.min_by_key(|(at, _)| distance(at))?;
            if let Ok(mut met) = self.met.lock() {
                met.insert(miss.clone());
            }
            Some((*call, verdict))
        });
        found.collect()
    }

    /// The session of the first one that is on no request that was read, and how many there are; none if there is none.
    #[must_use]
    pub fn unmet(&self) -> Option<(String, usize)> {
        let met = self.met.lock().ok()?;
        let mut unmet = self.causes.keys().filter(|miss| !met.contains(miss));
        let (session, _) = unmet.next()?;
        Some((session.clone(), 1 + unmet.count()))
    }
}
