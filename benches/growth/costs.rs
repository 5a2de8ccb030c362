//! The cost of ten times the size: each row runs the program ten times on an input, and once on one of ten times its
//! size. The time is that of the CPU, which other processes disturb least, as the shell reports it for its children;
//! the least of several rounds counts. An input larger than the caches of a machine can cost more time than its work:
//! if `valgrind` is installed, it counts the instructions of a row that takes too long, and they decide.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The most that an input may cost, as a multiple of the cost of a tenth of it.
pub(crate) const MOST: f64 = 12.0;
/// Of each size, of which the least counts.
const ROUNDS: usize = 3;

/// One thing that can be long.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    args: &'static str,
    /// The exit code.
    code: u8,
    /// The larger size; the smaller one is a tenth of it.
    size: usize,
    /// Writes an input of a size.
    input: fn(&Path, usize),
}

/// The result of a row.
pub(crate) struct Cost {
    /// Seconds of ten runs with the smaller size.
    pub(crate) ten: f64,
    /// Seconds of a run with the larger one.
    pub(crate) one: f64,
    /// How many times the instructions of the smaller size the larger one takes, if they were counted.
    pub(crate) instructions: Option<f64>,
}

impl Cost {
    /// How many times the cost of a tenth it is.
    pub(crate) fn times(&self) -> f64 {
        self.one / self.ten * 10.0
    }

    /// Whether that is more than it may be.
    pub(crate) fn is_dear(&self) -> bool {
        self.instructions.unwrap_or(self.times()) > MOST
    }
}

const fn row(
    name: &'static str,
    args: &'static str,
    code: u8,
    size: usize,
    input: fn(&Path, usize),
) -> Row {
    Row {
        name,
        args,
        code,
        size,
        input,
    }
}

const REPORT: &str = "report -o out.html";

/// All of them.
pub(crate) const ROWS: &[Row] = &[
    row("layers that give way", "build", 0, 16_000, give_way),
    row("the same in tokens", "build", 0, 16_000, give_way_in_tokens),
    row("tiers in a budget", "build", 0, 10_000, tiers),
    row("layers, report", REPORT, 0, 38_000, layers),
    row("layers, sources", "check --sources", 0, 38_000, layers),
    row("layers, check", "check --format json", 0, 20_000, layers),
    row("layers, explain", "explain", 0, 38_000, layers),
    row("layers, fmt", "fmt --check", 1, 20_000, layers),
    row("members", "build", 0, 50_000, members),
    row("members, check", "check", 0, 50_000, blank_members),
    row("imports without end", "build", 2, 60 * 60, endless),
    row("imports", "build", 0, 60 * 60 * 60, imports),
    row("lets", "build", 0, 4_000, lets),
    row("lets in a chain", "build", 0, 4_000, chain),
    row("a layer for each let", "build", 0, 10_000, chain_layers),
    row("all lets in a template", "build", 0, 10_000, chain_text),
    row("layers with loaded()", "check", 0, 6_000, loaded),
    row("facts", "build", 0, 30_000, facts),
    row("facts, check", "check", 0, 30_000, facts),
    row("facts, report", REPORT, 0, 10_000, facts),
    row("a word in tokens", "build", 0, 160_000, word),
    row("chain of lets, check", "check", 0, 10_000, chain),
    row("moves", "build", 0, 20_000, moves),
    row("refined layers", "build", 0, 20_000, refines),
    row("removed layers", "build", 0, 20_000, removes),
    row("roots, check", "check", 0, 8_000, roots),
    row("roots in a chain", "build", 2, 10_000, root_chain),
    row("roots that are not there", "build", 2, 5_000, no_roots),
    row("facts that are not there", "build", 2, 4_000, no_facts),
    row("scenarios, test", "test", 1, 3_000, scenarios),
    row("scenarios, sources", "check --sources", 0, 3_000, scenarios),
    row("skills, sources", "check --sources", 0, 3_000, skills),
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
        let mut cost = Cost {
            ten: least(small.path(), 10),
            one: least(large.path(), 1),
            instructions: None,
        };
        if cost.is_dear() {
            let count = |folder: &Path| self.instructions(promptc, folder);
            cost.instructions = count(large.path())
                .zip(count(small.path()))
                .map(|(l, s)| l / s);
        }
        cost
    }

    /// The instructions of a run; none without `valgrind`.
    fn instructions(&self, promptc: &str, folder: &Path) -> Option<f64> {
        let counted = Command::new("valgrind")
            .args([
                "--tool=cachegrind",
                "--cache-sim=no",
                "--cachegrind-out-file=/dev/null",
            ])
            .arg(promptc)
            .args(self.args.split(' '))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()
            .ok()?;
        assert_eq!(
            counted.status.code(),
            Some(self.code.into()),
            "{}",
            self.name
        );
        let said = String::from_utf8_lossy(&counted.stderr).into_owned();
        let refs = said
            .lines()
            .rev()
            .find_map(|line| line.split("I   refs:").nth(1))?;
        refs.trim().replace(',', "").parse().ok()
    }

    /// The seconds of CPU that `runs` runs take.
    fn seconds(&self, promptc: &str, folder: &Path, runs: usize) -> f64 {
        let each = "for i in $(seq $RUNS); do \"$@\" >/dev/null 2>err; [ $? = $CODE ] || exit 1; done; times";
        let ran = Command::new("bash")
            .args(["-c", each, "bash", promptc])
            .args(self.args.split(' '))
            .env("RUNS", runs.to_string())
            .env("CODE", self.code.to_string())
            .env("LC_ALL", "C")
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = || fs::read_to_string(folder.join("err")).unwrap();
        assert!(ran.status.success(), "{}: {}", self.name, said());
        // The second line is of the children: "0m0.123s 0m0.004s", of the user and of the system.
        let told = String::from_utf8(ran.stdout).unwrap();
        let children = told.lines().nth(1).unwrap();
        children.split(' ').map(clock).sum()
    }
}

