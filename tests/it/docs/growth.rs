//! The growth experiment of `docs/findings.md` gives its figures. It measures bytes, so they are the same everywhere.

#[path = "../../../benches/growth/experiment.rs"]
mod experiment;

use crate::docs::markdown::Page;
use crate::run::PROGRAM;
use experiment::SESSIONS;

#[test]
fn the_figures_match_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::read("docs/findings.md");
    let rows = experiment::rows(PROGRAM, folder.path());
    assert_eq!(rows.len(), 8);
    for row in rows {
        let cells = [
            row.order.to_owned(),
            row.step.map_or("none".to_owned(), |step| step.to_string()),
            format!("{:.3}", row.mean),
            format!("{:.3}", row.least),
            format!("{} of {SESSIONS}", row.newest),
        ];
        let there = page.rows.iter().any(|(_, shown)| *shown == cells);
        assert!(there, "docs/findings.md lacks | {} |", cells.join(" | "));
    }
}
