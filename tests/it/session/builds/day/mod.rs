//! A day of an app: many sessions with turns, edits of memory, midnight, other models, compactions and pauses.
//!
//! The expected output of each turn comes from [`oracle`], which knows the rules and shares nothing with the program.
//! `PROMPTC_DAY` sets the number of sessions.

mod oracle;

use super::{Desk, Dice, Told, number, open};
use crate::run::run;
use oracle::{Call, Expected, Home, Session};
use promptc::session::store::Store as _;
use std::collections::BTreeMap;
use std::fs;
use std::thread;

const MANIFEST: &str = r#"promptc 1
name app
root home default="homes/nobody"
session {
    refresh event=compaction
    refresh event=reset
    refresh fact=model
    refresh idle="30m"
}
fact model string
fact user string
fact account string private=#true optional=#true
fact today date clock=utc changes=day
fact turn int changes=turn default=0
tier stable changes=session {
    layer persona {
        template "You are the assistant of {{ user }}, on {{ model }}."
    }
    layer rules {
        file "AGENTS.md" root=home
    }
    layer account when="account is defined" {
        text "The user is signed in."
    }
}
tier memory changes=session {
    layer memory {
        memory "memories/MEMORY.md" root=home
        template "Notes:\n{{ content }}"
    }
}
tier daily changes=day {
    layer today {
        template "Today is {{ today }}."
    }
}
tier turn changes=turn deliver=user {
    layer turn {
        template "Turn {{ turn }}{% if account is defined %}, signed in{% endif %}."
    }
    layer inbox {
        file "inbox.md" root=home
    }
}
"#;

/// 2026-03-30T14:00:00Z, so that midnight is in the middle.
const BEGIN: i64 = 1_774_879_200;
const DAY: i64 = 24 * 60 * 60;

/// The results of a day.
#[derive(Default)]
struct Figures {
    turns: u32,
    refreshes: BTreeMap<String, u32>,
    edits: u32,
    midnights: u32,
    pairs: u32,
    /// Where something else was printed than the oracle says.
    wrong: Vec<String>,
    /// The bytes of the text before, and how many of them the next one begins with: for all turns after a first one,
    /// and for those without a declared refresh.
    all: (usize, usize),
    quiet: (usize, usize),
}

impl Figures {
    /// Counts what a text keeps of the one before. Whether a refresh was declared is what the oracle says, and nothing is
    /// asserted of the text first: a prefix that the program breaks in between is a byte that is missing in `quiet`.
    fn keep(&mut self, session: &Session, is_quiet: bool, text: &str) {
        let Some(before) = &session.build else {
            return;
        };
        let same = before.text.bytes().zip(text.bytes());
        let kept = same.take_while(|(a, b)| a == b).count();
        let share = |sum: &mut (usize, usize)| *sum = (sum.0 + before.text.len(), sum.1 + kept);
        share(&mut self.all);
        if is_quiet {
            share(&mut self.quiet);
        }
    }

