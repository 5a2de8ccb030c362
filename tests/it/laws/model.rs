//! A manifest as data, and its KDL.

use std::fmt::Write as _;

/// Numbers of a budget and how it cuts.
#[derive(Debug, Clone, Default)]
pub(super) struct Budget {
    pub(super) one: Option<usize>,
    pub(super) each: Option<usize>,
    pub(super) total: Option<usize>,
    pub(super) floor: Option<usize>,
    pub(super) unit: &'static str,
    pub(super) head: Option<f64>,
    pub(super) tail: Option<f64>,
    pub(super) marker: Option<String>,
    pub(super) outside: bool,
    pub(super) at: Option<&'static str>,
    pub(super) step: Option<usize>,
}

/// Transforms of a node or layer. The switches of a tier are written with it.
#[derive(Debug, Clone, Default)]
pub(super) struct Steps {
    pub(super) newlines: Option<bool>,
    pub(super) bom: Option<bool>,
    pub(super) trim: Option<bool>,
    pub(super) frontmatter: Option<&'static str>,
    pub(super) comments: bool,
    pub(super) imports: Option<&'static str>,
    pub(super) scan: Option<&'static str>,
    pub(super) wrap: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Text(String),
    Fact(&'static str),
    /// Names; `(fact)names` is replaced by the fact of that name.
    File(Vec<&'static str>),
    Glob(Vec<&'static str>, Option<&'static str>),
    Json(&'static str),
    /// A file of entries, and the properties after its name.
    Memory(&'static str, &'static str),
    /// A folder of skills, and the nodes in the braces.
    Skills(&'static str, Vec<&'static str>),
    Template(String),
    First(Vec<Node>),
    All(Option<String>, Vec<Node>),
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Properties, as written.
    pub(super) props: Vec<String>,
    pub(super) root: Option<&'static str>,
    pub(super) when: Option<&'static str>,
    pub(super) climbs: Option<&'static str>,
    pub(super) steps: Steps,
    pub(super) budgets: Vec<Budget>,
}

#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub(super) name: String,
    pub(super) when: Option<String>,
    pub(super) content: Option<Node>,
    pub(super) part: Option<Node>,
    pub(super) template: Option<String>,
    pub(super) steps: Steps,
    pub(super) budgets: Vec<Budget>,
}

#[derive(Debug, Clone)]
pub(super) struct Tier {
    pub(super) name: String,
    pub(super) deliver: Option<&'static str>,
    pub(super) changes: Option<&'static str>,
    pub(super) join: Option<String>,
    pub(super) steps: Steps,
    pub(super) layers: Vec<Layer>,
}

#[derive(Debug, Clone)]
pub(super) struct Manifest {
    pub(super) join: Option<String>,
    pub(super) tiers: Vec<Tier>,
}

impl Kind {
    /// The word of the content node.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Fact(_) => "fact",
            Self::File(_) => "file",
            Self::Glob(..) => "glob",
            Self::Json(_) => "json",
            Self::Memory(..) => "memory",
            Self::Skills(..) => "skills",
            Self::Template(_) => "template",
            Self::First(_) => "first",
            Self::All(..) => "all",
        }
    }
}

impl Node {
    pub(super) fn members(&self) -> &[Node] {
        match &self.kind {
            Kind::First(members) | Kind::All(_, members) => members,
            _ => &[],
        }
    }

    /// This node and all below it.
    pub(super) fn all(&self) -> Vec<&Node> {
        let mut out = vec![self];
        out.extend(self.members().iter().flat_map(Node::all));
        out
    }
}

impl Layer {
    /// Every node of the layer.
    pub(super) fn nodes(&self) -> Vec<&Node> {
        self.content
            .iter()
            .chain(&self.part)
            .flat_map(Node::all)
            .collect()
    }
}

impl Manifest {
    pub(super) fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.tiers.iter().flat_map(|t| &t.layers)
    }
}

