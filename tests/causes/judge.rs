//! Holds a report against builds with only some of the changes. The changes are known here, and no code of promptc but its builds decides.

use super::build::{Built, Side, build};
use super::report::{Verdict, breaks, causes, number, short};
use serde_json::Value;
use std::collections::BTreeSet;

/// The part that a change affects, which links a cause to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Touch {
    Document(String, String),
    Fact(String),
    Template(String),
    /// A file of the manifest.
    Manifest(String),
}

/// A pair with all the sides between.
pub(crate) struct Between<'a> {
    pub(crate) a: &'a Built,
    pub(crate) b: &'a Built,
    /// The parts that each change affects.
    pub(crate) touches: Vec<Vec<Touch>>,
    /// The side with some of the changes.
    pub(crate) with: &'a dyn Fn(u32) -> Side,
    /// The folders of roots.
    pub(crate) folders: &'a [(&'static str, &'static str)],
}

/// The number of the first channel that differs, and the bytes before the difference in it.
type Kept = (usize, usize);

const CHANNELS: [&str; 3] = ["tools", "system", "user"];

fn kept(a: &Built, b: &Built) -> Kept {
    let mut all = CHANNELS.iter().enumerate();
    let found = all.find(|(_, name)| a.channel(name) != b.channel(name));
    found.map_or((CHANNELS.len(), 0), |(number, name)| {
        (number, prefix(a.channel(name), b.channel(name)))
    })
}

fn prefix(a: &str, b: &str) -> usize {
    let mut at = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    while !a.is_char_boundary(at) || !b.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The bytes of A's system prompt in what is kept.
fn system(a: &Built, (number, bytes): Kept) -> usize {
    match number {
        0 => 0,
        1 => bytes,
        _ => a.channel("system").len(),
    }
}

/// Whether a cause is a change.
fn is(cause: &Value, touch: &Touch, folders: &[(&str, &str)]) -> bool {
    let path = cause["path"].as_str().unwrap_or_default();
    match touch {
        Touch::Document(root, name) => {
            let is_renamed = cause["kind"] == "document-renamed" && cause["old"] == **name;
            let is_named = cause["root"].as_str() == Some(root) && (path == name || is_renamed);
            // A file that no map has is named by its place.
            let mut own = folders.iter().filter(|folder| folder.0 == root);
            let is_placed = own.any(|folder| path == format!("{}/{name}", folder.1));
            is_named || cause["root"].is_null() && is_placed
        }
        Touch::Fact(fact) => cause["fact"].as_str() == Some(fact),
        Touch::Template(name) => !name.is_empty() && path.ends_with(name.as_str()),
        Touch::Manifest(name) => path.ends_with(name.as_str()) && cause["root"].is_null(),
    }
}

/// Whether a cause, or what it follows from, is a change.
fn leads(cause: &Value, touches: &[Touch], folders: &[(&str, &str)]) -> bool {
    // A cut that moved names the document that is cut, not what changed.
    let mut all = touches.iter();
    let own = cause["kind"] != "cut-moved" && all.any(|touch| is(cause, touch, folders));
    own || causes(cause, "because")
        .iter()
        .any(|cause| leads(cause, touches, folders))
}

/// The paths that a build asked for.
struct Known {
    paths: serde_json::Map<String, Value>,
}

impl Known {
    fn of(built: &Built) -> Self {
        let inputs = serde_json::to_value(&built.prompt.inputs).unwrap_or_default();
        let paths = inputs["world"]["paths"].as_object();
        Self {
            paths: paths.cloned().unwrap_or_default(),
        }
    }

    /// Whether a question about a path was answered.
    fn answers(&self, path: &str, question: &str) -> bool {
        let answers = self.paths.get(path);
        answers.is_some_and(|answers| !answers[question].is_null())
    }

    /// Whether it knows a name that differs in case: a build asks for one in each folder.
    fn has_other_case(&self, path: &str) -> bool {
        let mut all = self.paths.keys();
        all.any(|known| known != path && known.eq_ignore_ascii_case(path))
    }

    /// What it knows of the file whose path ends so: from answers, from the list of a folder, or because there is no folder.
    fn state(&self, path: &str) -> State {
        let is_it = |known: &str, of: &str| known.ends_with(&format!("/{of}")) || known == of;
        let of = |path| {
            self.paths
                .iter()
                .filter(move |(known, _)| is_it(known, path))
        };
        if of(path).any(|(_, answers)| is_absent(answers)) {
            return State::Absent;
        }
        if of(path).any(|(_, answers)| !answers["content"].is_null()) {
            return State::Read;
        }
        let mut folders = path.match_indices('/').map(|(at, _)| at);
        let is_gone = folders.any(|at| {
            let name = path[at + 1..].split('/').next().unwrap_or_default();
            of(&path[..at]).any(|(_, answers)| {
                let list = answers["list"].as_array();
                let is_listed = |list: &Vec<Value>| list.iter().any(|entry| entry[0] == name);
                list.is_some_and(|list| !is_listed(list)) || is_absent(answers)
            })
        });
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_listed = of(folder).any(|(_, answers)| {
            let mut list = answers["list"].as_array().into_iter().flatten();
            list.any(|entry| entry[0] == name)
        });
        if is_gone {
            State::Absent
        } else if is_listed || of(path).next().is_some() {
            State::There
        } else {
            State::Unknown
        }
    }
}

/// What a build knows of a file.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unknown,
    Absent,
    /// It is there, and what is in it was not asked.
    There,
    Read,
}

