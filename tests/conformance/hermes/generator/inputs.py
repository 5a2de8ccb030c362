"""The files of a case: skill folders, memory, context files, configuration, git."""

import os
import subprocess

import yaml

from .package import memory_tool, write
from .texts import ATTACKS, CJK, WORDS, document, exact, sentence

CATEGORIES = [
    "software-development", "research", "creative", "media/video", "devops", "social-media/posts", "a-b", "a", "Zeta",
    "数据", "scripts", "deep/er/est",
]

# Front matter for which the package's first build and its later builds differ.
DIVERGENT = [
    ("---\nname: {n}\ndescription: only for s6\nenvironments: [s6]\n---\n", "env-s6"),
    ("---\nname: {n}\ndescription: only in docker\nenvironments: docker\n---\n", "env-docker"),
    ('---\nname: ""\ndescription: empty name\n---\n', "emptyname"),
    ("---\nname: {n}\ndescription: unknown env\nenvironments: [mars]\n---\n", "env-unknown"),
]


def front_matters(r, name):
    """What real SKILL.md files do, and what they should not, as whole files."""
    description = sentence(r, r.randint(2, 9)).replace(":", " ")

    def simple(extra="", desc=description, nm=name):
        return f"---\nname: {nm}\ndescription: {desc}\n{extra}---\n\n# {name}\nbody\n"

    sixty = exact(r, 60).replace('"', "'").replace("\\", "/").replace("\n", " ").replace("\t", " ")
    return [
        simple(),
        f"---\ndescription: {description}\n---\nbody\n",
        f"---\nname: {name}\n---\nbody\n",
        simple(desc='"' + sixty + '"'),
        simple(desc="'" + ("é漢" * 40)[:61] + "'"),
        f"---\nname: {name}\ndescription: >\n  folded text {description}\n  second line of it\n---\nbody\n",
        f"---\nname: {name}\ndescription: |\n  line one\n  line two\n---\nbody\n",
        simple("platforms: [macos]\n"),
        simple("platforms: [macos, linux]\n"),
        simple("platforms: Linux\n"),
        simple("platforms: []\n"),
        simple("metadata:\n  hermes:\n    requires_toolsets: [memory]\n"),
        simple("metadata:\n  hermes:\n    requires_tools: [terminal, web_search]\n"),
        simple("metadata:\n  hermes:\n    fallback_for_toolsets: [web]\n"),
        simple("metadata:\n  hermes:\n    fallback_for_tools: [web_search]\n"),
        simple("metadata: just text\n"),
        f"---\nname: {name}\ndescription: bad: yaml: here [\n---\nbody\n",
        f"---\nname: {name}\ndescription: never closed\n",
        "# no frontmatter\nbody\n",
        "\ufeff" + simple(),
        simple().replace("\n", "\r\n"),
        simple(nm="1.0", desc="true"),
        simple(nm="2026-01-02", desc="2026-01-02"),
        simple(nm="on", desc="0x1F"),
        "---\nname:\ndescription: ~\n---\nbody\n",
        simple(nm='"' + name + ' 名前"', desc="\"'quoted' inner\""),
        "---\n- a\n- b\n---\nbody\n",
        simple(desc="ends with quote's'"),
    ]


def skills(r, count, divergent):
    """The files of a skills root, by path inside it."""
    files, used = {}, []
    for i in range(count):
        name = f"{r.choice(WORDS)}-{i}"
        at_top = r.random() < 0.15
        folder = name if at_top else f"{r.choice(CATEGORIES)}/{name}"
        files[f"{folder}/SKILL.md"] = r.choice(
            front_matters(r, name if r.random() > 0.08 or not used else r.choice(used)))
        used.append(name)
        if r.random() < 0.1:
            files[f"{folder}/references/old/SKILL.md"] = "---\nname: hidden-ref\n---\n"
        if r.random() < 0.05:
            files[f"{folder}/nested/SKILL.md"] = f"---\nname: nested-{i}\ndescription: nested\n---\n"
    for category in r.sample(CATEGORIES, 5):
        files[f"{category}/DESCRIPTION.md"] = r.choice([
            f"---\ndescription: {sentence(r, 5).replace(':', ' ')}\n---\n",
            "no frontmatter\n",
            "---\ndescription: \"'quoted cat'\"\n---\n",
            "---\ndescription: |\n  two\n  lines\n---\n",
            "---\ndescription:\n---\n",
        ])
    if count > 3:
        files[".archive/old/SKILL.md"] = "---\nname: archived\n---\n"
        files["node_modules/x/SKILL.md"] = "---\nname: nm\n---\n"
    if r.random() < 0.2:
        files["SKILL.md"] = "---\nname: rootskill\ndescription: at the root\n---\n"
    if r.random() < 0.2:
        files["DESCRIPTION.md"] = "---\ndescription: general things\n---\n"
    if divergent:
        for text, tag in DIVERGENT:
            files[f"devops/{tag}/SKILL.md"] = text.replace("{n}", tag)
    return files


