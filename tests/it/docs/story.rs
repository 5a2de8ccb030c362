//! Stories: the fences of a page whose first order is `story` are run from the top of the page to its end, in one
//! folder that is empty at the start, like a reader who follows the page. Next to it is `promptc`, a checkout, with its
//! examples. `tests/ten-minutes/run` plays the same fences with an installed program, without this code.
//!
//! ```text
//! LANGUAGE story file=PATH   the whole of that file, which is written there
//! sh story                   commands, one a line; each must end with 0
//! console story [exit=N]     `$ COMMAND`, then what it prints, as in `commands.rs`
//! ```

use crate::docs::commands::{Desk, Wrong, copy, perform_at, verify};
use crate::docs::markdown::{Fence, pages, top};
use std::collections::BTreeMap;

fn is_story(fence: &Fence) -> bool {
    fence.orders().first() == Some(&"story")
}

/// A folder of a reader with a configured git identity, as before a first commit.
fn desk() -> Desk {
    let desk = Desk::empty();
    let who = "[user]\n\tname = Ann\n\temail = ann@example.org\n";
    desk.0.file("home/.gitconfig", who);
    copy(
        &top().join("examples"),
        &desk.0.path().join("promptc/examples"),
    );
    desk
}

#[test]
fn every_story_runs_as_written() {
    let mut desks: BTreeMap<String, Desk> = BTreeMap::new();
    verify(is_story, |page, fence| {
        let desk = desks.entry(page.path.clone()).or_insert_with(desk);
        match (fence.language(), &fence.orders()[1..]) {
            ("sh" | "console", orders) if orders.iter().all(|o| o.starts_with("exit=")) => {
                perform_at(desk, fence)
            }
            (_, [_]) if fence.order("file").is_some() => {
                let path = format!("work/{}", fence.order("file").unwrap());
                desk.0.file(&path, &fence.text);
                Ok(())
            }
            (_, orders) => Err(Wrong {
                problem: format!("the story does not know {orders:?}"),
                new: None,
            }),
        }
    });
    assert!(desks.contains_key("docs/tutorial.md"), "{:?}", desks.keys());
}

#[test]
fn a_story_is_not_cut_short() {
    let told = pages().into_iter().map(|page| {
        let steps = page.fences.iter().filter(|f| is_story(f)).count();
        (page.path, steps)
    });
    let told: BTreeMap<String, usize> = told.filter(|(_, steps)| *steps > 0).collect();
    assert!(told["docs/tutorial.md"] >= 15, "{told:?}");
}
