//! The verdict, before everything else.

use crate::project::advised::AdvisedEdit;
use crate::report::Code;
use crate::report::html::{Html, patch, said, share_bar};
use crate::report::verdict::{Figure, Verdict, followed};

/// The figures, then what to fix first.
pub(super) fn draw(html: &mut Html, verdict: &Verdict) {
    html.open(
        "section",
        &[("class", "verdict"), ("aria-labelledby", "h-verdict")],
    );
    html.leaf("h2", &[("class", "unseen"), ("id", "h-verdict")], "Verdict");
    html.markup("<dl class=\"figures\">");
    verdict.figures.iter().for_each(|one| figure(html, one));
    html.markup("</dl><div class=\"first\"><h3>Fix first</h3>");
    let fix = &verdict.fix;
    said(html, "p", &fix.text);
    if let Some(why) = &fix.why {
        html.markup("<div class=\"why\">");
        said(html, "p", why);
        html.markup("</div>");
    }
    if let Some(code) = &fix.patch {
        edit(html, code);
    }
    if let Some(command) = &fix.command {
        html.markup("<p class=\"command\">");
        html.leaf("code", &[], command);
        html.markup("</p>");
    }
    html.markup("</div></section>");
    if let Some(source) = &verdict.source {
        html.leaf("p", &[("class", "about")], source);
    }
}

fn figure(html: &mut Html, figure: &Figure) {
    html.markup("<div>");
    html.leaf("dt", &[], figure.label);
    html.markup("<dd>");
    match &figure.value {
        Some(value) => html.leaf("b", &[], value),
        None => html.leaf("b", &[("class", "unknown")], "not known"),
    }
    if let Some([part, whole]) = figure.part {
        share_bar(html, part, whole, "reused");
    }
    html.said("small", &[], &figure.note);
    html.markup("</dd></div>");
}

/// An advice with its edit.
pub(super) fn advice(html: &mut Html, edit: &AdvisedEdit) {
    let remedy = followed(&edit.advice, Some(edit));
    html.markup("<div class=\"advice\">");
    said(html, "h3", &remedy.text);
    if let Some(why) = &remedy.why {
        said(html, "p", why);
    }
    if let Some(code) = &remedy.patch {
        self::edit(html, code);
    }
    html.markup("</div>");
}

fn edit(html: &mut Html, code: &Code) {
    let attrs = [
        ("class", "diff edit"),
        ("role", "group"),
        ("tabindex", "0"),
        ("aria-label", "the edit"),
    ];
    html.open("div", &attrs);
    patch(html, code);
    html.close("div");
}