/// A KDL string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // A character that KDL forbids, or takes for a line end, is written as a number.
            c if c.is_control()
                || matches!(c, '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}') =>
            {
                _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// `template "…"`, or the file if the text begins with `file:`.
fn program(kind: &str, text: &str) -> String {
    match text.strip_prefix("file:") {
        Some(file) => format!("{kind} file={}", quoted(file)),
        None => format!("{kind} {}", quoted(text)),
    }
}

impl Budget {
    fn kdl(&self) -> String {
        let mut out = String::from("budget");
        let mut number = |name: &str, n: Option<usize>| {
            if let Some(n) = n {
                _ = write!(out, " {name}{n}");
            }
        };
        number("", self.one);
        number("each=", self.each);
        number("total=", self.total);
        number("floor=", self.floor);
        if self.unit != "chars" {
            _ = write!(out, " {}", self.unit);
        }
        for (name, fraction) in [("head", self.head), ("tail", self.tail)] {
            if let Some(fraction) = fraction {
                _ = write!(out, " {name}={fraction:?}");
            }
        }
        if let Some(at) = self.at {
            _ = write!(out, " at={at}");
        }
        if let Some(step) = self.step {
            _ = write!(out, " step={step}");
        }
        if let Some(marker) = &self.marker {
            _ = write!(out, " marker={}", quoted(marker));
        }
        if self.outside {
            out.push_str(" marker-outside=#true");
        }
        out
    }
}

impl Steps {
    pub(super) fn kdl(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (name, on) in [
            ("newlines", self.newlines),
            ("bom", self.bom),
            ("trim", self.trim),
        ] {
            out.extend(on.map(|on| format!("{name} #{on}")));
        }
        out.extend(self.frontmatter.map(|f| format!("frontmatter {f}")));
        out.extend(self.comments.then(|| "comments strip".to_owned()));
        out.extend(self.imports.map(|i| format!("imports at {i}")));
        out.extend(self.scan.map(|s| format!("scan {s}")));
        out.extend(self.wrap.as_ref().map(|w| program("wrap", w)));
        out
    }
}

fn name_or_fact(name: &str) -> String {
    match name.strip_prefix("(fact)") {
        Some(fact) => format!("(fact){fact}"),
        None => quoted(name),
    }
}

impl Node {
    fn kdl(&self) -> String {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|n| name_or_fact(n))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let mut inside = self.steps.kdl();
        inside.extend(self.budgets.iter().map(Budget::kdl));
        let word = self.kind.word();
        let mut out = match &self.kind {
            Kind::Text(text) => format!("{word} {}", quoted(text)),
            Kind::Fact(name) => format!("{word} {name}"),
            Kind::File(files) => format!("{word} {}", names(files)),
            Kind::Glob(patterns, exclude) => {
                inside.extend(exclude.map(|e| format!("exclude {}", quoted(e))));
                format!("{word} {}", names(patterns))
            }
            Kind::Json(file) => format!("{word} {}", quoted(file)),
            Kind::Memory(file, rest) => format!("{word} {} {rest}", quoted(file)),
            Kind::Skills(folder, rules) => {
                inside.extend(rules.iter().map(|r| (*r).to_owned()));
                format!("{word} {}", quoted(folder))
            }
            Kind::Template(text) => program(word, text),
            Kind::All(Some(join), _) => format!("{word} join={}", quoted(join)),
            Kind::First(_) | Kind::All(None, _) => word.to_owned(),
        };
        inside.extend(self.members().iter().map(Node::kdl));
        for prop in &self.props {
            _ = write!(out, " {prop}");
        }
        if let Some(root) = self.root {
            _ = write!(out, " root={root}");
        }
        if let Some(when) = self.when {
            _ = write!(out, " when={}", quoted(when));
        }
        if let Some(search) = self.climbs {
            _ = write!(out, " search={search} from=deep");
        }
        braces(out, &inside)
    }
}

/// `head { inside }`, one a line.
fn braces(head: String, inside: &[String]) -> String {
    if inside.is_empty() {
        return head;
    }
    format!("{head} {{\n{}\n}}", inside.join("\n"))
}

impl Layer {
    fn kdl(&self) -> String {
        let mut head = format!("layer {}", self.name);
        if let Some(when) = &self.when {
            _ = write!(head, " when={}", quoted(when));
        }
        let mut inside: Vec<String> = self.content.iter().map(Node::kdl).collect();
        inside.extend(
            self.part
                .iter()
                .map(|p| format!("part p1 {{\n{}\n}}", p.kdl())),
        );
        inside.extend(self.steps.kdl());
        inside.extend(self.template.as_ref().map(|t| program("template", t)));
        inside.extend(self.budgets.iter().map(Budget::kdl));
        braces(head, &inside)
    }
}

impl Tier {
    fn kdl(&self) -> String {
        let mut head = format!("tier {}", self.name);
        for (name, value) in [("deliver", self.deliver), ("changes", self.changes)] {
            if let Some(value) = value {
                _ = write!(head, " {name}={value}");
            }
        }
        if let Some(join) = &self.join {
            _ = write!(head, " join={}", quoted(join));
        }
        let mut inside = self.steps.kdl();
        inside.extend(self.layers.iter().map(Layer::kdl));
        braces(head, &inside)
    }
}

/// The declarations of every sample.
const DECLARED: &str = r#"root workspace default="ws" as="/srv/ws"
root deep default="ws/sub"
root rules many=#true { default "r1" "r2" "not-there" }
root project above=workspace holding="promptc.kdl"
root gone default="nowhere"
fact s1 string default="first"
fact s2 string optional=#true
fact n int default=7
fact x float default=2.5
fact b bool default=#false
fact l list { default one two }
fact names list { default "a.md" "notes/*.md" }
fact d date default="2026-03-30"
fact t datetime default="2026-03-30T09:00:00Z"
fact m map optional=#true
fact size int default=30
let both "b and n > 3"
let shout "s1 | upper"
scan words normalize=nfkc {
    scopes all context strict
    invisible-unicode
    rule heading "(?i)# heading" unless="[.!?] *$"
    rule row "- two" scope=context
    rule mark "@[a-z]" scope=strict
}
"#;

impl Manifest {
    pub(super) fn kdl(&self) -> String {
        let mut out = String::from("promptc 1\nname sample\n");
        if let Some(join) = &self.join {
            _ = writeln!(out, "join {}", quoted(join));
        }
        out.push_str(DECLARED);
        for tier in &self.tiers {
            _ = writeln!(out, "{}", tier.kdl());
        }
        out
    }
}
