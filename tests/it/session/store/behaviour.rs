//! The effects of each method.

use super::kinds::KINDS;
use super::{again, build, contents, frozen, id, stranger, tell};
use promptc::session::store::{
    Collected, Delivered, Freeze, Key, NewBuild, Reason, Shortened, StoreError, Unwanted,
};

fn because(reason: Reason, build: NewBuild) -> NewBuild {
    NewBuild { reason, ..build }
}

#[test]
fn a_session_that_was_never_frozen_is_absent() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        assert_eq!(store.session(&id("a")).unwrap(), None);
        assert_eq!(store.sessions().unwrap(), []);
        assert_eq!(store.builds(&id("a")).unwrap(), []);
        assert_eq!(store.directory_rules(&id("a")).unwrap(), [""; 0]);
        assert!(!store.touch(&id("a"), 1).unwrap());
        assert!(
            !store
                .deliver(&id("a"), &stranger(kind), None, 1, &["p".into()])
                .unwrap()
        );
        assert!(!store.remove(&id("a")).unwrap());
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn a_frozen_session_is_read_back_by_another_process() {
    for kind in KINDS {
        let place = kind.empty();
        let given = build("one", 100);
        let session = frozen(place.open().freeze(&id("a"), None, &given).unwrap());
        assert_eq!((session.created, session.used), (100, 100));
        assert_eq!((session.build.number, session.delivered.clone()), (1, None));
        let store = &mut *place.open();
        assert_eq!(store.session(&id("a")).unwrap().as_ref(), Some(&session));
        assert_eq!(store.sessions().unwrap(), std::slice::from_ref(&session));
        assert_eq!(
            store.builds(&id("a")).unwrap(),
            std::slice::from_ref(&session.build)
        );
        assert_eq!(contents(store, &session.build), given);
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn sessions_are_in_byte_order() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        let names = ["b", "é", "a", "Z", "a/b", "a:b", "10", "9"];
        for (at, name) in names.iter().enumerate() {
            let given = build(name, at as i64);
            frozen(store.freeze(&id(name), None, &given).unwrap());
        }
        let mut sorted = names;
        sorted.sort_unstable();
        let sessions = store.sessions().unwrap();
        assert!(sessions.iter().map(|s| s.id.as_str()).eq(sorted));
    }
}

#[test]
fn a_refresh_appends_a_build_and_keeps_the_ones_before() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        let reasons = [
            Reason::First,
            Reason::Event("compaction: hard".into()),
            Reason::Idle(300),
            Reason::Fact("model".into()),
            Reason::Asked,
        ];
        let mut given = Vec::new();
        for (at, reason) in reasons.into_iter().enumerate() {
            let after = store.session(&id("a")).unwrap().map(|s| s.build);
            let new = because(reason, build(&at.to_string(), 10 * at as i64));
            let session = frozen(store.freeze(&id("a"), after.as_ref(), &new).unwrap());
            assert_eq!(session.build.number, at as u64 + 1);
            assert_eq!((session.created, session.used), (0, 10 * at as i64));
            given.push(new);
        }
        let builds = store.builds(&id("a")).unwrap();
        assert!(builds.iter().map(|b| b.number).eq(1..=5));
        let read: Vec<NewBuild> = builds.iter().map(|b| contents(store, b)).collect();
        assert_eq!(read, given);
        assert_eq!(store.session(&id("a")).unwrap().unwrap().build, builds[4]);
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn the_second_caller_gets_the_prompt_of_the_first() {
    for kind in KINDS {
        let place = kind.empty();
        let (mut first, mut second) = (place.open(), place.open());
        assert_eq!(second.session(&id("a")).unwrap(), None);
        let session = frozen(first.freeze(&id("a"), None, &build("one", 1)).unwrap());
        let lost = build("two", 2);
        let overtaken = second.freeze(&id("a"), None, &lost).unwrap();
        assert_eq!(overtaken, Freeze::Overtaken(session.clone()));
        // A refresh that was read before another refresh.
        let earlier = session.build;
        let session = again(&mut *first, &id("a"), &build("three", 3));
        for after in [None, Some(earlier), Some(stranger(kind))] {
            let overtaken = second.freeze(&id("a"), after.as_ref(), &lost).unwrap();
            assert_eq!(overtaken, Freeze::Overtaken(session.clone()));
        }
        assert_eq!(first.session(&id("a")).unwrap(), Some(session));
        // Nothing of it was written.
        let read = first.content(&Key::of(&lost.map));
        assert!(matches!(read, Err(StoreError::Gone)), "{read:?}");
    }
}

