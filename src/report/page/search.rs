//! The search field. The script searches, and shows the field only if it runs.

use crate::report::html::Html;

/// The form. `what` is searched.
pub(super) fn form(html: &mut Html, what: &'static str) {
    html.open(
        "form",
        &[
            ("id", "search"),
            ("class", "search"),
            ("role", "search"),
            ("hidden", ""),
        ],
    );
    html.open("label", &[("for", "find")]);
    html.text("Find in ");
    html.text(what);
    html.close("label");
    let input = [
        ("id", "find"),
        ("type", "search"),
        ("autocomplete", "off"),
        ("spellcheck", "false"),
    ];
    html.open("input", &input);
    for (id, kind, word) in [
        ("previous", "button", "Previous"),
        ("next", "submit", "Next"),
    ] {
        html.leaf("button", &[("type", kind), ("id", id)], word);
    }
    html.leaf("output", &[("id", "found"), ("for", "find")], "");
    html.close("form");
}
