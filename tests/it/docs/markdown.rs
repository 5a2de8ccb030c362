//! Reading the documentation: fences, headings and tables of a Markdown page.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A fenced block.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    /// The words after the backticks: the language, then the instructions for the tests.
    pub(crate) info: Vec<String>,
    /// The text between the two lines of backticks, final newline included.
    pub(crate) text: String,
    /// Where that is in the page.
    pub(crate) body: Range<usize>,
    /// The line of the opening backticks, from 1.
    pub(crate) line: usize,
    /// The number of headings before it.
    pub(crate) section: usize,
}

/// A page of the repository.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its path in the repository.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) fences: Vec<Fence>,
    /// Level and words of each heading.
    pub(crate) headings: Vec<(usize, String)>,
    /// The cells of each row of each table, with the number of headings before it.
    pub(crate) rows: Vec<(usize, Vec<String>)>,
    /// The page without fences and comments.
    pub(crate) prose: String,
}

impl Fence {
    pub(crate) fn language(&self) -> &str {
        self.info.first().map_or("", String::as_str)
    }

    /// The words after the language.
    pub(crate) fn orders(&self) -> Vec<&str> {
        self.info.iter().skip(1).map(String::as_str).collect()
    }

    /// The value of `name=value` in the info string.
    pub(crate) fn order(&self, name: &str) -> Option<&str> {
        let value = |word: &&str| Some(word.split_once('=')?.0 == name);
        let word = self
            .orders()
            .into_iter()
            .find(|w| value(w).unwrap_or(false))?;
        Some(word.split_once('=')?.1)
    }
}

impl Page {
    /// The page at `path` in the repository.
    pub(crate) fn read(path: &str) -> Self {
        let text = fs::read_to_string(top().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        Self::parse(path, text)
    }

    pub(crate) fn parse(path: &str, text: String) -> Self {
        let mut page = Self {
            path: path.to_owned(),
            text: String::new(),
            fences: Vec::new(),
            headings: Vec::new(),
            rows: Vec::new(),
            prose: String::new(),
        };
        let mut open: Option<(String, Fence)> = None;
        let mut in_comment = false;
        let mut at = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let start = at;
            at += line.len();
            if let Some((ticks, fence)) = &mut open {
                if line.trim_end() == ticks {
                    fence.body.end = start;
                    fence.text = text[fence.body.clone()].to_owned();
                    page.fences.extend(open.take().map(|(_, f)| f));
                }
            } else if in_comment || line.starts_with("<!--") {
                in_comment = !line.contains("-->");
            } else if line.starts_with("```") {
                let info = line.trim_start_matches('`');
                let ticks = line[..line.len() - info.len()].to_owned();
                let fence = Fence {
                    info: info.split_whitespace().map(str::to_owned).collect(),
                    text: String::new(),
                    body: at..at,
                    line: number + 1,
                    section: page.headings.len(),
                };
                open = Some((ticks, fence));
            } else {
                page.prose_line(line);
            }
        }
        assert!(open.is_none(), "{path}: a fence is not closed");
        page.text = text;
        page
    }

    fn prose_line(&mut self, line: &str) {
        self.prose.push_str(line);
        let words = line.trim_start_matches('#');
        let level = line.len() - words.len();
        if (1..=6).contains(&level) && words.starts_with(' ') {
            self.headings.push((level, words.trim().to_owned()));
        }
        if let Some(row) = line.trim_end().strip_prefix('|') {
            self.rows.push((self.headings.len(), cells(row)));
        }
    }

    /// The words of the heading above.
    pub(crate) fn heading(&self, section: usize) -> &str {
        section
            .checked_sub(1)
            .map_or("", |at| self.headings[at].1.as_str())
    }

    /// The location of a fence, for messages.
    pub(crate) fn place(&self, fence: &Fence) -> String {
        format!("{}:{}", self.path, fence.line)
    }

    /// The page with the bodies of some fences replaced.
    pub(crate) fn with(&self, mut edits: Vec<(Range<usize>, String)>) -> String {
        edits.sort_by_key(|(range, _)| range.start);
        let mut text = self.text.clone();
        for (range, new) in edits.into_iter().rev() {
            text.replace_range(range, &new);
        }
        text
    }
}

/// The cells of a table row without its first `|`; `\|` is an escaped `|`.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'|') => {
                chars.next();
                cells.last_mut().unwrap().push('|');
            }
            '|' => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    // After the last `|` there is no cell.
    cells.pop();
    cells.iter().map(|c| c.trim().to_owned()).collect()
}

/// The content of a code span: the outer backticks go, and one blank at each side if both sides have one.
pub(crate) fn span(cell: &str) -> Option<String> {
    let inner = cell.trim_start_matches('`');
    let ticks = &cell[..cell.len() - inner.len()];
    let inner = inner.strip_suffix(ticks).filter(|_| !ticks.is_empty())?;
    let bare = inner.strip_prefix(' ').and_then(|i| i.strip_suffix(' '));
    Some(bare.unwrap_or(inner).to_owned())
}

/// GitHub's name of a heading in links.
pub(crate) fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The repository.
pub(crate) fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of a folder's entries, in order.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Every page whose examples and commands are tested.
pub(crate) fn pages() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    for page in entries(&top().join("docs")) {
        let name = page.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".md") {
            paths.push(format!("docs/{name}"));
        }
    }
    for folder in ["docs/checks", "docs/dev"] {
        for page in entries(&top().join(folder)) {
            let name = page.file_name().unwrap().to_str().unwrap();
            paths.push(format!("{folder}/{name}"));
        }
    }
    for example in entries(&top().join("examples")) {
        let name = example.file_name().unwrap().to_str().unwrap();
        paths.push(format!("examples/{name}/README.md"));
    }
    paths.iter().map(|path| Page::read(path)).collect()
}

#[test]
fn a_page_is_read() {
    let text = "# A b\n<!--\n```no\n-->\n| `x \\| y` | ```` ` ```` |\n````kdl  file=a.kdl\n# no heading\n```\n````\n## C\n";
    let page = Page::parse("p.md", text.to_owned());
    assert_eq!(page.headings, [(1, "A b".to_owned()), (2, "C".to_owned())]);
    let [fence] = &page.fences[..] else {
        panic!("one fence");
    };
    assert_eq!(fence.text, "# no heading\n```\n");
    assert_eq!(
        (fence.language(), fence.order("file")),
        ("kdl", Some("a.kdl"))
    );
    assert_eq!((fence.line, fence.section), (6, 1));
    let (_, row) = &page.rows[0];
    let row: Vec<Option<String>> = row.iter().map(|c| span(c)).collect();
    assert_eq!(row, [Some("x | y".to_owned()), Some("`".to_owned())]);
    assert!(
        page.with(vec![(fence.body.clone(), "new\n".to_owned())])
            .contains("a.kdl\nnew\n````\n")
    );
    assert_eq!(anchor("Lets & what-not, 2"), "lets--what-not-2");
}
