//! Any patterns over any text: places are right, each rule reports once, and what stands in place of a text is clean.

use super::building::{build, kdl};
use super::input::Input;
use promptc::text::scan::{Definition, INVISIBLE, Invisible, Pattern, Rule, Rules};
use std::collections::BTreeSet;

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let [nfkc, unless, small, listed] = [(); 4].map(|()| input.byte() % 2 == 1);
    let scope = usize::from(input.byte() % 2);
    let [first, second, excuse, list] = [(); 4].map(|()| input.text());
    let text = input.text();
    let pattern = |text: &str| match Pattern::new(text) {
        Ok(pattern) => Some(pattern),
        Err(flaw) => {
            assert!(text.get(flaw.range.clone()).is_some(), "{flaw:?}");
            None
        }
    };
    let excuse = Some(excuse).filter(|_| unless).and_then(|e| pattern(&e));
    let patterns = [first, second].map(|p| pattern(&p));
    let rules = patterns.into_iter().zip(["one", "two"]).zip(0..);
    let rules = rules.filter_map(|((pattern, id), scope)| {
        Some(Rule {
            id: id.into(),
            pattern: pattern?,
            scope,
            words: [].into(),
            unless: excuse.clone(),
            private: scope == 1,
            about: "".into(),
        })
    });
    let invisible = if listed { Invisible::listed(&list, None).ok() } else { Some(Invisible::usual(None)) };
    let definition = Definition {
        rules: rules.collect(),
        invisible,
        nfkc,
        window: small.then_some(40),
    };
    places(&definition, &text, scope);
    replaced(&definition, &text);
}

fn places(definition: &Definition, text: &str, scope: usize) {
    let rules = Rules::new(definition.clone());
    let found = rules.scan(text, scope);
    assert_eq!(found, rules.scan(text, scope), "a second run finds something else");
    assert_eq!(found, Rules::new(definition.clone()).scan(text, scope));
    let window: usize = text.chars().take(definition.window.unwrap_or(usize::MAX)).map(char::len_utf8).sum();
    let mut ids = BTreeSet::new();
    let mut front = true;
    for finding in &found {
        let hit = text.get(finding.range.clone());
        assert!(hit.is_some_and(|hit| !hit.is_empty()), "{finding:?}");
        assert!(finding.range.end <= window, "{finding:?} is behind the window");
        assert!(ids.insert(finding.id.clone()), "{finding:?} twice");
        let before = &text[..finding.range.start];
        assert_eq!(finding.line, before.matches('\n').count() + 1);
        let line = before.rsplit('\n').next().unwrap_or("");
        assert_eq!(finding.column, line.chars().count() + 1);
        let invisible = &*finding.rule == INVISIBLE;
        assert!(front || !invisible, "invisible characters come first");
        front = invisible;
        if !invisible {
            let rule = definition.rules.iter().find(|r| r.id == finding.rule).unwrap();
            assert!(rule.scope <= scope);
            // A pattern alone says the same, where text and copy are one and no window cuts.
            if !definition.nfkc && definition.window.is_none() {
                assert!(rule.pattern.is_in(text), "{finding:?}");
            }
        }
    }
    // What a pattern alone says is found, where nothing excuses it and no match may be empty.
    if !definition.nfkc && definition.window.is_none() {
        let plain = |rule: &&Rule| rule.scope <= scope && rule.unless.is_none() && !rule.pattern.is_in("");
        for rule in definition.rules.iter().filter(plain) {
            let told = found.iter().any(|finding| finding.rule == rule.id);
            assert_eq!(told, rule.pattern.is_in(text), "{}", rule.id);
        }
    }
    let mut at = 0;
    for place in rules.private(text) {
        assert!(place.start >= at && place.end > place.start && text.get(place.clone()).is_some());
        at = place.end;
    }
}

/// A document with a finding leaves nothing of its text in the prompt; one without stays as it is.
fn replaced(definition: &Definition, text: &str) {
    let rules: String = definition
        .rules
        .iter()
        .map(|r| format!("rule {} {} scope=all\n", r.id, kdl(r.pattern.as_str())))
        .collect();
    let manifest = format!(
        "promptc 1\nroot workspace default=\".\"\nscan set {{ scopes all\ninvisible-unicode\n{rules} }}\n\
         tier t {{ layer l {{ file \"a.md\" {{ scan set; trim #false; newlines #false; bom #false }}; trim #false }} }}\n"
    );
    let tree = [("promptc.kdl", manifest.as_bytes()), ("a.md", text.as_bytes())];
    let Ok(prompt) = build(&tree, None) else {
        return;
    };
    let plain = Definition {
        rules: definition.rules.iter().map(|r| Rule { unless: None, ..r.clone() }).collect(),
        invisible: Some(Invisible::usual(None)),
        ..Definition::default()
    };
    let plain = Rules::new(plain);
    // A name with a finding is replaced too.
    let is_blank = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
    if text.chars().all(is_blank) || !plain.scan("a.md", 1).is_empty() {
        return;
    }
    let found = plain.scan(text, 1);
    let shown = prompt.channels.first().map_or("", |c| c.text.as_str());
    if found.is_empty() { assert_eq!(shown, text) } else {
        let ids: Vec<&str> = found.iter().map(|f| &*f.id).collect();
        assert_eq!(shown, format!("[a.md left out: {}]", ids.join(", ")));
    }
}
