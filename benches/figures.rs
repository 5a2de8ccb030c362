//! The figures of `docs/performance.md`, each with its comparison, measured in one run: `cargo bench --bench figures`.
//!
//! Whole processes are run in turn, A B A B …, and quoted as medians with the ratio pair by pair: machines drift, and a
//! single timing says nothing. Nothing here can fail because a machine is slow.

#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

mod batch;
mod check;
mod skills;
mod sessions;
mod scan;
mod providers;
mod instructions;

use promptc::compile::{GivenInputs, compile, stage};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::world::DiskWorld;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

mod tokens;

const PROMPTC: &str = env!("CARGO_BIN_EXE_promptc");
const EXAMPLE: &str = "examples/atlas/promptc.kdl";

fn main() {
    if tokens::count_and_end() || skills::read_and_end() {
        return;
    }
    // `cargo test --benches` runs this too; figures are only for `cargo bench`.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| asked.iter().any(|a| a == name);
    let all = !SECTIONS.iter().any(|(name, _)| asked(name));
    for (name, figures) in SECTIONS {
        if all || asked(name) {
            figures();
        }
    }
}

/// The measured items, by the names that `cargo bench --bench figures -- NAME…` takes.
const SECTIONS: &[(&str, fn())] = &[
    ("process", whole_process),
    ("breakdown", breakdown),
    ("growth", growth),
    ("peers", peers),
    ("batch", batch::figures),
    ("diff", compared),
    ("check", check::figures),
    ("skills", skills::figures),
    ("scan", scan::figures),
    ("shipped", scan::shipped),
    ("tokens", tokens::figures),
    ("sessions", sessions::figures),
    ("providers", providers::figures),
    ("instructions", instructions::figures),
];

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn run(command: &[String]) -> Duration {
    let start = Instant::now();
    let status = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{command:?}");
    start.elapsed()
}

