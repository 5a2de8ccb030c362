//! The note that lists changes for a conversation.

use crate::session::block::planned;
use promptc::compile::GivenInputs;
use promptc::compile::reminder::{Reminder, render};
use promptc::diagnostic::Diagnostics;
use promptc::prompt::drift::{Change, ChangeKind};

const HEAD: &str = "promptc 1\nfact user string default=Ann\nfact room int default=30\n";

fn change(layer: &str, kind: ChangeKind, text: &str) -> Change {
    Change {
        layer: layer.to_owned(),
        tier: "stable".to_owned(),
        kind,
        text: text.to_owned(),
        causes: Vec::new(),
    }
}

fn note(files: &[(&str, &str)], changes: &[Change]) -> Result<Reminder, Diagnostics> {
    let (plan, world) = planned(files)?;
    let mut diags = Diagnostics::default();
    render(&plan, &GivenInputs::default(), &world, changes, &mut diags).map_err(|_| diags)
}

/// The output of a reminder with this in its braces.
fn told(reminder: &str, changes: &[Change]) -> Reminder {
    let manifest = format!("{HEAD}session {{ reminder {{ {reminder} }} }}");
    note(&[("promptc.kdl", &manifest)], changes).expect("a reminder")
}

#[test]
fn changes_are_listed_with_their_new_text_and_removals_by_name() {
    let changes = [
        change("rules", ChangeKind::Changed, "# Rules\n\nRun both linters."),
        change("memory", ChangeKind::Added, "Ann is on leave."),
        change("greeting", ChangeKind::Removed, ""),
        change("tips", ChangeKind::Removed, ""),
    ];
    let head = "Parts of your instructions have changed since this conversation began. \
        From now on follow what stands here, and not what these parts said before.";
    let wanted = format!(
        "{head}\n\n<changed part=\"rules\">\n# Rules\n\nRun both linters.\n</changed>\n\n\
         <added part=\"memory\">\nAnn is on leave.\n</added>\n\n\
         No longer part of your instructions: greeting, tips."
    );
    for manifest in [HEAD.to_owned(), format!("{HEAD}session {{ }}")] {
        let note = note(&[("promptc.kdl", &manifest)], &changes).unwrap();
        assert_eq!(note.text, wanted);
        assert_eq!(note.notices, []);
    }
    let gone = note(&[("promptc.kdl", HEAD)], &changes[2..3]).unwrap();
    let wanted = format!("{head}\n\nNo longer part of your instructions: greeting.");
    assert_eq!(gone.text, wanted);
}

#[test]
fn a_template_sees_all_of_a_change_and_facts() {
    let mut one = change("rules", ChangeKind::Changed, "Be kind.");
    one.causes = vec![
        "AGENTS.md:3 changed".to_owned(),
        "`model` changed".to_owned(),
    ];
    let two = change("tips", ChangeKind::Removed, "");
    let template = r#"template "{{ user }}:{% for c in changes %} [{{ c.change }} {{ c.tier }}/{{ c.layer }} ({{ c.causes | join('; ') }}) {{ c.text }}]{% endfor %} {{ changes | length }}""#;
    let note = told(template, &[one, two]);
    assert_eq!(
        note.text,
        "Ann: [changed stable/rules (AGENTS.md:3 changed; `model` changed) Be kind.] [removed stable/tips () ] 2"
    );
}

#[test]
fn a_template_may_be_a_file_that_includes_others() {
    let files = [
        (
            "promptc.kdl",
            "promptc 1\nsession { reminder { template file=\"note.md.j2\" } }",
        ),
        (
            "templates/note.md.j2",
            "{% for c in changes %}\n{% include \"one.md.j2\" %}\n\n{% endfor %}\n",
        ),
        ("templates/one.md.j2", "{{ c.layer }} = {{ c.text }}"),
    ];
    let changes = [
        change("a", ChangeKind::Changed, "A"),
        change("b", ChangeKind::Added, "B"),
    ];
    assert_eq!(note(&files, &changes).unwrap().text, "a = A\nb = B");
}

#[test]
fn the_text_of_a_layer_is_no_template() {
    let text = "{{ user }} {% for x in y %} {# z #}";
    for template in ["budget 500", "template \"{{ changes[0].text }}\""] {
        let note = told(template, &[change("a", ChangeKind::Changed, text)]);
        assert!(note.text.contains(text), "{}", note.text);
        assert!(!note.text.contains("Ann"));
    }
}

#[test]
fn nothing_is_reported_for_an_empty_input() {
    assert_eq!(told("template \"hello\"", &[]), Reminder::default());
    let one = [change("a", ChangeKind::Changed, "A")];
    let blank = told("template \" {% if false %}x{% endif %}\\n\"", &one);
    assert_eq!(blank, Reminder::default());
    assert_eq!(told("template \"\\n x \\n\"", &one).text, "x");
}

