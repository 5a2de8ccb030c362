//! The layers of two channels in one order: those that stay, those that moved, those that only one side has.

use std::collections::BTreeMap;

/// A layer at its place in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OrderedLayer {
    /// Its index in A.
    pub(super) a: Option<usize>,
    /// Its index in B.
    pub(super) b: Option<usize>,
    /// Whether it moved among the layers that both have.
    pub(super) moved: bool,
    /// The index in A of the layer before it there, or where it would be.
    pub(super) behind: Option<usize>,
}

/// All layers of two channels, each once: the ones that stay in their order; into each gap between them first what only
/// A has there, then what only B has. A layer that moved counts at the first of its two places.
pub(super) fn merged(a: &[&str], b: &[&str]) -> Vec<OrderedLayer> {
    let in_b: BTreeMap<&str, usize> = b.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let in_a: BTreeMap<&str, usize> = a.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let pairs: Vec<(usize, usize)> = a
        .iter()
        .enumerate()
        .filter_map(|(i, name)| Some((i, *in_b.get(name)?)))
        .collect();
    let mut out = Out {
        places: Vec::new(),
        moved: BTreeMap::new(),
    };
    let (mut at, mut bt) = (0, 0);
    for (stay_a, stay_b) in stay(&pairs).into_iter().chain([(a.len(), b.len())]) {
        for (i, name) in a.iter().enumerate().take(stay_a).skip(at) {
            out.one_side(Some(i), in_b.get(name).copied(), i.checked_sub(1));
        }
        for (j, name) in b.iter().enumerate().take(stay_b).skip(bt) {
            out.one_side(in_a.get(name).copied(), Some(j), stay_a.checked_sub(1));
        }
        if stay_a < a.len() {
            out.places.push(OrderedLayer {
                a: Some(stay_a),
                b: Some(stay_b),
                moved: false,
                behind: stay_a.checked_sub(1),
            });
        }
        (at, bt) = (stay_a + 1, stay_b + 1);
    }
    out.places
}

struct Out {
    places: Vec<OrderedLayer>,
    /// The layers that moved and were met already, by their index in A.
    moved: BTreeMap<usize, ()>,
}

impl Out {
    /// A layer that does not stay, met at one of its places.
    fn one_side(&mut self, a: Option<usize>, b: Option<usize>, behind: Option<usize>) {
        let moved = a.is_some() && b.is_some();
        if let (true, Some(a)) = (moved, a)
            && self.moved.insert(a, ()).is_some()
        {
            return;
        }
        self.places.push(OrderedLayer {
            a,
            b,
            moved,
            behind,
        });
    }
}

/// The longest run of pairs that ascends on both sides; of several the one whose first sides come earliest.
pub(super) fn stay(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // From the end: the longest run that starts with each pair. `tops[n]` is the highest second side that starts a run
    // of n + 1, so it descends.
    let mut lengths = vec![0; pairs.len()];
    let mut tops: Vec<usize> = Vec::new();
    for (i, (_, b)) in pairs.iter().enumerate().rev() {
        let longer = tops.partition_point(|top| top > b);
        match tops.get_mut(longer) {
            Some(top) => *top = *b,
            None => tops.push(*b),
        }
        lengths[i] = longer + 1;
    }
    let mut wanted = tops.len();
    let mut out: Vec<(usize, usize)> = Vec::with_capacity(wanted);
    for (pair, length) in pairs.iter().zip(lengths) {
        let ascends = out.last().is_none_or(|last| last.1 < pair.1);
        if length == wanted && ascends {
            out.push(*pair);
            wanted -= 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{OrderedLayer, merged};

    fn shown(a: &str, b: &str) -> String {
        let (a, b): (Vec<&str>, Vec<&str>) = (
            a.split_terminator(' ').collect(),
            b.split_terminator(' ').collect(),
        );
        let word = |place: &OrderedLayer| match place {
            OrderedLayer {
                moved: true,
                a: Some(i),
                ..
            } => format!("~{}", a[*i]),
            OrderedLayer {
                a: Some(i),
                b: Some(_),
                ..
            } => a[*i].to_owned(),
            OrderedLayer { a: Some(i), .. } => format!("-{}", a[*i]),
            OrderedLayer { b: Some(j), .. } => format!("+{}", b[*j]),
            OrderedLayer { .. } => "?".to_owned(),
        };
        merged(&a, &b)
            .iter()
            .map(word)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn of_two_swapped_layers_the_lower_one_moved_up() {
        assert_eq!(shown("a b", "b a"), "~b a");
        assert_eq!(shown("a b c", "b c a"), "~a b c");
        assert_eq!(shown("a b c", "c a b"), "~c a b");
    }

    #[test]
    fn in_a_gap_those_of_a_come_first() {
        assert_eq!(shown("a x c", "a y c"), "a -x +y c");
        assert_eq!(shown("", "a b"), "+a +b");
        assert_eq!(shown("a b", ""), "-a -b");
    }
}
