"""Time and memory of whole processes against size: promptc, jinja2 in Python, and `cat` of the same files."""

import os
import shutil

import task
from . import process

SIZES = [10_000, 100_000, 1_000_000, 10_000_000]
LAYERS = [10, 30, 100, 300, 1_000]
SKILLS = [10, 100, 1_000, 10_000]
SKILL_CHARS = 1_500


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def sizes(folder, total):
    """Ten documents of so many characters together, in one layer with a template."""
    for number in range(10):
        write(f"{folder}/{number}.md", task.text(number + 1, total // 10))
    write(f"{folder}/promptc.kdl", "promptc 1\nroot workspace default=\".\"\ntier t {\n    layer all {\n        glob \"*.md\"\n"
          "        template \"{% for d in documents %}## {{ d.name }}\\n{{ d.text }}\\n{% endfor %}\"\n    }\n}\n")
    write(f"{folder}/template.j2", "{% for name, text in files %}## {{ name }}\n{{ text }}\n{% endfor %}")
    return [f"{number}.md" for number in range(10)]


def layers(folder, count):
    """So many layers, each a file of 300 characters under a heading; the template of jinja2 grows as the manifest does."""
    names = [f"{number:04}.md" for number in range(count)]
    for number, name in enumerate(names):
        write(f"{folder}/{name}", task.text(number + 1, 300))
    body = "".join(f"    layer l{name[:4]} {{ file \"{name}\"; template \"## {name[:4]}\\n{{{{ content }}}}\" }}\n" for name in names)
    write(f"{folder}/promptc.kdl", "promptc 1\nroot workspace default=\".\"\ntier t {\n" + body + "}\n")
    write(f"{folder}/template.j2", "".join(f"## {name[:4]}\n{{{{ text['{name}'] }}}}\n" for name in names))
    return names


def skills(folder, count):
    """So many skills in folders of their own; the prompt lists the name and description of each."""
    names = []
    for number in range(count):
        body = task.text(number + 1, SKILL_CHARS)
        names.append(f"skills/skill-{number:05}/SKILL.md")
        description = body.split(" ", 2)[2].split(".")[0]
        write(f"{folder}/{names[-1]}", f"---\nname: skill-{number:05}\ndescription: {description}\n---\n{body}")
    write(f"{folder}/promptc.kdl",
          "promptc 1\nroot workspace default=\".\"\ntier t {\n    layer skills { skills \"skills\" }\n}\n")
    write(f"{folder}/template.j2", "{% for skill in skills %}- {{ skill.name }}: {{ skill.description }}\n{% endfor %}")
    return names


CURVES = {"size": (sizes, SIZES), "layers": (layers, LAYERS), "skills": (skills, SKILLS)}


def curve(make, points, scratch, here, tools, env, rounds):
    out = []
    for point in points:
        folder = f"{scratch}/growth"
        shutil.rmtree(folder, ignore_errors=True)
        names = make(folder, point)
        # `cat` through xargs where the names are too many for one call would be another program; they are not.
        rows = {
            "promptc": [tools.promptc, "build", "--quiet"],
            "jinja2": [scratch + "/jinja2/venv/bin/python", here + "/growth.py", make.__name__],
            "cat": [process.program("cat"), *names],
        }
        rows = {name: (command, folder, process.nothing) for name, command in rows.items()}
        read = sum(os.path.getsize(f"{folder}/{name}") for name in names)
        out.append({"at": point, "bytes": read, "rows": process.in_turn(rows, rounds, env)})
        os.chdir(scratch)
        shutil.rmtree(folder)
    return out


def run(here, scratch, tools, env, rounds):
    return {name: curve(make, points, scratch, here, tools, env, rounds) for name, (make, points) in CURVES.items()}
