//! The picture in `docs/diff.md`: the page's `promptc diff`, run with colours and drawn as it is printed.
//! `UPDATE_DOCS=1 cargo test --test it picture::` draws it again.

use crate::docs::commands::{Desk, commands, updating};
use crate::docs::markdown::{Page, top};
use anstyle_svg::Term;
use std::fs;

const PICTURE: &str = "docs/images/diff.svg";

/// Placed after the library's one palette, which fits one background: colours for a light page, and for a dark one.
const PALETTES: &str = "    .fg { fill: #1f2328 }
    .bg { fill: #ffffff }
    .fg-bright-red, .fg-red { fill: #b3261e }
    .fg-green { fill: #17692f }
    .fg-yellow { fill: #855600 }
    .dimmed { fill: #59626c; opacity: 1 }
    @media (prefers-color-scheme: dark) {
      .fg { fill: #d6dbe1 }
      .bg { fill: #14181d }
      .fg-bright-red, .fg-red { fill: #ff7b72 }
      .fg-green { fill: #5fc66f }
      .fg-yellow { fill: #d9a441 }
      .dimmed { fill: #98a2ad; opacity: 1 }
    }
";

/// The output of the commands of the page, the last of them with colours.
fn shown() -> String {
    let page = Page::read("docs/diff.md");
    let fence = page
        .fences
        .iter()
        .find(|f| f.text.contains("$ promptc diff "));
    let commands = commands(fence.expect("the page compares"));
    let desk = Desk::with("examples", "examples");
    let (diff, first) = commands.split_last().unwrap();
    for (line, _) in first {
        desk.run(line).exits(0);
    }
    let ran = desk.run(&format!("{} --color always", diff.0)).exits(0);
    format!("$ {}\n{}", diff.0, ran.stdout())
}

/// The picture of what a terminal shows.
fn drawn(terminal: &str) -> String {
    let svg = Term::new().render_svg(terminal);
    let (head, rest) = svg.split_once("</style>").expect("a style");
    let head = head.trim_end_matches(' ');
    format!("{head}{PALETTES}  </style>{}\n", rest.trim_end())
}

#[test]
fn the_picture_matches_the_command_of_the_page() {
    let real = drawn(&shown());
    assert!(
        real.contains("fg-green") && real.contains("skills/audit"),
        "{real}"
    );
    let path = top().join(PICTURE);
    if fs::read_to_string(&path).is_ok_and(|old| old == real) {
        return;
    }
    assert!(
        updating(),
        "{PICTURE} is not current: run it with UPDATE_DOCS=1"
    );
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, real).unwrap();
}
