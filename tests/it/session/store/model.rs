//! The contract of [`Store`] in memory: the oracle of the laws. It is written from the doc comments of the trait and shares no
//! code with a store.

use promptc::session::store::{
    Build, Collected, Damage, Delivered, Freeze, Key, LAST_NUMBER, NewBuild, Restored, Result,
    RulesSession, Session, SessionId, Shortened, Store, StoreError, Unwanted, Wanted, Whole,
    is_ahead,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// One opening of the store; its clones are other openings.
#[derive(Clone, Default)]
pub(super) struct Model(Arc<Mutex<State>>);

#[derive(Clone, Default)]
struct State {
    sessions: BTreeMap<SessionId, Frozen>,
    directory_rules: BTreeMap<SessionId, DirectoryRulesReader>,
    contents: BTreeMap<Key, String>,
}

#[derive(Clone)]
struct Frozen {
    created: i64,
    used: i64,
    builds: BTreeMap<u64, Build>,
    delivered: Option<Delivered>,
}

#[derive(Clone)]
struct DirectoryRulesReader {
    used: i64,
    folders: BTreeSet<String>,
}

impl Frozen {
    fn newest(&self) -> &Build {
        self.builds.values().next_back().unwrap()
    }

    fn contents(&self) -> impl Iterator<Item = Key> {
        let builds = self.builds.values().flat_map(Build::contents);
        builds.chain(self.delivered.iter().flat_map(|told| told.prompt.clone()))
    }

    fn session(&self, id: &SessionId) -> Session {
        Session {
            id: id.clone(),
            created: self.created,
            used: self.used,
            build: self.newest().clone(),
            delivered: self.delivered.clone(),
        }
    }
}

impl State {
    fn session(&self, id: &SessionId) -> Option<Session> {
        self.sessions.get(id).map(|frozen| frozen.session(id))
    }

    fn is_newest(&self, id: &SessionId, build: &Build) -> bool {
        let frozen = self.sessions.get(id);
        frozen.is_some_and(|frozen| frozen.newest().id == build.id)
    }

    fn put(&mut self, content: &str) -> Key {
        let key = Key::of(content);
        self.contents.insert(key.clone(), content.to_owned());
        key
    }

    fn get(&self, key: &Key) -> Result<String> {
        self.contents.get(key).cloned().ok_or(StoreError::Gone)
    }

    fn make(&mut self, number: u64, new: &NewBuild) -> Build {
        // No other build has the ID, in no other store either.
        static MADE: AtomicU64 = AtomicU64::new(0);
        let texts = new.texts.iter();
        Build {
            id: MADE.fetch_add(1, Ordering::Relaxed).to_string(),
            number,
            at: new.at,
            reason: new.reason.clone(),
            terms: new.terms.clone(),
            texts: texts.map(|(to, text)| (*to, self.put(text))).collect(),
            map: self.put(&new.map),
            plan: self.put(&new.plan),
            files: new.files.iter().map(|text| self.put(text)).collect(),
            inputs: self.put(&new.inputs),
            record: new.record.iter().map(|text| self.put(text)).collect(),
            imported: new.imported,
        }
    }

    fn made_from(&self, build: &Build) -> Result<NewBuild> {
        let texts = build.texts.iter();
        Ok(NewBuild {
            at: build.at,
            reason: build.reason.clone(),
            terms: build.terms.clone(),
            texts: texts
                .map(|(to, key)| Ok((*to, self.get(key)?)))
                .collect::<Result<_>>()?,
            map: self.get(&build.map)?,
            plan: self.get(&build.plan)?,
            files: build
                .files
                .iter()
                .map(|key| self.get(key))
                .collect::<Result<_>>()?,
            inputs: self.get(&build.inputs)?,
            record: build
                .record
                .iter()
                .map(|key| self.get(key))
                .collect::<Result<_>>()?,
            imported: build.imported,
        })
    }

    fn remove(&mut self, id: &SessionId) -> bool {
        let session = self.sessions.remove(id).is_some();
        let directory_rules = self.directory_rules.remove(id).is_some();
        session || directory_rules
    }

    /// The contents that a build or a reminder refers to.
    fn used(&self) -> BTreeSet<Key> {
        self.sessions.values().flat_map(Frozen::contents).collect()
    }

    fn collect(&mut self, unwanted: Unwanted) -> Collected {
        let mut collected = Collected::default();
        let is_unused = |used: i64| unwanted.unused_since.is_some_and(|since| used < since);
        let names = self.sessions.keys().chain(self.directory_rules.keys());
        for id in names.cloned().collect::<BTreeSet<_>>() {
            let session = self.sessions.get_mut(&id);
            let directory_rules = self.directory_rules.get(&id);
            let asked = session.as_ref().map(|session| session.used);
            let asked = asked.max(directory_rules.map(|directory_rules| directory_rules.used));
            if asked.is_some_and(is_unused) {
                collected.directory_rules += directory_rules
                    .map_or(0, |directory_rules| directory_rules.folders.len() as u64);
                if let Some(session) = session {
                    collected.builds += session.builds.len() as u64;
                    collected.sessions.push(id.clone());
                }
                self.remove(&id);
            } else if let (Some(session), Some(kept)) = (session, unwanted.builds_beyond) {
                let mut builds = 0;
                while session.builds.len() as u64 > kept.max(1) {
                    session.builds.pop_first();
                    builds += 1;
                }
                collected.builds += builds;
                if builds > 0 {
                    let session = id.clone();
                    collected.shortened.push(Shortened { session, builds });
                }
            }
        }
        let used = self.used();
        self.contents.retain(|key, content| {
            let keep = used.contains(key);
            if !keep {
                collected.contents += 1;
                collected.bytes += content.len() as u64;
            }
            keep
        });
        collected
    }
}

impl Model {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl Store for Model {
    fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        Ok(self.state().session(id))
    }

    fn sessions(&mut self) -> Result<Vec<Session>> {
        let state = self.state();
        let sessions = state.sessions.iter();
        Ok(sessions.map(|(id, frozen)| frozen.session(id)).collect())
    }

    fn builds(&mut self, id: &SessionId) -> Result<Vec<Build>> {
        let state = self.state();
        let builds = state.sessions.get(id).map(|frozen| &frozen.builds);
        Ok(builds
            .into_iter()
            .flat_map(|b| b.values().cloned())
            .collect())
    }

    fn restore(
        &mut self,
        id: &SessionId,
        number: Option<u64>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Restored>> {
        let state = self.state();
        let Some(session) = state.session(id) else {
            return Ok(None);
        };
        let number = number.unwrap_or(session.build.number);
        let Some(build) = state.sessions[id].builds.get(&number).cloned() else {
            return Ok(None);
        };
        let keys = wanted(&session, &build).into_iter();
        let contents = keys.map(|key| state.get(&key).map(|content| (key, content)));
        Ok(Some(Restored {
            contents: contents.collect::<Result<_>>()?,
            session,
            build,
        }))
    }

    fn content(&mut self, key: &Key) -> Result<String> {
        self.state().get(key)
    }

    fn freeze(
        &mut self,
        id: &SessionId,
        after: Option<&Build>,
        build: &NewBuild,
    ) -> Result<Freeze> {
        let mut state = self.state();
        let known = state.session(id);
        let (created, number) = match (known, after) {
            (None, None) => (build.at, 1),
            (None, Some(_)) => return Ok(Freeze::Gone),
            (Some(known), Some(after)) if known.build.id == after.id => {
                (known.created, known.build.number + 1)
            }
            (Some(known), _) => return Ok(Freeze::Overtaken(known)),
        };
        if number > LAST_NUMBER {
            return Err(StoreError::Other("there is no higher number".into()));
        }
        let made = state.make(number, build);
        let frozen = state.sessions.entry(id.clone()).or_insert(Frozen {
            created,
            used: build.at,
            builds: BTreeMap::new(),
            delivered: None,
        });
        frozen.used = build.at;
        frozen.delivered = None;
        frozen.builds.insert(number, made);
        Ok(Freeze::Frozen(frozen.session(id)))
    }

    fn touch(&mut self, id: &SessionId, at: i64) -> Result<bool> {
        let mut state = self.state();
        let Some(frozen) = state.sessions.get_mut(id) else {
            return Ok(false);
        };
        if at > frozen.used || is_ahead(frozen.used, at) {
            frozen.used = at;
        }
        Ok(true)
    }

    fn deliver(
        &mut self,
        id: &SessionId,
        after: &Build,
        before: Option<&Delivered>,
        at: i64,
        prompt: &[String],
    ) -> Result<bool> {
        let mut state = self.state();
        if !state.is_newest(id, after) || state.sessions[id].delivered.as_ref() != before {
            return Ok(false);
        }
        let prompt = prompt.iter().map(|text| state.put(text)).collect();
        let frozen = state.sessions.get_mut(id).unwrap();
        frozen.delivered = Some(Delivered { at, prompt });
        Ok(true)
    }

    fn remove(&mut self, id: &SessionId) -> Result<bool> {
        let mut state = self.state();
        let session = state.sessions.get(id).into_iter();
        let own: BTreeSet<Key> = session.flat_map(Frozen::contents).collect();
        let removed = state.remove(id);
        let used = state.used();
        let keep = |key: &Key| used.contains(key) || !own.contains(key);
        state.contents.retain(|key, _| keep(key));
        Ok(removed)
    }

    fn add(&mut self, id: &SessionId, whole: &Whole) -> Result<bool> {
        let mut state = self.state();
        let numbers: Vec<u64> = whole.builds.iter().map(|(number, _)| *number).collect();
        let rise = numbers.is_sorted_by(|a, b| a < b);
        let fit = numbers.iter().all(|n| (1..=LAST_NUMBER).contains(n));
        if numbers.is_empty() || !rise || !fit {
            return Err(StoreError::Other("these are no numbers of builds".into()));
        }
        if state.sessions.contains_key(id) {
            return Ok(false);
        }
        let builds = whole.builds.iter();
        let builds = builds.map(|(number, new)| (*number, state.make(*number, new)));
        let builds = builds.collect();
        let delivered = whole.delivered.as_ref().map(|(at, prompt)| Delivered {
            at: *at,
            prompt: prompt.iter().map(|text| state.put(text)).collect(),
        });
        let frozen = Frozen {
            created: whole.created,
            used: whole.used,
            builds,
            delivered,
        };
        state.sessions.insert(id.clone(), frozen);
        drop(state);
        if let Some((at, folders)) = &whole.directory_rules {
            self.folder_rules(id, folders, *at)?;
        }
        Ok(true)
    }

    fn whole(&mut self, id: &SessionId) -> Result<Option<(Session, Whole)>> {
        let state = self.state();
        let Some(frozen) = state.sessions.get(id) else {
            return Ok(None);
        };
        let builds = frozen.builds.iter();
        let told = frozen.delivered.as_ref();
        let directory_rules = state.directory_rules.get(id);
        let whole = Whole {
            created: frozen.created,
            used: frozen.used,
            builds: builds
                .map(|(number, build)| Ok((*number, state.made_from(build)?)))
                .collect::<Result<_>>()?,
            delivered: told
                .map(|told| {
                    let prompt = told.prompt.iter().map(|key| state.get(key));
                    Ok((told.at, prompt.collect::<Result<_>>()?))
                })
                .transpose()?,
            directory_rules: directory_rules.map(|directory_rules| {
                (
                    directory_rules.used,
                    directory_rules.folders.iter().cloned().collect(),
                )
            }),
        };
        Ok(Some((frozen.session(id), whole)))
    }

    fn leave(&mut self, id: &SessionId, newest: &Build) -> Result<bool> {
        let mut state = self.state();
        Ok(state.is_newest(id, newest) && state.remove(id))
    }

    fn collect(&mut self, unwanted: Unwanted, dry: bool) -> Result<Collected> {
        let mut state = self.state();
        if dry {
            Ok(state.clone().collect(unwanted))
        } else {
            Ok(state.collect(unwanted))
        }
    }

    fn folder_rules(&mut self, id: &SessionId, folders: &[String], at: i64) -> Result<Vec<String>> {
        let mut state = self.state();
        if folders.is_empty() && !state.directory_rules.contains_key(id) {
            return Ok(Vec::new());
        }
        let directory_rules =
            state
                .directory_rules
                .entry(id.clone())
                .or_insert(DirectoryRulesReader {
                    used: at,
                    folders: BTreeSet::new(),
                });
        if at.abs_diff(directory_rules.used) >= 60 * 60 {
            directory_rules.used = at;
        }
        let mut new = folders.to_vec();
        new.retain(|folder| directory_rules.folders.insert(folder.clone()));
        Ok(new)
    }

    fn forget_directory_rules(&mut self, id: &SessionId, folders: &[String]) -> Result<()> {
        let mut state = self.state();
        if let Some(directory_rules) = state.directory_rules.get_mut(id) {
            directory_rules
                .folders
                .retain(|folder| !folders.contains(folder));
        }
        state
            .directory_rules
            .retain(|_, directory_rules| !directory_rules.folders.is_empty());
        Ok(())
    }

    fn rules_sessions(&mut self) -> Result<Vec<RulesSession>> {
        let state = self.state();
        let sessions = state
            .directory_rules
            .iter()
            .map(|(id, directory_rules)| RulesSession {
                id: id.clone(),
                used: directory_rules.used,
                folders: directory_rules.folders.len(),
            });
        Ok(sessions.collect())
    }

    fn directory_rules(&mut self, id: &SessionId) -> Result<Vec<String>> {
        let state = self.state();
        let folders = state
            .directory_rules
            .get(id)
            .map(|directory_rules| &directory_rules.folders);
        Ok(folders.into_iter().flatten().cloned().collect())
    }

    fn verify(&mut self) -> Result<Vec<Damage>> {
        Ok(Vec::new())
    }
}
