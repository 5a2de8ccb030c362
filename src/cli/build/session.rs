//! `promptc build --session ID`: what the session keeps, or a build that it keeps from now on.

use crate::cli::given::GivenArgs;
use crate::cli::session::clock::{rfc3339, time};
use crate::cli::session::now::{self, Now};
use crate::cli::session::place::Place;
use crate::cli::session::same;
use crate::cli::store::{self, StoreArgs};
use crate::cli::{Context, output};
use crate::compile::{Frozen, Given, Plan, Watched, prepare, resume, watch};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported, suggest};
use crate::manifest;
use crate::prompt::{self, Deliver, Prompt, State};
use crate::session::{Call, Inputs, Terms, program, thaw};
use crate::store::{Build, Freeze, Key, Reason, Restored, Session, SessionId, Store, StoreError};
use crate::world::{Anchored, DiskWorld, Noted};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the help puts these options under.
const SESSION: &str = "Session";

#[derive(Debug, clap::Args)]
pub(super) struct SessionArgs {
    /// Restore what this session keeps; build and keep it if there is none
    #[arg(help_heading = SESSION, long, value_name = "ID", value_parser = store::id, conflicts_with = "batch")]
    pub(super) session: Option<SessionId>,
    /// What has happened to the session; it is built anew if its manifest has `refresh event=NAME`
    #[arg(help_heading = SESSION, long, value_name = "NAME", requires = "session")]
    event: Option<String>,
    /// Build the session anew in any case
    #[arg(help_heading = SESSION, long, requires = "session")]
    refresh: bool,
    #[command(flatten)]
    store: StoreArgs,
}

impl SessionArgs {
    /// Whether the call names a store, which only a session has a use for. The environment is there for other calls too.
    pub(super) fn names_store(&self) -> bool {
        self.store.is_given()
    }
}

/// What is to be written.
pub(super) struct Answer {
    /// The system text.
    pub(super) text: String,
    /// The whole prompt, if it was wanted or had to be made.
    pub(super) prompt: Option<Prompt>,
    /// What became of the session.
    pub(super) mark: prompt::Session,
}

/// What the command is about.
pub(super) struct Asked<'a> {
    pub(super) given: &'a GivenArgs,
    pub(super) session: &'a SessionArgs,
    pub(super) id: &'a SessionId,
    /// Whether the whole prompt is wanted, or the system text only.
    pub(super) whole: bool,
    /// The file that it is written to.
    pub(super) output: Option<&'a Path>,
}

/// Restores the session, or builds it.
pub(super) fn run(asked: &Asked<'_>, context: &mut Context) -> Result<Answer, Reported> {
    let args = &asked.session.store;
    let place = Place::of(
        asked.given.source(),
        args.is_named(),
        &DiskWorld,
        &mut context.diags,
    )?;
    let call = Call {
        now: time(asked.given.now(), context)?,
        event: asked.session.event.clone(),
        refresh: asked.session.refresh,
    };
    let path = args.path(&place.folder);
    let mut opened = args.open(&place.folder, context)?;
    let mut desk = Desk {
        asked,
        place,
        path,
        call,
        store: opened.as_mut(),
        context,
    };
    // A session that is removed and built again and again is nothing that a caller could wait for.
    for _ in 0..16 {
        if let Some(answer) = desk.step()? {
            return Ok(answer);
        }
    }
    Err(desk.refuse(&StoreError::Gone))
}

/// One call on its way.
struct Desk<'a> {
    asked: &'a Asked<'a>,
    place: Place,
    path: PathBuf,
    call: Call,
    store: &'a mut dyn Store,
    context: &'a mut Context,
}

/// Why there is no answer.
enum Stop {
    /// It is told.
    Told(Reported),
    /// The session was removed since it was read.
    Moved,
}

impl From<Reported> for Stop {
    fn from(reported: Reported) -> Self {
        Self::Told(reported)
    }
}

/// What a session keeps that is built anew.
struct Before {
    /// Its newest build.
    build: Build,
    inputs: Inputs,
    /// Which manifest that was built from.
    manifest: Option<String>,
}

/// A plan that a session keeps, and what its tiers are made from.
struct Program {
    plan: Plan,
    given: Given,
    folder: PathBuf,
    inputs: Inputs,
    /// The files that say what is given.
    read: BTreeSet<PathBuf>,
}

