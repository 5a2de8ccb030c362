//! The session settings of a manifest, from a plan.

use promptc::compile::{GivenInputs, Plan, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::world::MapWorld;

/// The plan of `promptc.kdl` among these files of one folder, and the world that they are.
pub(crate) fn planned(files: &[(&str, &str)]) -> Result<(Plan, MapWorld), Diagnostics> {
    let file =
        |world: MapWorld, (name, text): &(&str, &str)| world.file(format!("/w/{name}"), *text);
    let world = files.iter().fold(MapWorld::new(), file);
    let (mut sources, mut diags) = (Files::default(), Diagnostics::default());
    let plan =
        manifest::open(&world, Some("/w/promptc.kdl"), &mut sources, &mut diags).and_then(|m| {
            prepare(
                &m,
                &GivenInputs::default(),
                &world,
                &mut sources,
                &mut diags,
            )
        });
    match plan {
        Ok(plan) => Ok((plan, world)),
        Err(_) => Err(diags),
    }
}

fn plan(files: &[(&str, &str)]) -> Plan {
    planned(files).expect("a plan").0
}

/// The occasions on which a plan's sessions are rebuilt: events, seconds, facts.
fn occasions(plan: &Plan) -> (Vec<&str>, Option<u64>, Vec<&str>) {
    let refresh = plan.refresh();
    (
        refresh.events.iter().map(|e| e.value.as_str()).collect(),
        refresh.idle.as_ref().map(|i| i.value),
        refresh.facts.iter().map(|f| f.value.as_str()).collect(),
    )
}

const FACTS: &str = "promptc 1\nfact model string default=a\nfact provider string default=b\n";

#[test]
fn without_a_refresh_line_it_is_a_compaction_that_refreshes() {
    for session in ["", "session { }", "session { reminder { budget 100 } }"] {
        let plan = plan(&[("promptc.kdl", &format!("{FACTS}{session}"))]);
        assert_eq!(occasions(&plan), (vec!["compaction"], None, vec![]));
    }
}

#[test]
fn only_declared_occasions_refresh() {
    let full = format!(
        "{FACTS}session {{ refresh fact=provider; refresh event=reset; refresh idle=\"1h5m\"; refresh event=b.2-c_; refresh fact=model }}"
    );
    let full = plan(&[("promptc.kdl", &full)]);
    let wanted = (
        vec!["reset", "b.2-c_"],
        Some(3900),
        vec!["provider", "model"],
    );
    assert_eq!(occasions(&full), wanted);
}

#[test]
fn occasions_keep_their_places() {
    let text = "promptc 1\nfact model string default=a\nsession { refresh event=reset; refresh idle=\"5m\"; refresh fact=model }";
    let plan = plan(&[("promptc.kdl", text)]);
    let refresh = plan.refresh();
    let idle = refresh.idle.as_ref().unwrap();
    let places = [refresh.events[0].span, idle.span, refresh.facts[0].span];
    let shown = places.map(|span| &text[span.range()]);
    assert_eq!(shown, ["reset", "\"5m\"", "model"]);
}

#[test]
fn the_refresh_lines_of_an_overlay_replace_those_of_its_base() {
    let base = format!("{FACTS}session {{ refresh event=reset; refresh fact=model }}");
    let over = |session: &str| {
        let text = format!("promptc 1\nextends \"base.kdl\"\n{session}");
        plan(&[("base.kdl", &base), ("promptc.kdl", &text)])
    };
    let same = over("");
    assert_eq!(occasions(&same), (vec!["reset"], None, vec!["model"]));
    let silent = over("session { }");
    assert_eq!(occasions(&silent), (vec!["reset"], None, vec!["model"]));
    let other = over("session { refresh idle=\"90s\"; refresh fact=provider }");
    assert_eq!(occasions(&other), (vec![], Some(90), vec!["provider"]));
    let none = over("session { unset refresh }");
    assert_eq!(occasions(&none), (vec!["compaction"], None, vec![]));
    let included = "session { refresh event=new-day }";
    let text = "promptc 1\nextends \"base.kdl\"\ninclude \"more.kdl\"";
    let included = plan(&[
        ("base.kdl", &base),
        ("more.kdl", included),
        ("promptc.kdl", text),
    ]);
    assert_eq!(occasions(&included), (vec!["new-day"], None, vec![]));
}
