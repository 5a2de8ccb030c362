//! How often facts change, as far as the dumps show: those that change with the date, and those that differ between two
//! calls of a conversation.

use super::fact::{Fact, FactKind, Pace};
use super::form::Form;
use super::kind::{Kind, common_kind};
use crate::text::normalise::is_blank;
use std::collections::{BTreeMap, BTreeSet};

/// Two dumps of a day are of one conversation if there are so many facts and this share of them is the same: a part of so many.
const FEWEST: usize = 3;
const SHARE: (usize, usize) = (3, 4);

/// Sets how often each fact changes.
pub(super) fn set_paces(facts: &mut [Fact], texts: &[&str]) {
    let values: Vec<Vec<Option<&str>>> = facts
        .iter()
        .map(|fact| {
            let both = fact.at.iter().zip(texts);
            both.map(|(at, text)| text.get(at.clone()?)).collect()
        })
        .collect();
    let is_date = |fact: &Fact, values: &[Option<&str>]| {
        let there: Vec<&str> = values.iter().copied().flatten().collect();
        let has_year = |v: &&str| v.split(|c: char| !c.is_ascii_digit()).any(|n| n.len() == 4);
        let dated = common_kind(&there) == Kind::Date && there.iter().all(has_year);
        fact.kind == FactKind::Text && dated
    };
    let dates: Vec<bool> = facts
        .iter()
        .zip(&values)
        .map(|(f, v)| is_date(f, v))
        .collect();
    let is_clock = |values: &[Option<&str>]| {
        let there: Vec<&str> = values.iter().copied().flatten().collect();
        matches!(common_kind(&there), Kind::Moment | Kind::Time)
            || there.iter().any(|v| v.contains('\n'))
    };
    let others: Vec<&Vec<Option<&str>>> = (0..facts.len())
        .filter(|at| facts[*at].kind == FactKind::Text && !dates[*at] && !is_clock(&values[*at]))
        .map(|at| &values[at])
        .collect();
    let days = days(facts, &values).unwrap_or_default();
    let (same, shares_day) = conversations(&others, &days);
    for (at, fact) in facts.iter_mut().enumerate() {
        let differs = |(a, b): &(usize, usize)| values[at][*a] != values[at][*b];
        let is_blank =
            fact.kind == FactKind::Text && values[at].iter().flatten().all(|v| is_blank(v));
        fact.pace = match dates[at] {
            _ if is_blank => Pace::Blank,
            _ if same.iter().any(differs) => Pace::WithinConversation,
            true if by_day(&days, &values[at], shares_day) != Pace::WithinDay => Pace::Date,
            true => Pace::WithinDay,
            false => by_day(&days, &values[at], shares_day),
        };
    }
    for fact in facts {
        fact.changes = fact.pace.changes();
    }
}

/// The day of each dump: of the facts that are dates everywhere the one that most others go with.
fn days(facts: &[Fact], values: &[Vec<Option<&str>>]) -> Option<Vec<String>> {
    let day = |fact: &Fact, values: &[Option<&str>]| -> Option<Vec<String>> {
        let day = |value: &Option<&str>| {
            let iso = fact.form.value(value.as_ref()?)?;
            iso.get(1..11).map(str::to_owned)
        };
        match fact.form {
            Form::Date(_) | Form::Moment(_) => values.iter().map(day).collect(),
            Form::Text | Form::Int => None,
        }
    };
    let all = facts.iter().zip(values).filter_map(|(f, v)| day(f, v));
    let goes_along = |days: &Vec<String>| {
        let along = |values: &&Vec<Option<&str>>| {
            matches!(by_day(days, values, true), Pace::Once | Pace::ByDay)
        };
        values.iter().filter(along).count()
    };
    // Of equals the first.
    all.rev().max_by_key(goes_along)
}

/// The relation of a value to the days; `shares_day` says that two conversations are of one day.
fn by_day(days: &[String], values: &[Option<&str>], shares_day: bool) -> Pace {
    let mut of_day: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for (day, value) in days.iter().zip(values) {
        if of_day
            .insert(day, *value)
            .is_some_and(|other| other != *value)
        {
            return Pace::WithinDay;
        }
    }
    let in_order: Vec<Option<&str>> = of_day.into_values().collect();
    let turns = in_order
        .windows(2)
        .filter(|pair| pair[0] != pair[1])
        .count();
    // One conversation with another value may be of another kind.
    let newest = in_order.last();
    let stays = values.len() <= FEWEST || values.iter().filter(|v| Some(*v) == newest).count() > 1;
    let different: BTreeSet<&Option<&str>> = in_order.iter().collect();
    match turns {
        // Where each conversation has a day of its own, anything goes with the day; of two values less so.
        1 if (shares_day || in_order.len() > 2) && stays => Pace::Once,
        n if shares_day && n > 1 && different.len() == in_order.len() => Pace::ByDay,
        _ => Pace::Unknown,
    }
}

/// Pairs of dumps of one conversation: of one day, and with most facts the same. And whether two others are of one day.
fn conversations(facts: &[&Vec<Option<&str>>], days: &[String]) -> (Vec<(usize, usize)>, bool) {
    // A change that happened once, from one day on, is no evidence.
    let tells = |values: &&&Vec<Option<&str>>| by_day(days, values, false) != Pace::Once;
    let known: Vec<&&Vec<Option<&str>>> = facts.iter().filter(tells).collect();
    let pairs = (0..days.len()).flat_map(|a| (a + 1..days.len()).map(move |b| (a, b)));
    let is_one = |(a, b): &(usize, usize)| {
        let same = known
            .iter()
            .filter(|values| values[*a] == values[*b])
            .count();
        known.len() >= FEWEST && same * SHARE.1 >= known.len() * SHARE.0
    };
    let of_day = pairs.filter(|(a, b)| days[*a] == days[*b]);
    let (same, others): (Vec<_>, Vec<_>) = of_day.partition(is_one);
    (same, !others.is_empty())
}
