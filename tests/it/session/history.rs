//! The history of sessions through the library. All figures are worked out by hand.
//!
//! The layers are words of one token each in `o200k`, and so is the join between them: `one two`, a blank line, `red blue`, a
//! blank line, `sun moon` are eight tokens and 27 bytes.

use crate::run::Place;
use promptc::compare::CauseKind;
use promptc::compile::{GivenInputs, freeze, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::{Changes, Deliver};
use promptc::session::history::{Amount, By, Gap, History, Reader, SessionHistory, Span, rfc3339};
use promptc::session::keep;
use promptc::session::store::sqlite::Sqlite;
use promptc::session::store::{
    Build, Collected, Damage, Delivered, Freeze, Key, NewBuild, Reason, Restored, Result,
    RulesSession, Session, SessionId, Store, Unwanted, Wanted, Whole, sqlite,
};
use promptc::text::tokens::Tokenizer;
use promptc::world::{MapWorld, Recorder};
use std::path::Path;

const MANIFEST: &str = r#"promptc 1
name words
join "\n\n"
root workspace default="."
tier stable changes=deploy {
    layer a { file "a.md" }
    layer b { file "b.md" }
}
tier late changes=session { layer c { file "c.md" } }
tier now changes=turn { layer d { text "never kept" } }
"#;

/// 2026-03-02T00:00:00Z, a Monday.
const MONDAY: i64 = 1_772_409_600;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The stored data of a session for a build whose three layers have these texts.
fn build(at: i64, reason: Reason, texts: [&str; 3], tokenizer: Option<&str>) -> NewBuild {
    let mut world = MapWorld::new().file("/w/promptc.kdl", MANIFEST);
    for (name, text) in ["a", "b", "c"].iter().zip(texts) {
        world = world.file(format!("/w/{name}.md"), text);
    }
    let given = GivenInputs {
        tokenizer: tokenizer.and_then(Tokenizer::parse),
        ..GivenInputs::default()
    };
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let recorder = Recorder::new(&world);
    let opened = manifest::open(&recorder, Some("/w/promptc.kdl"), &mut files, &mut diags);
    let plan = prepare(&opened.unwrap(), &given, &recorder, &mut files, &mut diags).unwrap();
    let made = freeze(&plan, &given, &[], &world, &mut diags).unwrap();
    let folder = Path::new("/w");
    let kept = keep(&plan, made, recorder.tape(), &given, None, None, folder);
    kept.build(at, reason).unwrap()
}

fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

fn event() -> Reason {
    Reason::Event("compaction".to_owned())
}

/// Three sessions: one that was built four times, one of which three builds are gone, and one that was never rebuilt.
fn store(place: &Place, tokenizer: Option<&str>) -> Sqlite {
    let mut store = sqlite::open(&place.path().join("s.db"), 1).unwrap();
    let (a, b, c) = ("one two", "red blue", "sun moon");
    let first = |at| build(at, Reason::First, [a, b, c], tokenizer);
    let sessions = [
        (
            "calls",
            vec![
                (1, first(MONDAY)),
                (
                    2,
                    build(MONDAY + HOUR, event(), [a, b, "sun star"], tokenizer),
                ),
                (
                    3,
                    build(
                        MONDAY + 2 * DAY,
                        Reason::Idle(7200),
                        [a, "red green", "sun sea"],
                        tokenizer,
                    ),
                ),
                (
                    4,
                    build(
                        MONDAY + 2 * DAY + 5,
                        Reason::Asked,
                        [a, "red green", "sun sea"],
                        tokenizer,
                    ),
                ),
            ],
        ),
        (
            "mail",
            vec![
                (4, build(MONDAY, Reason::Asked, [a, b, c], tokenizer)),
                (
                    5,
                    build(
                        MONDAY + 9 * DAY,
                        Reason::Fact("model".to_owned()),
                        ["one ten", b, c],
                        tokenizer,
                    ),
                ),
            ],
        ),
        ("once", vec![(1, first(MONDAY + DAY))]),
    ];
    for (name, builds) in sessions {
        assert!(store.import(&id(name), 0, &builds).unwrap());
    }
    store
}

fn told(store: &mut dyn Store, tokenizer: Option<Tokenizer>, span: Span) -> Vec<SessionHistory> {
    let mut reader = Reader::new(store, tokenizer);
    let ids = ["calls", "mail", "once"].map(id);
    ids.iter()
        .map(|id| reader.session(id, span).unwrap())
        .collect()
}

fn amount(tokens: usize, bytes: usize) -> Amount {
    Amount { tokens, bytes }
}

#[test]
fn each_build_is_compared_with_the_one_before() {
    let place = Place::new();
    let told = told(&mut store(&place, Some("o200k")), None, Span::default());
    let found: Vec<_> = (told.iter().flat_map(|t| &t.rebuilds))
        .map(|r| {
            let change = &r.change;
            let layer = change.broken.as_ref().and_then(|b| b.layer.as_deref());
            let hidden: Vec<_> = change
                .hidden
                .iter()
                .filter_map(|b| b.layer.as_deref())
                .collect();
            let tokens = [&change.kept, &change.lost].map(|s| s.tokens.unwrap());
            let bytes = [change.kept.bytes, change.lost.bytes];
            (
                r.session.as_str(),
                (r.from, r.to),
                layer,
                hidden,
                tokens,
                bytes,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            // `star` for `moon`.
            ("calls", (1, 2), Some("c"), vec![], [7, 1], [23, 4]),
            // `green`, a blank line, `sun sea`.
            ("calls", (2, 3), Some("b"), vec!["c"], [4, 4], [13, 14]),
            ("calls", (3, 4), None, vec![], [8, 0], [27, 0]),
            // All after `one`; in bytes `t` is common.
            ("mail", (4, 5), Some("a"), vec![], [1, 7], [5, 22]),
        ]
    );
    let gap = |from, to| Gap {
        session: "mail".to_owned(),
        from,
        to,
    };
    let gaps: Vec<_> = told.iter().flat_map(|t| t.gaps.clone()).collect();
    assert_eq!(gaps, [gap(1, 3)]);
    let cause = &told[1].rebuilds[0].change.broken.as_ref().unwrap().causes[0];
    assert_eq!(cause.kind, CauseKind::DocumentChanged);
    let place = (cause.root.as_deref(), cause.path.as_deref(), cause.line);
    // Without inputs no build says which line.
    assert_eq!(place, (Some("workspace"), Some("a.md"), None));
}

#[test]
fn layers_are_ranked_by_rewritten_text() {
    let place = Place::new();
    let told = told(&mut store(&place, Some("o200k")), None, Span::default());
    let history = History::of(told, None);
    assert_eq!((history.sessions, history.builds), (3, 7));
    let all = history.all;
    assert_eq!((all.rebuilds, all.broke), (4, 3));
    assert_eq!(all.kept, amount(7 + 4 + 8 + 1, 23 + 13 + 27 + 5));
    assert_eq!(all.lost, amount(1 + 4 + 7, 4 + 14 + 22));
    assert_eq!(all.cold, amount(4, 14));
    let layers: Vec<_> = (history.layers.iter())
        .map(|l| {
            (
                l.layer.as_deref(),
                l.tier.as_deref(),
                l.broke,
                l.hidden,
                l.kept,
                l.lost,
            )
        })
        .collect();
    assert_eq!(
        layers,
        [
            (Some("a"), Some("stable"), 1, 0, amount(1, 5), amount(7, 22)),
            (
                Some("b"),
                Some("stable"),
                1,
                0,
                amount(4, 13),
                amount(4, 14)
            ),
            (Some("c"), Some("late"), 1, 1, amount(7, 23), amount(1, 4)),
        ]
    );
    let share: f64 = history.layers.iter().map(|l| l.share).sum();
    assert!((history.layers[0].share - 7.0 / 12.0).abs() < 1e-9 && (share - 1.0).abs() < 1e-9);
    let first = &history.layers[0];
    assert_eq!(first.prompt.as_deref(), Some("words"));
    assert_eq!(
        (first.changes, first.channel),
        (Some(Changes::Deploy), Deliver::System)
    );
    let causes: Vec<_> = (history.layers.iter().flat_map(|l| &l.causes))
        .map(|c| {
            (
                c.cause.path.as_deref(),
                c.cause.line,
                c.broke,
                c.lost.tokens,
            )
        })
        .collect();
    let cause = |path, tokens| (Some(path), None, 1, tokens);
    assert_eq!(
        causes,
        [cause("a.md", 7), cause("b.md", 4), cause("c.md", 1)]
    );
    let counted = (history.counted.tokenizers, history.counted.estimate);
    assert_eq!(counted, (vec!["o200k".to_owned()], false));
}

#[test]
fn rewrites_are_reported_by_kind_reason_and_time() {
    let place = Place::new();
    let told = told(&mut store(&place, Some("o200k")), None, Span::default());
    let history = History::of(told, None);
    let kinds: Vec<_> = (history.causes.iter())
        .map(|k| (k.kind, k.broke, k.lost.tokens))
        .collect();
    assert_eq!(kinds, [(CauseKind::DocumentChanged, 3, 12)]);
    let reasons: Vec<_> = (history.reasons.iter())
        .map(|r| {
            (
                r.reason.as_str(),
                r.sum.rebuilds,
                r.sum.broke,
                r.sum.lost.tokens,
            )
        })
        .collect();
    assert_eq!(
        reasons,
        [
            ("fact:model", 1, 1, 7),
            ("idle", 1, 1, 4),
            ("event:compaction", 1, 1, 1),
            ("asked", 1, 0, 0),
        ]
    );
    // Nine days are reported by day, and days without a rebuild are left out.
    assert_eq!(history.times.by, By::Day);
    let days: Vec<_> = (history.times.buckets.iter())
        .map(|b| (rfc3339(b.start), b.sum.rebuilds, b.sum.lost.tokens))
        .collect();
    let day = |day: &str, rebuilds, lost| (format!("2026-03-{day}T00:00:00Z"), rebuilds, lost);
    assert_eq!(days, [day("02", 1, 1), day("04", 2, 4), day("11", 1, 7)]);
}

#[test]
fn a_span_of_time_has_its_first_second_and_not_its_last() {
    let place = Place::new();
    let mut store = store(&place, Some("o200k"));
    let mut within = |since, until| {
        let span = Span { since, until };
        let history = History::of(told(&mut store, None, span), None);
        (
            history.sessions,
            history.builds,
            history.all.rebuilds,
            history.gaps.len(),
        )
    };
    assert_eq!(within(Some(MONDAY + HOUR), None), (3, 5, 4, 0));
    assert_eq!(within(Some(MONDAY + HOUR + 1), None), (3, 4, 3, 0));
    // The build that a rebuild is compared with need not be in the time itself.
    assert_eq!(within(Some(MONDAY + 9 * DAY), None), (1, 1, 1, 0));
    assert_eq!(within(None, Some(MONDAY + HOUR)), (2, 2, 0, 1));
    assert_eq!(within(None, Some(MONDAY)), (0, 0, 0, 0));
}

#[test]
fn tokens_are_those_of_the_prompts_by_default() {
    let place = Place::new();
    let lost = |tokenizer: Option<&str>, asked: Option<&str>| {
        let place = Place::new();
        let asked = asked.and_then(Tokenizer::parse);
        let told = told(&mut store(&place, tokenizer), asked, Span::default());
        let History { counted, all, .. } = History::of(told, None);
        (
            counted.tokenizers.join(" "),
            counted.estimate,
            counted.assumed,
            all.lost.tokens,
        )
    };
    let name = str::to_owned;
    assert_eq!(lost(Some("o200k"), None), (name("o200k"), false, false, 12));
    // 8 tokens are 12 of Claude's, rounded up; 7 are 10, 4 are 6 and 1 is 2.
    let claude = (12 - 10) + (12 - 6) + (12 - 2);
    assert_eq!(
        lost(Some("claude"), None),
        (name("claude"), true, false, claude)
    );
    assert_eq!(
        lost(None, Some("claude")),
        (name("claude"), true, false, claude)
    );
    assert_eq!(
        lost(Some("claude"), Some("o200k")),
        (name("o200k"), false, false, 12)
    );
    // Prompts that were not counted have no tokenizer.
    assert_eq!(lost(None, None), (name("o200k"), true, true, 12));
    drop(place);
}

#[test]
fn parts_of_the_time_begin_where_calendars_say() {
    let starts = |at: &str| {
        let at: jiff::Timestamp = at.parse().unwrap();
        let parts = [By::Hour, By::Day, By::Week, By::Month];
        parts.map(|by| rfc3339(by.start(by.number(at.as_second()))).replace(":00:00Z", ""))
    };
    // A Sunday in a leap year, the first second of a year, and a time before all.
    for (at, parts) in [
        (
            "2028-02-29T23:59:59Z",
            [
                "2028-02-29T23",
                "2028-02-29T00",
                "2028-02-28T00",
                "2028-02-01T00",
            ],
        ),
        (
            "2026-03-08T12:30:00Z",
            [
                "2026-03-08T12",
                "2026-03-08T00",
                "2026-03-02T00",
                "2026-03-01T00",
            ],
        ),
        (
            "2027-01-01T00:00:00Z",
            [
                "2027-01-01T00",
                "2027-01-01T00",
                "2026-12-28T00",
                "2027-01-01T00",
            ],
        ),
        (
            "1969-12-31T23:00:01Z",
            [
                "1969-12-31T23",
                "1969-12-31T00",
                "1969-12-29T00",
                "1969-12-01T00",
            ],
        ),
    ] {
        assert_eq!(starts(at), parts, "{at}");
    }
    assert_eq!(By::of(0, 2 * DAY), By::Hour);
    assert_eq!(By::of(0, 2 * DAY + 1), By::Day);
    assert_eq!(By::of(0, 60 * DAY + 1), By::Week);
    assert_eq!(By::of(0, 420 * DAY + 1), By::Month);
    // A wrong clock still gives figures.
    for at in [i64::MIN, i64::MAX] {
        for by in [By::Hour, By::Day, By::Week, By::Month] {
            assert!(rfc3339(by.start(by.number(at))).ends_with('Z'));
        }
    }
}

/// A store whose old builds another process collects just before a content is read.
struct Collecting(Sqlite, bool);

#[test]
fn builds_that_are_collected_meanwhile_are_no_damage() {
    let place = Place::new();
    let mut store = Collecting(store(&place, None), false);
    let told = Reader::new(&mut store, None).session(&id("calls"), Span::default());
    let told = told.unwrap();
    assert_eq!((told.builds, told.rebuilds.len()), (1, 0));
    let gap = Gap {
        session: "calls".to_owned(),
        from: 1,
        to: 3,
    };
    assert_eq!(told.gaps, [gap]);
}

impl Store for Collecting {
    fn content(&mut self, key: &Key) -> Result<String> {
        if !std::mem::replace(&mut self.1, true) {
            let unwanted = Unwanted {
                unused_since: None,
                builds_beyond: Some(1),
            };
            self.0.collect(unwanted, false)?;
        }
        self.0.content(key)
    }
    fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        self.0.session(id)
    }
    fn sessions(&mut self) -> Result<Vec<Session>> {
        self.0.sessions()
    }
    fn builds(&mut self, id: &SessionId) -> Result<Vec<Build>> {
        self.0.builds(id)
    }
    fn restore(
        &mut self,
        id: &SessionId,
        number: Option<u64>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Restored>> {
        self.0.restore(id, number, wanted)
    }
    fn freeze(
        &mut self,
        id: &SessionId,
        after: Option<&Build>,
        build: &NewBuild,
    ) -> Result<Freeze> {
        self.0.freeze(id, after, build)
    }
    fn touch(&mut self, id: &SessionId, at: i64) -> Result<bool> {
        self.0.touch(id, at)
    }
    fn deliver(
        &mut self,
        id: &SessionId,
        after: &Build,
        before: Option<&Delivered>,
        at: i64,
        prompt: &[String],
    ) -> Result<bool> {
        self.0.deliver(id, after, before, at, prompt)
    }
    fn remove(&mut self, id: &SessionId) -> Result<bool> {
        self.0.remove(id)
    }
    fn add(&mut self, id: &SessionId, whole: &Whole) -> Result<bool> {
        self.0.add(id, whole)
    }
    fn whole(&mut self, id: &SessionId) -> Result<Option<(Session, Whole)>> {
        self.0.whole(id)
    }
    fn leave(&mut self, id: &SessionId, newest: &Build) -> Result<bool> {
        self.0.leave(id, newest)
    }
    fn collect(&mut self, unwanted: Unwanted, dry: bool) -> Result<Collected> {
        self.0.collect(unwanted, dry)
    }
    fn folder_rules(&mut self, id: &SessionId, folders: &[String], at: i64) -> Result<Vec<String>> {
        self.0.folder_rules(id, folders, at)
    }
    fn forget_directory_rules(&mut self, id: &SessionId, folders: &[String]) -> Result<()> {
        self.0.forget_directory_rules(id, folders)
    }
    fn rules_sessions(&mut self) -> Result<Vec<RulesSession>> {
        self.0.rules_sessions()
    }
    fn directory_rules(&mut self, id: &SessionId) -> Result<Vec<String>> {
        self.0.directory_rules(id)
    }
    fn verify(&mut self) -> Result<Vec<Damage>> {
        self.0.verify()
    }
}