/// Seconds of "1m2.345s".
fn clock(time: &str) -> f64 {
    let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
    minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
}

fn give_way(to: &Path, n: usize) {
    manifest(to, &format!("budget {n}\n{}", tier(n)));
}

fn give_way_in_tokens(to: &Path, n: usize) {
    let unit = "tokens tokenizer=o200k";
    manifest(to, &format!("budget {n} {unit}\n{}", tier(n)));
}

fn tiers(to: &Path, n: usize) {
    let tiers = lines(n, |i| {
        format!("tier t{i} reserve=1 {{ layer a{i} {{ text x }} }}")
    });
    let budget = format!("budget {} tokens tokenizer=o200k", n * 4);
    manifest(to, &format!("{budget}\n{tiers}"));
}

fn layers(to: &Path, n: usize) {
    manifest(to, &tier(n));
}

fn members(to: &Path, n: usize) {
    let members = "text x\n".repeat(n);
    manifest(to, &in_layer(&format!("all {{\n{members}}}")));
}

fn blank_members(to: &Path, n: usize) {
    let members = "text \" \"\n".repeat(n);
    manifest(to, &in_layer(&format!("first {{\n{members}}}")));
}

/// Of some files that import each other the text is as long as the square of their number. They are refused: there are more
/// ways through them than may be.
fn endless(to: &Path, n: usize) {
    each_imports_all(to, n.isqrt(), "depth=100 limit=10000");
}

/// The text grows with the third power of the files.
fn imports(to: &Path, n: usize) {
    let files = (1..).find(|files: &usize| files.pow(3) >= n);
    each_imports_all(to, files.unwrap_or(1), "depth=2 limit=10000");
}

fn each_imports_all(to: &Path, files: usize, limits: &str) {
    for file in 0..files {
        let others = (0..files).filter(|other| *other != file);
        let text: String = others.map(|other| format!("@d{other}.md\n")).collect();
        write(to, &format!("d{file}.md"), &text);
    }
    manifest(
        to,
        &in_layer(&format!("file d0.md {{ imports at {limits} }}")),
    );
}

fn lets(to: &Path, n: usize) {
    some_lets(to, n, |i| format!("let l{i} \"f ~ {i}\""));
}

fn chain(to: &Path, n: usize) {
    some_lets(to, n, |i| match i {
        0 => "let l0 \"f\"".to_owned(),
        _ => format!("let l{i} \"l{}\"", i - 1),
    });
}

fn chain_layers(to: &Path, n: usize) {
    let layers = lines(n, |i| format!("layer a{i} when=\"l{i}\" {{ text x }}"));
    manifest(to, &format!("{}tier t {{\n{layers}}}", links(n)));
}

fn chain_text(to: &Path, n: usize) {
    let text: String = (0..n).map(|i| format!("{{{{l{i}}}}}")).collect();
    write(to, "lets.j2", &text);
    let layer = in_layer("template file=\"lets.j2\"");
    manifest(to, &format!("{}{layer}", links(n)));
}

/// A chain of lets.
fn links(n: usize) -> String {
    let link = |i: usize| format!("let l{i} \"l{}\"", i - 1);
    let lets: String = (1..n).map(|i| link(i) + "\n").collect();
    format!("fact f string default=x\nlet l0 \"f\"\n{lets}")
}

fn some_lets(to: &Path, n: usize, line: impl Fn(usize) -> String) {
    let layer = in_layer(&format!("template \"{{{{ l{} }}}}\"", n - 1));
    let lets = lines(n, line);
    manifest(to, &format!("fact f string default=x\n{lets}{layer}"));
}