impl Desk<'_> {
    fn refuse(&mut self, error: &StoreError) -> Reported {
        self.context.diags.push(store::refuse(error, &self.path))
    }

    fn told<T>(&mut self, result: crate::store::Result<T>) -> Result<T, Reported> {
        result.map_err(|error| self.refuse(&error))
    }

    /// The session with what this call needs of it.
    fn read(&mut self, judge: bool) -> Result<Option<Restored>, Reported> {
        let (asked, call) = (self.asked, &self.call);
        let wanted = |session: &Session, build: &Build| match Terms::of(build) {
            Ok(terms) if is_text(asked, &terms) => {
                match judge && terms.judge(session, call, None).is_some() {
                    true => build.contents(),
                    false => build
                        .texts
                        .get(&Deliver::System)
                        .cloned()
                        .into_iter()
                        .collect(),
                }
            }
            _ => build.contents(),
        };
        let found = self.store.restore(asked.id, None, &wanted);
        self.told(found)
    }

    /// The answer; none if the session was removed since it was read.
    fn step(&mut self) -> Result<Option<Answer>, Reported> {
        let answer = match self.read(true)? {
            None => self.build(None, Reason::First),
            Some(kept) => self.restore(&kept, true),
        };
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(Stop::Moved) => Ok(None),
            Err(Stop::Told(reported)) => Err(reported),
        }
    }

    /// Builds a session that is there anew.
    fn refresh(&mut self, kept: &Restored, terms: &Terms, reason: Reason) -> Result<Answer, Stop> {
        let inputs = Inputs::of(&mut |key| kept.content(key), &kept.build);
        let before = Before {
            build: kept.build.clone(),
            inputs: self.told(inputs)?,
            manifest: terms.manifest.clone(),
        };
        self.build(Some(&before), reason)
    }

    /// Builds, and keeps it. Another process may have been faster; then what that one kept is restored.
    fn build(&mut self, before: Option<&Before>, reason: Reason) -> Result<Answer, Stop> {
        let here = self.place.manifest.clone();
        let identity = here.or_else(|| before.and_then(|b| b.manifest.clone()));
        let inputs = before.map(|b| &b.inputs);
        let Now { kept, read, .. } = now::build(self.asked.given, inputs, identity, self.context)?;
        if before.is_none() {
            self.know_event(&kept.terms);
        }
        self.spare(read)?;
        let new = kept.build(self.call.now, reason);
        let new = new.map_err(|_| self.context.diags.push(not_utf8()))?;
        let after = before.map(|b| &b.build);
        let frozen = self.store.freeze(self.asked.id, after, &new);
        let (state, session) = match self.told(frozen)? {
            Freeze::Frozen(session) if before.is_some() => (State::Refreshed, session),
            Freeze::Frozen(session) => (State::Built, session),
            Freeze::Overtaken(_) => {
                let kept = self.read(false)?.ok_or(Stop::Moved)?;
                return self.restore(&kept, false);
            }
            Freeze::Gone => return Err(Stop::Moved),
        };
        let mark = mark(&session, state);
        let mut prompt = kept.made.prompt;
        prompt.session = Some(mark.clone());
        Ok(Answer {
            text: prompt.text(Deliver::System).to_owned(),
            prompt: Some(prompt),
            mark,
        })
    }

    /// What a session keeps, with the rest made anew; or, if `judge` and there is a reason, a new build.
    fn restore(&mut self, kept: &Restored, judge: bool) -> Result<Answer, Stop> {
        let session = &kept.session;
        let terms = self.told(Terms::of(&kept.build))?;
        let here = self.place.manifest.as_deref();
        same::check(self.asked.given, here, (&session.id, &terms), self.context)?;
        self.know_event(&terms);
        // Before facts are held against the plan that is kept: they may be meant for the one that takes its place.
        if judge && let Some(reason) = terms.judge(session, &self.call, None) {
            return self.refresh(kept, &terms, reason);
        }
        let live = is_live(self.asked, &terms);
        let mut program = match live || needs_facts(self.asked, &terms) {
            true => Some(self.program(kept)?),
            false => None,
        };
        if let Some(program) = &program {
            let mut diags = Diagnostics::default();
            let watched = self.watch(program, &terms, &mut diags);
            let reason = match &watched {
                Ok(watched) if judge => terms.judge(session, &self.call, Some(&watched.values)),
                _ => None,
            };
            if let Some(reason) = reason {
                return self.refresh(kept, &terms, reason);
            }
            self.context.diags.extend(&diags);
            let watched = watched?;
            if live {
                self.miss(program, &watched.private);
            }
        }
        // Files that this call names are needed, whether or not there is something to be made anew from them.
        let given = program.as_ref().map(|p| p.read.clone());
        self.spare_kept(kept, given.unwrap_or_default())?;
        if !live {
            program = None;
        }
        let answer = self.thawed(kept, program)?;
        self.touch(session, &terms)?;
        Ok(answer)
    }

    /// What the facts are now.
    fn watch(
        &self,
        program: &Program,
        terms: &Terms,
        diags: &mut Diagnostics,
    ) -> Result<Watched, Reported> {
        let outside = self.asked.given.world();
        let world = Anchored {
            world: outside.as_ref(),
            folder: program.folder.clone(),
        };
        watch(
            &program.plan,
            &program.given,
            &terms.watched(),
            &world,
            diags,
        )
    }

    /// Tells which private facts are missing to what is made anew.
    fn miss(&mut self, program: &Program, now: &[String]) {
        let needed = program.plan.live_facts();
        let untold = program.inputs.untold(now).into_iter();
        for fact in untold.filter(|fact| needed.contains(*fact)) {
            self.context.diags.push(now::untold_warning(fact));
        }
    }

    /// The prompt of what is kept and, with a program, of the tiers behind it.
    fn thawed(&mut self, kept: &Restored, program: Option<Program>) -> Result<Answer, Stop> {
        let mark = mark(&kept.session, State::Restored);
        if program.is_none() && !self.asked.whole {
            let text = match kept.build.texts.get(&Deliver::System) {
                Some(key) => self.told(kept.content(key))?,
                None => String::new(),
            };
            return Ok(Answer {
                text,
                prompt: None,
                mark,
            });
        }
        let thawed = thaw(&mut |key| kept.content(key), &kept.build);
        let (frozen, _) = self.told(thawed)?;
        let mut prompt = match program {
            None => self.counted(frozen.prompt),
            Some(program) => self.behind(frozen, program)?,
        };
        prompt.session = Some(mark.clone());
        Ok(Answer {
            text: prompt.text(Deliver::System).to_owned(),
            prompt: Some(prompt),
            mark,
        })
    }

    /// What is kept with what is made anew behind it.
    fn behind(&mut self, front: Frozen, program: Program) -> Result<Prompt, Reported> {
        let outside = self.asked.given.world();
        let noted = Noted::new(outside.as_ref());
        let world = Anchored {
            world: &noted,
            folder: program.folder,
        };
        let (plan, given) = (&program.plan, &program.given);
        let diags = &mut self.context.diags;
        let prompt = resume(plan, Arc::new(front), given, &world, diags)?;
        self.spare(noted.into_read())?;
        Ok(prompt)
    }

    /// What is kept, counted as the call asks.
    fn counted(&self, mut prompt: Prompt) -> Prompt {
        if let Some(tokenizer) = self.asked.given.tokenizer() {
            prompt.count_tokens(tokenizer);
        }
        prompt
    }

    /// The same for what this call has read, and for what the build was made from.
    fn spare_kept(&mut self, kept: &Restored, mut read: BTreeSet<PathBuf>) -> Result<(), Stop> {
        if self.asked.output.is_some() {
            let inputs = Inputs::of(&mut |key| kept.content(key), &kept.build);
            let inputs = self.told(inputs)?;
            read.extend(inputs.read.into_iter().map(PathBuf::from));
        }
        Ok(self.spare(read)?)
    }

    /// Fails if the output would be written over one of these files, the manifest, or the store.
    fn spare(&mut self, mut read: BTreeSet<PathBuf>) -> Result<(), Reported> {
        let Some(output) = self.asked.output else {
            return Ok(());
        };
        read.extend(self.place.manifest.as_ref().map(PathBuf::from));
        for end in ["", "-wal", "-shm"] {
            let mut file = self.path.clone().into_os_string();
            file.push(end);
            read.insert(file.into());
        }
        match output::is_among(output, &read) {
            true => Err(self.context.diags.push(output::is_input(output))),
            false => Ok(()),
        }
    }

    /// The plan that the session keeps, with what this call and those before it give.
    fn program(&mut self, kept: &Restored) -> Result<Program, Stop> {
        let mut contents = |key: &Key| kept.content(key);
        let tape = self.told(program(&mut contents, &kept.build))?;
        let inputs = self.told(Inputs::of(&mut contents, &kept.build))?;
        let outside = self.asked.given.world();
        let noted = Noted::new(outside.as_ref());
        let mut given = now::given(self.asked.given, &noted, self.context)?;
        given.lenient = true;
        let Context { files, diags, .. } = &mut *self.context;
        let manifest = manifest::open(&tape, inputs.manifest.as_deref(), files, diags)?;
        let mut before = Given::default();
        inputs.remind(&manifest, &mut before);
        inputs.remind(&manifest, &mut given);
        Ok(Program {
            plan: prepare(&manifest, &before, &tape, files, diags)?,
            given,
            folder: inputs.folder.clone(),
            inputs,
            read: noted.into_read(),
        })
    }

    /// A misspelt event would be passed over in silence.
    fn know_event(&mut self, terms: &Terms) {
        let Some(event) = self.call.event.as_ref() else {
            return;
        };
        if terms.events.contains(event) {
            return;
        }
        let message = format!("no event `{event}` lets this session be built anew");
        let found = Diagnostic::warning(diagnostic::UNKNOWN_EVENT, message);
        let names = || terms.events.iter().map(String::as_str);
        let help = match suggest::nearest(event, names()) {
            Some(near) => format!("there is an event `{near}`"),
            None if terms.events.is_empty() => {
                "`session { refresh event=NAME }` in the manifest declares events".to_owned()
            }
            None => format!("the events are {}", suggest::list(names())),
        };
        self.context.diags.push(found.help(help));
    }

    /// Notes the use. A store that cannot be written now can still be read.
    fn touch(&mut self, session: &Session, terms: &Terms) -> Result<(), Reported> {
        let error = match self.store.touch(&session.id, self.call.now) {
            Ok(_) => return Ok(()),
            // Then nobody relies on it.
            Err(StoreError::ReadOnly) if terms.idle.is_none() => return Ok(()),
            Err(error) => error,
        };
        let code = match error {
            StoreError::ReadOnly => diagnostic::STORE_READ_ONLY,
            StoreError::Full => diagnostic::STORE_FULL,
            StoreError::Busy(_) => diagnostic::STORE_BUSY,
            error => return Err(self.refuse(&error)),
        };
        let message = format!("the use of the session is not noted in its store: {error}");
        let found = Diagnostic::warning(code, message);
        let help = match (terms.idle, code == diagnostic::STORE_READ_ONLY) {
            (None, _) => "what it keeps is given all the same",
            (_, false) => "without a note, the time of `refresh idle=` runs on",
            (_, true) => {
                "once the time of `refresh idle=` is over it has to be built anew, and calls fail"
            }
        };
        self.context.diags.push(found.help(help));
        Ok(())
    }
}