#[test]
fn a_refresh_of_a_session_that_was_removed_writes_nothing() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        let known = frozen(store.freeze(&id("a"), None, &build("one", 1)).unwrap()).build;
        assert!(store.remove(&id("a")).unwrap());
        let new = build("two", 2);
        let gone = store.freeze(&id("a"), Some(&known), &new).unwrap();
        assert_eq!(gone, Freeze::Gone);
        assert_eq!(store.session(&id("a")).unwrap(), None);
        assert_eq!(store.builds(&id("a")).unwrap(), []);
    }
}

#[test]
fn a_touch_notes_the_latest_time() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        frozen(store.freeze(&id("a"), None, &build("one", 100)).unwrap());
        for (at, noted) in [(150, 150), (120, 150), (150, 150), (151, 151)] {
            assert!(store.touch(&id("a"), at).unwrap());
            assert_eq!(place.open().session(&id("a")).unwrap().unwrap().used, noted);
        }
        // A refresh by a clock that runs behind.
        let session = again(store, &id("a"), &build("two", 90));
        assert_eq!((session.build.at, session.used), (90, 90));
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn reported_drift_is_noted_until_the_next_build() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        frozen(store.freeze(&id("a"), None, &build("one", 1)).unwrap());
        let told = store.deliver(&id("a"), &stranger(kind), None, 5, &["prompt".into()]);
        assert!(!told.unwrap());
        tell(store, &id("a"), 5, "prompt");
        let told = store.session(&id("a")).unwrap().unwrap().delivered;
        let prompt = vec![Key::of("prompt")];
        assert_eq!(told, Some(Delivered { at: 5, prompt }));
        assert_eq!(store.content(&Key::of("prompt")).unwrap(), "prompt");
        tell(store, &id("a"), 6, "newer");
        let told = store.session(&id("a")).unwrap().unwrap().delivered;
        assert_eq!(told.unwrap().prompt, [Key::of("newer")]);
        let session = again(store, &id("a"), &build("two", 7));
        assert_eq!(session.delivered, None);
        assert_eq!(store.session(&id("a")).unwrap(), Some(session));
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn removing_a_session_takes_its_builds_and_hints() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        for name in ["a", "b"] {
            frozen(store.freeze(&id(name), None, &build(name, 1)).unwrap());
            again(store, &id(name), &build(name, 2));
            store.folder_rules(&id(name), &["x".into()], 3).unwrap();
        }
        assert!(store.remove(&id("a")).unwrap());
        assert!(!store.remove(&id("a")).unwrap());
        assert_eq!(store.session(&id("a")).unwrap(), None);
        assert_eq!(store.directory_rules(&id("a")).unwrap(), [""; 0]);
        assert_eq!(store.builds(&id("b")).unwrap().len(), 2);
        assert_eq!(store.directory_rules(&id("b")).unwrap(), ["x"]);
        assert_eq!(store.verify().unwrap(), []);
        // And the name can be used again.
        let session = frozen(store.freeze(&id("a"), None, &build("new", 9)).unwrap());
        assert_eq!((session.build.number, session.created), (1, 9));
    }
}

