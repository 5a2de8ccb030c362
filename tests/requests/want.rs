//! The page's rules for two requests whose parts are known by name: nothing of the program is used.

use crate::json::J;
use crate::model::{Api, Block, Full, Msg, cached, marks};

/// A cause that has to be named.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) kind: &'static str,
    /// The places that the page allows.
    pub(crate) at: Vec<String>,
    /// Where it takes effect: the order of the causes. Nothing for one that the page gives no place.
    pub(crate) rank: Option<usize>,
    /// How many parts of A are before it, at least and at most: where tools are gone and new next to each other, nothing
    /// says which came first.
    pub(crate) part: (usize, usize),
    /// Whether it may be the first of those of its rank.
    pub(crate) leads: bool,
    pub(crate) line: Option<usize>,
    pub(crate) block: Option<usize>,
    pub(crate) count: Option<usize>,
    pub(crate) path: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) causes: Vec<Cause>,
    pub(crate) state: Vec<&'static str>,
    pub(crate) first: Vec<String>,
    /// Changes after all that was cached of A: they are no causes.
    pub(crate) after: usize,
    /// Segments that may be reported as reused. Empty: the page says too little of what a segment of this API is.
    pub(crate) segments: Vec<usize>,
}

/// The expected report about a request.
#[derive(Clone, Debug)]
pub(crate) enum Want {
    First,
    Incomplete,
    /// It got no answer.
    Failed,
    /// The line of the request before it, in the same conversation, and what it is after that.
    After(usize, Answer, Option<i64>),
}

/// Where a setting takes effect: tools, system prompt, messages.
pub(crate) fn region(api: Api, path: &str) -> usize {
    match path {
        "speed" if api.claude() => 1,
        _ if api.marked() => 2,
        _ => 0,
    }
}

fn cause(kind: &'static str, at: Vec<String>, rank: usize, leads: bool) -> Cause {
    Cause {
        kind,
        at,
        rank: Some(rank),
        part: (0, 0),
        leads,
        line: None,
        block: None,
        count: None,
        path: Vec::new(),
    }
}

/// The first line that differs, from 1.
fn line(a: &str, b: &str) -> usize {
    let (mut x, mut y) = (a.split('\n'), b.split('\n'));
    let mut n = 1;
    loop {
        match (x.next(), y.next()) {
            (Some(p), Some(q)) if p == q => n += 1,
            _ => return n,
        }
    }
}

fn common<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

fn ids(f: &Full) -> Vec<u32> {
    f.msgs.iter().map(|m| m.id).collect()
}

/// The relation of `b` to `a`; an error if the page leaves it open.
pub(crate) fn compare(
    api: Api,
    a: &Full,
    b: &Full,
    gap: Option<i64>,
) -> Result<Answer, &'static str> {
    let mut changes = Vec::new();
    if expired(api, a, gap)? {
        changes.push(cause("expired", vec!["time".into()], 0, true));
    }
    if a.model != b.model {
        changes.push(cause("model-changed", vec!["model".into()], 1, true));
    }
    settings(api, a, b, &mut changes);
    let tools = tools(api, a, b, &mut changes)?;
    let system = system(a, b, &mut changes)?;
    let messages = messages(a, b, &mut changes)?;
    if marks(api, a).is_some() && marks(api, b).is_none() {
        changes.push(Cause {
            rank: None,
            ..cause("breakpoint-removed", vec!["breakpoints".into()], 0, true)
        });
    }
    changes.sort_by_key(|c| c.rank.unwrap_or(usize::MAX));

    let kept = tools
        .or_else(|| Some(a.tools.len() + system?))
        .or_else(|| Some(a.tools.len() + a.system.len() + messages?));
    let end = cached(api, a);
    if changes.iter().any(|c| c.part.0 < end && c.part.1 >= end) {
        return Err("a tool is on either side of the breakpoint");
    }
    // What is left of the text does not depend on what was cached.
    let segments = segments(api, a, &changes, kept);
    let (mut causes, after): (Vec<Cause>, Vec<Cause>) =
        changes.into_iter().partition(|c| c.part.1 < end);
    lead(&mut causes);
    Ok(Answer {
        state: state(a, b, &causes, !after.is_empty()),
        first: first(a, &causes),
        after: after.len(),
        segments,
        causes,
    })
}

