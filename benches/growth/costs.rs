//! What ten times the size costs: each row runs the program ten times on an input, and once on one of ten times its size. The
//! time is that of the CPU, which other processes disturb least, as the shell tells it of its children; the least of
//! several rounds counts.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// How many times the cost of a tenth an input may cost.
pub(crate) const MOST: f64 = 12.0;
/// Of each size, of which the least counts.
const ROUNDS: usize = 3;

/// One thing that can be long.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    args: &'static [&'static str],
    /// The larger size; the smaller one is a tenth of it.
    size: usize,
    /// Writes an input of a size.
    input: fn(&Path, usize),
}

/// What a row measured.
pub(crate) struct Cost {
    /// Seconds of ten runs with the smaller size.
    pub(crate) ten: f64,
    /// Seconds of a run with the larger one.
    pub(crate) one: f64,
}

impl Cost {
    /// How many times the cost of a tenth it is.
    pub(crate) fn times(&self) -> f64 {
        self.one / self.ten * 10.0
    }
}

macro_rules! row {
    ($name:expr, [$($arg:expr),*], $size:expr, $input:expr) => {
        Row { name: $name, args: &[$($arg),*], size: $size, input: $input }
    };
}

/// All of them.
pub(crate) const ROWS: &[Row] = &[
    row!(
        "layers that give way to a budget",
        ["build"],
        16_000,
        |to, n| {
            manifest(to, &format!("budget {n}\n{}", tier(n)));
        }
    ),
    row!("the same in tokens", ["build"], 16_000, |to, n| {
        let unit = "tokens tokenizer=o200k";
        manifest(to, &format!("budget {n} {unit}\n{}", tier(n)));
    }),
    row!(
        "tiers in a budget of the prompt",
        ["build"],
        10_000,
        |to, n| {
            let tiers = lines(n, |i| {
                format!("tier t{i} reserve=1 {{ layer a{i} {{ text x }} }}")
            });
            manifest(
                to,
                &format!("budget {} tokens tokenizer=o200k\n{tiers}", n * 4),
            );
        }
    ),
    row!(
        "layers, `report`",
        ["report", "-o", "out.html"],
        38_000,
        |to, n| manifest(to, &tier(n))
    ),
    row!(
        "layers, `check --sources`",
        ["check", "--sources"],
        38_000,
        |to, n| {
            manifest(to, &tier(n));
        }
    ),
    row!(
        "layers, `check --format json`",
        ["check", "--format", "json"],
        20_000,
        |to, n| {
            manifest(to, &tier(n));
        }
    ),
    row!("layers, `explain`", ["explain"], 38_000, |to, n| manifest(
        to,
        &tier(n)
    )),
    row!(
        "layers, `fmt --check`",
        ["fmt", "--check"],
        20_000,
        |to, n| manifest(to, &tier(n))
    ),
    row!("members of a group", ["build"], 50_000, |to, n| {
        let members = "text x\n".repeat(n);
        manifest(
            to,
            &format!("tier t {{ layer a {{ all {{\n{members}}} }} }}"),
        );
    }),
    row!("members of a group, `check`", ["check"], 50_000, |to, n| {
        let members = "text \" \"\n".repeat(n);
        manifest(
            to,
            &format!("tier t {{ layer a {{ first {{\n{members}}} }} }}"),
        );
    }),
    // Of n files that import each other the text is as long as the square of n.
    row!(
        "files that import each other",
        ["build"],
        60 * 60,
        |to, n| {
            let files = n.isqrt();
            for file in 0..files {
                let others = (0..files).filter(|other| *other != file);
                let text: String = others.map(|other| format!("@d{other}.md\n")).collect();
                write(to, &format!("d{file}.md"), &text);
            }
            let imports = "imports at depth=100 limit=10000";
            manifest(
                to,
                &format!("tier t {{ layer a {{ file d0.md {{ {imports} }} }} }}"),
            );
        }
    ),
    row!("lets", ["build"], 4_000, |to, n| {
        let lets = lines(n, |i| format!("let l{i} \"f ~ {i}\""));
        let last = n - 1;
        let tier = format!("tier t {{ layer a {{ template \"{{{{ l{last} }}}}\" }} }}");
        manifest(to, &format!("fact f string default=x\n{lets}{tier}"));
    }),
    row!(
        "layers with 20 `loaded()` each, `check`",
        ["check"],
        1_000,
        |to, n| {
            let asked = |i: usize| {
                let asked = (i.saturating_sub(20)..i).map(|other| format!("loaded('a{other}')"));
                asked.collect::<Vec<_>>().join(" or ")
            };
            let layers = lines(n, |i| match i {
                0 => "layer a0 { text x }".to_owned(),
                _ => format!("layer a{i} when=\"{}\" {{ text x }}", asked(i)),
            });
            manifest(to, &format!("tier t {{\n{layers}}}"));
        }
    ),
    row!("facts", ["build"], 30_000, facts),
    row!("facts, `check`", ["check"], 30_000, facts),
    row!(
        "facts, `report`",
        ["report", "-o", "out.html"],
        10_000,
        facts
    ),
    row!(
        "one word in a budget of tokens",
        ["build"],
        160_000,
        |to, n| {
            write(to, "word.txt", &word(n));
            let budget = "budget 1000 tokens tokenizer=o200k head=0.5 tail=0.5";
            manifest(
                to,
                &format!("tier t {{ layer a {{ file word.txt {{ {budget} }} }} }}"),
            );
        }
    ),
];

