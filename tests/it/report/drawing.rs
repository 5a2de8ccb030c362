//! Answers for people: one document, drawn for each medium.

use promptc::report::{
    Block, Code, Document, Fact, Facts, Items, Style, Table, Terminal, Text, markdown,
};
use unicode_width::UnicodeWidthStr as _;

fn draw(document: &Document, width: Option<usize>) -> String {
    let ascii = false;
    Terminal { width, ascii }.draw_bare(document)
}

fn wide() -> Document {
    let mut table = Table::new(&["model", ">price", "what is to be said of it"]);
    table.row(["claude-opus-5-5", "12.50", "a text that is much longer than a line of a terminal is, so that its words go on in the lines below it"]);
    table.row(["x", "3", "short"]);
    let mut out = Document::new();
    out.push(table);
    out
}

#[test]
fn a_table_keeps_to_the_columns_of_its_terminal() {
    for columns in [40, 80, 120] {
        let drawn = draw(&wide(), Some(columns));
        let widest = drawn.lines().map(|line| line.width()).max().unwrap();
        assert!(widest <= columns, "{drawn}");
        assert!(widest + 12 > columns, "{drawn}");
        // No word is broken, and none is lost.
        let words: Vec<&str> = drawn.split_whitespace().collect();
        for word in ["claude-opus-5-5", "12.50", "terminal", "below"] {
            assert!(words.contains(&word), "{drawn}");
        }
    }
}

#[test]
fn a_table_without_a_terminal_has_its_full_width() {
    let drawn = draw(&wide(), None);
    assert_eq!(drawn.lines().count(), 3);
    assert_eq!(
        drawn.lines().nth(2).unwrap(),
        "x                    3  short"
    );
}

#[test]
fn a_brief_line_shrinks_and_its_values_do_so_first() {
    let long = "a value that goes on and on, longer than there is room for, to its very end";
    let text = Text::from("notes.md:12 changed: ").change(Some("old".into()), Some(long.into()));
    let mut document = Document::new();
    document.facts(vec![
        Fact::new("cause", text.words(", because of it")).brief(),
    ]);
    for (width, columns) in [(Some(64), 64), (None, 80)] {
        let drawn = draw(&document, width);
        assert!(drawn.trim_end().width() <= columns, "{drawn}");
        assert!(
            drawn.starts_with("cause    notes.md:12 changed: “old” → “a value"),
            "{drawn}"
        );
        assert!(drawn.ends_with("…”, because of it\n"), "{drawn}");
    }
    let whole = draw(&document, Some(200));
    assert!(whole.contains(long), "{whole}");
}

/// A document that has a text from outside wherever one can be.
fn hostile(text: &str) -> Document {
    let mut table = Table::new(&["one", ">two"]).about("below");
    table.row([text, text]);
    table.below(text);
    table.more(text);
    let mut bare = Table::bare(1);
    bare.row([text]);
    let line = Text::from(text)
        .name(text)
        .styled(Style::Error, text)
        .code(text)
        .change(Some(text.into()), Some(text.into()));
    let mut inside = Document::new();
    inside.facts(vec![
        Fact::new(text, line.clone()),
        Fact::new(text, text).brief().alarm(),
    ]);
    let mut out = Document::new();
    out.heading(line.clone());
    out.line(line.clone());
    out.line(text);
    out.push(Items {
        indent: 2,
        inner: 4,
        items: vec![(line, inside.clone())],
    });
    out.push(table);
    out.push(bare);
    out.push(Code::diff(text, "new"));
    out.push(Code {
        language: "text",
        lines: vec![text.to_owned()],
    });
    out.facts(Facts::faint(3));
    out.blocks.extend(inside.blocks);
    out.push(Block::Lines(vec![text.into()]));
    out
}

#[test]
fn no_text_from_outside_works_in_any_medium() {
    for text in ["\u{1b}[31mred\u{7}", "a\nb\r\u{202e}c", "\u{9b}2J\u{200b}"] {
        let document = hostile(text);
        for ascii in [false, true] {
            for width in [None, Some(40)] {
                let drawn = Terminal { width, ascii }.draw_bare(&document);
                let bad = drawn.chars().find(|c| c.is_control() && *c != '\n');
                assert_eq!(bad, None, "{drawn}");
            }
        }
        let drawn = markdown::draw(&document);
        assert!(
            !drawn.contains(|c: char| c.is_control() && c != '\n'),
            "{drawn}"
        );
    }
    let drawn = markdown::draw(&hostile("<b>@octocat</b> | `x` #12"));
    let mut code = 0;
    for event in pulldown_cmark::Parser::new_ext(&drawn, pulldown_cmark::Options::ENABLE_TABLES) {
        match event {
            pulldown_cmark::Event::Html(html) | pulldown_cmark::Event::InlineHtml(html) => {
                assert_eq!(&*html, "<br>", "{drawn}");
            }
            pulldown_cmark::Event::Code(_) => code += 1,
            pulldown_cmark::Event::Start(pulldown_cmark::Tag::CodeBlock(_)) => {}
            _ => {}
        }
    }
    assert!(code > 10, "{drawn}");
}
