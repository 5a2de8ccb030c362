//! A JUnit report: a suite for each manifest, a case for each record and prefix family. It holds no times, so equal results are equal bytes.

use super::{picture, report::below_family};
use crate::cli::ui;
use crate::diagnostic::span::Files;
use crate::project::snapshots::held::{FamilyOutcome, FamilyStatus};
use crate::project::snapshots::outcome::{Outcome, Status};
use crate::report::words;
use anstream::adapter::strip_str;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use std::io;

/// A case: a snapshot or a prefix family.
struct Case<'a> {
    /// The manifest, as messages call it.
    shown: &'a str,
    name: String,
    /// The problem, if there is one.
    wrong: Option<Wrong>,
}

/// The problem of a case.
struct Wrong {
    /// Whether nothing could be compared.
    is_error: bool,
    word: &'static str,
    /// Why, in lines.
    lines: Vec<String>,
}

impl<'a> Case<'a> {
    fn of_snapshot(outcome: &'a Outcome, files: &Files) -> Self {
        let lines = || {
            let why = outcome.errors.iter();
            let why = why.map(|error| format!("\n{}", ui::diagnostic(error, files).trim_end()));
            picture::lines(&outcome.difference).into_iter().chain(why)
        };
        let status = outcome.status;
        Self {
            shown: &outcome.shown,
            name: match outcome.scenario.as_str() {
                "" => "snapshot".to_owned(),
                scenario => scenario.to_owned(),
            },
            wrong: (!status.is_good()).then(|| Wrong {
                is_error: matches!(status, Status::Broken | Status::Failed),
                word: status.word(),
                lines: lines().collect(),
            }),
        }
    }

    fn of_family(outcome: &'a FamilyOutcome) -> Self {
        let status = outcome.status;
        Self {
            shown: &outcome.shown,
            name: format!("expect {}", outcome.family.name),
            wrong: (status != FamilyStatus::Ok).then(|| Wrong {
                is_error: status == FamilyStatus::Failed,
                word: status.word(),
                lines: picture::drawn(&below_family(outcome)),
            }),
        }
    }
}

/// The report.
pub(super) fn report(outcomes: &[&Outcome], families: &[FamilyOutcome], files: &Files) -> Vec<u8> {
    let snapshots = outcomes
        .iter()
        .map(|o| (&o.path, Case::of_snapshot(o, files)));
    let families = families.iter().map(|f| (&f.path, Case::of_family(f)));
    let mut cases: Vec<_> = snapshots.chain(families).collect();
    // Group by manifest; within one the order is already right.
    cases.sort_by_key(|(path, _)| *path);
    let cases: Vec<Case<'_>> = cases.into_iter().map(|(_, case)| case).collect();
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory does not fail.
    let _ = write(&mut writer, &cases);
    let mut out = writer.into_inner();
    out.push(b'\n');
    out
}

fn write(writer: &mut Writer<Vec<u8>>, cases: &[Case<'_>]) -> io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer.write_event(Event::Start(counted("testsuites", "promptc test", cases)))?;
    for suite in cases.chunk_by(|a, b| a.shown == b.shown) {
        let name = suite.first().map_or("", |one| one.shown);
        writer.write_event(Event::Start(counted("testsuite", name, suite)))?;
        for one in suite {
            case(writer, one)?;
        }
        writer.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    writer.write_event(Event::End(BytesEnd::new("testsuites")))
}

/// A start tag with the numbers of what is inside.
fn counted<'a>(tag: &'a str, name: &str, cases: &[Case<'_>]) -> BytesStart<'a> {
    let wrong = || cases.iter().filter_map(|case| case.wrong.as_ref());
    let errors = wrong().filter(|wrong| wrong.is_error).count();
    let bad = wrong().count();
    let mut start = BytesStart::new(tag);
    start.push_attribute(("name", plain(name).as_str()));
    start.push_attribute(("tests", cases.len().to_string().as_str()));
    start.push_attribute(("failures", (bad - errors).to_string().as_str()));
    start.push_attribute(("errors", errors.to_string().as_str()));
    start
}

fn case(writer: &mut Writer<Vec<u8>>, case: &Case<'_>) -> io::Result<()> {
    let mut start = BytesStart::new("testcase");
    start.push_attribute(("name", plain(&case.name).as_str()));
    start.push_attribute(("classname", plain(case.shown).as_str()));
    let Some(wrong) = &case.wrong else {
        return writer.write_event(Event::Empty(start));
    };
    writer.write_event(Event::Start(start))?;
    let tag = if wrong.is_error { "error" } else { "failure" };
    let mut failure = BytesStart::new(tag);
    failure.push_attribute(("message", wrong.word));
    writer.write_event(Event::Start(failure))?;
    let told = strip_str(&wrong.lines.join("\n")).to_string();
    let text = told.lines().map(plain).collect::<Vec<_>>().join("\n");
    writer.write_event(Event::Text(BytesText::new(&text)))?;
    writer.write_event(Event::End(BytesEnd::new(tag)))?;
    writer.write_event(Event::End(BytesEnd::new("testcase")))
}

/// A line as XML can hold it, which has no way to write most control characters and the last two of the first plane.
fn plain(text: &str) -> String {
    let text = words::plain(text);
    text.replace('\u{fffe}', "\\u{fffe}")
        .replace('\u{ffff}', "\\u{ffff}")
}
