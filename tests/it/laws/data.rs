//! Law 2: content is data.

use super::content::PIECES;
use super::oracle::{readings, trimmed};
use super::{build, config, memory};
use promptc::compile::{FactsFile, GivenInputs};
use promptc::prompt::Deliver;
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert_eq, proptest};
use std::collections::BTreeMap;
use std::path::Path;

/// A manifest that shows a document and a fact in every way that changes nothing.
const MANIFEST: &str = r#"promptc 1
fact f string
fact g string default="{{ f }}{% raw %}"
root workspace default="."
let both "f ~ g"
tier t {
    layer plain { file "a.md" }
    layer wrapped { file "a.md" { wrap "<{{ text }}>" } }
    layer told { template "[{{ f }}|{{ g }}|{{ both }}]" }
    layer templated { all join="|" { file "a.md"; file "b.md"; fact f }; template "[{{ content }}]" }
    layer each {
        glob "*.md"
        template "{% for d in documents %}({{ d.text }}){% endfor %}"
    }
    layer through {
        file "a.md"
        part p { file "b.md" }
        template "{% macro m(x) %}{{ x }}{% endmacro %}{% set s %}{{ content }}{% endset %}({{ m(content) }}{{ s }}{{ p }})"
    }
}
"#;

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn content_is_data(a in vec(any::<u16>(), 0..12), b in vec(any::<u16>(), 0..12), f in vec(any::<u16>(), 0..8)) {
        let text = |row: &[u16]| -> String { row.iter().map(|n| PIECES[usize::from(*n) % PIECES.len()]).collect() };
        // Text that is never trimmed is at both ends.
        let [a, b, f] = [a, b, f].map(|row| format!("<{}>", text(&row)));
        let files = BTreeMap::from([
            ("promptc.kdl".to_owned(), MANIFEST.into()),
            ("a.md".to_owned(), a.clone().into_bytes()),
            ("b.md".to_owned(), b.clone().into_bytes()),
        ]);
        let facts = serde_json::json!({ "f": f }).to_string().into_bytes();
        let given = GivenInputs {
            facts: vec![FactsFile::new("f.json", &facts)],
            ..GivenInputs::default()
        };
        let prompt = build(&memory(&files), Path::new("/base/promptc.kdl"), &given).unwrap();
        let clean = |text: &str| trimmed(&readings(text, false)[0]).to_owned();
        let (a, b, raw, f) = (clean(&a), clean(&b), f.clone(), clean(&f));
        let g = "{{ f }}{% raw %}";
        let expected = [
            a.clone(),
            format!("<{a}>"),
            format!("[{raw}|{g}|{raw}{g}]"),
            format!("[{a}|{b}|{f}]"),
            format!("({a})({b})"),
            format!("({a}{a}{b})"),
        ];
        prop_assert_eq!(prompt.text(Deliver::System), expected.join("\n\n"));
    }
}