#[test]
fn hints_are_given_once_per_session() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        let folders = |list: &[&str]| list.iter().map(|f| (*f).to_owned()).collect::<Vec<_>>();
        let first = folders(&["src", "docs", "src", "a\"b\\c\u{1}"]);
        let new = store.folder_rules(&id("a"), &first, 1).unwrap();
        assert_eq!(new, ["src", "docs", "a\"b\\c\u{1}"]);
        let new = place
            .open()
            .folder_rules(&id("a"), &folders(&["x", "docs"]), 2);
        assert_eq!(new.unwrap(), ["x"]);
        assert_eq!(
            store.directory_rules(&id("a")).unwrap(),
            ["a\"b\\c\u{1}", "docs", "src", "x"]
        );
        assert_eq!(
            store.folder_rules(&id("b"), &folders(&["x"]), 2).unwrap(),
            ["x"]
        );
        assert_eq!(store.folder_rules(&id("b"), &[], 2).unwrap(), [""; 0]);
        assert_eq!(store.sessions().unwrap(), []);
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn an_imported_session_keeps_the_numbers_of_its_builds() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        let builds = [(3, build("three", 30)), (7, build("seven", 70))];
        assert!(store.import(&id("a"), 99, &builds).unwrap());
        let session = store.session(&id("a")).unwrap().unwrap();
        assert_eq!((session.created, session.used), (30, 99));
        assert_eq!(session.build.number, 7);
        let read = store.builds(&id("a")).unwrap();
        assert!(read.iter().map(|b| b.number).eq([3, 7]));
        let marked = |build: &NewBuild| NewBuild {
            imported: true,
            ..build.clone()
        };
        assert_eq!(contents(store, &read[0]), marked(&builds[0].1));
        let session = again(store, &id("a"), &build("eight", 80));
        assert_eq!((session.build.number, session.build.imported), (8, false));
        // One that is there stays as it is.
        assert!(
            !store
                .import(&id("a"), 1, &[(1, build("other", 1))])
                .unwrap()
        );
        assert_eq!(store.session(&id("a")).unwrap(), Some(session));
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn a_session_is_added_to_another_store_with_all_its_data() {
    for kind in KINDS {
        let (here, there) = (kind.empty(), kind.empty());
        let (mut from, mut to) = (here.open(), there.open());
        let builds = [(3, build("three", 30)), (7, build("seven", 70))];
        assert!(from.import(&id("a"), 99, &builds).unwrap());
        again(&mut *from, &id("a"), &build("eight", 80));
        tell(&mut *from, &id("a"), 85, "told");
        from.folder_rules(&id("a"), &["src".into(), "docs".into()], 9000)
            .unwrap();
        from.touch(&id("a"), 95).unwrap();
        let (session, whole) = from.whole(&id("a")).unwrap().unwrap();
        assert!(
            whole
                .builds
                .iter()
                .map(|(_, b)| b.imported)
                .eq([true, true, false])
        );
        assert!(to.add(&id("a"), &whole).unwrap());
        assert!(!to.add(&id("a"), &whole).unwrap());
        let (moved, again_whole) = to.whole(&id("a")).unwrap().unwrap();
        assert_eq!(again_whole, whole);
        assert_eq!((moved.created, moved.used), (30, 95));
        assert_eq!(to.directory_rules(&id("a")).unwrap(), ["docs", "src"]);
        // One that was built since stays.
        again(&mut *from, &id("a"), &build("nine", 90));
        assert!(!from.leave(&id("a"), &session.build).unwrap());
        let newest = from.session(&id("a")).unwrap().unwrap().build;
        assert!(from.leave(&id("a"), &newest).unwrap());
        assert!(!from.leave(&id("a"), &newest).unwrap());
        assert_eq!(from.whole(&id("a")).unwrap(), None);
        assert_eq!(from.directory_rules(&id("a")).unwrap(), [""; 0]);
        assert_eq!(
            (from.verify().unwrap(), to.verify().unwrap()),
            (vec![], vec![])
        );
    }
}

#[test]
fn builds_out_of_order_are_not_imported() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        let numbers: [&[u64]; 5] = [&[], &[0], &[1, 1], &[2, 1], &[u64::MAX]];
        for numbers in numbers {
            let builds: Vec<_> = numbers.iter().map(|n| (*n, build("b", 1))).collect();
            let imported = store.import(&id("a"), 1, &builds);
            assert!(matches!(imported, Err(StoreError::Other(_))), "{numbers:?}");
        }
        assert_eq!(store.session(&id("a")).unwrap(), None);
    }
}

