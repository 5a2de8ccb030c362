//! Diagnostics for people: excerpt, underline, help, and the edit that would repair it.

use super::WARNING;
use crate::diagnostic::span::{File, FileId, Files, Span};
use crate::diagnostic::{Diagnostic, Severity, Suggestion};
use crate::prompt::Notice;
use crate::report::words::{plain, plain_lines};
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet,
};
use anstream::adapter::strip_str;
use std::ops::Range;

/// Lines longer than this many bytes are shown only around the place that is meant.
const LONG_LINE: usize = 240;

/// The number of bytes of a long line that are shown on each side of the place.
const AROUND: usize = 60;

/// A location with its label.
struct Mark {
    span: Span,
    primary: bool,
    label: Option<String>,
}

/// One diagnostic with colours, followed by an empty line.
pub(super) fn render(diagnostic: &Diagnostic, files: &Files) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level
        .primary_title(plain_lines(&diagnostic.message))
        .id(diagnostic.code.name);
    let marks = marks(diagnostic);
    let mut main = excerpts(Group::with_title(title), &marks, files);
    let mut report = Vec::new();
    let help = diagnostic.help.as_deref().map(plain_lines);
    match (&diagnostic.suggestion, help) {
        (Some(suggestion), help) => {
            report.push(main);
            report.push(edit(suggestion, help, files));
        }
        (None, help) => {
            if let Some(help) = help {
                main = main.element(Level::HELP.message(help));
            }
            report.push(main);
        }
    }
    let drawn = Renderer::styled().render(&report);
    format!("{}\n\n", without_bare_marks(&drawn))
}

/// One diagnostic of a batch, after the place that it is about; one line if a similar one was shown before.
pub(super) fn in_batch(
    diagnostic: &Diagnostic,
    place: Option<&str>,
    files: &Files,
    again: bool,
) -> String {
    let place = place.map_or(String::new(), |place| format!("{place}: "));
    let message = format!("{place}{}", diagnostic.message);
    if !again {
        let placed = Diagnostic {
            message,
            ..diagnostic.clone()
        };
        return render(&placed, files);
    }
    let bare = Diagnostic {
        severity: diagnostic.severity,
        ..Diagnostic::error(diagnostic.code, message)
    };
    format!("{}\n", render(&bare, files).trim_end())
}

/// Removes the `:::` that the renderer writes before an excerpt without a path. A clipped line is such an excerpt;
/// the line above it names the location.
fn without_bare_marks(text: &str) -> String {
    let is_bare = |line: &&str| strip_str(line).to_string().trim() == ":::";
    let lines: Vec<&str> = text.lines().filter(|line| !is_bare(line)).collect();
    lines.join("\n")
}

/// One notice in one line.
pub(super) fn notice(notice: &Notice) -> String {
    let (message, code) = (plain(&notice.sentence()), &notice.code);
    if notice.is_warning() {
        format!("{WARNING}warning[{code}]{WARNING:#}: {message}\n")
    } else {
        format!("note[{code}]: {message}\n")
    }
}

fn marks(diagnostic: &Diagnostic) -> Vec<Mark> {
    let own = diagnostic.span.map(|span| Mark {
        span,
        primary: true,
        label: diagnostic.label.as_deref().map(plain_lines),
    });
    let related = diagnostic.related.iter().map(|(span, label)| Mark {
        span: *span,
        primary: false,
        label: Some(plain_lines(label)),
    });
    own.into_iter().chain(related).collect()
}

/// Adds the excerpts that `marks` need: one a file, or one a mark where a line is too long to be shown.
fn excerpts<'a>(mut group: Group<'a>, marks: &'a [Mark], files: &'a Files) -> Group<'a> {
    let mut order: Vec<FileId> = Vec::new();
    for mark in marks {
        if !order.contains(&mark.span.file) {
            order.push(mark.span.file);
        }
    }
    for id in order {
        let file = files.get(id);
        let here = || marks.iter().filter(|m| m.span.file == id);
        if here().any(|m| touches_long_line(file.shown(), m.span.range())) {
            for mark in here() {
                group = group.element(origin(files, mark.span)).element(clipped(
                    file,
                    mark.span.range(),
                    |range| annotation(mark, range),
                ));
            }
        } else {
            let ranges: Vec<_> = here()
                .map(|m| inside(file.shown(), m.span.range()))
                .collect();
            let (lines, number) = window(file, &ranges);
            let annotations = here().zip(&ranges).map(|(mark, range)| {
                annotation(mark, range.start - lines.start..range.end - lines.start)
            });
            group = group.element(
                Snippet::source(&file.shown()[lines.clone()])
                    .line_start(number)
                    .path(plain(&file.name))
                    .annotations(annotations),
            );
        }
    }
    group
}

/// The lines from the first to the last of `ranges`, and the number of the first. The renderer reads all that it is
/// given, so a large file with many mistakes must not be given whole each time.
fn window(file: &File, ranges: &[Range<usize>]) -> (Range<usize>, usize) {
    let text = file.shown();
    let first = ranges.iter().map(|r| r.start).min().unwrap_or(0);
    let last = ranges.iter().map(|r| r.end).max().unwrap_or(0);
    let start = line_around(text, first).start;
    (start..line_around(text, last).end, file.lines.line(start))
}

fn annotation(mark: &Mark, range: Range<usize>) -> Annotation<'_> {
    let kind = if mark.primary {
        AnnotationKind::Primary
    } else {
        AnnotationKind::Context
    };
    kind.span(range).label(mark.label.as_deref())
}