/// Any of the causes among the tools may be the first, if none is known to be.
fn lead(causes: &mut [Cause]) {
    let of_tools = |c: &&mut Cause| c.rank == Some(2);
    if !causes.iter_mut().filter(of_tools).any(|c| c.leads) {
        let tools = causes.iter_mut().filter(of_tools);
        tools.for_each(|c| c.leads = true);
    }
}

/// Whether the entry of `a` is gone after a gap.
fn expired(api: Api, a: &Full, gap: Option<i64>) -> Result<bool, &'static str> {
    let time_to_live = match (api.marked(), marks(api, a)) {
        (true, Some(n)) => Some(n * 1000),
        (true, None) if gap.is_some_and(|g| g > 290_000) => {
            return Err("long gap without a breakpoint");
        }
        (false, _) if a.model == "gpt-6.1-sol" => {
            if api == Api::Responses && gap.is_some_and(|g| g > 1_790_000) {
                return Err("two times to live");
            }
            Some(1_800_000)
        }
        _ => None,
    };
    Ok(matches!((time_to_live, gap), (Some(ttl), Some(gap)) if gap > ttl))
}

/// The causes among the settings.
fn settings(api: Api, a: &Full, b: &Full, causes: &mut Vec<Cause>) {
    let mut paths: Vec<&'static str> = a
        .settings
        .iter()
        .chain(&b.settings)
        .map(|(p, _)| *p)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    let value = |f: &Full, p: &str| {
        f.settings
            .iter()
            .find(|(q, _)| *q == p)
            .map(|(_, v)| v.clone())
            .unwrap_or(J::Null)
    };
    for p in paths {
        if value(a, p) != value(b, p) {
            let region = region(api, p);
            let before = [0, a.tools.len(), a.tools.len() + a.system.len()][region];
            causes.push(Cause {
                part: (before, before),
                ..cause(
                    "setting-changed",
                    vec![p.to_owned()],
                    [1, 3, 5][region],
                    true,
                )
            });
        }
    }
}

/// How many segments may be reported as reused, if of the text `kept` are.
fn segments(api: Api, a: &Full, causes: &[Cause], kept: Option<usize>) -> Vec<usize> {
    let calls = a
        .msgs
        .iter()
        .flat_map(|m| &m.blocks)
        .any(|b| !matches!(b, Block::Text(_)));
    if api == Api::Chat && calls {
        return Vec::new();
    }
    let before_messages = a.tools.len() + a.system.len();
    let all = before_messages + a.msgs.iter().map(|m| m.blocks.len()).sum::<usize>();
    let mut cut = kept.unwrap_or(all);
    let mut segments = vec![cut];
    for c in causes {
        let end = match c.rank {
            Some(0 | 1) => 0,
            Some(3) => a.tools.len(),
            Some(5) => before_messages,
            None => 0,
            _ => all,
        };
        cut = cut.min(end);
        segments.push(cut);
    }
    segments
}

/// The causes of the text: all but a gap and a breakpoint.
fn of_text(causes: &[Cause]) -> impl Iterator<Item = &Cause> {
    causes.iter().filter(|c| c.rank.is_some_and(|r| r > 0))
}

/// The places that may be called the first; `causes` are in order.
fn first(a: &Full, causes: &[Cause]) -> Vec<String> {
    let Some(least) = of_text(causes).next().map(|c| c.rank) else {
        return Vec::new();
    };
    let mut first: Vec<String> = Vec::new();
    for c in of_text(causes).filter(|c| c.rank == least && c.leads) {
        first.extend(c.at.iter().cloned());
        if c.rank.is_some_and(|r| r % 2 == 1) {
            // The page says both where it takes effect and that a setting comes there.
            first.extend(
                ["tools", "system", "system/0", "messages", "messages/0"].map(String::from),
            );
            first.extend(a.tools.iter().take(1).map(|t| format!("tools/{}", t.name)));
        }
    }
    if causes.iter().any(|c| c.kind == "expired") {
        first.push("time".into());
    }
    first
}

