//! A JUnit report: a suite for each manifest, a case for each record. It holds no times, so equal results are equal bytes.

use super::picture;
use crate::cli::ui;
use crate::diagnostic::span::Files;
use crate::project::records::outcome::{Outcome, Status};
use crate::report::words;
use anstream::adapter::strip_str;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use std::io;

/// The report.
pub(super) fn report(outcomes: &[&Outcome], files: &Files) -> Vec<u8> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory does not fail.
    let _ = write(&mut writer, outcomes, files);
    let mut out = writer.into_inner();
    out.push(b'\n');
    out
}

fn write(writer: &mut Writer<Vec<u8>>, outcomes: &[&Outcome], files: &Files) -> io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer.write_event(Event::Start(counted(
        "testsuites",
        "promptc test",
        outcomes,
    )))?;
    for suite in outcomes.chunk_by(|a, b| a.shown == b.shown) {
        let name = suite.first().map_or("", |o| o.shown.as_str());
        writer.write_event(Event::Start(counted("testsuite", name, suite)))?;
        for outcome in suite {
            case(writer, outcome, files)?;
        }
        writer.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    writer.write_event(Event::End(BytesEnd::new("testsuites")))
}

/// A start tag with the numbers of what is inside.
fn counted<'a>(tag: &'a str, name: &str, outcomes: &[&Outcome]) -> BytesStart<'a> {
    let errors = outcomes.iter().filter(|o| is_error(o.status)).count();
    let bad = outcomes.iter().filter(|o| !o.status.is_good()).count();
    let mut start = BytesStart::new(tag);
    start.push_attribute(("name", plain(name).as_str()));
    start.push_attribute(("tests", outcomes.len().to_string().as_str()));
    start.push_attribute(("failures", (bad - errors).to_string().as_str()));
    start.push_attribute(("errors", errors.to_string().as_str()));
    start
}

/// Whether nothing could be compared.
fn is_error(status: Status) -> bool {
    matches!(status, Status::Broken | Status::Failed)
}

fn case(writer: &mut Writer<Vec<u8>>, outcome: &Outcome, files: &Files) -> io::Result<()> {
    let name = match outcome.scenario.as_str() {
        "" => "record",
        scenario => scenario,
    };
    let mut start = BytesStart::new("testcase");
    start.push_attribute(("name", plain(name).as_str()));
    start.push_attribute(("classname", plain(&outcome.shown).as_str()));
    if outcome.status.is_good() {
        return writer.write_event(Event::Empty(start));
    }
    writer.write_event(Event::Start(start))?;
    let tag = if is_error(outcome.status) {
        "error"
    } else {
        "failure"
    };
    let mut failure = BytesStart::new(tag);
    failure.push_attribute(("message", outcome.status.word()));
    writer.write_event(Event::Start(failure))?;
    let why = outcome.errors.iter();
    let why = why.map(|error| format!("\n{}", ui::diagnostic(error, files).trim_end()));
    let told: Vec<String> = picture::lines(&outcome.difference)
        .into_iter()
        .chain(why)
        .collect();
    let told = strip_str(&told.join("\n")).to_string();
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
