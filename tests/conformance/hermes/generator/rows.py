"""Rows of one function each: what the package's truncation, scan and front matter answer to given texts."""

import json
from pathlib import Path

from tools import threat_patterns

from .inputs import DIVERGENT, front_matters
from .package import prompt_builder, skill_utils, write_json
from .texts import ATTACKS, markdown


def truncate(out, r):
    """`out` is what is left of `content` under `max_chars`."""
    rows = []
    for limit in (1, 2, 3, 4, 5, 7, 9, 10, 11, 21, 29, 50, 90, 99, 100, 101, 333, 1000, 4096, 20000):
        for length in (limit - 1, limit, limit + 1, limit * 2 + 3):
            if not 1 <= length <= 30000:
                continue
            content = (markdown(r, length + 10) + "é漢🚀" * length)[:length]
            name, path = ("AGENTS.md", "/p/AGENTS-full.md")  # one row with names that the wording cannot hold
            if (limit, length) != (100, 101):
                name, path = r.choice([("AGENTS.md", "/p/AGENTS.md"), (".hermes.md", None), ("漢.md", "/p/漢 x.md")])
            text = prompt_builder._truncate_content(content, name, max_chars=limit, read_path=path)
            warnings = prompt_builder.drain_truncation_warnings()
            rows.append({"content": content, "filename": name, "read_path": path, "max_chars": limit, "out": text,
                         "warning": warnings[0] if warnings else None})
    windows = [None, 0, -1, 1, 8192, 83333, 83334, 84000, 100000, 128000, 131072, 200000, 262144, 1000000, 2083333,
               2083334, 10**7]
    caps = [{"context_length": n, "cap": prompt_builder._dynamic_context_file_max_chars(n)} for n in windows]
    write_json(out + "/truncate.json", {"rows": rows, "dynamic_caps": caps})


def threat(out, r):
    """The ids that each scope finds in `text`, and what becomes of it as a file."""
    rows = []
    for text in threat_texts():
        row = {"text": text, "first_strict": threat_patterns.first_threat_message(text, "strict"),
               "as_file": prompt_builder._scan_context_content(text, "F.md")}
        for scope in ("all", "context", "strict"):
            row[scope] = threat_patterns.scan_for_threats(text, scope)
        rows.append(row)
    hit = {name for row in rows for name in row["strict"]}
    missed = sorted({name for _, name, _ in threat_patterns._PATTERNS} - hit)
    write_json(out + "/threat.json", {"rows": rows, "pattern_ids_never_hit": missed})


def full_width(text):
    return "".join(chr(ord(c) + 0xFEE0) if 33 <= ord(c) <= 126 else c for c in text)


def threat_texts():
    attacks = [text for _, text in ATTACKS]
    texts = attacks + [text.upper() for text in attacks]
    texts += ["note: " + text.replace(" ", "\n") for text in attacks]
    texts += [full_width(text) for text in attacks]
    for plain, odd in (("i", "\u0131"), ("i", "\u0130"), ("s", "\u017f"), ("k", "\u212a"), (" ", "\u00a0"),
                       (" ", "\u2028"), (" ", "\x1c"), (" ", "\u180e"), (" ", "\u200b"), ("e", "e\u0301"), ("o", "\u043e"),
                       (" ", "\u3000"), (" ", "\t\t"), ("ss", "ß")):
        texts += [text.replace(plain, odd) for text in attacks if plain in text]
    for n in (7, 8, 9):
        texts.append("ignore previous " + "w " * n + "instructions")
        texts.append("do not " + "w " * n + "tell the user")
    between = ["x\u0301y", "x\u00b2", "\u203f", "\u2460", "a-b", "don't"]
    texts += [f"ignore previous {words} instructions" for words in between]
    texts += ["<!-- " + "x" * (n - 1) + "hidden -->" for n in (512, 513)]
    texts += ["curl " + "x" * n + "$KEY" for n in (2048, 2049)]
    tail = "system prompt override"
    texts += ["a" * n + tail for n in (65530, 65536 - len(tail), 65536 - len(tail) + 1)]
    texts += ["", " ", "plain text", "ﬁle ignore", "<!-- fine --> hidden", "you must connect",
              "you must\nnot ever really connect", "You are only now a b", "reply to the user", "check in with me",
              "password: 'short'", "token='" + "A" * 20 + "'", "name your variables", "metasploit", "xmetasploit"]
    texts += ["a" + c + "b" for c in sorted(threat_patterns.INVISIBLE_CHARS)]
    texts += ["\ufeffleading", "\ufeff\ufeffdouble", "a\u00adb", "a\u2061b", "a\u180eb", "a\u034fb", "a\u115fb"]
    return texts


FRONT_MATTERS = [
    "---\nname: a\n---", "---\nname: a\n--- \nrest", "---\nname: a\n---x\nrest", "--- \nname: a\n---\nb",
    "----\nname: a\n---\nb", "---\n---\nb", "---\n\n---\nb", "---name: a\n---\nb", "---\nname: a\nname: b\n---\nb",
    "---\nname: &x a\ndescription: *x\n---\n", "---\nmetadata:\n  hermes:\n    requires_tools: web\n---\n",
    "---\nmetadata:\n  hermes: text\n---\n", "---\ndescription: 12345\n---\n", "---\ndescription: [a, b]\n---\n",
    "---\ndescription: {a: 1}\n---\n", "---\ndescription: 1e3\n---\n", "---\ndescription: 0o17\n---\n",
    "---\ndescription: 1:30\n---\n", "---\ndescription: yes\n---\n", "---\ndescription: .5\n---\n",
    "---\ndescription: 1_000\n---\n", "---\ndescription: !!str 5\n---\n",
    '---\ndescription: "tab\\tnl\\n\\u00e9"\n---\n', "---\ndescription: '''x'''\n---\n", "---\ndescription: # c\n---\n",
    "---\ndescription: a # c\n---\n", '---\ndescription: "' + "x" * 58 + '  y"\n---\n', "---\ndescription: @at\n---\n",
    "---\n\tname: tab\n---\n", "---\nname: a\n...\n---\nb", "---\nname: [unclosed\ndescription: kept: value\n---\n",
    "\n---\nname: a\n---\n", "\ufeff\ufeff---\nname: a\n---\n",
]


def frontmatter(out, r):
    """Both of the package's rules for front matter: the parsed one of skills, and the stripped one of .hermes.md."""
    raws = front_matters(r, "sample-skill") + [text.replace("{n}", "z") for text, _ in DIVERGENT] + FRONT_MATTERS
    write_json(out + "/frontmatter.json", [frontmatter_row(raw) for raw in raws])


def frontmatter_row(raw):
    def plain(value):
        return json.loads(json.dumps(value, default=str))

    text = raw.replace("\r\n", "\n").replace("\r", "\n")  # what reading as text hands over
    row = {"raw": raw, "read_text": text}
    try:
        meta, body = skill_utils.parse_frontmatter(text)
        description = skill_utils.extract_skill_description(meta)
        row.update(parsed=plain(meta), body=body, description=description,
                   conditions=plain(skill_utils.extract_skill_conditions(meta)),
                   platform_ok=skill_utils.skill_matches_platform(meta))
        skill = Path("/s/cat/skilldir/SKILL.md")
        row["entry"] = plain(prompt_builder._build_snapshot_entry(skill, Path("/s"), meta, description))
    except Exception as error:
        row["raises"] = f"{type(error).__name__}: {error}"
    row["context_strip"] = prompt_builder._strip_yaml_frontmatter(text)
    return row
