//! Prompts per second from lines of facts, compared with jinja2 in one process.

use super::{PROMPTC, has_jinja2, in_turn, peak_kib, peak_mib, words};

/// The program that renders a line of facts in one process of Python; `DOCS` is the folder of the documents.
const YARDSTICK: &str = r#"import glob, json, os, sys, jinja2
d = os.path.dirname(os.path.abspath(__file__))
def read():
    return [(os.path.basename(p), open(p, encoding='utf-8').read()) for p in sorted(glob.glob(d + '/*.md'))]
t = jinja2.Template('{% for n, x in docs %}## {{ n }}\n{{ x }}\n\n{% endfor %}You are talking to {{ user }}.')
docs = read()
for line in open(d + '/facts.jsonl', encoding='utf-8'):
    text = t.render(docs=DOCS, **json.loads(line))
    sys.stdout.write(json.dumps({'text': text[:27000] + text[-3000:]}) + '\n')
"#;

/// A batch of the same task, with a fact in each line.
pub(super) fn figures() {
    const LINES: u32 = 5_000;
    println!(
        "\nthe same with a fact from each of {LINES} lines, one process (median of 7), prompts a second"
    );
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for n in 0..10 {
        let line =
            format!("- Rule {n}: say what was done, what was not, and which file shows it.\n");
        write(&format!("{n}.md"), &line.repeat(4_200 / line.len()));
    }
    write(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\nfact user string\ntier t {\n    layer l {\n        glob \"*.md\"\n        template \"{% for d in documents %}## {{ d.name }}\\n{{ d.text }}\\n\\n{% endfor %}You are talking to {{ user }}.\"\n        budget 30000 head=0.9 tail=0.1 marker=\"\"\n    }\n}\n",
    );
    let lines: String = (0..LINES)
        .map(|n| format!("{{\"user\": \"user {n}\"}}\n"))
        .collect();
    write("facts.jsonl", &lines);
    write("once.py", &YARDSTICK.replace("DOCS", "docs"));
    write("anew.py", &YARDSTICK.replace("DOCS", "read()"));
    let (manifest, facts) = (path("promptc.kdl"), path("facts.jsonl"));
    let ours = |jobs: &str| {
        words(&[
            PROMPTC, "build", "-q", "-m", &manifest, "--batch", &facts, "--jobs", jobs,
        ])
    };
    let mut commands = vec![ours("2"), ours("1")];
    if has_jinja2() {
        commands.push(words(&["python3", &path("once.py")]));
        commands.push(words(&["python3", &path("anew.py")]));
    }
    let names = [
        "promptc, two threads",
        "promptc, one thread",
        "jinja2 (python3), files read once",
        "jinja2 (python3), files read for each line",
    ];
    for (name, (time, _)) in names.iter().zip(in_turn(&commands, 7)) {
        let rate = f64::from(LINES) / time.as_secs_f64();
        println!("  {name:<44} {rate:>7.0}");
    }
    if let Some(peak) = peak_kib(&commands[0]) {
        println!("  peak memory of two threads {:>24.1} MiB", peak_mib(peak));
    }
    if commands.len() == 2 {
        println!("  jinja2: not measured (python3 with jinja2 is not installed here)");
    }
}
