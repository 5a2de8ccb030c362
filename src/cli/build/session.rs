//! `promptc build --session ID`: what the session keeps, or a build that it keeps from now on.

use crate::cli::given::GivenArgs;
use crate::cli::session::now::{self, Now};
use crate::cli::session::place::Place;
use crate::cli::store::{self, StoreArgs};
use crate::cli::{Context, output};
use crate::compile::{Given, Plan, prepare, resume, watch};
use crate::diagnostic::{self, Diagnostic, Reported, suggest};
use crate::manifest;
use crate::prompt::{self, Deliver, Prompt, State};
use crate::session::{Call, Inputs, Terms, program, thaw};
use crate::store::{Freeze, Reason, Session, SessionId, Store, StoreError};
use crate::world::{Anchored, DiskWorld, World as _};
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
    /// Whether a store is named, which only a session has a use for.
    pub(super) fn names_store(&self) -> bool {
        self.store.is_named()
    }
}

/// What is to be written.
pub(super) struct Answer {
    /// The system text.
    pub(super) text: String,
    /// The whole prompt, if it was wanted or had to be made.
    pub(super) prompt: Option<Prompt>,
    /// The files that were read for it.
    pub(super) read: BTreeSet<PathBuf>,
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
}

/// Restores the session, or builds it.
pub(super) fn run(asked: &Asked<'_>, context: &mut Context) -> Result<Answer, Reported> {
    let args = &asked.session.store;
    let place = Place::of(asked.given, args.is_named(), &DiskWorld, &mut context.diags)?;
    let call = Call {
        now: now(asked.given, context)?,
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
    // A session that is removed again and again while it is built is nothing that a caller could wait for.
    for _ in 0..16 {
        if let Some(answer) = desk.step()? {
            return Ok(answer);
        }
    }
    let gone = StoreError::Other("the session is removed each time it is built".to_owned());
    Err(desk.refuse(&gone))
}

/// The time of the call: `--now`, else the clock.
fn now(given: &GivenArgs, context: &mut Context) -> Result<i64, Reported> {
    let Some(text) = given.now() else {
        return Ok(DiskWorld.now());
    };
    text.parse::<jiff::Timestamp>()
        .map(jiff::Timestamp::as_second)
        .map_err(|_| {
            let message = "--now is not a point in time";
            let found = Diagnostic::error(diagnostic::INVALID_TIME, message);
            context
                .diags
                .push(found.help("write RFC 3339, such as 2026-03-30T09:00:00Z"))
        })
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

/// A plan that a session keeps, and what its tiers are made from.
struct Program {
    plan: Plan,
    given: Given,
    folder: PathBuf,
}

impl Desk<'_> {
    fn refuse(&mut self, error: &StoreError) -> Reported {
        self.context.diags.push(store::refuse(error, &self.path))
    }

    fn told<T>(&mut self, result: crate::store::Result<T>) -> Result<T, Reported> {
        result.map_err(|error| self.refuse(&error))
    }

    /// The answer; none if the session went away in between.
    fn step(&mut self) -> Result<Option<Answer>, Reported> {
        let found = self.store.session(self.asked.id);
        match self.told(found)? {
            None => self.build(None, Reason::First),
            Some(session) => self.restore(session, true),
        }
    }

    /// Builds, and keeps it behind build `after`. Another process may have been faster; then what that one kept is restored.
    fn build(
        &mut self,
        before: Option<(u64, &Inputs)>,
        reason: Reason,
    ) -> Result<Option<Answer>, Reported> {
        let inputs = before.map(|(_, inputs)| inputs);
        let identity = self.place.manifest.clone();
        let Now { kept, read } = now::build(self.asked.given, inputs, identity, self.context)?;
        if before.is_none() {
            self.know_event(&kept.terms);
        }
        let new = kept.build(self.call.now, reason).map_err(|_| {
            self.refuse(&StoreError::Other(
                "a folder's name is not UTF-8".to_owned(),
            ))
        })?;
        let frozen = self.store.freeze(self.asked.id, before.map(|b| b.0), &new);
        let (state, session) = match self.told(frozen)? {
            Freeze::Frozen(session) if before.is_some() => (State::Refreshed, session),
            Freeze::Frozen(session) => (State::Built, session),
            Freeze::Overtaken(session) => return self.restore(session, false),
            Freeze::Gone => return Ok(None),
        };
        let mark = mark(&session, state);
        let mut prompt = kept.made.prompt;
        prompt.session = Some(mark.clone());
        Ok(Some(Answer {
            text: prompt.text(Deliver::System).to_owned(),
            prompt: Some(prompt),
            read,
            mark,
        }))
    }

    /// What a session keeps, with the rest made anew; or, if `judge` and there is a reason, a new build.
    fn restore(&mut self, session: Session, judge: bool) -> Result<Option<Answer>, Reported> {
        let terms = self.told(Terms::of(&session.build))?;
        self.same_manifest(&session, &terms)?;
        self.know_event(&terms);
        let given = self.asked.given.gives_any();
        let live = match self.asked.whole {
            true => !terms.live.is_empty(),
            false => terms.live.contains(&Deliver::System),
        };
        let values = !terms.facts.is_empty() && (given || terms.ambient);
        let mut program = match live || values || given {
            true => Some(self.program(&session)?),
            false => None,
        };
        if judge && let Some(reason) = self.reason(&session, &terms, program.as_ref())? {
            let inputs = Inputs::of(self.store, &session.build);
            let inputs = self.told(inputs)?;
            return self.build(Some((session.build.number, &inputs)), reason);
        }
        if !live {
            program = None;
        }
        let answer = self.thawed(&session, program)?;
        self.touch(&session, &terms)?;
        Ok(Some(answer))
    }

    /// Why the session is to be built anew, if it is.
    fn reason(
        &mut self,
        session: &Session,
        terms: &Terms,
        program: Option<&Program>,
    ) -> Result<Option<Reason>, Reported> {
        let values = match program {
            None => None,
            Some(program) => {
                let outside = self.asked.given.world();
                let world = Anchored {
                    world: outside.as_ref(),
                    folder: program.folder.clone(),
                };
                let names = terms.watched();
                let diags = &mut self.context.diags;
                Some(watch(&program.plan, &program.given, &names, &world, diags)?)
            }
        };
        Ok(terms.judge(session, &self.call, values.as_ref()))
    }

    /// The prompt of what is kept and, with a program, of the tiers behind it.
    fn thawed(&mut self, session: &Session, program: Option<Program>) -> Result<Answer, Reported> {
        let mark = mark(session, State::Restored);
        if program.is_none() && !self.asked.whole {
            let text = match session.build.texts.get(&Deliver::System) {
                Some(key) => {
                    let content = self.store.content(key);
                    self.told(content)?
                }
                None => String::new(),
            };
            return Ok(Answer {
                text,
                prompt: None,
                read: BTreeSet::new(),
                mark,
            });
        }
        let thawed = thaw(self.store, &session.build);
        let (frozen, _) = self.told(thawed)?;
        let mut prompt = match program {
            None => {
                let mut prompt = frozen.prompt;
                let asked = self.asked.given.tokenizer();
                if let Some(tokenizer) = asked.filter(|t| prompt.tokenizer() != Some(*t)) {
                    prompt.count_tokens(tokenizer);
                }
                prompt
            }
            Some(Program {
                plan,
                given,
                folder,
            }) => {
                let outside = self.asked.given.world();
                let world = Anchored {
                    world: outside.as_ref(),
                    folder,
                };
                resume(
                    &plan,
                    Arc::new(frozen),
                    &given,
                    &world,
                    &mut self.context.diags,
                )?
            }
        };
        prompt.session = Some(mark.clone());
        Ok(Answer {
            text: prompt.text(Deliver::System).to_owned(),
            prompt: Some(prompt),
            read: BTreeSet::new(),
            mark,
        })
    }

    /// The plan that the session keeps, with what this call and those before it give.
    fn program(&mut self, session: &Session) -> Result<Program, Reported> {
        let tape = program(self.store, &session.build);
        let tape = self.told(tape)?;
        let inputs = Inputs::of(self.store, &session.build);
        let inputs = self.told(inputs)?;
        let mut before = Given::default();
        inputs.remind(&mut before);
        let outside = self.asked.given.world();
        let mut given = now::given(self.asked.given, outside.as_ref(), self.context)?;
        inputs.remind(&mut given);
        given.lenient = true;
        let Context { files, diags, .. } = &mut *self.context;
        let manifest = manifest::open(&tape, inputs.manifest.as_deref(), files, diags)?;
        Ok(Program {
            plan: prepare(&manifest, &before, &tape, files, diags)?,
            given,
            folder: inputs.folder,
        })
    }

    /// A session of another agent is not given out by mistake. The same manifest may stand elsewhere after a deployment.
    fn same_manifest(&mut self, session: &Session, terms: &Terms) -> Result<(), Reported> {
        let here = self.place.manifest.as_ref();
        if here.is_none() || here == terms.manifest.as_ref() || terms.name.is_none() {
            return Ok(());
        }
        let manifest = self.asked.given.open(&DiskWorld, self.context)?;
        let name = manifest.name.as_ref().map(|n| &n.value);
        if name.is_none() || name == terms.name.as_ref() {
            return Ok(());
        }
        let (id, kept) = (&session.id, terms.name.as_deref().unwrap_or_default());
        let own = name.map_or("", String::as_str);
        let message =
            format!("the session `{id}` is one of `{kept}`, and this manifest is `{own}`");
        let found = Diagnostic::error(diagnostic::OTHER_MANIFEST, message)
            .help("use another ID, or another store with --store FILE");
        Err(self.context.diags.push(found))
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

    /// Notes the use. A store that cannot be written can still be read; only idle time is not noticed then.
    fn touch(&mut self, session: &Session, terms: &Terms) -> Result<(), Reported> {
        match self.store.touch(&session.id, self.call.now) {
            Ok(_) => Ok(()),
            Err(StoreError::ReadOnly) => {
                if terms.idle.is_some() {
                    let message =
                        "the store may only be read, so the use of the session is not noted";
                    let found = Diagnostic::warning(diagnostic::STORE_READ_ONLY, message);
                    let help = "once the time of `refresh idle=` is over, each call builds it anew";
                    self.context.diags.push(found.help(help));
                }
                Ok(())
            }
            Err(error) => Err(self.refuse(&error)),
        }
    }
}

/// What a prompt says of its session.
fn mark(session: &Session, state: State) -> prompt::Session {
    let at = jiff::Timestamp::from_second(session.build.at).unwrap_or_default();
    prompt::Session {
        id: session.id.to_string(),
        state,
        number: session.build.number,
        reason: session.build.reason.to_string(),
        at: at.to_string(),
    }
}

impl Answer {
    /// Whether the file at `path` was read to make it, under whatever name.
    pub(super) fn has_read(&self, path: &Path) -> bool {
        output::is_among(path, &self.read)
    }
}