/// The states that the page allows; `after` is whether something changed after all that was cached.
fn state(a: &Full, b: &Full, causes: &[Cause], after: bool) -> Vec<&'static str> {
    if of_text(causes).next().is_some() {
        return vec!["broken"];
    }
    if !causes.is_empty() {
        return vec!["broken", "expired", "extended", "same"];
    }
    let grew = after
        || a.msgs.len() != b.msgs.len()
        || a.msgs.last().map(|m| m.blocks.len()) != b.msgs.last().map(|m| m.blocks.len());
    vec![if grew { "extended" } else { "same" }]
}

/// The causes among the tools, and how many of the first of A stay.
fn tools(
    api: Api,
    a: &Full,
    b: &Full,
    causes: &mut Vec<Cause>,
) -> Result<Option<usize>, &'static str> {
    let same = common(&a.tools, &b.tools);
    if same == a.tools.len() && same == b.tools.len() {
        return Ok(None);
    }
    let at = |name: &str| vec![format!("tools/{name}")];
    let find = |f: &Full, name: &str| f.tools.iter().position(|t| t.name == name);
    let moved = moved(a, b)?;
    for (i, t) in a.tools.iter().enumerate() {
        let found = find(b, &t.name);
        let mut c = match found {
            None => cause("tool-removed", at(&t.name), 2, i == same),
            Some(k) if b.tools[k] != *t => Cause {
                path: paths(api, t, &b.tools[k]),
                ..cause("tool-changed", at(&t.name), 2, i == same || k == same)
            },
            Some(_) => continue,
        };
        // One that changed and moved stands at two places.
        let least = found.filter(|_| moved.is_some()).unwrap_or(i);
        c.part = (i.min(least), i);
        causes.push(c);
    }
    for (k, t) in b.tools.iter().enumerate() {
        if find(a, &t.name).is_none() {
            let old = |t: &crate::model::Tool| find(a, &t.name);
            let from = b.tools[..k].iter().rev().find_map(old).map_or(0, |i| i + 1);
            let to = b.tools[k..].iter().find_map(old).unwrap_or(a.tools.len());
            causes.push(Cause {
                part: (from, to),
                ..cause("tool-added", at(&t.name), 2, k == same)
            });
        }
    }
    if let Some((i, names)) = moved {
        let places = names.map(|n| format!("tools/{n}"));
        causes.push(Cause {
            part: (i, i),
            ..cause("tool-moved", places.to_vec(), 2, i == same)
        });
    }
    Ok(Some(same))
}

/// The first tool that both have at another place: its index in A, and the names of those that are there in A and in B.
fn moved(a: &Full, b: &Full) -> Result<Option<(usize, [String; 2])>, &'static str> {
    let set = |mut n: Vec<String>| {
        n.sort_unstable();
        n
    };
    let names = |f: &Full| f.tools.iter().map(|t| t.name.clone()).collect::<Vec<_>>();
    let (mut x, mut y) = (names(a), names(b));
    if set(x.clone()) != set(y.clone()) {
        let (p, q) = (x.clone(), y.clone());
        x.retain(|n| q.contains(n));
        y.retain(|n| p.contains(n));
        if x != y {
            return Err("a tool moved while others came or went");
        }
    }
    let i = common(&x, &y);
    Ok((i < x.len()).then(|| (i, [x[i].clone(), y[i].clone()])))
}

/// The paths that may be named where one tool became another: of the first difference.
fn paths(api: Api, a: &crate::model::Tool, b: &crate::model::Tool) -> Vec<String> {
    let (schema, about) = api.schema();
    if a.about != b.about {
        return vec![about.to_owned()];
    }
    for (p, q) in a.props.iter().zip(&b.props) {
        let base = format!("{schema}.properties.{}", p.name);
        if p.name != q.name {
            // A property is gone: its key, or the object, or the key that is at its place.
            return vec![
                base,
                format!("{schema}.properties"),
                format!("{schema}.properties.{}", q.name),
            ];
        }
        if p.kind != q.kind {
            return vec![format!("{base}.type")];
        }
        if p.about != q.about {
            return vec![format!("{base}.description")];
        }
        if p.min != q.min {
            return vec![format!("{base}.minimum")];
        }
    }
    let more = if a.props.len() > b.props.len() { a } else { b };
    let n = a.props.len().min(b.props.len());
    more.props.get(n).map_or(Vec::new(), |p| {
        vec![
            format!("{schema}.properties.{}", p.name),
            format!("{schema}.properties"),
        ]
    })
}