/// The suggestion as a patch.
fn edit<'a>(suggestion: &'a Suggestion, help: Option<String>, files: &'a Files) -> Group<'a> {
    let file = files.get(suggestion.span.file);
    let group =
        Group::with_title(Level::HELP.secondary_title(help.unwrap_or_else(|| "write".to_owned())));
    let range = suggestion.span.range();
    let text = suggestion.text.as_str();
    if touches_long_line(file.shown(), range.clone()) {
        let clip = Clip::new(file, range);
        return group.element(origin(files, suggestion.span)).element(
            Snippet::source(clip.text)
                .line_start(clip.line)
                .patch(Patch::new(clip.range, text)),
        );
    }
    let range = inside(file.shown(), range);
    let (lines, number) = window(file, std::slice::from_ref(&range));
    let shifted = range.start - lines.start..range.end - lines.start;
    group.element(
        Snippet::source(&file.shown()[lines])
            .line_start(number)
            .path(plain(&file.name))
            .patch(Patch::new(shifted, text)),
    )
}

fn origin<'a>(files: &'a Files, span: Span) -> Origin<'a> {
    let (line, column) = files.line_column(span.file, span.start as usize);
    Origin::path(plain(&files.get(span.file).name))
        .line(line)
        .char_column(column)
}

fn clipped<'a>(
    file: &File,
    range: Range<usize>,
    mark: impl FnOnce(Range<usize>) -> Annotation<'a>,
) -> Snippet<'a, Annotation<'a>> {
    let clip = Clip::new(file, range);
    Snippet::source(clip.text)
        .line_start(clip.line)
        .annotation(mark(clip.range))
}

/// A part of one line, with the place in it.
struct Clip {
    text: String,
    line: usize,
    range: Range<usize>,
}

impl Clip {
    /// The part of the line around the beginning of `range`.
    fn new(file: &File, range: Range<usize>) -> Self {
        let text = file.shown();
        let range = inside(text, range);
        let line = line_around(text, range.start);
        let start = floor(text, range.start.saturating_sub(AROUND)).max(line.start);
        let marked = range.end.min(line.end).min(range.start + LONG_LINE);
        let end = floor(text, (marked + AROUND).min(line.end)).max(range.start);
        let marked = floor(text, marked).clamp(range.start, end);
        let before = if start > line.start { "…" } else { "" };
        let after = if end < line.end { "…" } else { "" };
        let shift = |at: usize| at - start + before.len();
        Self {
            text: format!("{before}{}{after}", &text[start..end]),
            line: file.lines.line(range.start),
            range: shift(range.start)..shift(marked),
        }
    }
}

fn touches_long_line(text: &str, range: Range<usize>) -> bool {
    let range = inside(text, range);
    let mut at = range.start;
    loop {
        let line = line_around(text, at);
        if line.len() > LONG_LINE {
            return true;
        }
        at = line.end + 1;
        if at >= range.end {
            return false;
        }
    }
}

/// The line that holds the byte at `at`, without its end.
fn line_around(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
    start..end
}

/// `range` as far as it lies inside `text`, at code points.
fn inside(text: &str, range: Range<usize>) -> Range<usize> {
    let start = floor(text, range.start);
    start..floor(text, range.end).max(start)
}

/// The code point boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::diagnostic::span::{Files, Span};
    use crate::diagnostic::{self, Diagnostic};

    fn plain(diagnostic: &Diagnostic, files: &Files) -> String {
        anstream::adapter::strip_str(&render(diagnostic, files)).to_string()
    }

    #[test]
    fn an_excerpt_has_code_underline_related_place_and_patch() {
        let mut files = Files::default();
        let id = files.add(
            "promptc.kdl",
            "promptc 1\nfact näme string\ntier t { layer l when=nme { text \"x\" } }\n",
        );
        let at = Span::new(id, 50..53);
        let diagnostic = Diagnostic::error(diagnostic::UNKNOWN_FACT, "there is no fact `nme`")
            .at(at)
            .label("not declared")
            .related(Span::new(id, 15..20), "this one is")
            .help("did you mean `näme`?")
            .suggest(at, "näme");
        insta::assert_snapshot!(plain(&diagnostic, &files));
    }

    #[test]
    fn a_long_line_is_clipped_around_the_place() {
        let mut files = Files::default();
        let text = format!("{}HERE{}", "ä".repeat(300_000), "z".repeat(400_000));
        let id = files.add("long.kdl", text);
        let at = Span::new(id, 600_000..600_004);
        let diagnostic = Diagnostic::error(diagnostic::UNKNOWN_NODE, "there is no node `HERE`")
            .at(at)
            .suggest(at, "THERE");
        let shown = plain(&diagnostic, &files);
        assert!(shown.len() < 2_000, "{}", shown.len());
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn places_outside_of_the_file_do_not_panic() {
        let mut files = Files::default();
        for text in ["", "ä", "\n", "a\nb", &"x".repeat(1000)] {
            let id = files.add("x.kdl", text);
            for (start, end) in [
                (0, 0),
                (0, 1),
                (1, 1),
                (1, 9),
                (5, 2),
                (999, 5000),
                (u32::MAX as usize, 0),
            ] {
                let at = Span::new(id, start..end);
                let diagnostic = Diagnostic::error(diagnostic::KDL_SYNTAX, "m")
                    .at(at)
                    .suggest(at, "x");
                assert!(!plain(&diagnostic, &files).is_empty());
            }
        }
    }
}
