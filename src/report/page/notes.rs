//! Lost text, absent layers, and the findings of `promptc check`.

use super::prompt::View;
use super::section;
use crate::check::{Finding, Report, sentence};
use crate::diagnostic::Severity;
use crate::diagnostic::span::Files;
use crate::prompt::Notice;
use crate::report::explain::LayerStatus;
use crate::report::html::Html;
use crate::report::scenarios::{Same, named, once};
use crate::report::words::thousands;

/// The findings of the rules, if there was a manifest to check.
pub type Judged = Option<(Report, Files)>;

/// A prompt of several, and what the rules said about it.
pub(super) struct Told<'a> {
    pub(super) scenario: &'a str,
    pub(super) view: &'a View<'a>,
    pub(super) judged: &'a Judged,
    /// The prefix of the ids of its scene, if the page has it.
    pub(super) scope: Option<String>,
}

/// All of it, each part with its number.
pub(super) fn draw(html: &mut Html, view: &View<'_>, judged: &Judged) {
    let told = Told {
        scenario: "",
        view,
        judged,
        scope: Some(String::new()),
    };
    html.markup("<div class=\"notes\">");
    said(html, std::slice::from_ref(&told), |html| {
        absent(html, view);
    });
    html.markup("</div>");
}

/// The layers that one of several prompts lacks.
pub(super) fn draw_own(html: &mut Html, view: &View<'_>) {
    html.markup("<div class=\"notes\">");
    absent(html, view);
    html.markup("</div>");
}

/// The notes about several prompts, each once with its scenarios.
pub(super) fn draw_shared(html: &mut Html, all: &[Told<'_>]) {
    html.markup("<div class=\"notes\">");
    said(html, all, |_| ());
    html.markup("</div>");
}

/// The notes; `own` draws the part next to lost text.
fn said(html: &mut Html, all: &[Told<'_>], own: impl FnOnce(&mut Html)) {
    let notices = all.iter().flat_map(|told| {
        let each = told.view.prompt.notices.iter();
        each.map(move |notice| (told.scenario, (told, notice)))
    });
    let notices = once(notices, |(_, notice)| *notice);
    let (lost, other): (Vec<_>, Vec<_>) =
        (notices.into_iter()).partition(|same| same[0].1.1.is_loss());
    let draw = |html: &mut Html, these: &[Same<'_, (&Told<'_>, &Notice)>]| {
        for same in these {
            each(html, same[0].1.0, |html, layer| {
                notice(html, layer, same[0].1.1);
                scenarios(html, same, all.len());
                html.markup("</li>");
            });
        }
    };
    let none = "Nothing was cut, dropped or replaced.";
    part(html, "lost", "Lost", lost.len(), none, |html| {
        draw(html, &lost);
    });
    own(html);
    if !other.is_empty() {
        part(html, "told", "Notes", other.len(), "", |html| {
            draw(html, &other);
        });
    }
    let judged = all.iter().filter_map(|told| {
        let (report, files) = told.judged.as_ref()?;
        Some((told, report, files))
    });
    let judged: Vec<_> = judged.collect();
    if judged.is_empty() {
        let words = "`promptc check` checks a manifest and what is built from it now; this report is of a prompt that was built before, or beside a snapshot or session.";
        section(html, "findings", "Findings", |html| {
            html.said("p", &[("class", "none")], words);
        });
        return;
    }
    findings(html, &judged, all.len());
}

/// Draws a list item, which leads to layers of one prompt.
fn each(html: &mut Html, told: &Told<'_>, draw: impl FnOnce(&mut Html, Option<&View<'_>>)) {
    let mut item = Html::scoped(told.scope.clone().unwrap_or_default());
    draw(&mut item, told.scope.as_ref().map(|_| told.view));
    html.append(&item);
}

/// The scenarios that something is about, where there are several.
fn scenarios<T>(html: &mut Html, same: &[(&str, T)], all: usize) {
    if all > 1 {
        html.text(" ");
        html.leaf("small", &[("class", "of")], &named(same, all));
    }
}

/// The name of a layer, with a link to it if the page has it.
fn layer(html: &mut Html, view: Option<&View<'_>>, name: &str) {
    match view {
        Some(view) => view.link(html, name),
        None => html.leaf("code", &[], name),
    }
}

