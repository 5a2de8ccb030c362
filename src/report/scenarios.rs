//! Findings of several scenarios, each once with the names of its scenarios.

use crate::prompt::Notice;

/// A finding of several scenarios, with their names.
pub(crate) type Same<'s, T> = Vec<(&'s str, T)>;

/// Things in the order in which they come; those of one key are the same.
pub(crate) fn once<'s, T, K: PartialEq>(
    all: impl IntoIterator<Item = (&'s str, T)>,
    key: impl Fn(&T) -> K,
) -> Vec<Same<'s, T>> {
    let mut out: Vec<(K, Same<'s, T>)> = Vec::new();
    for (scenario, thing) in all {
        let own = key(&thing);
        match out.iter_mut().find(|(known, _)| *known == own) {
            Some((_, same)) => same.push((scenario, thing)),
            None => out.push((own, vec![(scenario, thing)])),
        }
    }
    out.into_iter().map(|(_, same)| same).collect()
}

/// The scenarios, out of so many, in words.
pub(crate) fn named<T>(same: &[(&str, T)], all: usize) -> String {
    let mut names: Vec<&str> = same.iter().map(|(scenario, _)| *scenario).collect();
    names.dedup();
    match names.as_slice() {
        names if names.len() == all => format!("all {all} scenarios"),
        [one] => format!("scenario {one}"),
        several => format!("scenarios {}", several.join(", ")),
    }
}

/// The notices of builds of several scenarios, each once with its scenarios.
pub(crate) fn notices(all: &[(&str, &[Notice])]) -> Vec<Notice> {
    let each = all
        .iter()
        .flat_map(|(scenario, own)| own.iter().map(move |one| (*scenario, one)));
    let each = once(each, |one| *one).into_iter();
    let said = each.map(|same| Notice {
        message: format!("{} ({})", same[0].1.message, named(&same, all.len())),
        ..same[0].1.clone()
    });
    said.collect()
}
