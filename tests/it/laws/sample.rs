//! Random manifests with the files and facts that they are built from.

use super::choices::Choices;
use super::content;
use super::model::{Budget, Kind, Layer, Manifest, Node, Steps, Tier};
use promptc::source::SourceKind;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// One random build.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) manifest: Manifest,
    /// Path to bytes, the manifest among them.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    pub(super) facts: Map<String, Value>,
    pub(super) sets: Vec<(String, String)>,
}

/// The location of the manifest among the files.
pub(super) const MANIFEST: &str = "agent/promptc.kdl";

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.manifest.kdl())?;
        for (path, bytes) in self.files.iter().filter(|(path, _)| *path != MANIFEST) {
            writeln!(f, "-- {path}: {:?}", String::from_utf8_lossy(bytes))?;
        }
        writeln!(
            f,
            "-- facts: {}, sets: {:?}",
            Value::from(self.facts.clone()),
            self.sets
        )
    }
}

/// Which parts of the language a sample may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Features {
    /// Budgets.
    pub(super) budgets: bool,
    /// The other steps that remove or rewrite text.
    pub(super) programs: bool,
}

/// Everything.
pub(super) const ALL: Features = Features {
    budgets: true,
    programs: true,
};

/// Only what takes nothing away.
pub(super) const PLAIN: Features = Features {
    budgets: false,
    programs: false,
};

/// Random samples.
pub(super) fn sample(features: Features) -> impl Strategy<Value = Sample> {
    vec(any::<u16>(), 50..900).prop_map(move |row| make(&Choices::new(&row), features))
}

/// The sample of a row of choices.
pub(super) fn make(choices: &Choices, features: Features) -> Sample {
    let make = Maker {
        c: choices,
        features,
    };
    // Small things first, so that a row which runs out ends in a smaller manifest.
    let (facts, sets) = make.facts();
    let mut files = make.files();
    let manifest = make.manifest();
    files.insert(MANIFEST.to_owned(), manifest.kdl().into_bytes());
    Sample {
        manifest,
        files,
        facts,
        sets,
    }
}

/// Names that sources may look for.
const NAMES: &[&str] = &[
    "a.md",
    "b.md",
    "notes/x.md",
    "notes/y.md",
    "sub/a.md",
    "sub/deep/z.md",
    "c.txt",
    "ü 文.md",
    "not-there.md",
];
const PATTERNS: &[&str] = &[
    "*.md",
    "**/*.md",
    "notes/*",
    "sub/**",
    "[a-b].{md,txt}",
    "none/*",
];
const JOINS: &[&str] = &["\n\n", " ", "", "\n---\n", " § ", "e\u{301}"];

/// The nodes that are allowed in the braces of `skills`, each at most once.
const SKILL_RULES: &[&str] = &[
    "shadow",
    "hide \"{% if meta.title %}titled{% endif %}\"",
    "deny \"b*\"",
    "exclude \"y\" \"deep\"",
];
/// Where skills may be.
const SKILLS: &[&str] = &[
    "skills/x/SKILL.md",
    "skills/x/one/SKILL.md",
    "skills/x/scripts/two/SKILL.md",
    "skills/y/SKILL.md",
    "skills/b ü/SKILL.md",
];

/// Template files of every sample.
const TEMPLATE_FILES: &[(&str, &str)] = &[
    (
        "agent/list.md.j2",
        "{% for d in documents %}\n<{{ d.name | xml }}>{{ d.text }}</>\n{% endfor %}\nend\n",
    ),
    ("agent/templates/part.md.j2", "Included: {{ s1 }}.\r\n"),
    (
        "agent/templates/both.md.j2",
        "\u{FEFF}{% include 'part.md.j2' %}\n\n{{ content }}\n\n",
    ),
    (
        "agent/templates/plain.md.j2",
        "{% include 'part.md.j2' %} n={{ n }}\n",
    ),
    ("agent/text/said.md", "A sentence of ours.\n"),
];