/// Medians of the commands, run in turn, and for each the median of its ratio to the first.
fn in_turn(commands: &[Vec<String>], rounds: usize) -> Vec<(Duration, f64)> {
    let mut times = vec![Vec::new(); commands.len()];
    for round in 0..=rounds {
        for (command, times) in commands.iter().zip(&mut times) {
            let time = run(command);
            if round > 0 {
                times.push(time);
            }
        }
    }
    let first = times[0].clone();
    times
        .into_iter()
        .map(|own| {
            let mut ratios: Vec<f64> = own
                .iter()
                .zip(&first)
                .map(|(a, b)| a.as_secs_f64() / b.as_secs_f64())
                .collect();
            ratios.sort_by(f64::total_cmp);
            (median(own), ratios[ratios.len() / 2])
        })
        .collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// The files of the example: its documents, texts and templates.
fn sources() -> Vec<PathBuf> {
    let mut out = Vec::new();
    for folder in ["workspace", "text", "templates"] {
        files_below(&Path::new("examples/atlas").join(folder), &mut out);
    }
    out
}

fn whole_process() {
    let sources = sources();
    let bytes: u64 = sources
        .iter()
        .map(|p| std::fs::metadata(p).unwrap().len())
        .sum();
    let lines = std::fs::read_to_string(EXAMPLE).unwrap().lines().count();
    println!(
        "whole process on the example: {} files, {bytes} bytes, manifest of {lines} lines",
        sources.len()
    );
    let mut cat = words(&["cat", EXAMPLE]);
    cat.extend(sources.iter().map(|p| p.display().to_string()));
    let commands = [
        cat,
        words(&["true"]),
        words(&[PROMPTC, "--version"]),
        words(&[
            PROMPTC,
            "build",
            "-q",
            "-m",
            EXAMPLE,
            "--now",
            "2026-03-30T09:00:00Z",
        ]),
        words(&[
            PROMPTC,
            "build",
            "-q",
            "-m",
            EXAMPLE,
            "--now",
            "2026-03-30T09:00:00Z",
            "--format",
            "json",
        ]),
    ];
    let names = [
        "cat of the same files",
        "true",
        "promptc --version",
        "promptc build",
        "promptc build --format json",
    ];
    for (name, (time, ratio)) in names.iter().zip(in_turn(&commands, 100)) {
        println!("  {name:<30} {:>7.2} ms   {ratio:>5.2} x cat", ms(time));
    }
}

/// Best and median of `n` calls.
fn repeat<T>(n: usize, mut f: impl FnMut() -> T) -> (Duration, Duration) {
    let mut times = Vec::new();
    for _ in 0..n {
        let start = Instant::now();
        black_box(f());
        times.push(start.elapsed());
    }
    (*times.iter().min().unwrap(), median(times))
}

fn breakdown() {
    println!("\nin the process, on the example (best and median of 300)");
    let text = std::fs::read_to_string(EXAMPLE).unwrap();
    let world = DiskWorld;
    let given = GivenInputs {
        now: Some("2026-03-30T09:00:00Z".to_owned()),
        ..GivenInputs::default()
    };
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let parsed = manifest::open(&world, Some(EXAMPLE), &mut files, &mut diags).unwrap();
    let rows: Vec<(&str, (Duration, Duration))> = vec![
        (
            "KDL parse (the kdl crate alone)",
            repeat(300, || text.parse::<kdl::KdlDocument>().unwrap()),
        ),
        (
            "manifest: KDL parse and decoding",
            repeat(300, || {
                manifest::open(
                    &world,
                    Some(EXAMPLE),
                    &mut Files::default(),
                    &mut Diagnostics::default(),
                )
            }),
        ),
        (
            "merge (template files)",
            repeat(300, || {
                stage::merge(
                    &parsed,
                    &given,
                    &world,
                    &mut files.clone(),
                    &mut Diagnostics::default(),
                )
            }),
        ),
        (
            "merge + plan (expressions)",
            repeat(300, || {
                let (mut files, mut diags) = (files.clone(), Diagnostics::default());
                let merged = stage::merge(&parsed, &given, &world, &mut files, &mut diags);
                stage::plan(merged, &files, &mut diags).unwrap()
            }),
        ),
    ];
    for (name, (best, median)) in rows {
        println!("  {name:<36} {:>7.3} ms {:>7.3} ms", ms(best), ms(median));
    }
    let merged = stage::merge(&parsed, &given, &world, &mut files, &mut diags);
    let plan = stage::plan(merged, &files, &mut diags).unwrap();
    let bind = || {
        stage::bind(
            &plan,
            &given,
            &world,
            &stage::Needs::all(),
            &mut Diagnostics::default(),
        )
        .unwrap()
    };
    let bound = bind();
    let load = || stage::load(&plan, &bound, &world, &mut Diagnostics::default()).unwrap();
    let rows = [
        ("bind (facts, lets, roots)", repeat(300, bind)),
        ("load (reading, transforms, budgets)", repeat(300, load)),
        (
            "load + render (templates)",
            repeat(300, || {
                stage::render(&plan, &bound, load(), &mut Diagnostics::default()).unwrap()
            }),
        ),
        (
            "load + render + fit + assemble (map)",
            repeat(300, || {
                let rendered =
                    stage::render(&plan, &bound, load(), &mut Diagnostics::default()).unwrap();
                let fitted =
                    stage::fit(&plan, &bound, rendered, &mut Diagnostics::default()).unwrap();
                stage::assemble(&plan, fitted)
            }),
        ),
        (
            "warm call: all stages, manifest parsed",
            repeat(300, || {
                compile(
                    &parsed,
                    &given,
                    &world,
                    &mut files.clone(),
                    &mut Diagnostics::default(),
                )
                .unwrap()
            }),
        ),
        (
            "warm call with the plan kept (3–7)",
            repeat(300, || {
                let bound = bind();
                let loaded =
                    stage::load(&plan, &bound, &world, &mut Diagnostics::default()).unwrap();
                let rendered =
                    stage::render(&plan, &bound, loaded, &mut Diagnostics::default()).unwrap();
                let fitted =
                    stage::fit(&plan, &bound, rendered, &mut Diagnostics::default()).unwrap();
                stage::assemble(&plan, fitted)
            }),
        ),
        (
            "reading the same files, nothing else",
            repeat(300, || {
                sources()
                    .iter()
                    .map(|p| std::fs::read(p).unwrap().len())
                    .sum::<usize>()
            }),
        ),
    ];
    for (name, (best, median)) in rows {
        println!("  {name:<38} {:>7.3} ms {:>7.3} ms", ms(best), ms(median));
    }
}

/// Time and peak memory of whole builds, as sources grow.
fn growth() {
    println!("\ngrowth: ten documents in one group, whole process (median of 15) and peak memory");
    let dir = tempfile::tempdir().unwrap();
    for total in [10_000, 100_000, 1_000_000, 10_000_000] {
        let folder = dir.path().join(total.to_string());
        std::fs::create_dir(&folder).unwrap();
        for n in 0..10 {
            let line = format!(
                "- Document {n} says the same thing again, in a line of ordinary length.\n"
            );
            let text = line.repeat(total / 10 / line.len() + 1);
            std::fs::write(folder.join(format!("{n}.md")), text).unwrap();
        }
        let manifest = folder.join("promptc.kdl");
        std::fs::write(
            &manifest,
            "promptc 1\nroot workspace default=\".\"\ntier t {\n    layer l {\n        glob \"*.md\"\n        template \"# All\\n{% for d in documents %}## {{ d.name }}\\n{{ d.text }}\\n{% endfor %}\"\n    }\n}\n",
        )
        .unwrap();
        let command = words(&[
            PROMPTC,
            "build",
            "-q",
            "-m",
            &manifest.display().to_string(),
        ]);
        let (time, _) = in_turn(std::slice::from_ref(&command), 15)[0];
        let peak = peak_kib(&command).map_or("not measured (no /usr/bin/time)".to_owned(), |k| {
            format!("{} MiB", k / 1024)
        });
        println!("  {total:>10} bytes {:>8.1} ms   {peak}", ms(time));
    }
}

fn peak_kib(command: &[String]) -> Option<u64> {
    let output = Command::new("/usr/bin/time")
        .args(["-f", "%M"])
        .args(command)
        .stdout(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8_lossy(&output.stderr)
        .lines()
        .last()?
        .trim()
        .parse()
        .ok()
}

/// The 30 KB task: ten files, 42 KB, rendered with headings and cut to at most 30,000 characters.
fn peers() {
    println!("\nten files of 42 KB rendered and cut to 30,000 characters, whole process");
    let dir = tempfile::tempdir().unwrap();
    for n in 0..10 {
        let line =
            format!("- Rule {n}: say what was done, what was not, and which file shows it.\n");
        std::fs::write(
            dir.path().join(format!("{n}.md")),
            line.repeat(4_200 / line.len()),
        )
        .unwrap();
    }
    let manifest = dir.path().join("promptc.kdl");
    std::fs::write(
        &manifest,
        "promptc 1\nroot workspace default=\".\"\ntier t {\n    layer l {\n        glob \"*.md\"\n        template \"{% for d in documents %}## {{ d.name }}\\n{{ d.text }}\\n\\n{% endfor %}\"\n        budget 30000\n    }\n}\n",
    )
    .unwrap();
    let script = dir.path().join("yardstick.py");
    std::fs::write(
        &script,
        "import glob, os, sys, jinja2\nd = os.path.dirname(os.path.abspath(__file__))\ndocs = [(os.path.basename(p), open(p, encoding='utf-8').read()) for p in sorted(glob.glob(d + '/*.md'))]\nt = jinja2.Template('{% for n, x in docs %}## {{ n }}\\n{{ x }}\\n\\n{% endfor %}')\nsys.stdout.write(t.render(docs=docs)[:30000])\n",
    )
    .unwrap();
    let ours = words(&[
        PROMPTC,
        "build",
        "-q",
        "-m",
        &manifest.display().to_string(),
    ]);
    let theirs = words(&["python3", &script.display().to_string()]);
    if has_jinja2() {
        let figures = in_turn(&[ours, theirs], 15);
        println!("  promptc {:>36.2} ms", ms(figures[0].0));
        println!(
            "  jinja2 (python3, same run) {:>17.2} ms   {:.0} x",
            ms(figures[1].0),
            figures[1].1
        );
    } else {
        let figures = in_turn(&[ours], 15);
        println!("  promptc {:>36.2} ms", ms(figures[0].0));
        println!("  jinja2: not measured (python3 with jinja2 is not installed here)");
    }
    println!(
        "  measured elsewhere on 2026-11-21, another machine: jinja2 106 ms, prompt-tsx 138, priomptipy 152,"
    );
    println!("  dotprompt 181, prompt-poet 428, PromptL 456, poml 1,194");
}

fn has_jinja2() -> bool {
    let import = Command::new("python3")
        .args(["-c", "import jinja2"])
        .output();
    import.is_ok_and(|o| o.status.success())
}

/// `diff` of two artifacts and of two long texts, compared with programs that only read them.
fn compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let build = |name: &str, now: &str| {
        let out = path(name);
        run(&words(&[
            PROMPTC, "build", "-q", "-m", EXAMPLE, "--now", now, "--format", "json", "-o", &out,
        ]));
        out
    };
    let (old, new) = (
        build("old.json", "2026-03-30T09:00:00Z"),
        build("new.json", "2026-03-31T09:00:00Z"),
    );
    let size = std::fs::metadata(&old).unwrap().len();
    println!("diff of two artifacts of {size} bytes each");
    let commands = [
        words(&["cat", &old, &new]),
        words(&[PROMPTC, "diff", &old, &new]),
        words(&[PROMPTC, "diff", "--format", "json", &old, &new]),
    ];
    let names = ["cat of both", "promptc diff", "promptc diff --format json"];
    for (name, (time, ratio)) in names.iter().zip(in_turn(&commands, 100)) {
        println!("  {name:<30} {:>7.2} ms   {ratio:>5.2} x cat", ms(time));
    }
    replayed(folder.path());
    let [old, new] = [(u64::MAX, "old.txt"), (7, "new.txt")].map(|(each, name)| {
        let line = |n: u64| {
            let edit = if n > 150_000 && n.is_multiple_of(each) {
                " edited"
            } else {
                ""
            };
            format!("line {n}: what stands here is as long as a sentence of a rule{edit}\n")
        };
        let text: String = (0..300_000).map(line).collect();
        std::fs::write(path(name), text).unwrap();
        path(name)
    });
    let size = std::fs::metadata(&old).unwrap().len();
    println!("diff of two texts of {size} bytes each");
    // `cmp` says that they differ by its exit code.
    let cmp = format!("cmp {old} {new} || true");
    let commands = [
        words(&["sh", "-c", &cmp]),
        words(&[PROMPTC, "diff", "-m", "builtin:minimal@1", &old, &new]),
    ];
    for (name, (time, ratio)) in ["cmp", "promptc diff"].iter().zip(in_turn(&commands, 15)) {
        println!("  {name:<30} {:>7.2} ms   {ratio:>5.2} x cmp", ms(time));
    }
    if let Some(peak) = peak_kib(&commands[1]) {
        println!("  peak memory of promptc diff {:>7.1} MiB", peak_mib(peak));
    }
}

/// `diff` with changed documents, whose causes builds prove, compared with one build: of the example, and of a folder.
fn replayed(folder: &Path) {
    let example = folder.join("example");
    let copied = example.display().to_string();
    let source = Path::new(EXAMPLE).parent().unwrap().display().to_string();
    run(&words(&["cp", "-r", &source, &copied]));
    let one = [example.join("workspace/SOUL.md")];
    of_changed("the example with one changed document", &example, &one);
    for number in [50, 1_000] {
        let many = folder.join(format!("many{number}"));
        std::fs::create_dir_all(many.join("docs")).unwrap();
        let manifest = "promptc 1\nroot workspace default=\".\"\ntier t { layer docs { glob \"docs/*.md\" } }\n";
        std::fs::write(many.join("promptc.kdl"), manifest).unwrap();
        let document = |at: usize| {
            let path = many.join(format!("docs/{at:04}.md"));
            let line = "A line of some length that says little.\n";
            std::fs::write(&path, format!("# Document {at}\n\n{}", line.repeat(20))).unwrap();
            path
        };
        let all: Vec<PathBuf> = (0..number).map(document).collect();
        of_changed(
            &format!("a folder with {number} changed documents"),
            &many,
            &all,
        );
    }
}

/// The figures of a comparison after `changed` were edited.
fn of_changed(what: &str, folder: &Path, changed: &[PathBuf]) {
    let path = |name: &str| folder.join(name).display().to_string();
    let (manifest, old) = (path("promptc.kdl"), path("old.json"));
    let now = ["-q", "-m", &manifest, "--now", "2026-03-30T09:00:00Z"];
    let with =
        |command: &str, more: &[&str]| words(&[&[PROMPTC, command], &now[..], more].concat());
    run(&with("build", &["--format", "json", "-o", &old]));
    for path in changed {
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::write(
            path,
            text.replacen(" a ", " one ", 1)
                .replacen(" some ", " any ", 1),
        )
        .unwrap();
    }
    let commands = [
        with("build", &["--format", "json", "-o", &path("new.json")]),
        with("diff", &[&old]),
    ];
    let peaks: Vec<Option<u64>> = commands.iter().map(|command| peak_kib(command)).collect();
    println!("{what}");
    let names = ["promptc build", "promptc diff"];
    for ((name, (time, ratio)), peak) in names.iter().zip(in_turn(&commands, 20)).zip(peaks) {
        let peak = peak.map_or(String::new(), |peak| format!("{:>9.1} MiB", peak_mib(peak)));
        println!(
            "  {name:<30} {:>7.2} ms   {ratio:>5.2} x build{peak}",
            ms(time)
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn peak_mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}