/// Whether there is nothing at a path.
fn is_absent(answers: &Value) -> bool {
    let mut all = answers.as_object().into_iter().flatten();
    all.any(|(_, answer)| answer["fails"] == "not-found")
}

/// The files of a change; none of what is always asked for.
fn file(touch: &Touch, folders: &[(&str, &str)]) -> Option<Vec<String>> {
    match touch {
        Touch::Document(root, path) => {
            let own = folders.iter().filter(|folder| folder.0 == root);
            Some(own.map(|folder| format!("{}/{path}", folder.1)).collect())
        }
        Touch::Template(name) => Some(vec![format!("templates/{name}")]),
        Touch::Fact(_) => None,
        Touch::Manifest(name) => Some(vec![name.clone()]),
    }
}

/// The builds with some of the changes, by their bits; none where it does not build, or asks what neither side asked.
struct Mixes<'a> {
    between: &'a Between<'a>,
    own: Vec<Option<Built>>,
    /// Changes of what only one side read: that has its value on both.
    fixed: [u32; 2],
}

impl<'a> Mixes<'a> {
    fn of(between: &'a Between<'a>) -> Self {
        let full = (1_u32 << between.touches.len()) - 1;
        let known = [between.a, between.b].map(Known::of);
        let fixed = [0, 1].map(|side: usize| {
            let all = between.touches.iter().enumerate();
            let unread = all.filter(|(_, touches)| {
                let mut files = touches
                    .iter()
                    .filter_map(|touch| file(touch, between.folders));
                !matches!(touches[..], [Touch::Fact(_)])
                    && files.all(|paths| {
                        let states =
                            |path: &String| [known[side].state(path), known[1 - side].state(path)];
                        paths.iter().map(states).all(|states| {
                            matches!(states, [State::Unknown, _] | [State::There, State::Read])
                        })
                    })
            });
            unread.map(|(change, _)| 1 << change).sum()
        });
        let own = (1..full).map(|mask| {
            let built = build(&(between.with)(mask)).ok()?;
            let asked = Known::of(&built);
            let mut asked = asked.paths.iter();
            let is_known = asked.all(|(path, answers)| {
                let sides = || known.iter();
                let questions = answers.as_object().into_iter().flatten();
                let mut open = questions.filter(|(_, answer)| !answer.is_null());
                open.all(|(question, _)| sides().any(|side| side.answers(path, question)))
                    || is_absent(answers)
                        && sides().any(|side| {
                            side.state(path) == State::Absent || side.has_other_case(path)
                        })
            });
            is_known.then_some(built)
        });
        Self {
            between,
            own: own.collect(),
            fixed,
        }
    }

    /// The mix in which what only one side read is as that has it.
    fn settled(&self, mask: u32) -> u32 {
        let [in_a, in_b] = self.fixed;
        (mask | in_a & !in_b) & !(in_b & !in_a)
    }

