//! Holds a diff against what it must say.

use super::answer::{End, answer, region};
use super::build::Built;
use super::order::{Place, order};
use super::row::Owner;
use super::run::Stand;
use super::want::{Answer, Slot, Want};
use serde_json::Value;

/// The result of a pair.
#[derive(Default, Debug)]
pub(crate) struct Verdict {
    /// The errors: a class, and the words.
    pub(crate) wrong: Vec<(&'static str, String)>,
    /// Layers whose expected causes are ambiguous, with the reason.
    pub(crate) skipped: Vec<&'static str>,
    pub(crate) verified: usize,
    /// Output that is no failure.
    pub(crate) asides: Vec<(&'static str, String)>,
}

impl Verdict {
    pub(crate) fn says(&mut self, class: &'static str, words: String) {
        self.wrong.push((class, words));
    }
}

/// The causes of a break.
pub(crate) fn causes<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of[name].as_array().map_or(&[], Vec::as_slice)
}

/// All breaks of a report, the first one first.
pub(crate) fn breaks(report: &Value) -> Vec<&Value> {
    let first = Some(&report["break"]).filter(|b| !b.is_null());
    first.into_iter().chain(causes(report, "hidden")).collect()
}

fn number(v: &Value) -> usize {
    v.as_u64()
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(usize::MAX)
}

/// Whether a layer is after another one of its tier.
fn joint(s: &Stand, name: &str) -> bool {
    let Some(tier) = s.world.tier_of(name) else {
        return false;
    };
    let there = |l: &&super::world::Layer| s.built.layer(&l.name).is_some();
    tier.layers
        .iter()
        .find(there)
        .is_some_and(|l| l.name != name)
}

/// The layers that differ, in order, and those that only lost their place.
pub(crate) fn expected(a: &Stand, b: &Stand) -> (Vec<Place>, Vec<String>) {
    let mut all = places(&a.built, &b.built);
    for p in &mut all {
        p.joint = p.in_a && p.in_b && joint(a, &p.name) && joint(b, &p.name) && {
            let join = |s: &Stand| {
                s.world
                    .tier_of(&p.name)
                    .map(|t| t.join.clone().unwrap_or_else(|| s.world.join.clone()))
            };
            join(a) != join(b)
        };
        p.differs |= p.joint;
    }
    from_first(all)
}

fn places(a: &Built, b: &Built) -> Vec<Place> {
    let channels = ["tools", "system", "user"].into_iter();
    // A channel with the same text has no differences, whatever the positions.
    let place = |c| match a.channel(c) == b.channel(c) {
        true => order(c, a, a),
        false => order(c, a, b),
    };
    channels.flat_map(place).collect()
}

fn from_first(all: Vec<Place>) -> (Vec<Place>, Vec<String>) {
    let first = all.iter().position(|p| p.differs).unwrap_or(all.len());
    let (mut differ, mut displaced) = (Vec::new(), Vec::new());
    for p in all.into_iter().skip(first) {
        match p.differs {
            true => differ.push(p),
            false => displaced.push(p.name),
        }
    }
    (differ, displaced)
}

/// The report about the layers: which broke, which are hidden, which only moved, and where.
pub(crate) fn layers(a: &Stand, b: &Stand, report: &Value, v: &mut Verdict) {
    laid((&a.built, &b.built), expected(a, b), report, v);
}

/// The same where no join was edited.
pub(crate) fn plain(a: &Built, b: &Built, report: &Value, v: &mut Verdict) {
    laid((a, b), from_first(places(a, b)), report, v);
}

fn laid(
    (a, b): (&Built, &Built),
    (differ, displaced): (Vec<Place>, Vec<String>),
    report: &Value,
    v: &mut Verdict,
) {
    let names: Vec<&str> = breaks(report)
        .iter()
        .filter_map(|b| b["layer"].as_str())
        .collect();
    let wanted: Vec<&str> = differ.iter().map(|p| p.name.as_str()).collect();
    if names != wanted {
        return v.says("layers", format!("breaks {names:?}, expected {wanted:?}"));
    }
    let said: Vec<&str> = causes(report, "displaced")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if said != displaced {
        v.says(
            "displaced",
            format!("displaced {said:?}, expected {displaced:?}"),
        );
    }
    for (n, (place, said)) in differ.iter().zip(breaks(report)).enumerate() {
        let (ca, cb) = (a.channel(&place.channel), b.channel(&place.channel));
        let offset = number(&said["offset"]);
        if n == 0 {
            let at = prefix(ca, cb);
            if offset != at {
                v.says("offset", format!("offset {offset}, expected {at}"));
            }
            let line = ca[..at].matches('\n').count() + 1;
            let column = ca[..at]
                .rsplit('\n')
                .next()
                .unwrap_or_default()
                .chars()
                .count()
                + 1;
            if (number(&said["line"]), number(&said["column"])) != (line, column) {
                v.says(
                    "offset",
                    format!("line and column are not {line}, {column}"),
                );
            }
        } else if place.in_a && place.in_b && !place.moved {
            let (Some(la), Some(lb)) = (a.layer(&place.name), b.layer(&place.name)) else {
                continue;
            };
            let join = if place.joint { &lb.join } else { &la.join };
            let before = &ca[..la.start - la.join.len()];
            let alone = format!(
                "{before}{join}{}{}",
                lb.text,
                &ca[la.start + la.text.len()..]
            );
            let at = prefix(ca, &alone);
            if offset != at {
                v.says(
                    "hidden offset",
                    format!("{}: offset {offset}, expected {at}", place.name),
                );
            }
        }
    }
}

fn prefix(a: &str, b: &str) -> usize {
    let mut at = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    while !a.is_char_boundary(at) || !b.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The report about the causes, by the owner of the bytes; with the answer of each layer.
pub(crate) fn owners(
    a: &Stand,
    b: &Stand,
    report: &Value,
    v: &mut Verdict,
) -> Vec<(String, Answer)> {
    let mut answers = Vec::new();
    for said in breaks(report) {
        let Some(name) = said["layer"].as_str() else {
            continue;
        };
        let (differ, _) = expected(a, b);
        let Some(place) = differ.iter().find(|p| p.name == name) else {
            continue;
        };
        let ends = (End::new(a, name, false), End::new(b, name, true));
        match answer(name, ends.0, ends.1, place) {
            Err(why) => v.skipped.push(why),
            Ok(answer) => {
                v.verified += 1;
                held(name, &answer, said, v);
                runs_on(name, a, b, &answer, said, report, v);
                for c in causes(said, "causes").iter().chain(causes(said, "also")) {
                    texts(name, c, a, b, v);
                    seen(name, (c, true), a, b, v);
                    only_space(name, c, a, b, v);
                }
                causes(said, "causes")
                    .iter()
                    .for_each(|c| line(name, c, &answer, v));
                answers.push((name.to_owned(), answer));
            }
        }
    }
    answers
}

/// By how many bytes the prefix runs on beyond the change.
fn runs_on(
    name: &str,
    a: &Stand,
    b: &Stand,
    answer: &Answer,
    said: &Value,
    report: &Value,
    v: &mut Verdict,
) {
    let (Some(first), Some(made)) = (answer.first, a.built.layer(name)) else {
        return;
    };
    if *said != report["break"] {
        return;
    }
    let text = a.built.channel(&made.channel);
    let mut at = made.start + first;
    while !text.is_char_boundary(at) || !b.built.channel(&made.channel).is_char_boundary(at) {
        at -= 1;
    }
    let expected = number(&said["offset"]).saturating_sub(at);
    let told = said["coincidence"].as_u64().unwrap_or(0);
    if told != expected as u64 {
        let words = format!("{name}: {told}, expected {expected}");
        v.asides.push(("coincidence", words));
    }
}

/// The effect of an edit on a layer: without one there is no line, and with one it is a line of the edit.
fn seen(name: &str, (c, own): (&Value, bool), a: &Stand, b: &Stand, v: &mut Verdict) {
    for inner in causes(c, "because") {
        // A condition can query another layer.
        seen(
            name,
            (inner, own && c["kind"] != "condition-flipped"),
            a,
            b,
            v,
        );
    }
    let (Some(root), Some(path)) = (c["root"].as_str(), c["path"].as_str()) else {
        return;
    };
    let kind = c["kind"].as_str().unwrap_or_default();
    let doc = super::world::Doc::new(root, path);
    let (Some(ta), Some(tb)) = (a.world.docs.get(&doc), b.world.docs.get(&doc)) else {
        return;
    };
    if !matches!(kind, "document-changed" | "whitespace-only") || c["line"].is_null() {
        return;
    }
    let (ta, tb) = (ta.trim_end(), tb.trim_end());
    let (ea, eb) = region(ta.as_bytes(), tb.as_bytes());
    let shown = |s: &Stand, edited: &std::ops::Range<usize>| {
        let rows = s
            .rows
            .iter()
            .filter(|r| r.there && (r.layer == name || !own));
        let mut cells = rows.flat_map(|r| r.cells.iter().map(|c| (&r.uses[c.used].owner, c.at)));
        cells.any(|(o, at)| {
            *o == Owner::Doc(doc.clone()) && edited.start <= at + 1 && at <= edited.end
        })
    };
    if !shown(a, &ea) && !shown(b, &eb) {
        v.says("line of what is not shown", format!("{name}: {}", short(c)));
    }
    let line = number(&c["line"]);
    let of = |t: &str, at: usize| t.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
    let inside = |t: &str, r: &std::ops::Range<usize>| {
        (of(t, r.start) - 1..=of(t, r.end) + 1).contains(&line)
    };
    if !inside(ta, &ea) && !inside(tb, &eb) {
        v.says("line of no edit", format!("{name}: {}", short(c)));
    }
}

/// If white space alone differs, the report is about the text at the break.
fn only_space(name: &str, c: &Value, a: &Stand, b: &Stand, v: &mut Verdict) {
    let (Some(root), Some(path)) = (c["root"].as_str(), c["path"].as_str()) else {
        return;
    };
    let doc = super::world::Doc::new(root, path);
    let (Some(ta), Some(tb)) = (a.world.docs.get(&doc), b.world.docs.get(&doc)) else {
        return;
    };
    let bare = |t: &str| t.split_whitespace().collect::<String>();
    // The parts of two texts that a cut shows need not be alike.
    let cut = [a, b].iter().any(|s| {
        let mut rows = s.rows.iter().filter(|r| r.layer == name);
        rows.any(|r| r.lost.iter().any(|l| l.1 == Owner::Doc(doc.clone())))
    });
    let edited = c["kind"] == "document-changed" && !c["line"].is_null() && !cut;
    if edited && bare(ta) == bare(tb) && !bare(ta).is_empty() {
        v.says("only white space", format!("{name}: {}", short(c)));
    }
}

fn held(name: &str, answer: &Answer, said: &Value, v: &mut Verdict) {
    let named = causes(said, "causes");
    let also = causes(said, "also");
    // A cut that moved is not reported with the edit that it follows from, if that is reported.
    let is_told = |w: &Want| *w != Want::Cut && named.iter().any(|c| w.is(c));
    let can_be_cut = |slot: &&Slot| slot.contains(&Want::Cut);
    let edit_told = answer.must.iter().filter(can_be_cut).flatten().any(is_told);
    // It follows from the text that came or went at the same place.
    let alone = answer.must.iter().all(|slot| slot.contains(&Want::Cut));
    let came = |w: &&Want| !matches!(w, Want::Changed(_) | Want::File(_));
    let may = || answer.may.iter().chain(&answer.moved);
    let edit_told = edit_told || alone && may().filter(came).any(is_told);
    for slot in &answer.must {
        if edit_told && can_be_cut(&slot) {
            continue;
        }
        if !named.iter().any(|c| slot.iter().any(|w| w.is(c))) {
            v.says("cause missing", format!("{name}: no cause {slot:?}"));
        }
    }
    for c in named {
        let wanted = answer.must.iter().flatten().chain(may());
        if !answer.open && !wanted.into_iter().any(|w| w.is(c)) {
            v.says("cause too many", format!("{name}: cause {}", short(c)));
        }
        if c["kind"] == "unexplained" {
            v.says("unexplained", name.to_owned());
        }
        let follows = matches!(c["kind"].as_str(), Some("cut-moved" | "condition-flipped"));
        if follows && causes(c, "because").is_empty() && c["fact"].is_null() {
            v.says("no because", format!("{name}: {}", short(c)));
        }
    }
    if answer.open {
        return;
    }
    for slot in &answer.also {
        if !named
            .iter()
            .chain(also)
            .any(|c| slot.iter().any(|w| within(w, c)))
        {
            v.says(
                "also missing",
                format!("{name}: neither cause nor also {slot:?}"),
            );
        }
    }
}

/// Whether a cause, or what it follows from, is the one that is wanted.
fn within(w: &Want, c: &Value) -> bool {
    w.is(c) || causes(c, "because").iter().any(|i| within(w, i))
}

/// The text that an excerpt is of, without what stands for text that is left out.
pub(crate) fn excerpted(said: &str) -> String {
    let text = said.replace("\\u{20}", " ");
    text.trim_matches(['.', '…']).to_owned()
}

/// A cause in one line.
pub(crate) fn short(c: &Value) -> String {
    let mut words = Vec::new();
    for key in ["kind", "path", "line", "fact", "item", "old", "new"] {
        if !c[key].is_null() {
            words.push(format!("{key}={}", c[key]));
        }
    }
    for b in causes(c, "because") {
        words.push(format!("because({})", short(b)));
    }
    words.join(" ")
}

/// The line that a cause names: the document has it.
fn texts(name: &str, c: &Value, a: &Stand, b: &Stand, v: &mut Verdict) {
    for inner in causes(c, "because") {
        texts(name, inner, a, b, v);
    }
    let kind = c["kind"].as_str().unwrap_or_default();
    let (Some(root), Some(path)) = (c["root"].as_str(), c["path"].as_str()) else {
        return;
    };
    if !matches!(
        kind,
        "document-changed" | "document-appeared" | "document-vanished" | "whitespace-only"
    ) {
        return;
    }
    let doc = super::world::Doc::new(root, path);
    let (ta, tb) = (a.world.docs.get(&doc), b.world.docs.get(&doc));
    for (key, text) in [("old", ta), ("new", tb)] {
        let Some(said) = c[key].as_str() else {
            continue;
        };
        let said = excerpted(said);
        let line = text.is_some_and(|t| t.lines().any(|l| l.contains(&said)));
        if !line {
            v.says("text of no line", format!("{name}: {key} of {}", short(c)));
        }
    }
    let line = number(&c["line"]);
    if !c["line"].is_null() {
        let lines = |t: Option<&String>| t.map_or(0, |t| t.lines().count());
        if line == 0 || line > lines(tb).max(lines(ta)) {
            v.says("line", format!("{name}: no such line: {}", short(c)));
        }
        if let (Some(said), Some(t)) = (c["new"].as_str(), tb) {
            let said = excerpted(said);
            if !t.lines().nth(line - 1).is_some_and(|l| l.contains(&said)) {
                v.says("new is not of its line", format!("{name}: {}", short(c)));
            }
        }
    }
}

/// The line of a cause at the break: what changed further down, or is named as a reason, has its own.
fn line(name: &str, c: &Value, answer: &Answer, v: &mut Verdict) {
    let is_it = |d: &super::world::Doc| {
        c["root"].as_str() == Some(&d.root) && c["path"].as_str() == Some(&d.path)
    };
    let of_it = answer.lines.iter().filter(|l| is_it(&l.0));
    let certain: Vec<&Vec<usize>> = of_it.map(|l| &l.1).collect();
    let line = number(&c["line"]);
    let top = causes_named(c, answer);
    if top && !certain.is_empty() && !certain.iter().any(|l| l.is_empty() || l.contains(&line)) {
        v.says(
            "other line",
            format!("{name}: line should be one of {certain:?}: {}", short(c)),
        );
    }
}

fn causes_named(c: &Value, answer: &Answer) -> bool {
    let certain = |w: &&Want| matches!(w, Want::Changed(_));
    answer
        .must
        .iter()
        .flatten()
        .filter(certain)
        .any(|w| w.is(c))
}