/// Templates that see a layer.
const LAYER_TEMPLATES: &[&str] = &[
    "{{ content }}",
    "# Head\n\n{{ content }}\n",
    "file:list.md.j2",
    "file:both.md.j2",
    "{% for d in documents %}{{ loop.index }}. {{ d.label }}: {{ d.text }}{% if not loop.last %}\n--\n{% endif %}{% endfor %}",
    "{{ content | upper }} {{ content }}",
    "{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(content) }}{{ m(s1) }}",
    "{% set t %}<{{ content }}>{% endset %}{{ t }}{{ content }}",
    "{% if b %}yes {{ n }}{% else %}no{% endif %} {{ content }}",
    "{{ content | trim }} {{ d | date('%A, %d %B %Y') }} {{ t }} {{ x }}",
    "{{ content | fence('md') }}\n{{ l | bullet }}",
    "{{ content | replace('a', 'b') }}{{ content | length | thousands }}",
    "  {{ s2 | default('nobody') }}: {{ content | xml }}  ",
    "{% for d in documents if d.chars > 4 %}{{ d.location }}={{ d.text | numbered }}\n{% endfor %}",
    "{% if false %}never{% endif %}",
    "{{ shout }} {{ content }}{{ m | json if m is defined }}",
];

/// Templates that see only facts.
const FACT_TEMPLATES: &[&str] = &[
    "Hello {{ s1 }}.",
    "{% for i in l %}- {{ i }}\n{% endfor %}",
    "file:plain.md.j2",
    "{{ s2 | default('nobody') }}, {{ d }}, {{ shout }}",
    " {% if b %}b{% endif %} ",
    "{{ s1 | sanitize }}{{ s1 }}",
];

const WRAPS: &[&str] = &[
    "{{ text }}",
    "## {{ name }}\n\n{{ text }}",
    "<doc path=\"{{ path }}\" of=\"{{ label }}\">\n{{ text }}\n</doc>\n",
    "{{ total }}/{{ chars }} {{ about }} {{ text | indent }}",
    " \n",
    "{{ text }}{{ meta.title | default('-') }}",
];

const SCANS: &[&str] = &[
    "words",
    "words scope=all on-hit=drop",
    "words scope=context on-hit=warn",
    "words on-hit=replace placeholder=\"[{{ label }} {{ s1 }} {{ findings | map(attribute='id') | join(', ') }}]\"",
    "words scope=all except=\"^#\"",
    "#false",
];

const MARKERS: &[&str] = &[
    "[…]",
    "",
    "\n[cut {{ omitted }}/{{ total }} of {{ label }}: {{ kept_head }}+{{ kept_tail }}]\n",
    "[this marker is far too long for a small budget, so that whatever it stands in is dropped as a whole]",
    "{{ s1 }}",
];

const CONDITIONS: &[&str] = &[
    "not b",
    "b",
    "both",
    "n > 3",
    "s2 is defined",
    "exists('a.md')",
    "exists('notes/x.md', root='rules')",
    "'one' in l",
    "s1 == 'first'",
    "s1 is containing_any(['fir', 'x'])",
];

const FILTERS: &[&str] = &[
    "chars > 3",
    "name != 'a.md'",
    "'a' in text",
    "meta.title is defined",
    "path",
    "n > 3 and not b",
];

struct Maker<'a> {
    c: &'a Choices<'a>,
    features: Features,
}

