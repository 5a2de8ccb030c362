//! Every kind of store does what the model does: the same steps have the same results and leave the same state.

use super::kinds::{KINDS, Opened};
use super::{build, id};
use crate::laws::config_of_processes;
use promptc::prompt::Deliver;
use promptc::session::store::{
    Build, CLOCK_SKEW, Delivered, Freeze, Key, LAST_NUMBER, NewBuild, Reason, Restored, Session,
    SessionId, Store, StoreError, Unwanted, Whole,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{any, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::select;
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};

/// The names of sessions.
const NAMES: [&str; 3] = ["a", "é", "Z"];

/// The names of folders.
const FOLDERS: [&str; 4] = ["src", "docs", "é", ""];

/// The texts of builds and reminders: few, so that many are shared.
const TEXTS: [&str; 5] = ["", "x", "longer", "\0", "é"];

const HOUR: i64 = 60 * 60;

/// The build that a caller read before its step.
#[derive(Debug, Clone, Copy)]
enum Read {
    None,
    Newest,
    /// One of all that were ever made, or one of another store if there is none.
    Other(usize),
}

/// The reminder that a caller read before its step.
#[derive(Debug, Clone, Copy)]
enum Last {
    None,
    Current,
    Other,
}

#[derive(Debug, Clone)]
enum Step {
    Freeze(SessionId, Read, NewBuild),
    Touch(SessionId, i64),
    Deliver(SessionId, Read, Last, i64, Vec<String>),
    Remove(SessionId),
    Import(SessionId, i64, Vec<(u64, NewBuild)>),
    Add(SessionId, Whole),
    /// Adds what one session has under the name of another.
    Copy(SessionId, SessionId),
    Leave(SessionId, Read),
    Collect(Unwanted, bool),
    DirectoryRules(SessionId, Vec<String>, i64),
    Unhint(SessionId, Vec<String>),
    /// Asks for all contents of a build but this one.
    Restore(SessionId, Option<u64>, &'static str),
}

fn name() -> impl Strategy<Value = SessionId> {
    select(&NAMES[..]).prop_map(id)
}

/// Times with all the distances that the contract names.
fn time() -> impl Strategy<Value = i64> {
    let some = [0, CLOCK_SKEW, HOUR, 2 * HOUR];
    let near = (select(some.to_vec()), -1..=1_i64).prop_map(|(at, by)| at + by);
    let far = select(vec![i64::MIN, -HOUR, 100 * HOUR, i64::MAX]);
    prop_oneof![8 => near, 1 => far]
}

/// Times around the hour to which requests for directory rules are recorded.
fn hour() -> impl Strategy<Value = i64> {
    select(vec![0, HOUR - 1, HOUR, i64::MAX])
}

fn text() -> impl Strategy<Value = String> {
    select(&TEXTS[..]).prop_map(str::to_owned)
}

fn folders() -> impl Strategy<Value = Vec<String>> {
    vec(select(&FOLDERS[..]).prop_map(str::to_owned), 0..4)
}

fn new_build() -> impl Strategy<Value = NewBuild> {
    let reasons = vec![
        Reason::First,
        Reason::Event("compaction: hard".into()),
        Reason::Idle(u64::MAX),
        Reason::Fact(String::new()),
        Reason::Asked,
    ];
    let texts = vec((select(&Deliver::ALL[..]), text()), 0..3);
    let parts = (text(), text(), text(), text());
    let lists = (vec(text(), 0..3), vec(text(), 0..3));
    (time(), select(reasons), texts, parts, lists, any::<bool>()).prop_map(
        |(at, reason, texts, (terms, map, plan, inputs), (files, record), imported)| NewBuild {
            at,
            reason,
            terms,
            texts: texts.into_iter().collect(),
            map,
            plan,
            files,
            inputs,
            record,
            imported,
        },
    )
}

/// Builds with numbers, most of them in order.
fn numbered() -> impl Strategy<Value = Vec<(u64, NewBuild)>> {
    let low = 1..6_u64;
    let last = select(vec![LAST_NUMBER - 1, LAST_NUMBER]);
    let invalid = select(vec![0, LAST_NUMBER + 1, u64::MAX]);
    let number = prop_oneof![12 => low, 2 => last, 1 => invalid];
    (vec((number, new_build()), 0..4), 0..8).prop_map(|(mut builds, disorder)| {
        if disorder > 0 {
            builds.sort_by_key(|(number, _)| *number);
            builds.dedup_by_key(|(number, _)| *number);
        }
        builds
    })
}

fn whole() -> impl Strategy<Value = Whole> {
    let delivered = option::of((time(), vec(text(), 1..3)));
    let directory_rules = option::of((time(), folders()));
    (time(), time(), numbered(), delivered, directory_rules).prop_map(
        |(created, used, builds, delivered, directory_rules)| Whole {
            created,
            used,
            builds,
            delivered,
            directory_rules,
        },
    )
}

fn read() -> impl Strategy<Value = Read> {
    prop_oneof![
        2 => any::<bool>().prop_map(|_| Read::None),
        6 => any::<bool>().prop_map(|_| Read::Newest),
        1 => any::<usize>().prop_map(Read::Other),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let last = select(vec![Last::None, Last::Current, Last::Current, Last::Other]);
    let unwanted = (
        option::of(time()),
        option::of(select(vec![0, 1, 2, u64::MAX])),
    )
        .prop_map(|(unused, beyond)| Unwanted {
            unused_since: unused,
            builds_beyond: beyond,
        });
    let number = option::of(select(vec![0, 1, 2, 3, LAST_NUMBER, u64::MAX]));
    prop_oneof![
        8 => (name(), read(), new_build()).prop_map(|(n, r, b)| Step::Freeze(n, r, b)),
        3 => (name(), time()).prop_map(|(n, at)| Step::Touch(n, at)),
        3 => (name(), read(), last, time(), vec(text(), 1..3))
            .prop_map(|(n, r, last, at, texts)| Step::Deliver(n, r, last, at, texts)),
        1 => name().prop_map(Step::Remove),
        1 => (name(), time(), numbered()).prop_map(|(n, at, b)| Step::Import(n, at, b)),
        2 => (name(), whole()).prop_map(|(n, whole)| Step::Add(n, whole)),
        1 => (name(), name()).prop_map(|(from, to)| Step::Copy(from, to)),
        2 => (name(), read()).prop_map(|(n, r)| Step::Leave(n, r)),
        3 => (unwanted, any::<bool>()).prop_map(|(u, dry)| Step::Collect(u, dry)),
        4 => (name(), folders(), hour()).prop_map(|(n, f, at)| Step::DirectoryRules(n, f, at)),
        2 => (name(), folders()).prop_map(|(n, f)| Step::Unhint(n, f)),
        2 => (name(), number, select(&TEXTS[..])).prop_map(|(n, no, t)| Step::Restore(n, no, t)),
    ]
}

/// A store that is open twice, and all builds that were ever seen in it, in the order in which they were seen.
struct Side {
    store: Box<dyn Store>,
    /// Reads what the other wrote.
    reader: Box<dyn Store>,
    seen: Vec<Build>,
}

/// What a call returned. The words of an error are free.
type Outcome = String;

fn outcome<T: std::fmt::Debug>(result: Result<T, StoreError>) -> Outcome {
    match result {
        Err(StoreError::Other(_)) => "Err(Other)".to_owned(),
        other => format!("{other:?}"),
    }
}

impl Side {
    fn of(opened: &Opened) -> Self {
        Self {
            store: opened.open(),
            reader: opened.open(),
            seen: Vec::new(),
        }
    }

    fn newest(&mut self, id: &SessionId) -> Option<Build> {
        self.store.session(id).unwrap().map(|session| session.build)
    }

    fn read(&mut self, id: &SessionId, read: Read) -> Option<Build> {
        match read {
            Read::None => None,
            Read::Newest => self.newest(id),
            Read::Other(at) => Some(match self.seen.len() {
                0 => strange(),
                seen => self.seen[at % seen].clone(),
            }),
        }
    }

    /// The build with its place in the order instead of its ID: two stores make other IDs of the same builds.
    fn placed(&mut self, build: Build) -> Build {
        let place = self.seen.iter().position(|seen| seen.id == build.id);
        let place = place.unwrap_or_else(|| {
            self.seen.push(build.clone());
            self.seen.len() - 1
        });
        Build {
            id: format!("#{place}"),
            ..build
        }
    }

    fn session(&mut self, session: Session) -> Session {
        let build = self.placed(session.build);
        Session { build, ..session }
    }

    fn frozen(&mut self, freeze: Freeze) -> Freeze {
        match freeze {
            Freeze::Frozen(session) => Freeze::Frozen(self.session(session)),
            Freeze::Overtaken(session) => Freeze::Overtaken(self.session(session)),
            Freeze::Gone => Freeze::Gone,
        }
    }

    fn restored(&mut self, restored: Restored) -> Restored {
        Restored {
            session: self.session(restored.session),
            build: self.placed(restored.build),
            contents: restored.contents,
        }
    }

    fn take(&mut self, step: &Step) -> Outcome {
        match step {
            Step::Freeze(id, read, build) => {
                let after = self.read(id, *read);
                let frozen = self.store.freeze(id, after.as_ref(), build);
                outcome(frozen.map(|frozen| self.frozen(frozen)))
            }
            Step::Touch(id, at) => outcome(self.store.touch(id, *at)),
            Step::Deliver(id, read, last, at, prompt) => {
                let session = self.store.session(id).unwrap();
                let current = session.and_then(|session| session.delivered);
                let before = match last {
                    Last::None => None,
                    Last::Current => current,
                    Last::Other => Some(Delivered {
                        at: *at,
                        prompt: vec![Key::of("another")],
                    }),
                };
                let after = self.read(id, *read).unwrap_or_else(strange);
                outcome((self.store).deliver(id, &after, before.as_ref(), *at, prompt))
            }
            Step::Remove(id) => outcome(self.store.remove(id)),
            Step::Import(id, used, builds) => outcome(self.store.import(id, *used, builds)),
            Step::Add(id, whole) => outcome(self.store.add(id, whole)),
            Step::Copy(from, to) => {
                let whole = self.store.whole(from).unwrap();
                outcome(whole.map_or(Ok(false), |(_, whole)| self.store.add(to, &whole)))
            }
            Step::Leave(id, read) => {
                let newest = self.read(id, *read).unwrap_or_else(strange);
                outcome(self.store.leave(id, &newest))
            }
            Step::Collect(unwanted, dry) => outcome(self.store.collect(*unwanted, *dry)),
            Step::DirectoryRules(id, folders, at) => {
                outcome(self.store.folder_rules(id, folders, *at))
            }
            Step::Unhint(id, folders) => outcome(self.store.forget_directory_rules(id, folders)),
            Step::Restore(id, number, text) => {
                let wanted = |session: &Session, build: &Build| {
                    let told = session
                        .delivered
                        .iter()
                        .flat_map(|told| told.prompt.clone());
                    let parts = build.contents().into_iter().chain(told);
                    parts.filter(|key| *key != Key::of(text)).collect()
                };
                let restored = self.store.restore(id, *number, &wanted);
                outcome(restored.map(|restored| restored.map(|r| self.restored(r))))
            }
        }
    }

    /// All that can be read, a line each.
    fn state(&mut self) -> Vec<Outcome> {
        let mut state = Vec::new();
        let sessions = self.reader.sessions();
        let placed = |list: Vec<Session>| list.into_iter().map(|s| self.session(s)).collect();
        state.push(outcome(sessions.map(placed).map(|list: Vec<_>| list)));
        state.push(outcome(self.reader.rules_sessions()));
        for name in NAMES.map(id) {
            let builds = self.reader.builds(&name);
            let placed = |list: Vec<Build>| list.into_iter().map(|b| self.placed(b)).collect();
            state.push(outcome(builds.map(placed).map(|list: Vec<_>| list)));
            let whole = self.reader.whole(&name);
            state.push(outcome(
                whole.map(|w| w.map(|(s, whole)| (self.session(s), whole))),
            ));
            state.push(outcome(self.reader.directory_rules(&name)));
        }
        for text in TEXTS {
            state.push(outcome(self.reader.content(&Key::of(text))));
        }
        state.push(outcome(self.reader.collect(Unwanted::default(), true)));
        state
    }
}

/// A build of another store.
fn strange() -> Build {
    let NewBuild {
        at,
        reason,
        terms,
        map,
        plan,
        inputs,
        ..
    } = build("strange", 1);
    Build {
        id: "strange".to_owned(),
        number: 1,
        at,
        reason,
        terms,
        texts: Default::default(),
        map: Key::of(&map),
        plan: Key::of(&plan),
        files: Vec::new(),
        inputs: Key::of(&inputs),
        record: Vec::new(),
        imported: false,
    }
}

/// Steps of which nearly all are refused would prove nothing.
#[test]
fn the_steps_have_all_outcomes() {
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..200 {
        let mut side = Side::of(&KINDS[0].empty());
        for step in steps().new_tree(&mut runner).unwrap().current() {
            let (step, outcome) = (format!("{step:?}"), side.take(&step));
            let first = |text: &str, end: &[char]| text.split(end).next().unwrap().to_owned();
            let of = first(&step, &['(']);
            let outcome = first(&outcome, &['{', '[', '"']);
            *counts.entry(format!("{of} {outcome}")).or_default() += 1;
        }
    }
    println!("{counts:#?}");
    for outcome in [
        "Freeze Ok(Frozen(Session ",
        "Freeze Ok(Overtaken(Session ",
        "Freeze Ok(Gone)",
        "Freeze Err(Other)",
        "Touch Ok(true)",
        "Deliver Ok(true)",
        "Deliver Ok(false)",
        "Import Ok(true)",
        "Add Ok(true)",
        "Add Ok(false)",
        "Add Err(Other)",
        "Copy Ok(true)",
        "Leave Ok(true)",
        "Leave Ok(false)",
        "Remove Ok(true)",
        "Restore Ok(Some(Restored ",
    ] {
        assert!(counts.contains_key(outcome), "no step with {outcome}");
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 1..32)
}

proptest! {
    #![proptest_config(config_of_processes(24))]

    #[test]
    fn a_store_does_what_the_model_does(steps in steps()) {
        let (model, kinds) = KINDS.split_first().unwrap();
        for kind in kinds {
            let (ours, theirs) = (model.empty(), kind.empty());
            let (mut ours, mut theirs) = (Side::of(&ours), Side::of(&theirs));
            for (number, step) in steps.iter().enumerate() {
                let at = format!("{}, step {number}: {step:?}", kind.name);
                prop_assert_eq!(theirs.take(step), ours.take(step), "{}", at);
                prop_assert_eq!(theirs.state(), ours.state(), "after {}", at);
            }
            let ids: BTreeSet<&str> = theirs.seen.iter().map(|build| build.id.as_str()).collect();
            prop_assert_eq!(ids.len(), ours.seen.len(), "each build has its own ID");
            prop_assert_eq!(theirs.store.verify().unwrap(), []);
        }
    }
}
