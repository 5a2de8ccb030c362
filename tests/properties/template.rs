//! Any template over any document and facts: the map is exact, the text bounded, and nothing but what may change does.

use super::building::build;
use super::input::Input;
use promptc::prompt::{Changes, Prompt};
use serde_json::json;

const MANIFEST: &[u8] = br#"promptc 1
root workspace default="."
fact a string default=x
fact n int default=3
fact l list { default one two }
fact m map { default k=v }
fact opt string optional=#true
fact secret string default=hush private=#true
fact late string default=x changes=turn
let both "a ~ late"
tier t {
    layer l {
        all { file "a.md" label="one"; file "b.md" }
        part p { file "b.md" }
        template file="t.j2"
    }
    layer m { file "a.md" { wrap file="w.j2" } }
}
"#;

/// No build may make of these inputs more than this: the engine's own limit on steps, and each step's on its result.
const MOST: usize = 64 << 20;

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let [template, wrap, a, b] = [(); 4].map(|()| input.section());
    let [first, second] = [(); 2].map(|()| input.text());
    let tree: [(&str, &[u8]); 5] = [
        ("promptc.kdl", MANIFEST),
        ("t.j2", template),
        ("w.j2", wrap),
        ("a.md", a),
        ("b.md", b),
    ];
    let facts = |late: &str| json!({ "a": first, "late": late }).to_string().into_bytes();
    let one = build(&tree, Some(&facts("x")));
    let other = build(&tree, Some(&facts(&second)));
    if let (Ok(one), Ok(other)) = (&one, &other) {
        assert!(one.channels.iter().all(|c| c.text.len() < MOST));
        for layer in ["l", "m"] {
            calm(layer, one, other);
            calm(layer, other, one);
        }
    }
}

/// A layer that is said to be calmer than `turn` does not change with a fact of that class.
pub(super) fn calm(name: &str, one: &Prompt, other: &Prompt) {
    let text = |prompt: &Prompt| -> Option<(Changes, String)> {
        let (channel, layer) = prompt.layer(name)?;
        Some((layer.changes, channel.text[layer.start..layer.end].to_owned()))
    };
    if let Some((changes, mine)) = text(one)
        && changes < Changes::Turn
    {
        let theirs = text(other).map(|(_, text)| text);
        // The join in front depends on the layers before.
        let bare = |text: &str| text.trim_start_matches('\n').to_owned();
        assert_eq!(
            Some(bare(&mine)),
            theirs.as_deref().map(bare),
            "`{name}` is said to change with {changes} and changes with the turn"
        );
    }
}
