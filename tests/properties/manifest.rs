//! Any manifest with any base, part and template: it builds or is told, both times alike; its layout means nothing.

use super::building::{build, check_told};
use super::input::Input;
use promptc::diagnostic::Diagnostics;
use promptc::manifest::formatted;
use promptc::diagnostic::span::Files;

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let [manifest, base, part, template, facts] = [(); 5].map(|()| input.section());
    let text = String::from_utf8_lossy(manifest);
    // What is no UTF-8 has no layout.
    let neat = layout(&text).filter(|_| text.as_bytes() == manifest);
    let tree: Vec<(&str, &[u8])> = vec![
        ("promptc.kdl", manifest),
        ("base.kdl", base),
        ("part.kdl", part),
        ("t.j2", template),
        ("a.md", b"---\nk: v\n---\n# A\n\nFirst.\n\nSecond, \xC3\xA9 and {{ a }}.\n"),
        ("sub/b.md", b"B\r\n\xC2\xA7\r\nB again\r\n"),
        ("skills/x/SKILL.md", b"---\nname: x\ndescription: An x.\n---\nDo it."),
    ];
    let facts = Some(facts).filter(|facts| !facts.is_empty());
    let built = build(&tree, facts);
    if let Some(neat) = neat {
        let mut other = tree.clone();
        other[0].1 = neat.as_bytes();
        let again = build(&other, facts);
        let texts = |prompt: &promptc::prompt::Prompt| -> Vec<String> {
            prompt.channels.iter().map(|c| c.text.clone()).collect()
        };
        assert_eq!(
            built.as_ref().map(texts).map_err(drop),
            again.as_ref().map(texts).map_err(drop),
            "`fmt` changed what {text} means: {neat}"
        );
    }
}

/// The text as `fmt` lays it out, which must then stay.
fn layout(text: &str) -> Option<String> {
    let laid = |text: &str| {
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let file = files.add("promptc.kdl", text);
        let laid = formatted(file, &files, &mut diags);
        check_told(&files, &diags);
        assert_eq!(laid.is_err(), !diags.is_empty());
        laid.ok()
    };
    let neat = laid(text)?;
    assert_eq!(laid(&neat).as_ref(), Some(&neat), "`fmt` moves its own text");
    Some(neat)
}