impl Maker<'_> {
    fn rich(&self, n: usize) -> bool {
        self.features.programs && self.c.odds(n)
    }

    fn manifest(&self) -> Manifest {
        let mut names = Vec::new();
        let tiers = self.c.several(1, 4, |i| self.tier(i, &mut names));
        Manifest {
            join: self.join(3),
            tiers,
        }
    }

    fn join(&self, odds: usize) -> Option<String> {
        self.c.odds(odds).then(|| self.c.of(JOINS).to_owned())
    }

    fn tier(&self, index: usize, names: &mut Vec<String>) -> Tier {
        Tier {
            name: format!("t{index}"),
            deliver: self
                .c
                .odds(6)
                .then(|| self.c.of(&["system", "user", "tools"])),
            changes: self
                .c
                .odds(4)
                .then(|| self.c.of(&["session", "turn", "day"])),
            join: self.join(5),
            steps: self.switches(1),
            layers: self.c.several(1, 4, |_| {
                let layer = self.layer(names);
                names.push(layer.name.clone());
                layer
            }),
        }
    }

    fn switches(&self, odds: usize) -> Steps {
        let switch = || self.rich(odds).then(|| self.c.odds(4));
        Steps {
            newlines: switch(),
            bom: switch(),
            trim: switch(),
            ..Steps::default()
        }
    }

    fn layer(&self, names: &[String]) -> Layer {
        let when = self.c.odds(3).then(|| match names.last() {
            Some(before) if self.rich(6) => format!("loaded('{before}')"),
            _ => self.condition().to_owned(),
        });
        let bare = self.rich(2);
        let content = (!bare).then(|| self.only(3));
        let template = match content {
            None => Some(self.c.of(FACT_TEMPLATES).to_owned()),
            Some(_) => self.rich(6).then(|| self.c.of(LAYER_TEMPLATES).to_owned()),
        };
        let part = (template.is_some() && self.c.odds(3)).then(|| self.only(1));
        let template = template.map(|t| match part {
            Some(_) if !t.starts_with("file:") => format!("{{{{ p1 }}}}{t}"),
            _ => t,
        });
        Layer {
            name: format!("L{}", names.len()),
            when,
            content,
            part,
            template,
            steps: self.steps(1),
            budgets: self.budgets(4, false),
        }
    }

    /// The one content of a layer, where a `template` would be the layer's own.
    fn only(&self, depth: usize) -> Node {
        let mut node = self.node(depth, "workspace");
        if let Kind::Template(text) = &node.kind {
            node.kind = Kind::Text(text.clone());
        }
        node
    }

    fn condition(&self) -> &'static str {
        // A model of the plain ones has no engine.
        if self.features.programs {
            self.c.of(CONDITIONS)
        } else {
            self.c.of(&CONDITIONS[..2])
        }
    }

    fn steps(&self, odds: usize) -> Steps {
        Steps {
            frontmatter: self.rich(odds).then(|| {
                self.c.of(&[
                    "strip",
                    "parse lenient",
                    "parse",
                    "parse lenient yaml=\"1.1\"",
                    "parse lenient yaml=\"1.1\" close=alone",
                    "read lenient",
                    "strip close=dashes",
                ])
            }),
            comments: self.rich(odds),
            imports: self.rich(odds).then(|| {
                self.c
                    .of(&["depth=2", "missing=drop", "depth=9 limit=9999", "depth=1"])
            }),
            scan: self.rich(odds).then(|| self.c.of(SCANS)),
            wrap: self.rich(odds).then(|| self.c.of(WRAPS).to_owned()),
            ..self.switches(odds)
        }
    }

    fn budgets(&self, odds: usize, documents: bool) -> Vec<Budget> {
        if !self.features.budgets || !self.c.odds(odds) {
            return Vec::new();
        }
        self.c.several(1, 2, |_| self.budget(documents))
    }

    fn budget(&self, documents: bool) -> Budget {
        let unit = self.c.of(&["chars", "bytes", "lines"]);
        let sizes: &[usize] = match unit {
            "lines" => &[3, 2, 5, 1, 0, 20],
            _ => &[60, 100, 10, 47, 80, 31, 300, 120, 1, 0, 2000],
        };
        let size = || self.c.of(sizes);
        let of_documents = documents && self.c.odds(8);
        let total = of_documents && self.c.odds(10);
        Budget {
            one: (!of_documents).then(size),
            each: (of_documents && (!total || self.c.odds(8))).then(size),
            total: total.then(size),
            floor: (total && self.c.odds(6)).then(size),
            unit,
            head: self
                .c
                .odds(6)
                .then(|| self.c.of(&[0.7, 0.5, 0.0, 1.0, 0.29])),
            tail: self.c.odds(6).then(|| self.c.of(&[0.2, 0.5, 1.0, 0.0])),
            marker: self.c.odds(9).then(|| self.c.of(MARKERS).to_owned()),
            outside: self.c.odds(3),
            at: self
                .c
                .odds(6)
                .then(|| self.c.of(&["line", "paragraph", "grapheme", "char"])),
            step: self.c.odds(3).then(|| self.c.of(&[7, 2, 30, 0])),
        }
    }

    fn node(&self, depth: usize, root: &'static str) -> Node {
        let own = self.c.odds(5).then(|| {
            self.c
                .of(&["rules", "manifest", "project", "text", "gone", "workspace"])
        });
        let root = own.unwrap_or(root);
        let group = depth > 0 && self.c.odds(7);
        let kind = if group {
            self.group(depth, root)
        } else {
            self.source(root)
        };
        let placed = SourceKind::of(kind.word()).is_some() || group;
        Node {
            climbs: (placed && root == "workspace" && self.rich(2)).then(|| {
                self.c
                    .of(&["up", "every-level", "every-level order=inner-first"])
            }),
            root: own.filter(|_| placed),
            when: self.c.odds(2).then(|| self.condition()),
            props: self.props(),
            steps: self.steps(1),
            budgets: self.budgets(3, true),
            kind,
        }
    }

    fn group(&self, depth: usize, root: &'static str) -> Kind {
        let first = self.c.odds(5);
        let members = self.c.several(1, 4, |_| self.node(depth - 1, root));
        if first {
            Kind::First(members)
        } else {
            Kind::All(self.join(6), members)
        }
    }

    fn source(&self, root: &str) -> Kind {
        // The built-in texts come after the root `text`, and a wide pattern finds them.
        let patterns = if root == "text" {
            &PATTERNS[2..]
        } else {
            PATTERNS
        };
        let programs = self.features.programs;
        match self.c.below(if programs { 18 } else { 10 }) {
            0 | 1 => Kind::Text(content::text(self.c, 3)),
            2..=5 => Kind::File(self.c.several(1, 3, |_| self.c.of(NAMES))),
            6..=8 => Kind::Glob(
                self.c.several(1, 2, |_| self.c.of(patterns)),
                self.c.odds(3).then_some("deep"),
            ),
            9 => Kind::Fact("s1"),
            10 => Kind::Fact(self.c.of(&["s2", "n", "x", "d", "t", "shout"])),
            11 => Kind::Json(self.c.of(&["d.json", "notes/e.json", "not-there.json"])),
            12 => Kind::Template(self.c.of(FACT_TEMPLATES).to_owned()),
            13 | 14 => Kind::Memory(
                self.c.of(&["a.md", "notes/x.md", "sub/deep/z.md"]),
                self.c.of(&[
                    "",
                    "capacity=200",
                    "delimiter=\" \"",
                    "delimiter=\"\\n\" capacity=(fact)size",
                ]),
            ),
            15 | 16 => Kind::Skills(
                self.c.of(&["skills", ".", "skills/x", "none"]),
                (SKILL_RULES.iter().copied())
                    .filter(|_| self.c.odds(4))
                    .collect(),
            ),
            _ => {
                if self.c.odds(8) {
                    Kind::File(vec!["(fact)s1", "b.md"])
                } else {
                    Kind::Glob(vec!["(fact)names", patterns[0]], None)
                }
            }
        }
    }

    fn props(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.rich(2) {
            out.push("label=\"A label\"".to_owned());
        }
        if self.rich(1) {
            out.push("label=(fact)s1".to_owned());
            out.truncate(1);
        }
        if self.rich(1) {
            out.push("about=\"what it is\"".to_owned());
        }
        if self.rich(1) {
            out.push(format!(
                "where={}",
                super::model::quoted(self.c.of(FILTERS))
            ));
        }
        if self.features.programs {
            out.push("invalid=missing".to_owned());
        }
        out
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut out = BTreeMap::new();
        for (path, text) in TEMPLATE_FILES {
            out.insert((*path).to_owned(), text.as_bytes().to_vec());
        }
        for (folder, odds) in [
            ("agent/ws", 13),
            ("agent/r1", 8),
            ("agent/r2", 8),
            ("agent", 3),
            ("agent/text", 3),
        ] {
            for name in NAMES.iter().filter(|n| **n != "not-there.md") {
                if self.c.odds(odds) {
                    out.insert(format!("{folder}/{name}"), content::file(self.c));
                }
            }
        }
        for folder in ["agent/ws", "agent/r1", "agent/r2"] {
            for name in SKILLS {
                if self.c.odds(6) {
                    out.insert(format!("{folder}/{name}"), content::skill(self.c));
                }
            }
        }
        for name in ["agent/ws/d.json", "agent/ws/notes/e.json"] {
            out.insert(name.to_owned(), content::json(self.c));
        }
        if self.c.odds(2) {
            out.insert("agent/ws/.hidden.md".to_owned(), b"hidden".to_vec());
        }
        out
    }

    fn facts(&self) -> (Map<String, Value>, Vec<(String, String)>) {
        let mut facts = Map::new();
        if self.c.odds(8) {
            facts.insert("s1".into(), json!(content::text(self.c, 4)));
        }
        if self.c.odds(8) {
            facts.insert("s2".into(), json!(content::text(self.c, 2)));
        }
        if self.c.odds(8) {
            facts.insert("b".into(), json!(self.c.odds(8)));
        }
        if self.c.odds(4) {
            facts.insert(
                "l".into(),
                json!(self.c.several(0, 3, |_| content::text(self.c, 1))),
            );
        }
        if self.c.odds(4) {
            facts.insert(
                "m".into(),
                json!({"b": content::text(self.c, 1), "a": [1, null, true]}),
            );
        }
        if self.c.odds(2) {
            // The last one needs all of its digits, and a reader that takes short cuts gets it wrong.
            let x = self.c.of(&[0.1, 1e21, -3.0, 1e-7, 31.245270191439438]);
            facts.insert("x".into(), json!(x));
        }
        let sets = self
            .c
            .odds(4)
            .then(|| ("n".to_owned(), self.c.below(9).to_string()));
        (facts, sets.into_iter().collect())
    }
}