    fn full(&self) -> u32 {
        (1 << self.between.touches.len()) - 1
    }

    fn built(&self, mask: u32) -> Option<&Built> {
        match mask {
            0 => Some(self.between.a),
            mask if mask == self.full() => Some(self.between.b),
            mask => match self.settled(mask) {
                0 => Some(self.between.a),
                mask if mask == self.full() => Some(self.between.b),
                mask => self.own[mask as usize - 1].as_ref(),
            },
        }
    }

    fn kept(&self, mask: u32) -> Option<Kept> {
        Some(kept(self.between.a, self.built(mask)?))
    }

    /// The smallest sets of changes without which the break of B is later.
    fn minimal(&self) -> Vec<u32> {
        let (full, at) = (self.full(), kept(self.between.a, self.between.b));
        let is_later = |gone: &u32| self.kept(full & !gone).is_some_and(|kept| kept > at);
        let sets: Vec<u32> = (1..=full).filter(is_later).collect();
        let is_minimal = |set: &&u32| {
            !sets
                .iter()
                .any(|other| other != *set && other & *set == *other)
        };
        sets.iter().filter(is_minimal).copied().collect()
    }

    /// Whether a change changes a byte, with any of the others.
    fn acts(&self, change: usize) -> bool {
        let bit = 1 << change;
        let mut without = (0..=self.full()).filter(|mask| mask & bit == 0);
        without.any(|mask| match (self.built(mask), self.built(mask | bit)) {
            (Some(x), Some(y)) => x.channels != y.channels,
            _ => true,
        })
    }

    /// The changes that a cause leads to, as bits.
    fn led(&self, cause: &Value) -> u32 {
        let touches = self.between.touches.iter().enumerate();
        let led = touches.filter(|(_, touches)| leads(cause, touches, self.between.folders));
        led.map(|(change, _)| 1 << change).sum()
    }
}

/// Checks a report.
pub(crate) fn judge(between: &Between, report: &Value, v: &mut Verdict) {
    place(between, report, v);
    changed_layers(between, report, v);
    let mixes = Mixes::of(between);
    blamed(&mixes, report, v);
    named(&mixes, report, v);
    undone(&mixes, report, v);
    if report["confidence"]["by"] != "build" || !report["stopped"].is_null() {
        v.says("no build", format!("confidence {}", report["confidence"]));
    }
    v.verified += breaks(report).len();
}

/// Where the prompts differ.
fn place(between: &Between, report: &Value, v: &mut Verdict) {
    let (a, first) = (between.a, &report["break"]);
    let (channel, at) = kept(a, between.b);
    let text = a.channel(CHANNELS[channel]);
    let line = text[..at].matches('\n').count() + 1;
    let last = text[..at].rsplit('\n').next().unwrap_or_default();
    let column = last.chars().count() + 1;
    let said = ["offset", "line", "column"].map(|key| number(&first[key]));
    if first["channel"] != CHANNELS[channel] || said != [at, line, column] {
        let channel = CHANNELS[channel];
        v.says(
            "place",
            format!("{said:?}, expected {channel} {at}, line {line}, column {column}"),
        );
    }
}

/// Each layer whose text differs is changed by a round.
fn changed_layers(between: &Between, report: &Value, v: &mut Verdict) {
    let text = |built: &Built, name: &str| {
        let layer = built.layer(name);
        layer.map(|layer| (layer.channel.clone(), layer.text.clone()))
    };
    let said: Vec<&Value> = breaks(report)
        .into_iter()
        .flat_map(|of| causes(of, "layers"))
        .collect();
    // What only makes up for another change is in no round.
    let has_more = !causes(&report["break"], "also").is_empty();
    let all = between.a.layers.iter().chain(&between.b.layers);
    let names: BTreeSet<&str> = all.map(|layer| layer.name.as_str()).collect();
    for name in names {
        let differs = text(between.a, name) != text(between.b, name);
        if differs && !has_more && !said.iter().any(|layer| **layer == *name) {
            v.says("layer of no round", name.to_owned());
        }
    }
}

