//! Random changes of an input, the same for the same dice.

use crate::session::builds::Dice;

/// Words and signs that some reader of promptc takes for something.
const WORDS: &[&str] = &[
    "promptc 1\n",
    "tier ",
    "layer ",
    "extends \"promptc.kdl\"\n",
    "include \"promptc.kdl\"\n",
    "refine ",
    "file \"",
    "glob \"**\"",
    "skills ",
    "memory ",
    "template \"{{ ",
    "when=\"",
    "budget 1 ",
    "budget 99999999999999999999",
    "(fact)",
    "#true",
    "#null",
    "#\"\"#",
    "/-",
    "/*",
    "*/",
    "\\\n",
    "\"\"\"\n",
    "changes=turn",
    "deliver=user",
    "first {",
    "all {",
    "part x {",
    "join=\"\"",
    "scan s { rule r \"(a|a)*$\" }",
    "root r default=\"..\"",
    "clock=UTC",
    "one-of",
    "frontmatter parse",
    "normalise",
    "{",
    "}",
    "{{ ",
    " }}",
    "{% for x in range(99999) %}",
    "{% endfor %}",
    "{% if ",
    "{% set x = x ~ x %}",
    "{% raw %}",
    "{#",
    "-%}",
    " | json",
    " | upper",
    " | sort",
    " | default('')",
    "loop.index",
    "| xml",
    "loaded('x')",
    "namespace()",
    "1/0",
    "~",
    "**",
    "\"",
    "'",
    ",",
    ":",
    "[",
    "]",
    "null",
    "true",
    "-1",
    "0",
    "1e999",
    "-0.0",
    "9223372036854775808",
    "18446744073709551616",
    "1e-400",
    "\"schema\":1",
    "\"sha256:",
    "\\u0000",
    "\\ud800",
    "\\\"",
    "---\n",
    "...\n",
    "&a [*a,*a]",
    "*a",
    "!!binary ",
    "<<: ",
    "- ",
    "? ",
    "|\n",
    ">\n",
    "# ",
    "```\n",
    "~~~\n",
    "<system>",
    "</system>",
    "\u{202e}",
    "\u{feff}",
    "\u{0}",
    "\u{1b}[2J",
    "\r\n",
    "\r",
    "\u{2028}",
    "\u{301}",
    "\u{1f468}\u{200d}\u{1f469}",
    "::error::x\n",
    "§",
    "\n§\n",
    "../",
    "/",
    "~/",
    "C:\\",
    "//",
    "./.",
    "2026-02-30",
    "0000-00-00",
    "2026-11-21T10:00:00Z",
    "99999999999d",
    "session ",
    "refresh event=x",
    "refresh idle=\"1s\"",
    "provider ",
    "price ",
    "model \"*\"",
    "min=0",
    "ttl=",
    "scenario ",
    "set ",
];

/// The tokens that may nest.
const PAIRS: &[(&str, &str)] = &[
    ("[", "]"),
    ("(", ")"),
    ("{", "}"),
    ("{\"a\":", "}"),
    ("a {", "}"),
    ("{% if 1 %}", "{% endif %}"),
    ("{{ (", ") }}"),
    ("- ", ""),
    ("> ", ""),
    ("<a>", "</a>"),
    ("/*", "*/"),
];

/// Where to cut: anywhere, often at the end of a word or a line.
fn place(dice: &mut Dice, data: &[u8]) -> usize {
    let at = dice.below(data.len() as u64 + 1) as usize;
    let ends = |b: &u8| b.is_ascii_whitespace() || b.is_ascii_punctuation();
    if dice.once_in(2) {
        data[at..]
            .iter()
            .position(ends)
            .map_or(at, |more| at + more)
    } else {
        at
    }
}

/// A stretch, mostly short.
fn stretch(dice: &mut Dice, data: &[u8]) -> std::ops::Range<usize> {
    let start = place(dice, data);
    let longest = if dice.once_in(4) { data.len() } else { 24 };
    let length = dice.below(longest as u64 + 1) as usize;
    start..(start + length).min(data.len())
}

