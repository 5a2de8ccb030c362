//! Any document through every transform: its bytes stay exact, its budgets hold, and nothing in it is run.

use super::building::build;
use super::input::Input;
use promptc::text::measure::{Unit, size};

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let max = usize::from(input.byte()) + 1;
    let unit = input.of(&["chars", "bytes", "lines"]);
    let boundary = input.of(&["char", "grapheme", "line", "paragraph"]);
    let mode = input.of(&["strip", "parse lenient=#true", "parse yaml=\"1.1\" lenient=#true"]);
    let mode = mode.replace("lenient=#true", "lenient").replace(" yaml=\"1.1\"", "");
    let yaml = input.of(&["", " yaml=\"1.1\""]);
    let yaml = if mode == "strip" { "" } else { yaml };
    let [a, b, c] = [(); 3].map(|()| input.section());
    let manifest = format!(
        r#"promptc 1
root workspace default="."
scan set {{ scopes all; invisible-unicode; rule bad "(?i)evil" scope=all }}
tier t {{
    layer l {{
        all join="|" {{
            file "a.md"
            file "b.md" {{ imports at depth=3 limit=8 missing=keep }}
            frontmatter {mode}{yaml}
            comments strip
            scan set on-hit=replace
        }}
        budget {max} {unit} at={boundary} head=0.6 tail=0.3
    }}
    layer e {{ memory "c.md" delimiter="\n%\n" {{ scan set }}; budget {max} {unit} at=entry }}
    layer k {{ file "c.md" {{ trim #false; newlines #false; bom #false }} }}
}}
"#
    );
    let tree = [
        ("promptc.kdl", manifest.as_bytes()),
        ("a.md", a),
        ("b.md", b),
        ("c.md", c),
    ];
    let Ok(prompt) = build(&tree, None) else {
        return;
    };
    let unit = Unit::PLAIN.into_iter().find(|u| u.word() == unit).unwrap();
    for name in ["l", "e"] {
        let own = promptc::compare::own_text(&prompt, promptc::prompt::Deliver::System, name);
        assert!(size(own, unit) <= max, "{name}: {own:?} is more than {max}");
    }
}