/// The first round names a change without which, or without which and others, the break is later; no round names one that does nothing.
fn blamed(mixes: &Mixes, report: &Value, v: &mut Verdict) {
    let first = causes(&report["break"], "causes");
    let allowed = mixes.minimal().into_iter().fold(0, |all, set| all | set);
    if !first.iter().any(|cause| mixes.led(cause) & allowed != 0) {
        let words: Vec<String> = first.iter().map(short).collect();
        v.says(
            "another cause",
            format!("{words:?}, expected of {allowed:b}"),
        );
    }
    for round in breaks(report) {
        let name = round["layer"].as_str().unwrap_or_default();
        for cause in causes(round, "causes").iter().chain(causes(round, "also")) {
            let led = mixes.led(cause);
            let changes = 0..mixes.between.touches.len();
            if led == 0 {
                v.says(
                    "no change",
                    format!("{name}: nobody changed this: {}", short(cause)),
                );
            } else if !changes
                .into_iter()
                .any(|change| led >> change & 1 == 1 && mixes.acts(change))
            {
                v.says(
                    "idle cause",
                    format!("{name}: it changes nothing: {}", short(cause)),
                );
            }
            if cause["kind"] == "unexplained" {
                v.says("unexplained", name.to_owned());
            }
        }
        if causes(round, "causes").is_empty() {
            v.says("no cause", name.to_owned());
        }
    }
}

/// Each change without which B has other bytes is named somewhere, but for those that only make up for each other.
fn named(mixes: &Mixes, report: &Value, v: &mut Verdict) {
    let all = breaks(report);
    let all = all
        .iter()
        .flat_map(|round| causes(round, "causes").iter().chain(causes(round, "also")));
    let told = all.fold(0, |told, cause| told | mixes.led(cause));
    let full = mixes.full();
    let does_nothing = |gone: u32| {
        let rest = mixes.built(full & !gone);
        rest.is_some_and(|rest| rest.channels == mixes.between.b.channels)
    };
    let left = full & !told;
    if (1..=full).any(|gone| gone & left == left && does_nothing(gone)) {
        return;
    }
    for change in 0..mixes.between.touches.len() {
        let Some(without) = mixes.built(full & !(1 << change)) else {
            continue;
        };
        if without.channels != mixes.between.b.channels && told >> change & 1 == 0 {
            v.says(
                "change of no round",
                format!("{:?}", mixes.between.touches[change]),
            );
        }
    }
}

/// What each round keeps is what a build without its causes and those of earlier rounds keeps.
fn undone(mixes: &Mixes, report: &Value, v: &mut Verdict) {
    let (full, a) = (mixes.full(), mixes.between.a);
    let mut gone = 0;
    let mut before = number(&report["break"]["undone"]);
    let rounds = breaks(report);
    for (at, round) in rounds.iter().enumerate() {
        let own = causes(round, "causes").iter();
        gone = own.fold(gone, |gone, cause| gone | mixes.led(cause));
        let kept = number(&round["undone"]);
        if kept < before {
            v.says("undone", format!("{kept} after {before}"));
        }
        before = kept;
        if let Some(next) = rounds.get(at + 1) {
            let is_at = next["channel"] != "system" || number(&next["offset"]) == kept;
            if !is_at {
                v.says(
                    "undone",
                    format!("{kept}, and the next break is at {}", next["offset"]),
                );
            }
        } else if kept != a.channel("system").len() {
            v.says("undone", format!("{kept} after the last round"));
        }
        // Of changes that have several parts some may be taken back alone.
        let sets = (1..=full).filter(|set| set & gone == *set);
        let mut expected = sets.filter_map(|set| Some(system(a, mixes.kept(full & !set)?)));
        if expected.any(|bytes| bytes == kept) {
            v.exact += 1;
        } else if has_parts(mixes, gone) {
            v.partly += 1;
        } else {
            v.says("undone", format!("{kept} is kept by no set of {gone:b}"));
        }
    }
}

/// Whether some of these changes may be taken back in part.
fn has_parts(mixes: &Mixes, changes: u32) -> bool {
    let all = mixes.between.touches.iter().enumerate();
    let mut own = all.filter(|(change, _)| changes >> change & 1 == 1);
    own.any(|(_, touches)| touches.len() > 1 || matches!(touches[..], [Touch::Manifest(_)]))
}