fn system(a: &Full, b: &Full, causes: &mut Vec<Cause>) -> Result<Option<usize>, &'static str> {
    let same = common(&a.system, &b.system);
    if same == a.system.len() && same == b.system.len() {
        return Ok(None);
    }
    let (mut i, mut k) = (0, 0);
    let mut touching = false;
    while i < a.system.len() || k < b.system.len() {
        let (x, y) = (a.system.get(i), b.system.get(k));
        let known = |f: &Full, s: Option<&crate::model::System>| {
            s.is_some_and(|s| f.system.iter().any(|o| o.id == s.id))
        };
        let leads = i == same || k == same;
        let (c, di, dk) = match (x, y) {
            (Some(x), Some(y)) if x == y => {
                (i, k, touching) = (i + 1, k + 1, false);
                continue;
            }
            (Some(x), Some(y)) if x.id == y.id => {
                let mut c = cause("system-changed", vec![format!("system/{i}")], 4, leads);
                c.line = Some(line(&x.text, &y.text));
                (c, 1, 1)
            }
            (Some(_), _) if !known(b, x) => (
                cause("system-changed", vec![format!("system/{i}")], 4, leads),
                1,
                0,
            ),
            (_, Some(_)) if !known(a, y) => (
                cause("system-changed", vec![format!("system/{k}")], 4, leads),
                0,
                1,
            ),
            _ => return Err("blocks of the system prompt moved"),
        };
        if touching {
            return Err("changes of the system prompt touch each other");
        }
        touching = true;
        let part = a.tools.len() + i;
        causes.push(Cause {
            part: (part, part),
            ..c
        });
        (i, k) = (i + di, k + dk);
    }
    Ok(Some(same))
}

/// The cause among the messages, and how many blocks of A are before it.
fn messages(a: &Full, b: &Full, causes: &mut Vec<Cause>) -> Result<Option<usize>, &'static str> {
    let (x, y) = (ids(a), ids(b));
    let i = common(&x, &y);
    // The last message that goes on in B is no change, and the generator lets no other message grow.
    if i == x.len() {
        return Ok(None);
    }
    let begins =
        |long: &[u32], short: &[u32]| long.len() >= short.len() && long[..short.len()] == *short;
    let from = |v: &[u32], n: usize| v.get(n..).unwrap_or(&[]).to_vec();
    if i + 1 == x.len() && y[i..].contains(&x[i]) {
        return Err("the last message was edited, or others inserted before it");
    }
    let at = vec![format!("messages/{i}")];
    let mut c = if i < y.len() && begins(&from(&y, i + 1), &from(&x, i + 1)) {
        let mut c = cause("message-edited", at, 6, true);
        let (old, new) = (&a.msgs[i], &b.msgs[i]);
        let n = common(&old.blocks, &new.blocks);
        c.block = Some(n);
        if let (Some(Block::Text(p)), Some(Block::Text(q))) = (old.blocks.get(n), new.blocks.get(n))
        {
            c.line = Some(line(p, q));
        }
        c
    } else if let Some(n) = (1..x.len() - i).find(|n| begins(&from(&y, i), &from(&x, i + n))) {
        let mut c = cause("message-dropped", at, 6, true);
        c.count = Some(n);
        c
    } else if let Some(n) =
        (1..y.len().saturating_sub(i)).find(|n| begins(&from(&y, i + n), &from(&x, i)))
    {
        let mut c = cause("message-inserted", at, 6, true);
        c.count = Some(n);
        c
    } else {
        cause("history-rewritten", at, 6, true)
    };
    let before: usize = a.msgs[..i].iter().map(|m| m.blocks.len()).sum();
    let inside = match (a.msgs.get(i), b.msgs.get(i)) {
        (Some(p), Some(q)) if p.role == q.role => common(&p.blocks, &q.blocks),
        _ => 0,
    };
    // Where the roles differ no block is edited.
    if a.msgs[i].role != b.msgs.get(i).map_or("", |m| m.role) {
        c.block = None;
        c.line = None;
    }
    let part = a.tools.len() + a.system.len() + before + inside;
    c.part = (part, part);
    causes.push(c);
    Ok(Some(before + inside))
}

