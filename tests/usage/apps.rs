//! Apps whose conversations have one turn: a support bot, retrieval, classification. What varies in their prompts is known.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::class::{Class, More};
use crate::classes::causes;
use crate::parts::{Api, Kind, Marks, Part, Request, Ttl};
use crate::program::Bench;
use crate::traffic::{Billed, Event, Maker, Mode};
use crate::verify::{Log, PLAIN, Wrong, input, logs};

/// What an app does with its prompt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum App {
    /// All conversations have one prompt.
    Shared,
    /// A clock stands before the rules.
    Clocked,
    /// The tools come in another order each time.
    Shuffled,
    /// Documents of the question stand before the rules.
    Retrieved,
    /// A control: the documents stand behind them.
    Behind,
    /// A control: the prompt is too short to be kept.
    Short,
    /// A control: each conversation asks another model.
    Models,
}

pub(crate) const APPS: &[App] = &[
    App::Shared,
    App::Clocked,
    App::Shuffled,
    App::Retrieved,
    App::Behind,
    App::Short,
    App::Models,
];

impl App {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Clocked => "clocked",
            Self::Shuffled => "shuffled",
            Self::Retrieved => "retrieved",
            Self::Behind => "behind",
            Self::Short => "short",
            Self::Models => "models",
        }
    }

    /// Whether conversations differ before text that they share.
    fn diverges(self) -> bool {
        matches!(self, Self::Clocked | Self::Shuffled | Self::Retrieved)
    }
}

impl Maker {
    /// The conversations of an app, each of some tenant.
    pub(crate) fn app(&mut self, app: App, api: Api, from: i64, tenants: u64) {
        let (tools, rules) = if app == App::Short {
            (0, 200)
        } else {
            (4, 1500)
        };
        let tools: Vec<Part> = (0..tools).map(|_| self.part(Kind::Tool, 500)).collect();
        let rules = self.part(Kind::System, rules);
        let mut time = from;
        let tells_begin = !self.more_r.one_in(3);
        for _ in 0..self.more_r.from(6, 12) {
            let gap = self.more_r.from(1, 90);
            time = self.time(time + i64::try_from(gap).unwrap_or(0));
            let mut request = self.one_turn(app, api, (&tools, &rules));
            if app == App::Models {
                let models = api.models();
                let n = usize::try_from(self.next).unwrap_or(0) % models.len();
                request.model = models[n];
            }
            let more = More {
                class: Some(Class::Apps),
                account: 1 + self.more_r.below(usize::try_from(tenants).unwrap_or(1)) as u64,
                begins: i64::try_from(self.more_r.from(1, 6)).unwrap_or(1),
                tells_begin,
                ..More::default()
            };
            let id = self.out.len();
            self.out.push(Event {
                id,
                after: None,
                more,
                time,
                conversation: format!("{}-{}-{id}", app.name(), self.seed),
                chain: 0,
                agent: None,
                request,
                change: app.name(),
            });
        }
    }

    fn one_turn(&mut self, app: App, api: Api, (tools, rules): (&[Part], &Part)) -> Request {
        let mut tools = tools.to_vec();
        let mut system = vec![rules.clone()];
        match app {
            App::Clocked => system.insert(0, self.part(Kind::System, 12)),
            App::Retrieved => system.insert(0, self.part(Kind::System, 600)),
            App::Behind => system.push(self.part(Kind::System, 600)),
            App::Shuffled => {
                let n = self.more_r.from(1, 3);
                tools.rotate_left(n);
            }
            App::Shared | App::Short | App::Models => {}
        }
        Request {
            api,
            model: api.models()[0],
            settings: [0; 3],
            key: 0,
            tools,
            system,
            messages: vec![self.message(true, 1)],
            marks: Marks {
                tools: None,
                system: Some(Ttl::Minutes),
                last: Some(Ttl::Minutes),
                back: 0,
            },
        }
    }
}

fn mode(class: Class) -> Mode {
    Mode {
        class: Some(class),
        ..PLAIN
    }
}

/// Each token of a conversation of one turn has its cause, whatever varies, and those of other tenants are none.
#[test]
fn apps() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, mode(Class::Apps));
        causes(&log, "apps", |_| true, &mut wrong);
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        for b in &log.billed {
            for cause in b.causes.keys() {
                *met.entry(cause).or_default() += 1;
            }
        }
        for cause in ["diverged", "concurrent", "cold", "new", "reused", "unknown"] {
            wrong.check(
                met.contains_key(cause),
                format!("{seeds:?}: nothing is {cause}: {met:?}"),
            );
        }
    }
    wrong.end();
}

/// What `capture diff` says of the requests: no one is compared with another tenant's, another model's or another app's, and those break that differ
/// before text that they share.
#[test]
fn comparisons_of_apps() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, mode(Class::Apps));
        let said = log
            .bench
            .run(&["capture", "diff", "log.jsonl", "--format", "json"]);
        let said: Value = serde_json::from_slice(&said.stdout).unwrap();
        let mut broken: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for (n, b) in log.billed.iter().enumerate() {
            let one = &said["comparisons"][n];
            let Some(a) = one["a"].as_u64().and_then(|a| usize::try_from(a).ok()) else {
                let fine = one["state"] == "first" && one["across"] == false;
                wrong.check(fine, format!("request {}: {}", n + 1, one["state"]));
                continue;
            };
            let (old, new) = (&log.billed[a - 1].event, &b.event);
            let same = (old.more.account, old.request.model, old.change)
                == (new.more.account, new.request.model, new.change);
            wrong.check(
                same && a <= n && one["across"] == true,
                format!("request {} ({}) is compared with {a}", n + 1, new.change),
            );
            let counts = broken.entry(new.change).or_default();
            counts[usize::from(one["state"] == "broken")] += 1;
        }
        for app in APPS {
            let [kept, lost] = broken.get(app.name()).copied().unwrap_or_default();
            let fine = match app {
                App::Short => lost + kept == 0,
                _ if app.diverges() => lost > 0,
                _ => lost == 0 && kept > 0,
            };
            wrong.check(
                fine,
                format!("{seeds:?} {app:?}: {lost} are broken, {kept} are not"),
            );
        }
    }
    wrong.end();
}

/// The pieces of a log that is cut by account say together what the log says.
#[test]
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn pieces_by_account() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, mode(Class::Apps));
        let dir = log.bench.dir.path();
        let mut files = vec!["--add".to_owned()];
        for account in 1..=TENANTS {
            let mine = |b: &&Billed| b.event.more.account == account;
            let piece = input(log.billed.iter().filter(mine));
            let piece = Bench::new(&piece, None);
            let (_, text) = piece.raw(&["log.jsonl", "--by", "day,model,cause"]);
            let file = format!("account-{account}.json");
            std::fs::write(dir.join(&file), text).unwrap();
            files.push(file);
        }
        let args: Vec<&str> = files.iter().map(String::as_str).collect();
        let (added, whole) = (log.bench.usage(&args), log.bench.by("day,model,cause"));
        wrong.differ("pieces", &whole.rows, &added.rows);
        for key in ["total", "requests", "conversations", "prediction"] {
            let (w, a) = (&whole.doc[key], &added.doc[key]);
            wrong.check(w == a, format!("{key} of all is {w}, of pieces {a}"));
        }
    }
    wrong.end();
}

/// The number of tenants.
pub(crate) const TENANTS: u64 = 3;