/// Each queries the 3 before it. After the first hundred each has the maximum number of them to look at.
fn loaded(to: &Path, n: usize) {
    let asked = |i: usize| {
        let asked = (i.saturating_sub(3)..i).map(|other| format!("loaded('a{other}')"));
        asked.collect::<Vec<_>>().join(" or ")
    };
    let layers = lines(n, |i| match i {
        0 => "layer a0 { text x }".to_owned(),
        _ => format!("layer a{i} when=\"{}\" {{ text x }}", asked(i)),
    });
    manifest(to, &format!("tier t {{\n{layers}}}"));
}

fn facts(to: &Path, n: usize) {
    let facts = lines(n, |i| format!("fact f{i} string default=x"));
    let text: String = (0..n).map(|i| format!("{{{{f{i}}}}}")).collect();
    write(to, "facts.j2", &text);
    let layer = in_layer("template file=\"facts.j2\"");
    manifest(to, &format!("{facts}{layer}"));
}

/// Letters that make no word, always the same.
fn word(to: &Path, n: usize) {
    let mut state = 7_u64;
    let letter = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
    };
    write(to, "word.txt", &(0..n).map(letter).collect::<String>());
    let budget = "budget 1000 tokens tokenizer=o200k head=0.5 tail=0.5";
    manifest(to, &in_layer(&format!("file word.txt {{ {budget} }}")));
}

/// Each layer but the last goes after the last.
fn moves(to: &Path, n: usize) {
    let last = n - 1;
    overlay(to, n, |i| format!("move a{i} after=a{last}"));
}

fn refines(to: &Path, n: usize) {
    overlay(to, n, |i| format!("refine a{i} {{ text y }}"));
}

fn removes(to: &Path, n: usize) {
    overlay(to, n, |i| format!("remove layer=a{i}"));
}

/// The lines of an overlay about all layers of its base but the last.
fn overlay(to: &Path, n: usize, line: impl Fn(usize) -> String) {
    manifest(to, &tier(n));
    let base = "promptc.kdl";
    fs::rename(to.join(base), to.join("base.kdl")).unwrap();
    let text = format!("promptc 1\nextends \"base.kdl\"\n{}", lines(n - 1, line));
    write(to, base, &text);
}

fn roots(to: &Path, n: usize) {
    let roots = lines(n, |i| format!("root r{i} default=\".\""));
    let layers = lines(n, |i| format!("layer a{i} {{ file x.md root=r{i} }}"));
    manifest(to, &format!("{roots}tier t {{\n{layers}}}"));
}

/// More than may be derived from each other.
fn root_chain(to: &Path, n: usize) {
    let roots = lines(n, |i| match i {
        0 => "root r0 default=\".\"".to_owned(),
        _ => format!("root r{i} in=r{} default=\".\"", i - 1),
    });
    let layers = lines(n, |i| format!("layer a{i} {{ file x.md root=r{i} }}"));
    manifest(to, &format!("{roots}tier t {{\n{layers}}}"));
}

fn no_roots(to: &Path, n: usize) {
    let roots = lines(n, |i| format!("root r{i} default=\".\""));
    let layers = lines(n, |i| format!("layer a{i} {{ file x.md root=s{i} }}"));
    manifest(to, &format!("{roots}tier t {{\n{layers}}}"));
}

fn no_facts(to: &Path, n: usize) {
    let facts = lines(n, |i| format!("fact fact{i} string default=x"));
    let layers = lines(n, |i| {
        format!("layer a{i} {{ template \"{{{{ fact_{i} }}}}\" }}")
    });
    manifest(to, &format!("{facts}tier t {{\n{layers}}}"));
}

fn scenarios(to: &Path, n: usize) {
    let scenarios = lines(n, |i| format!("scenario s{i} {{ set f x{i} }}"));
    let layer = in_layer("fact f");
    manifest(to, &format!("fact f string\n{layer}\n{scenarios}"));
}

fn skills(to: &Path, n: usize) {
    for i in 0..n {
        fs::create_dir_all(to.join(format!("skills/s{i}"))).unwrap();
        let text = format!("---\nname: s{i}\ndescription: The thing {i}.\n---\nDo it.\n");
        write(to, &format!("skills/s{i}/SKILL.md"), &text);
    }
    manifest(to, &in_layer("skills skills"));
}

fn in_layer(text: &str) -> String {
    format!("tier t {{ layer a {{ {text} }} }}")
}

fn tier(layers: usize) -> String {
    let layers = lines(layers, |i| format!("layer a{i} {{ text x }}"));
    format!("tier t {{\n{layers}}}")
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

fn manifest(to: &Path, text: &str) {
    let head = "promptc 1\nroot workspace default=\".\"\n";
    write(to, "promptc.kdl", &format!("{head}{text}\n"));
}

fn write(to: &Path, name: &str, text: &str) {
    fs::write(to.join(name), text).unwrap();
}
