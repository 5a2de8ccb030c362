//! The content of files and facts: text that must come out unchanged.

use super::choices::Choices;

/// Pieces of text; harmless ones first.
pub(super) const PIECES: &[&str] = &[
    "plain words",
    "\n",
    "# Heading\n\nA paragraph of some length, which is there to be cut somewhere.\n\n- one\n- two\n",
    "汉字かな交じり文",
    "e\u{301}o\u{302}",
    "👩\u{200D}👩\u{200D}👧\u{200D}👦🏽",
    "\u{1F1E8}\u{1F1ED}\u{1F1E8}\u{1F1ED}",
    "{{ s1 }}",
    "{{ text }}",
    "{% if b %}yes{% endif %}",
    "{# note #}",
    "{% raw %}",
    "{{",
    "%}",
    "[… a.md: 3 of 9 chars left out …]",
    "[cut 3/9]",
    "```sh\nls\n```\n",
    "~~~~\n````\n~~~~\n",
    "crlf\r\nline\r\n",
    "lone\rreturn",
    "\u{0}\u{7}\u{1B}[31mred\u{1B}[0m\u{7F}",
    "\u{85}\u{2028}\u{2029}",
    "\u{1C}\u{1F}",
    "\u{FEFF}",
    "\u{200B}\u{202E}\u{E0041}",
    "<b title=\"x\">&amp;</b>",
    "\t tab \t",
    "\n\n",
    "---\n",
    "\\\" ' \\n #\"raw\"#",
    "$PATH ~ %s {} ${HOME}",
    "<!-- a note -->",
    "\n<!-- a note\nover lines -->\n",
    " @a.md ",
    "\n@notes/x.md, @sub/../b.md\n",
    "\n@../a.md @not-there.md\n",
    "\n§\n",
    " ",
];

/// A text of a few pieces.
pub(super) fn text(c: &Choices, most: usize) -> String {
    let mut out = String::new();
    for _ in 0..=c.below(most) {
        out.push_str(c.of(PIECES));
        if c.odds(6) {
            out.push_str(c.of(&[" ", "\n", "\n\n", "x"]));
        }
    }
    out
}

/// The bytes of a file.
pub(super) fn file(c: &Choices) -> Vec<u8> {
    let mut out = String::new();
    if c.odds(3) {
        out.push('\u{FEFF}');
    }
    if c.odds(4) {
        out.push_str(c.of(&[
            "---\ntitle: A title\ntags: [a, b]\n---\n",
            "---\r\ntitle: crlf\r\n---\r\n",
            "---\nunclosed: yes\n",
            "---\nbad: a: b\n---\n",
        ]));
    }
    match c.below(12) {
        11 => out.push_str(c.of(&["", " \n\t\n", "\u{1C}\u{3000}"])),
        10 => out.push_str(&text(c, 6).repeat(12)),
        _ => out.push_str(&text(c, 8)),
    }
    let mut bytes = out.into_bytes();
    if c.below(64) == 63 {
        bytes.extend(b"\xff\xfe");
    }
    bytes
}

/// The bytes of a skill.
pub(super) fn skill(c: &Choices) -> Vec<u8> {
    let name = c.of(&[
        "",
        "name: b\n",
        "name: \"\"\n",
        "name: [x, 1]\n",
        "name: \u{fc} \u{6587}\n",
        "name: yes\n",
    ]);
    let about = c.of(&[
        "",
        "description: What it does.\n",
        "description: |\n  two\n  lines\n",
        "description: a # Heading\n",
        "title: T\n",
    ]);
    let front = match c.below(5) {
        0 => String::new(),
        _ => format!("---\n{name}{about}---\n"),
    };
    format!("{front}{}", text(c, 4)).into_bytes()
}

/// The bytes of a JSON file.
pub(super) fn json(c: &Choices) -> Vec<u8> {
    let text = serde_json::to_string(&text(c, 3)).unwrap();
    let value = c.of(&[
        "{\"b\": [1, 2.50, true, null],\n \"a\": TEXT}",
        "[TEXT, {\"z\": 1, \"y\": {\"b\": 2, \"a\": 1}}]",
        "TEXT",
        "not json",
    ]);
    value.replace("TEXT", &text).into_bytes()
}