/// A request that is already in its chain.
pub(crate) struct Logged {
    pub(crate) chain: usize,
    pub(crate) named: bool,
    pub(crate) full: Full,
}

/// The chain of a request of one conversation, by the rules of the page from the second on; nothing if it opens one. `log` has
/// the requests of the same conversation and API, in order.
pub(crate) fn chain(log: &[Logged], known: bool, f: &Full) -> Result<Option<usize>, &'static str> {
    let mut lasts: Vec<(usize, &Logged)> = Vec::new();
    for (n, l) in log.iter().enumerate() {
        lasts.retain(|(_, o)| o.chain != l.chain);
        lasts.push((n, l));
    }
    let best = |count: &dyn Fn(&[Msg], &[Msg]) -> usize| {
        lasts
            .iter()
            .filter_map(|(n, l)| {
                let shared = count(&l.full.msgs, &f.msgs);
                (shared * 2 >= l.full.msgs.len().min(f.msgs.len())).then_some((shared, *n, l.chain))
            })
            .max()
            .map(|(_, _, chain)| chain)
    };
    let equal = |p: &Msg, q: &Msg| p.id == q.id && p.blocks == q.blocks;
    // The page does not say whether a last message that goes on is shared.
    let whole = best(&|a, b| a.iter().filter(|p| b.iter().any(|q| equal(p, q))).count());
    let loose = best(&|a, b| a.iter().filter(|p| b.iter().any(|q| p.id == q.id)).count());
    let of_same: Vec<&(usize, &Logged)> = if known && !(f.tools.is_empty() && f.system.is_empty()) {
        lasts
            .iter()
            .filter(|(_, l)| l.full.tools == f.tools && l.full.system == f.system)
            // Another first message alone is that of an agent that begins.
            .filter(|(_, l)| {
                l.full.msgs.len() > f.msgs.len() || f.msgs.iter().any(|m| m.role != "user")
            })
            .collect()
    } else {
        Vec::new()
    };
    let mut found = Vec::new();
    for reading in [whole, loose] {
        found.push(match (reading, &of_same[..]) {
            (Some(chain), _) => Some(chain),
            (None, []) => None,
            (None, [(_, l)]) if !l.named => Some(l.chain),
            (None, _) => return Err("several chains have the same tools and system prompt"),
        });
    }
    if goes_another_way(log, f) {
        return Err("it goes another way than the last one");
    }
    if found.iter().any(|f| *f != found[0]) {
        return Err("what is shared has several readings");
    }
    Ok(found[0])
}

/// Whether a request extends an earlier one of its conversation, and the last one of that chain does so too.
pub(crate) fn goes_another_way(log: &[Logged], f: &Full) -> bool {
    let is_begun = |l: &Logged| {
        !l.full.msgs.is_empty()
            && l.full.msgs.len() <= f.msgs.len()
            && f.msgs.iter().zip(&l.full.msgs).all(|(p, q)| p.id == q.id)
    };
    let last = |l: &Logged| log.iter().rev().find(|other| other.chain == l.chain);
    let is_apart = |last: &Logged| {
        let pairs = last.full.msgs.iter().zip(&f.msgs);
        let common = pairs.take_while(|(p, q)| p.id == q.id).count();
        let said = |msgs: &[Msg]| {
            msgs[common..]
                .iter()
                .filter(|m| m.role == "assistant")
                .count()
        };
        said(&f.msgs) <= said(&last.full.msgs)
    };
    log.iter().any(|l| {
        let last = last(l).filter(|last| !is_begun(last));
        is_begun(l) && last.is_some_and(is_apart)
    })
}
