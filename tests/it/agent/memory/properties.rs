//! The properties of every memory and every call.

use promptc::agent::memory::{Action, Call, Change, Notes, Reason, Step, apply};
use promptc::compile::MemoryTerms;
use promptc::text::entries;
use promptc::text::normalise::{Cleaning, Marks};
use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};

fn terms() -> impl Strategy<Value = MemoryTerms> {
    let delimiter = prop_oneof![
        Just("\n§\n"),
        Just("§"),
        Just("\n"),
        Just("--"),
        Just("aa"),
        Just("\n\n")
    ];
    let capacity = prop::option::of(0_usize..40);
    (delimiter, capacity, any::<bool>(), any::<bool>()).prop_map(
        |(delimiter, capacity, trim, first)| MemoryTerms {
            split: entries::split,
            delimiter: delimiter.into(),
            cleaning: Cleaning {
                newlines: true,
                marks: if first { Marks::First } else { Marks::None },
            },
            trim,
            capacity,
            scan: None,
        },
    )
}

/// Texts in which delimiters, their halves, white space and equal entries are frequent.
fn text() -> impl Strategy<Value = String> {
    "([abc-]|é|§|\n§\n|\n|\r\n| |--|\u{feff}){0,10}"
}

fn step() -> impl Strategy<Value = Step> {
    let action = prop::option::of(prop_oneof![
        Just(Action::Add),
        Just(Action::Replace),
        Just(Action::Remove)
    ]);
    let maybe = || prop::option::of(text());
    (action, maybe(), prop::option::of("[abcé -]{0,2}")).prop_map(|(action, content, old_text)| {
        Step {
            action,
            content,
            old_text,
        }
    })
}

fn call() -> impl Strategy<Value = Call> {
    (prop::collection::vec(step(), 1..4), any::<bool>()).prop_map(|(steps, batch)| Call {
        target: None,
        batch: batch || steps.len() > 1,
        steps,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_written_memory_is_read_back(terms in terms(), start in text(), calls in prop::collection::vec(call(), 1..6)) {
        let mut file = start;
        let takes_more = |file: &str| {
            let more = Step::new(Action::Add, None, Some("x"));
            let notes = Notes::read(file, &terms).unwrap();
            let refused = apply(&notes, &Call::single(more), &terms).err().map(|r| r.reason);
            !matches!(refused, Some(Reason::Drifted | Reason::NotStorable))
        };
        for call in calls {
            let notes = Notes::read(&file, &terms).unwrap();
            let Ok(Change { entries, text, .. }) = apply(&notes, &call, &terms) else { continue };
            let Some(text) = text else {
                prop_assert_eq!(&entries[..], notes.entries());
                continue;
            };
            let read = Notes::read(&text, &terms).unwrap();
            prop_assert_eq!(read.entries(), &entries[..]);
            let longest = entries.iter().map(|e| e.chars().count()).max();
            prop_assert_eq!(read.is_drifted(), terms.capacity < longest && terms.capacity.is_some());
            let removes = !call.batch && call.steps[0].action == Some(Action::Remove);
            let fits = terms.capacity.is_none_or(|most| text.chars().count() <= most);
            prop_assert!(fits || removes);
            prop_assert_eq!(read.usage(&terms).chars, text.chars().count());
            for (at, entry) in entries.iter().enumerate() {
                prop_assert!(!entry.trim().is_empty());
                prop_assert!(entries[..at].iter().all(|e| e.trim() != entry.trim()));
            }
            prop_assert!(takes_more(&text) || !takes_more(&file));
            file = text;
        }
    }

    /// With plain words nothing is special: the tool does what a list does.
    #[test]
    fn plain_entries_behave_as_in_a_list(steps in prop::collection::vec(("[arx]", "[a-c]{1,2}", "[a-c]{1,3}"), 1..20)) {
        let terms = MemoryTerms {
            split: entries::split,
            delimiter: "\n§\n".into(),
            cleaning: Cleaning { newlines: true, marks: Marks::First },
            trim: true,
            capacity: None,
            scan: None,
        };
        let (mut file, mut list) = (String::new(), Vec::<String>::new());
        for (what, old, new) in steps {
            let hits: Vec<usize> = (0..list.len()).filter(|at| list[*at].contains(&old)).collect();
            let step = match what.as_str() {
                "a" => {
                    if !list.contains(&new) {
                        list.push(new.clone());
                    }
                    Step::new(Action::Add, None, Some(&new))
                }
                "r" => {
                    if let [at] = hits[..] {
                        match list.iter().position(|e| *e == new) {
                            Some(other) if other != at => {
                                list[at.min(other)] = new.clone();
                                list.remove(at.max(other));
                            }
                            _ => list[at] = new.clone(),
                        }
                    }
                    Step::new(Action::Replace, Some(&old), Some(&new))
                }
                _ => {
                    if let [at] = hits[..] {
                        list.remove(at);
                    }
                    Step::new(Action::Remove, Some(&old), None)
                }
            };
            let notes = Notes::read(&file, &terms).unwrap();
            if let Ok(Change { text: Some(text), .. }) = apply(&notes, &Call::single(step), &terms) {
                file = text;
            }
            let read = Notes::read(&file, &terms).unwrap();
            prop_assert_eq!(read.entries(), &list[..]);
        }
    }
}
