//! An index of many skills, compared with a plain reader of the same files.

use super::{PROMPTC, files_below, in_turn, ms, peak_kib, peak_mib, words};
use std::path::{Path, PathBuf};
use std::thread;

/// The argument that makes this program the plain reader.
const READ: &str = "--read-skills";

/// Reads every `SKILL.md` below the folder after [`READ`], if present, in as many threads as are given after it, and
/// does nothing else.
pub(super) fn read_and_end() -> bool {
    let mut args = std::env::args().skip_while(|arg| arg != READ);
    let Some(folder) = args.nth(1) else {
        return false;
    };
    let mut files = Vec::new();
    files_below(Path::new(&folder), &mut files);
    files.retain(|f| f.ends_with("SKILL.md"));
    let number = args.next().map_or(1, |number| number.parse().unwrap());
    let read = |files: &[PathBuf]| -> usize {
        let sizes = files.iter().map(|f| std::fs::read(f).unwrap().len());
        sizes.sum()
    };
    let bytes: usize = thread::scope(|scope| {
        let parts = files.chunks(files.len().div_ceil(number));
        let readers: Vec<_> = parts.map(|part| scope.spawn(|| read(part))).collect();
        readers
            .into_iter()
            .map(|reader| reader.join().unwrap())
            .sum()
    });
    assert!(bytes > 0);
    true
}

/// Indexes of 100, 2,000 and 10,000 skills.
pub(super) fn figures() {
    println!(
        "\nan index of skills, whole process (median of 9), beside a plain reader of the same files"
    );
    let reader = std::env::current_exe().unwrap().display().to_string();
    for count in [100, 2_000, 10_000] {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).display().to_string();
        let bytes = lay_out(dir.path(), count);
        let build = |name: &str| words(&[PROMPTC, "build", "-q", "-m", &path(name)]);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let commands = [
            words(&[&reader, READ, &path("home"), &threads.to_string()]),
            words(&[&reader, READ, &path("home")]),
            build("lines.kdl"),
            build("index.kdl"),
            build("chosen.kdl"),
            build("fitted.kdl"),
        ];
        println!("  {count} skills, {bytes} bytes");
        let names = [
            "walking, and reading in as many threads",
            "the same in one thread",
            "promptc, one line each",
            "promptc, by category and name",
            "the same with `hide`, `deny` and `shadow`",
            "the same, in a budget of whole entries",
        ];
        for (name, (time, ratio)) in names.iter().zip(in_turn(&commands, 9)) {
            println!("    {name:<44} {:>8.1} ms {ratio:>6.1}", ms(time));
        }
        if let Some(peak) = peak_kib(&commands[4]) {
            println!("    peak memory with `hide` {:>26.1} MiB", peak_mib(peak));
        }
    }
}

/// Writes so many skills and the manifests that index them; gives the bytes of the skills.
pub(super) fn lay_out(dir: &Path, count: usize) -> usize {
    const WORDS: [&str; 12] = [
        "read", "write", "check", "change", "review", "tests", "build", "deploy", "note", "list",
        "open", "file",
    ];
    let words = |seed: usize, many: usize| -> String {
        let word = |at: usize| WORDS[(seed * 7 + at * at + at) % WORDS.len()];
        (0..many).map(word).collect::<Vec<_>>().join(" ")
    };
    let mut bytes = 0;
    for n in 0..count {
        let folder = dir.join(format!("home/skills/cat-{:02}/skill-{n:05}", n % 40));
        std::fs::create_dir_all(&folder).unwrap();
        let body = format!("# Skill {n}\n\n{}\n", words(n, 240));
        let text = format!(
            "---\nname: skill-{n:05}\ndescription: Use it to {}.\n---\n{body}",
            words(n, 12)
        );
        bytes += text.len();
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    let write = |name: &str, layer: &str| {
        let text = format!(
            "promptc 1\nroot home default=\"home\"\nfact off list {{ default \"skill-00007\" }}\ntier t {{\n    layer skills {{\n{layer}\n    }}\n}}\n"
        );
        std::fs::write(dir.join(name), text).unwrap();
    };
    const CHOSEN: &str = "skills \"skills\" root=home { shadow; deny (fact)off; hide \"{{ meta.hidden | default('') }}\" }";
    const TEMPLATE: &str = "template \"{% for category, list in entries | groupby('category') %}{{ category }}\\n{% for e in list | sort(attribute='name') %}- {{ e.name }}: {{ e.description }}\\n{% endfor %}{% endfor %}\"";
    write("lines.kdl", "skills \"skills\" root=home");
    write(
        "index.kdl",
        &format!("skills \"skills\" root=home\n{TEMPLATE}"),
    );
    write("chosen.kdl", &format!("{CHOSEN}\n{TEMPLATE}"));
    write(
        "fitted.kdl",
        &format!("{CHOSEN}\n{TEMPLATE}\nbudget 8000 at=entry"),
    );
    bytes
}