impl Row {
    /// Measures it with the program at `promptc`.
    pub(crate) fn cost(&self, promptc: &str) -> Cost {
        let [small, large] = [self.size / 10, self.size].map(|size| {
            let folder = tempfile::tempdir().unwrap();
            (self.input)(folder.path(), size);
            folder
        });
        let least = |folder: &Path, runs: usize| {
            let all = (0..ROUNDS).map(|_| self.seconds(promptc, folder, runs));
            all.fold(f64::INFINITY, f64::min)
        };
        Cost {
            ten: least(small.path(), 10),
            one: least(large.path(), 1),
        }
    }

    /// The seconds of CPU that `runs` runs take.
    fn seconds(&self, promptc: &str, folder: &Path, runs: usize) -> f64 {
        let each = "for i in $(seq \"$RUNS\"); do \"$@\" >/dev/null 2>err || [ $? = 1 ] || exit 9; done; times";
        let ran = Command::new("bash")
            .args(["-c", each, "bash", promptc])
            .args(self.args)
            .env("RUNS", runs.to_string())
            .env("LC_ALL", "C")
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(
            ran.status.success() || self.may_fail(),
            "{}: {}",
            self.name,
            said(folder)
        );
        // The second line is of the children: "0m0.123s 0m0.004s", of the user and of the system.
        let told = String::from_utf8(ran.stdout).unwrap();
        let children = told.lines().nth(1).unwrap();
        children.split(' ').map(clock).sum()
    }

    /// Imports that go on for ever end with an error, which is to come as soon.
    fn may_fail(&self) -> bool {
        false
    }
}

/// Seconds of "1m2.345s".
fn clock(time: &str) -> f64 {
    let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
    minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
}

fn said(folder: &Path) -> String {
    fs::read_to_string(folder.join("err")).unwrap_or_default()
}

fn facts(to: &Path, n: usize) {
    let facts = lines(n, |i| format!("fact f{i} string default=x"));
    let text: String = (0..n).map(|i| format!("{{{{f{i}}}}}")).collect();
    manifest(
        to,
        &format!("{facts}tier t {{ layer a {{ template \"{text}\" }} }}"),
    );
}

fn manifest(to: &Path, text: &str) {
    let head = "promptc 1\nroot workspace default=\".\"\n";
    write(to, "promptc.kdl", &format!("{head}{text}\n"));
}

fn tier(layers: usize) -> String {
    format!(
        "tier t {{\n{}}}",
        lines(layers, |i| format!("layer a{i} {{ text x }}"))
    )
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

/// So many letters of nothing, always the same.
fn word(n: usize) -> String {
    let mut state = 7_u64;
    let letter = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
    };
    (0..n).map(letter).collect()
}

fn write(to: &Path, name: &str, text: &str) {
    fs::write(to.join(name), text).unwrap();
}
