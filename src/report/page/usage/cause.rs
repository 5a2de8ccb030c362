//! How causes look, and what they are.

use crate::report::html::Html;
use crate::request::usage::Why;

/// The order in a bar of sums: what was lost stands at the start, where lengths compare best.
pub(super) const LOST_FIRST: [Why; 13] = [
    Why::Changed,
    Why::Rewritten,
    Why::Diverged,
    Why::Evicted,
    Why::Unknown,
    Why::Concurrent,
    Why::Expired,
    Why::NoBreakpoint,
    Why::BelowMinimum,
    Why::Cold,
    Why::New,
    Why::Output,
    Why::Reused,
];

/// The description of the tokens.
pub(super) fn about(why: Why) -> &'static str {
    match why {
        Why::Reused => "read from the cache",
        Why::New => "the request before did not have them",
        Why::Cold => "of a request with nothing to share yet",
        Why::Concurrent => "the answer to the request that wrote them had not begun",
        Why::Diverged => "another conversation has them too, but after the first difference",
        Why::Expired => "the cache had them, but its time to live was over",
        Why::BelowMinimum => "the request before was too short to be kept",
        Why::NoBreakpoint => "after all that the request before asked to be kept",
        Why::Changed => "after a change of the model, a setting, the tools or the system prompt",
        Why::Rewritten => "after a change of the messages",
        Why::Evicted => "the provider should have had them, by its rule",
        Why::Unknown => "the recording does not say why they were not read",
        Why::Output => "of the answers",
    }
}

/// The lines over the colour of a cause; the colour alone says nothing.
fn lines(why: Why) -> Option<&'static str> {
    Some(match why {
        Why::Changed => "M-2 2 2-2M0 8 8 0M6 10 10 6",
        Why::Rewritten => "M-2 6 2 10M0 0 8 8M6-2 10 2",
        Why::Evicted => "M4 0V8M0 4H8",
        Why::Diverged => "M0 0 4 8 8 0",
        Why::Concurrent => "M2 0V8M6 0V8",
        Why::Expired => "M1 2H3M5 6H7",
        Why::BelowMinimum => "M0 4H8",
        Why::NoBreakpoint => "M4 0V8",
        Why::Unknown => "M0 8 8 0M0 0 8 8",
        Why::Reused | Why::New | Why::Cold | Why::Output => return None,
    })
}

fn name(why: Why) -> String {
    format!("k-{}", why.name())
}

/// The patterns of a page, which its bars refer to.
pub(super) fn patterns(html: &mut Html) {
    html.markup("<svg class=\"unseen\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>");
    for (why, lines) in Why::ALL
        .into_iter()
        .filter_map(|why| Some((why, lines(why)?)))
    {
        let (id, size) = (name(why), ("patternUnits", "userSpaceOnUse"));
        let attrs = [("id", &*id), ("width", "8"), ("height", "8"), size];
        html.open("pattern", &attrs);
        let class = format!("ground {id}");
        html.leaf(
            "rect",
            &[("class", &class), ("width", "8"), ("height", "8")],
            "",
        );
        let class = format!("lines {id}");
        html.leaf("path", &[("class", &class), ("d", lines)], "");
        html.close("pattern");
    }
    html.markup("</defs></svg>");
}

/// A part of a bar, in millionths of its width.
pub(super) fn rect(html: &mut Html, why: Why, from: u64, width: u64) {
    let percent = |millionths: u64| format!("{}.{:04}%", millionths / 10_000, millionths % 10_000);
    let (class, x, width) = (name(why), percent(from), percent(width));
    let fill = lines(why).map(|_| format!("url(#{class})"));
    let mut attrs = vec![("class", &*class), ("x", &*x), ("width", &*width)];
    attrs.push(("height", "100%"));
    attrs.extend(fill.as_deref().map(|fill| ("fill", fill)));
    html.leaf("rect", &attrs, "");
}

/// The look of a cause, as a legend has it.
pub(super) fn swatch(html: &mut Html, why: Why) {
    html.open(
        "svg",
        &[
            ("class", "swatch"),
            ("data-cause", why.name()),
            ("aria-hidden", "true"),
        ],
    );
    rect(html, why, 0, 1_000_000);
    html.markup("</svg>");
}
