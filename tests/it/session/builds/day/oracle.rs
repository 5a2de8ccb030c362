//! The rules of a session, in a few lines: what each call of a day has to print.

/// The files of a user.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Home {
    pub(super) name: String,
    pub(super) rules: Option<String>,
    pub(super) memory: Vec<String>,
    pub(super) inbox: Option<String>,
}

/// The newest build.
pub(super) struct Build {
    pub(super) number: u64,
    pub(super) reason: String,
    pub(super) text: String,
}

/// A session as the app knows it.
pub(super) struct Session {
    pub(super) home: Home,
    pub(super) turns: u32,
    /// When it was asked for last.
    pub(super) used: i64,
    /// The model that was given last.
    pub(super) model: Option<String>,
    /// That of the newest build.
    built_with: Option<String>,
    pub(super) build: Option<Build>,
}

/// The app's report at a turn.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) now: i64,
    pub(super) model: Option<String>,
    pub(super) account: bool,
    pub(super) event: Option<String>,
    pub(super) refresh: bool,
}

/// The expected output.
pub(super) struct Expected {
    pub(super) state: &'static str,
    pub(super) reason: String,
    pub(super) number: u64,
    pub(super) system: String,
    pub(super) user: String,
}

impl Session {
    pub(super) fn new(name: &str) -> Self {
        Self {
            home: Home {
                name: name.to_owned(),
                rules: None,
                memory: Vec::new(),
                inbox: None,
            },
            turns: 0,
            used: 0,
            model: None,
            built_with: None,
            build: None,
        }
    }

    /// Why it is built at this call, if it is.
    fn reason(&self, call: &Call) -> Option<String> {
        if self.build.is_none() {
            return Some("first".to_owned());
        }
        if call.refresh {
            return Some("asked".to_owned());
        }
        if let Some(event) = call
            .event
            .as_deref()
            .filter(|e| ["compaction", "reset"].contains(e))
        {
            return Some(format!("event:{event}"));
        }
        if call.now - self.used >= 30 * 60 {
            return Some(format!("idle:{}", call.now - self.used));
        }
        let other = call.model.is_some() && call.model != self.built_with;
        other.then(|| "fact:model".to_owned())
    }

    /// The text of a build now.
    fn text(&self, call: &Call) -> String {
        let model = call.model.as_ref().or(self.model.as_ref()).unwrap();
        let mut parts = vec![format!(
            "You are the assistant of {}, on {model}.",
            self.home.name
        )];
        parts.extend(self.home.rules.clone());
        if call.account {
            parts.push("The user is signed in.".to_owned());
        }
        let mut notes: Vec<&str> = Vec::new();
        for note in &self.home.memory {
            if !notes.contains(&note.as_str()) {
                notes.push(note);
            }
        }
        if !notes.is_empty() {
            parts.push(format!("Notes:\n{}", notes.join("\n§\n")));
        }
        let now = jiff::Timestamp::from_second(call.now).unwrap().to_string();
        parts.push(format!("Today is {}.", &now[..10]));
        parts.join("\n\n")
    }

    pub(super) fn expect(&self, call: &Call) -> Expected {
        let signed = if call.account { ", signed in" } else { "" };
        let turn = format!("Turn {}{signed}.", self.turns);
        let user = match &self.home.inbox {
            Some(inbox) => format!("{turn}\n\n{inbox}"),
            None => turn,
        };
        let number = self.build.as_ref().map_or(0, |b| b.number);
        let (state, reason, number, system) = match (self.reason(call), &self.build) {
            (None, Some(build)) => ("restored", build.reason.clone(), number, build.text.clone()),
            (Some(reason), Some(_)) => ("refreshed", reason, number + 1, self.text(call)),
            (reason, None) => ("built", reason.unwrap_or_default(), 1, self.text(call)),
        };
        Expected {
            state,
            reason,
            number,
            system,
            user,
        }
    }

    /// Notes a call that was answered.
    pub(super) fn done(&mut self, call: &Call, system: &str, number: u64) {
        let reason = self.reason(call);
        if call.model.is_some() {
            self.model.clone_from(&call.model);
        }
        if let Some(reason) = reason {
            self.built_with.clone_from(&self.model);
            self.build = Some(Build {
                number,
                reason,
                text: system.to_owned(),
            });
        }
        self.used = call.now;
        self.turns += 1;
    }
}
