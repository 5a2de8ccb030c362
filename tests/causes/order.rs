//! The layers of two prompts in one order, and which of them differ.

use super::build::Built;
use std::collections::BTreeSet;

/// A layer in the order of both prompts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) channel: String,
    pub(crate) name: String,
    /// Whether its text, presence or place differs.
    pub(crate) differs: bool,
    pub(crate) moved: bool,
    pub(crate) in_a: bool,
    pub(crate) in_b: bool,
    /// Whether the join before it was edited.
    pub(crate) joint: bool,
}

/// The layers of a channel, in the order in which docs/attribution.md counts them.
pub(crate) fn order(channel: &str, a: &Built, b: &Built) -> Vec<Place> {
    let names = |x: &Built| -> Vec<String> {
        let of = x.layers.iter().filter(|l| l.channel == channel);
        of.map(|l| l.name.clone()).collect()
    };
    let (la, lb) = (names(a), names(b));
    let shared: Vec<&String> = la.iter().filter(|n| lb.contains(n)).collect();
    let moved = moved(&shared, &lb);
    let kept = |n: &String| shared.contains(&n) && !moved.contains(n);
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    let place = |n: &String| {
        let text = |x: &Built| {
            x.layer(n)
                .filter(|l| l.channel == channel)
                .map(|l| l.text.clone())
        };
        let moved = moved.contains(n);
        Place {
            channel: channel.to_owned(),
            name: n.clone(),
            differs: moved || text(a) != text(b),
            moved,
            in_a: la.contains(n),
            in_b: lb.contains(n),
            joint: false,
        }
    };
    let (mut i, mut j) = (0, 0);
    loop {
        while i < la.len() && !kept(&la[i]) {
            if seen.insert(la[i].clone()) {
                out.push(place(&la[i]));
            }
            i += 1;
        }
        while j < lb.len() && !kept(&lb[j]) {
            if seen.insert(lb[j].clone()) {
                out.push(place(&lb[j]));
            }
            j += 1;
        }
        if i >= la.len() {
            break;
        }
        out.push(place(&la[i]));
        (i, j) = (i + 1, j + 1);
    }
    out
}

/// The smallest set whose removal makes the order of the rest equal; of several sets the one that lets the earliest of
/// A stay.
fn moved(shared: &[&String], lb: &[String]) -> BTreeSet<String> {
    let n = shared.len();
    let place = |s: &String| lb.iter().position(|l| l == s);
    let mut best: Vec<usize> = Vec::new();
    // Few layers: every set is tried, and one that stays earlier in A goes first.
    for mask in 0_u32..1 << n {
        let stay: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
        let rising = stay
            .windows(2)
            .all(|w| place(shared[w[0]]) < place(shared[w[1]]));
        if rising && (stay.len() > best.len() || stay.len() == best.len() && stay < best) {
            best = stay;
        }
    }
    let gone = (0..n).filter(|i| !best.contains(i));
    gone.map(|i| shared[i].clone()).collect()
}
