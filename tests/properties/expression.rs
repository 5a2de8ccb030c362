//! Any expression, as a `let`, a condition and a filter of documents: it is taken or refused, and what is said about how
//! often its value changes holds.

use super::building::{build, kdl};
use super::input::Input;
use super::template::calm;
use serde_json::json;

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let [expression, r#where] = [(); 2].map(|()| input.text());
    let a = input.section();
    let [first, second] = [(); 2].map(|()| input.text());
    let (expression, r#where) = (kdl(&expression), kdl(&r#where));
    let manifest = format!(
        r#"promptc 1
root workspace default="."
fact a string default=x
fact n int default=3
fact f float default=0.5
fact day date default="2026-03-30"
fact l list {{ default one two }}
fact m map {{ default k=v }}
fact opt string optional=#true
fact late string default=x changes=turn
let both {expression}
tier t {{
    layer l when={expression} {{ text x }}
    layer w {{ glob "*.md" where={where} }}
    layer p {{ template "{{% if both %}}yes{{% else %}}no{{% endif %}}" }}
    layer m when="loaded('l')" {{ text y }}
}}
"#,
        where = r#where,
    );
    let tree = [("promptc.kdl", manifest.as_bytes()), ("a.md", a)];
    let facts = |late: &str| json!({ "a": first, "late": late }).to_string().into_bytes();
    let one = build(&tree, Some(&facts("x")));
    let other = build(&tree, Some(&facts(&second)));
    if let (Ok(one), Ok(other)) = (&one, &other) {
        for layer in ["l", "w", "p", "m"] {
            calm(layer, one, other);
            calm(layer, other, one);
        }
    }
}