/// One change of `data`; `other` is another seed.
fn change(dice: &mut Dice, data: &mut Vec<u8>, other: &[u8]) {
    let at = place(dice, data);
    let range = stretch(dice, data);
    match dice.below(18) {
        0 | 1 if at < data.len() => data[at] ^= 1 << dice.below(8),
        2 if at < data.len() => {
            data[at] = [0, 0x0a, 0x22, 0x7f, 0x80, 0xc3, 0xff, 0x5c][dice.below(8) as usize]
        }
        3 | 4 => drop(data.drain(range)),
        5 => {
            let copy = data[range].to_vec();
            data.splice(at..at, copy);
        }
        6 => {
            let copy = data[range].repeat(1 + dice.below(300) as usize);
            data.splice(at..at, copy.into_iter().take(200_000));
        }
        7..=10 => {
            let word = WORDS[dice.below(WORDS.len() as u64) as usize];
            let end = if dice.once_in(2) {
                at
            } else {
                (at + word.len()).min(data.len())
            };
            data.splice(at..end, word.bytes());
        }
        11 | 12 => {
            let part = other[stretch(dice, other)].to_vec();
            data.splice(range, part);
        }
        13 => {
            data.truncate(at);
            data.extend_from_slice(&other[place(dice, other)..]);
        }
        14 => data.truncate(at),
        15 => {
            let (open, close) = PAIRS[dice.below(PAIRS.len() as u64) as usize];
            let depth = 1 << dice.below(16);
            let nested =
                open.repeat(depth) + &close.repeat(if dice.once_in(2) { depth } else { 0 });
            data.splice(at..at, nested.bytes());
        }
        16 => number(dice, data, at),
        _ => whole(dice, data),
    }
}

/// Replaces the number after `at` with another one.
fn number(dice: &mut Dice, data: &mut Vec<u8>, at: usize) {
    let numbers = [
        "0",
        "-1",
        "4294967296",
        "9223372036854775807",
        "99999999999999999999",
        "1e308",
        "0.1",
        "00",
        "1_0",
        "NaN",
    ];
    let Some(start) = data[at..]
        .iter()
        .position(u8::is_ascii_digit)
        .map(|more| at + more)
    else {
        return;
    };
    let end = data[start..].iter().position(|b| !b.is_ascii_digit());
    let end = end.map_or(data.len(), |more| start + more);
    let number = numbers[dice.below(numbers.len() as u64) as usize];
    data.splice(start..end, number.bytes());
}

/// A change of the whole text.
fn whole(dice: &mut Dice, data: &mut Vec<u8>) {
    match dice.below(6) {
        0 => drop(data.splice(0..0, *b"\xef\xbb\xbf")),
        1 => {
            *data = String::from_utf8_lossy(data)
                .replace('\n', "\r\n")
                .into_bytes()
        }
        2 => *data = data.iter().flat_map(|b| [*b, 0]).collect(),
        3 => data.clear(),
        4 => {
            let mut lines: Vec<&[u8]> = data.split_inclusive(|b| *b == b'\n').collect();
            for _ in 0..3 {
                let (a, b) = (
                    dice.below(lines.len().max(1) as u64),
                    dice.below(lines.len().max(1) as u64),
                );
                if !lines.is_empty() {
                    lines.swap(a as usize, b as usize);
                }
            }
            *data = lines.concat();
        }
        _ => data.retain(|b| *b != b'\n'),
    }
}

/// `data` with a few changes; never as it was, but for the rare change that changes nothing.
pub(super) fn mutated(dice: &mut Dice, data: &[u8], other: &[u8]) -> Vec<u8> {
    let mut out = data.to_vec();
    let times = [1, 1, 2, 3, 8][dice.below(5) as usize];
    for _ in 0..times {
        change(dice, &mut out, other);
    }
    out.truncate(2_000_000);
    out
}

/// The least part of `data` that still `fails`, as far as cutting blocks away in a bounded number of tries finds it.
pub(super) fn minimised(data: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut least = data.to_vec();
    let mut block = least.len().div_ceil(2).max(1);
    let mut tries = 300;
    loop {
        let mut at = 0;
        while at < least.len() && tries > 0 {
            tries -= 1;
            let end = (at + block).min(least.len());
            let shorter = [&least[..at], &least[end..]].concat();
            if fails(&shorter) {
                least = shorter
            } else {
                at = end
            }
        }
        if block == 1 || tries == 0 {
            return least;
        }
        block = block.div_ceil(2);
    }
}