fn part(
    html: &mut Html,
    id: &'static str,
    title: &'static str,
    number: usize,
    none: &'static str,
    draw: impl FnOnce(&mut Html),
) {
    let heading = format!("h-{id}");
    html.open("section", &[("id", id), ("aria-labelledby", &heading)]);
    html.open("h2", &[("id", &heading)]);
    html.text(title);
    html.text(" ");
    html.leaf("span", &[("class", "number")], &thousands(number));
    html.close("h2");
    if number == 0 {
        html.leaf("p", &[("class", "none")], none);
    } else {
        html.markup("<ul>");
        draw(html);
        html.markup("</ul>");
    }
    html.close("section");
}

/// A notice, without the end of its item.
fn notice(html: &mut Html, view: Option<&View<'_>>, notice: &Notice) {
    html.markup("<li>");
    html.leaf("b", &[("class", "code")], &notice.code);
    html.text(" ");
    if let Some(name) = &notice.layer {
        layer(html, view, name);
        html.text(": ");
    }
    html.prose(&notice.message);
}

fn absent(html: &mut Html, view: &View<'_>) {
    let gone = view.fates.iter().filter_map(|fate| match fate {
        LayerStatus::Absent(absent, _) => Some(*absent),
        LayerStatus::Present(..) => None,
    });
    let gone: Vec<_> = gone.collect();
    part(
        html,
        "absent",
        "Absent",
        gone.len(),
        "Every layer has text.",
        |html| {
            for layer in &gone {
                html.markup("<li>");
                html.leaf("b", &[("class", "code")], &layer.reason.to_string());
                html.text(" ");
                view.link(html, &layer.layer);
                html.text(": ");
                html.prose(&layer.detail);
                html.markup("</li>");
            }
        },
    );
}

/// A finding of a prompt, and the files that it points into.
type Found<'a> = (&'a Told<'a>, &'a Finding, &'a Files);

fn findings(html: &mut Html, judged: &[(&Told<'_>, &Report, &Files)], all: usize) {
    let each_one = judged.iter().flat_map(|(told, report, files)| {
        let each = report.findings.iter();
        each.map(move |found| (told.scenario, (*told, found, *files)))
    });
    let each_one = once(each_one, |(_, found, files)| {
        let message = found.bare.as_ref().unwrap_or(&found.diagnostic.message);
        let place = place(found, files);
        (
            found.rule.code.name,
            message.clone(),
            place,
            found.layer.clone(),
        )
    });
    let waived = judged.iter().map(|(_, report, _)| report.waived.len());
    let waived = waived.max().unwrap_or_default();
    let none = "No rule has anything to say.";
    part(html, "findings", "Findings", each_one.len(), none, |html| {
        for same in &each_one {
            each(html, same[0].1.0, |html, view| {
                finding(html, view, same, all);
            });
        }
        if waived > 0 {
            let waived = format!("{} waived in the manifest", thousands(waived));
            html.leaf("li", &[("class", "none")], &waived);
        }
    });
}

/// Where a finding is, in the manifest and in a document.
fn place(found: &Finding, files: &Files) -> Vec<String> {
    let span = found.diagnostic.span.map(|span| {
        let (line, column) = files.line_column(span.file, span.start as usize);
        format!("{}:{line}:{column}", files.get(span.file).name)
    });
    let document = found.document.as_ref().map(|document| {
        let (root, path, line) = (&document.root, &document.path, document.line);
        format!("{root}:{path}:{line}")
    });
    span.into_iter().chain(document).collect()
}

fn finding(html: &mut Html, view: Option<&View<'_>>, same: &[(&str, Found<'_>)], all: usize) {
    let (_, (_, found, files)) = same[0];
    let severity = match found.rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    html.open("li", &[("class", severity)]);
    html.leaf(
        "b",
        &[("class", "code")],
        &format!("{severity} {}", found.rule.code.name),
    );
    html.text(" ");
    html.prose(&found.diagnostic.message);
    html.markup(" <span class=\"where\">");
    for place in place(found, files) {
        html.leaf("code", &[], &place);
    }
    if let Some(name) = &found.layer {
        html.text(" layer ");
        layer(html, view, name);
    }
    html.markup("</span>");
    scenarios(html, same, all);
    // Figures in it may be of one scenario.
    let helps = same.iter().filter_map(|(scenario, (_, found, _))| {
        Some((*scenario, found.diagnostic.help.as_deref()?))
    });
    let helps = once(helps, |help| *help);
    for help in &helps {
        let of = match helps.len() {
            1 => String::new(),
            _ => format!(" ({})", named(help, all)),
        };
        html.said("p", &[("class", "help")], &format!("{}{of}", help[0].1));
    }
    // The first reason stands in the message already.
    for reason in found.because.iter().skip(1) {
        html.said(
            "p",
            &[("class", "help")],
            &format!("also because {}", sentence(reason)),
        );
    }
    html.markup("</li>");
}