    fn add(&mut self, other: Self) {
        self.turns += other.turns;
        self.edits += other.edits;
        self.midnights += other.midnights;
        self.pairs += other.pairs;
        self.wrong.extend(other.wrong);
        for (reason, n) in other.refreshes {
            *self.refreshes.entry(reason).or_default() += n;
        }
        for (sum, more) in [(&mut self.all, other.all), (&mut self.quiet, other.quiet)] {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }
}

fn write(desk: &Desk, path: &str, text: Option<&str>) {
    match text {
        Some(text) => drop(desk.place.file(path, text)),
        None => drop(fs::remove_file(desk.place.path().join(path))),
    }
}

/// Changes files of a session between its turns; how many.
fn edit(desk: &Desk, home: &mut Home, dice: &mut Dice) -> u32 {
    let before = home.clone();
    match dice.below(12) {
        0..4 => home
            .memory
            .push(format!("Note {} of {}.", dice.below(1000), home.name)),
        4 if !home.memory.is_empty() => drop(home.memory.remove(0)),
        5 => home.memory.clear(),
        6 => home.rules = Some(format!("Rule {}: be brief.", dice.below(1000))),
        7 => home.rules = None,
        8 | 9 => home.inbox = Some(format!("{} messages", dice.below(100))),
        10 => home.inbox = None,
        _ => {}
    }
    let path = |file: &str| format!("homes/{}/{file}", home.name);
    if home.memory != before.memory {
        let text = home.memory.join("\n§\n") + "\n";
        write(desk, &path("memories/MEMORY.md"), Some(&text));
    }
    if home.rules != before.rules {
        write(desk, &path("AGENTS.md"), home.rules.as_deref());
    }
    if home.inbox != before.inbox {
        write(desk, &path("inbox.md"), home.inbox.as_deref());
    }
    u32::from(*home != before)
}

/// The app's report at a turn.
fn call(session: &Session, dice: &mut Dice, now: i64) -> Call {
    let models = ["swift-1", "deep-2", "deep-3"];
    let model = models[usize::try_from(dice.below(3)).unwrap()];
    let events = ["compaction", "reset"];
    Call {
        now,
        // An app may give what it gave before, another one, or rely on what is remembered.
        model: match dice.below(20) {
            _ if session.build.is_none() => Some(model.to_owned()),
            0 => Some(model.to_owned()),
            1..10 => session.model.clone(),
            _ => None,
        },
        account: !dice.once_in(8),
        event: dice
            .once_in(15)
            .then(|| events[usize::try_from(dice.below(2)).unwrap()].to_owned()),
        refresh: dice.once_in(60),
    }
}

/// The call as a process; facts go in as arguments or on standard input.
fn ask(desk: &Desk, session: &Session, call: &Call, on_stdin: bool) -> Told {
    let mut facts = BTreeMap::from([("turn", session.turns.to_string())]);
    if session.build.is_none() {
        facts.insert("user", session.home.name.clone());
    }
    facts.extend(call.model.clone().map(|model| ("model", model)));
    if call.account {
        facts.insert("account", format!("zebra-{}", session.home.name));
    }
    let now = jiff::Timestamp::from_second(call.now).unwrap().to_string();
    let mut args = vec!["--format".to_owned(), "json".into(), "--now".into(), now];
    if session.build.is_none() {
        args.extend(["--root".into(), format!("home=homes/{}", session.home.name)]);
    }
    args.extend(
        call.event
            .iter()
            .flat_map(|e| ["--event".to_owned(), e.clone()]),
    );
    args.extend(call.refresh.then(|| "--refresh".to_owned()));
    let mut stdin = String::new();
    if on_stdin {
        let turn = facts.remove("turn").unwrap();
        let mut json = serde_json::json!(facts);
        json["turn"] = turn.parse::<u32>().unwrap().into();
        stdin = json.to_string();
        args.extend(["--facts".into(), "-".into()]);
    } else {
        let sets = facts.iter().map(|(name, value)| format!("{name}={value}"));
        args.extend(sets.flat_map(|set| ["--set".to_owned(), set]));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = run(desk.command(&session.home.name, &args), stdin.as_bytes());
    Told::read(&ran.exits(0).stdout)
}

/// A turn: the output is compared with the oracle's.
fn turn(desk: &Desk, session: &mut Session, dice: &mut Dice, now: i64, figures: &mut Figures) {
    figures.edits += edit(desk, &mut session.home, dice);
    let call = call(session, dice, now);
    let Expected {
        state,
        reason,
        number,
        system,
        user,
    } = session.expect(&call);
    let on_stdin = dice.once_in(2);
    let told = ask(desk, session, &call, on_stdin);
    figures.keep(session, state == "restored", &told.system);
    let place = format!(
        "{} at turn {} with {call:?}",
        session.home.name, session.turns
    );
    let mark = (&*told.state, &told.reason, told.number);
    if mark != (state, &reason, number) || told.system != system || told.user != user {
        figures.wrong.push(format!("{place}: {told:?}"));
    }
    if dice.once_in(8) && call.event.is_none() && !call.refresh {
        // The other app of a pair asks for the same a moment later.
        let again = ask(desk, session, &call, !on_stdin);
        if (&*again.state, again.number, &again.system) != ("restored", number, &system) {
            figures.wrong.push(format!("{place}, again: {again:?}"));
        }
        figures.pairs += 1;
    }
    figures.turns += 1;
    if state == "restored" {
        figures.midnights += u32::from(now / DAY != session.used / DAY);
    } else {
        *figures
            .refreshes
            .entry(reason.split(':').next().unwrap().to_owned())
            .or_default() += 1;
    }
    session.done(&call, &system, number);
}

/// When the next turn is: soon, or after a pause.
fn later(dice: &mut Dice, now: i64) -> i64 {
    let seconds = match dice.below(9) {
        0 => 1700 + dice.below(200),
        1 | 2 => 1801 + dice.below(4 * 3600),
        _ => 20 + dice.below(900),
    };
    now + i64::try_from(seconds).unwrap()
}

/// The day of some of the sessions, in the order of their turns.
fn day(desk: &Desk, names: Vec<String>, salt: u64) -> Figures {
    let (mut dice, mut figures) = (Dice::new(salt), Figures::default());
    let mut sessions: Vec<(i64, Session)> = Vec::new();
    for name in names {
        let first = BEGIN + i64::try_from(dice.below(3600)).unwrap();
        sessions.push((first, Session::new(&name)));
    }
    while let Some((now, session)) = sessions.iter_mut().min_by_key(|(at, _)| *at) {
        if *now >= BEGIN + DAY {
            break;
        }
        turn(desk, session, &mut dice, *now, &mut figures);
        *now = later(&mut dice, *now);
    }
    figures
}

#[test]
fn a_day_of_a_gateway_keeps_every_prefix_that_nothing_declared_breaks() {
    let sessions: usize = number("PROMPTC_DAY", 4);
    let desk = Desk::new(MANIFEST);
    let mut figures = Figures::default();
    let names: Vec<String> = (0..sessions).map(|n| format!("user-{n}")).collect();
    // Two apps, each with its own users and the same store.
    thread::scope(|scope| {
        let half = sessions.div_ceil(2).max(1);
        let parts = names.chunks(half).enumerate().map(|(part, names)| {
            let (desk, names) = (&desk, names.to_vec());
            scope.spawn(move || day(desk, names, 40 + part as u64))
        });
        for part in parts.collect::<Vec<_>>() {
            figures.add(part.join().unwrap());
        }
    });
    let mut store = open(&desk.store());
    assert_eq!(store.verify().unwrap(), []);
    assert_eq!(store.sessions().unwrap().len(), sessions);
    let percent = |(whole, kept): (usize, usize)| kept as f64 * 100.0 / whole as f64;
    let Figures {
        turns,
        refreshes,
        edits,
        midnights,
        pairs,
        wrong,
        all,
        quiet,
    } = figures;
    println!(
        "{sessions} sessions, {turns} turns, {edits} edits, {midnights} midnights, {pairs} asked twice"
    );
    println!("built: {refreshes:?}");
    println!(
        "kept where nothing is declared: {:.2} % of {} bytes; with declared refreshes: {:.2} % of {} bytes",
        percent(quiet),
        quiet.0,
        percent(all),
        all.0
    );
    assert!(wrong.is_empty(), "{} turns, as {}", wrong.len(), wrong[0]);
    assert_eq!(quiet.0, quiet.1);
    assert!(all.0 > all.1 && edits > 0 && midnights > 0);
    let reasons: Vec<&str> = refreshes.keys().map(String::as_str).collect();
    assert!(reasons.contains(&"first") && reasons.contains(&"idle"));
    assert!(sessions < 20 || reasons == ["asked", "event", "fact", "first", "idle"]);
}