def memory_text(r, kind):
    """A memory file by kind; None is no file."""
    entries = [sentence(r) for _ in range(r.randint(1, 6))]
    join = memory_tool.ENTRY_DELIMITER.join
    kinds = {
        "absent": lambda: None,
        "empty": lambda: "",
        "blank": lambda: " \n\n",
        "plain": lambda: join(entries),
        "dup": lambda: join(entries + [entries[0]] + entries[:1]),
        "multi": lambda: join(e + "\n  second line\n\nthird" for e in entries),
        "inline": lambda: join(e + " § inline " for e in entries) + "\n§",
        "crlf": lambda: join(entries).replace("\n", "\r\n"),
        "padded": lambda: "\n" + join(["  " + e + "\t" for e in entries] + ["", "\n"]),
        "poison": lambda: join(entries + [r.choice(ATTACKS)[1], r.choice(ATTACKS)[1]]),
        "blocked": lambda: join(["[BLOCKED: marker-like ~/.ssh entry]"] + entries),
        "zwj": lambda: join(entries + ["family 👨\u200d👩"]),
        "bom": lambda: "\ufeff" + join(entries),
        "badutf8": lambda: join(entries).encode() + b"\xff",
        "over": lambda: join(sentence(r, 40) for _ in range(14)),
        "cjk": lambda: join("".join(r.choice(CJK) for _ in range(50)) for _ in range(4)),
    }
    return kinds[kind]()


def plant(root, spec, r):
    """Writes the files of a case; answers its Hermes home and working directory. Equal generators write equal files."""
    home = os.path.join(root, "home") + (f"/profiles/{spec['profile']}" if spec["profile"] else "")
    os.makedirs(home)
    project = os.path.join(root, "project")
    cwd = os.path.join(project, spec["sub"]) if spec["sub"] else project
    os.makedirs(cwd)
    if spec["soul"] == "LEGACY":
        from hermes_cli import default_soul
        write(home + "/SOUL.md", default_soul._LEGACY_TEMPLATE_SOULS[0] + "\r\n")
    elif spec["soul"] != "absent":
        write(home + "/SOUL.md", document(r, spec["soul"]))
    for folder, documents in ((cwd, spec["docs"]), (project, spec["parent_docs"])):
        for name in sorted(documents):
            write(f"{folder}/{name}", document(r, documents[name]))
    for name in sorted(spec["extra"]):
        write(f"{project}/{name}", spec["extra"][name])
    for name, kind in (("MEMORY.md", spec["memory"]), ("USER.md", spec["user"])):
        text = memory_text(r, kind)
        if text is not None:
            write(f"{home}/memories/{name}", text)
    if spec["skills"]:
        for path, text in skills(r, spec["skills"], spec["divergent_skills"]).items():
            write(f"{home}/skills/{path}", text)
    if spec["ext_skills"]:
        for path, text in skills(r, spec["ext_skills"], False).items():
            write(f"{os.path.dirname(home)}/ext/{path}", text)
    if spec["config"]:
        write(home + "/config.yaml", yaml.safe_dump(spec["config"], allow_unicode=True, sort_keys=True))
    plant_git(project, spec["git"])
    return home, cwd


def plant_git(project, kind):
    if kind == "dir":
        os.makedirs(project + "/.git")
    if kind == "file":
        write(project + "/.git", "gitdir: /nowhere\n")
    if kind == "real":
        env = dict(
            os.environ, GIT_AUTHOR_DATE="2026-01-02T03:04:05Z", GIT_COMMITTER_DATE="2026-01-02T03:04:05Z",
            GIT_AUTHOR_NAME="g", GIT_AUTHOR_EMAIL="g@x", GIT_COMMITTER_NAME="g", GIT_COMMITTER_EMAIL="g@x")
        for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "first golden commit"]):
            subprocess.run(["git", "-C", project, *command], env=env, check=True, capture_output=True)
        write(project + "/untracked.txt", "u\n")