/// How large a text is.
type Size<'a> = &'a dyn Fn(&str) -> usize;

#[test]
fn budgets_hold_in_every_unit_and_report_the_omitted_part() {
    let text = "one two three four five six seven\n".repeat(40);
    let changes = [change("a", ChangeKind::Changed, &text)];
    let tokens = |text: &str| promptc::text::tokens::ALL[0].count(text);
    let sizes: [(&str, Size<'_>, usize); 5] = [
        ("budget 200", &|t| t.chars().count(), 200),
        ("budget 200 bytes", &|t| t.len(), 200),
        ("budget 9 lines", &|t| t.lines().count(), 9),
        ("budget 60 tokens tokenizer=o200k", &tokens, 60),
        ("budget 900; budget 12 lines", &|t| t.lines().count(), 12),
    ];
    for (budget, size, max) in sizes {
        let note = told(budget, &changes);
        assert!(
            size(&note.text) <= max && !note.text.is_empty(),
            "{budget}: {}",
            note.text
        );
        assert!(
            note.text.contains("reminder"),
            "the marker says what was cut: {}",
            note.text
        );
        let codes: Vec<&str> = note.notices.iter().map(|n| n.code.as_str()).collect();
        assert!(
            codes.iter().all(|c| *c == "cut") && !codes.is_empty(),
            "{budget}: {codes:?}"
        );
        assert!(note.notices.iter().all(|n| n.layer.is_none()));
    }
}

#[test]
fn a_budget_may_be_a_fact_and_have_a_marker_of_its_own() {
    let changes = [change("a", ChangeKind::Changed, &"abcdefghij".repeat(10))];
    let note = told(
        "template \"{{ changes[0].text }}\"; budget (fact)room at=char marker=\"[{{ omitted }} of {{ total }}]\"",
        &changes,
    );
    assert_eq!(note.text, "abcdefghijabcdefghi[81 of 100]");
}

#[test]
fn without_a_budget_a_reminder_has_8000_characters_at_most() {
    let long = "ä".repeat(20_000);
    let changes = [change("a", ChangeKind::Changed, &long)];
    let plain = note(&[("promptc.kdl", HEAD)], &changes).unwrap();
    assert!((7_900..=8_000).contains(&plain.text.chars().count()));
    assert_eq!(plain.notices.len(), 1);
    let same = told("template \"{{ changes[0].text }}\"", &changes);
    assert!((7_900..=8_000).contains(&same.text.chars().count()));
    let more = told("budget 30000", &changes);
    assert!(more.text.contains(&long));
}

#[test]
fn a_budget_that_leaves_nothing_is_an_error() {
    let manifest = "promptc 1\nsession { reminder { budget 3 } }";
    let changes = [change("a", ChangeKind::Changed, "A")];
    let diags = note(&[("promptc.kdl", manifest)], &changes).unwrap_err();
    let codes: Vec<&str> = diags.iter().map(|d| d.code.name).collect();
    assert_eq!(codes, ["over-budget"]);
    let at = diags.iter().next().unwrap().span.unwrap();
    assert_eq!(&manifest[at.range()], "budget");
}

#[test]
fn a_failing_template_is_reported_with_its_position() {
    let manifest = "promptc 1\nsession { reminder { template \"{{ changes[7].text }}\" } }";
    let changes = [change("a", ChangeKind::Changed, "A")];
    let diags = note(&[("promptc.kdl", manifest)], &changes).unwrap_err();
    let first = diags.iter().next().unwrap();
    assert_eq!(first.code.name, "undefined-value");
    assert!(first.span.is_some());
}

#[test]
fn an_overlay_replaces_the_reminder_whole_and_nothing_else() {
    let base =
        "promptc 1\nsession { refresh event=reset; reminder { template \"base\"; budget 2 } }";
    let over = |session: &str| {
        let text = format!("promptc 1\nextends \"base.kdl\"\nsession {{ {session} }}");
        let files = [("base.kdl", base), ("promptc.kdl", text.as_str())];
        let (plan, world) = planned(&files).expect("a plan");
        let events: Vec<String> = plan
            .refresh()
            .events
            .iter()
            .map(|e| e.value.clone())
            .collect();
        let changes = [change("a", ChangeKind::Changed, "A")];
        let mut diags = Diagnostics::default();
        let note = render(&plan, &GivenInputs::default(), &world, &changes, &mut diags);
        (events, note.map(|n| n.text).ok())
    };
    let reset = || vec!["reset".to_owned()];
    assert_eq!(
        over("reminder { template \"over\" }"),
        (reset(), Some("over".to_owned()))
    );
    assert_eq!(
        over("refresh event=b"),
        (vec!["b".to_owned()], None),
        "2 characters hold no `base`"
    );
    let (events, note) = over("unset reminder");
    assert_eq!(events, reset());
    assert!(note.unwrap().starts_with("Parts of your instructions"));
}