#[test]
fn a_collection_takes_old_sessions_old_builds_and_contents_without_use() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        for (name, at) in [("old", 10), ("kept", 50), ("new", 90)] {
            frozen(store.freeze(&id(name), None, &build(name, at)).unwrap());
            store.folder_rules(&id(name), &["x".into()], at).unwrap();
        }
        for number in 1..5 {
            let new = build(&format!("kept {number}"), 50);
            again(store, &id("kept"), &new);
        }
        tell(store, &id("new"), 91, "told");
        store
            .folder_rules(&id("never frozen, old"), &["x".into()], 10)
            .unwrap();
        store
            .folder_rules(&id("never frozen"), &["x".into()], 60)
            .unwrap();
        let unwanted = Unwanted {
            unused_since: Some(50),
            builds_beyond: Some(2),
        };
        let before = store.sessions().unwrap();
        let dry = store.collect(unwanted, true).unwrap();
        assert_eq!(store.sessions().unwrap(), before);
        let size = |name: &str| {
            let build = build(name, 0);
            let texts = build.texts.values().chain([&build.map, &build.inputs]);
            texts.map(|t| t.len() as u64).sum::<u64>()
        };
        let expected = Collected {
            sessions: vec![id("old")],
            shortened: vec![Shortened {
                session: id("kept"),
                builds: 3,
            }],
            builds: 4,
            directory_rules: 2,
            contents: 16,
            bytes: size("old") + size("kept") + size("kept 1") + size("kept 2"),
        };
        assert_eq!(dry, expected);
        assert_eq!(store.collect(unwanted, false).unwrap(), expected);
        assert_eq!(
            store.collect(unwanted, false).unwrap(),
            Collected::default()
        );
        let sessions = store.sessions().unwrap();
        assert!(sessions.iter().map(|s| s.id.as_str()).eq(["kept", "new"]));
        let builds = store.builds(&id("kept")).unwrap();
        assert!(builds.iter().map(|b| b.number).eq([4, 5]));
        assert_eq!(contents(store, &builds[0]), build("kept 3", 50));
        assert_eq!(store.content(&Key::of("told")).unwrap(), "told");
        for (name, left) in [
            ("old", false),
            ("kept", true),
            ("never frozen, old", false),
            ("never frozen", true),
        ] {
            assert_eq!(
                !store.directory_rules(&id(name)).unwrap().is_empty(),
                left,
                "{name}"
            );
        }
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn the_newest_build_is_never_collected_and_its_number_never_used_again() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        frozen(store.freeze(&id("a"), None, &build("1", 1)).unwrap());
        for number in 1..4 {
            let unwanted = Unwanted {
                unused_since: None,
                builds_beyond: Some(0),
            };
            store.collect(unwanted, false).unwrap();
            let new = build(&format!("{number}"), 1);
            let session = again(store, &id("a"), &new);
            assert_eq!(session.build.number, number + 1);
        }
        let builds = store.builds(&id("a")).unwrap();
        assert!(builds.iter().map(|b| b.number).eq([3, 4]));
    }
}

#[test]
fn a_content_that_nothing_refers_to_is_no_damage() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        let read = store.content(&Key::of("never"));
        assert!(matches!(read, Err(StoreError::Gone)), "{read:?}");
    }
}

#[test]
fn texts_of_any_kind_come_back() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        let mut odd = build("odd", i64::MIN);
        odd.map = String::new();
        odd.plan = "\0 nul, \u{feff} and \u{10ffff}\r\n".into();
        odd.inputs = "x".repeat(300_000);
        odd.terms = "\0".into();
        let name = id(&"é".repeat(128));
        let session = frozen(store.freeze(&name, None, &odd).unwrap());
        assert_eq!(contents(&mut *place.open(), &session.build), odd);
        assert_eq!(place.open().session(&name).unwrap(), Some(session));
        assert_eq!(store.verify().unwrap(), []);
    }
}
