//! The fewest moves that make a sequence ascend.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The indices of the longest run of `classes`, not necessarily adjacent, that never descends. Of several equally
/// long ones the heaviest, so that the moved text is small; of these the one whose members come first.
pub(super) fn stay<C: Ord>(classes: &[C], weights: &[usize]) -> Vec<usize> {
    let weight = |at: usize| weights.get(at).copied().unwrap_or(0);
    // From the end: the best run that starts at each index, and where it goes on.
    let mut runs: Vec<(usize, usize, Option<usize>)> = vec![(0, 0, None); classes.len()];
    // Of each volatility the start of its best run; there are few volatilities.
    let mut starts: BTreeMap<&C, usize> = BTreeMap::new();
    for at in (0..classes.len()).rev() {
        let next = better(
            starts.range::<&C, _>(&classes[at]..).map(|(_, at)| *at),
            &runs,
        );
        let (count, heavy) = next.map_or((0, 0), |n| (runs[n].0, runs[n].1));
        runs[at] = (count + 1, heavy + weight(at), next);
        let best = better(
            [at].into_iter().chain(starts.get(&classes[at]).copied()),
            &runs,
        );
        starts.extend(best.map(|best| (&classes[at], best)));
    }
    let mut out = Vec::new();
    let mut at = better(starts.into_values(), &runs);
    while let Some(index) = at {
        out.push(index);
        at = runs[index].2;
    }
    out
}

/// The start with the best run; of equals the first.
fn better(
    starts: impl Iterator<Item = usize>,
    runs: &[(usize, usize, Option<usize>)],
) -> Option<usize> {
    starts.max_by_key(|at| (runs[*at].0, runs[*at].1, Reverse(*at)))
}

/// All indices in an order that never descends; those of equal volatility stay in their order.
pub(super) fn sorted<C: Ord>(classes: &[C]) -> Vec<usize> {
    let mut out: Vec<usize> = (0..classes.len()).collect();
    out.sort_by_key(|at| &classes[*at]);
    out
}

#[cfg(test)]
mod tests {
    use super::{sorted, stay};

    /// Worked by hand.
    #[test]
    fn the_longest_run_stays() {
        assert!(stay::<u8>(&[], &[]).is_empty());
        assert_eq!(stay(&[1, 1, 2], &[]), [0, 1, 2]);
        // One that is too volatile before all others moves, not the others.
        assert_eq!(stay(&[9, 1, 2, 3], &[]), [1, 2, 3]);
        // One that is too stable at the end moves.
        assert_eq!(stay(&[1, 2, 3, 0], &[]), [0, 1, 2]);
        // MushroomAgent: turn, turn, session, turn, turn.
        assert_eq!(stay(&[4, 4, 2, 4, 4], &[]), [0, 1, 3, 4]);
    }

    #[test]
    fn of_equally_long_runs_the_heavier_stays() {
        assert_eq!(stay(&[4, 2], &[]), [0]);
        assert_eq!(stay(&[4, 2], &[10, 900]), [1]);
        assert_eq!(stay(&[4, 2], &[900, 10]), [0]);
        // 1 3 2 4: either 3 or 2 moves.
        assert_eq!(stay(&[1, 3, 2, 4], &[]), [0, 1, 3]);
        assert_eq!(stay(&[1, 3, 2, 4], &[5, 5, 6, 5]), [0, 2, 3]);
        // More members count before more text.
        assert_eq!(stay(&[4, 1, 1], &[900, 1, 1]), [1, 2]);
    }

    #[test]
    fn equals_keep_their_order() {
        assert_eq!(sorted(&[4, 2, 4, 2]), [1, 3, 0, 2]);
    }

    /// By trying every subset.
    #[test]
    fn no_longer_run_exists() {
        for code in 0..4096_usize {
            let classes: Vec<usize> = (0..6).map(|i| (code >> (2 * i)) & 3).collect();
            let weights: Vec<usize> = (0..6).map(|i| (code * 7 + i * i * 5) % 11).collect();
            let ascends = |set: usize| {
                let run: Vec<usize> = (0..6).filter(|i| set >> i & 1 == 1).collect();
                run.is_sorted_by_key(|i| classes[*i]).then_some(run)
            };
            let worth = |run: &[usize]| (run.len(), run.iter().map(|i| weights[*i]).sum::<usize>());
            let best = (0..64).filter_map(ascends).map(|run| worth(&run)).max();
            let found = stay(&classes, &weights);
            assert!(found.is_sorted_by_key(|i| classes[*i]));
            assert_eq!(Some(worth(&found)), best, "{classes:?} {weights:?}");
        }
    }
}