/// Whether tiers that the call wants are made anew for it.
fn is_live(asked: &Asked<'_>, terms: &Terms) -> bool {
    match asked.whole {
        true => !terms.live.is_empty(),
        false => terms.live.contains(&Deliver::System),
    }
}

/// Whether what is given has to be looked at: to see if it is a reason to build anew, or is wrong.
fn needs_facts(asked: &Asked<'_>, terms: &Terms) -> bool {
    asked.given.gives_any() || (!terms.facts.is_empty() && terms.ambient)
}

/// Whether all that is needed is the system text as it is kept.
fn is_text(asked: &Asked<'_>, terms: &Terms) -> bool {
    let needs_more = asked.whole || asked.output.is_some();
    !needs_more && !is_live(asked, terms) && !needs_facts(asked, terms)
}

/// That the current directory cannot be remembered. Other folders are as text in what is given already.
fn not_utf8() -> Diagnostic {
    let message =
        "the current directory has a name that is not UTF-8, and a session remembers it as text";
    Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message)
        .help("nothing is kept; rename the folder, or call from another one")
}

/// What a prompt says of its session.
fn mark(session: &Session, state: State) -> prompt::Session {
    prompt::Session {
        id: session.id.to_string(),
        state,
        number: session.build.number,
        reason: session.build.reason.to_string(),
        at: rfc3339(session.build.at),
    }
}
