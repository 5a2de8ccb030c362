"""Front matter: what is read from it, what is left of the text, and whether the skill that it describes is listed."""

import json
import os

from . import promptc
from .overlay import write_file
from .report import Result

RULES = 'yaml="1.1" lenient close=alone'
MANIFEST = f"""promptc 1
root rows
fact row string
fact tools list
fact toolsets list
fact sys_platform string
fact skill_envs map
fact disabled_skills list {{ default }}
tier rows {{
    trim #false
    layer parsed {{
        file "{{row}}/skilldir/SKILL.md" root=rows {{ frontmatter read {RULES} }}
        template "{{{{ (documents | first).meta | json }}}}"
    }}
    layer body {{ file "{{row}}/skilldir/SKILL.md" root=rows {{ frontmatter parse {RULES} }} }}
    layer context_strip {{
        first {{
            file "{{row}}/skilldir/SKILL.md" root=rows {{ frontmatter strip close=dashes }}
            file "{{row}}/skilldir/SKILL.md" root=rows
            bom all
        }}
    }}
    layer entry {{
        skills "{{row}}" root=rows {{ frontmatter parse {RULES} }}
        template file="front-matter-entry.j2"
    }}
    layer listed {{
        skills "{{row}}" root=rows {{
            frontmatter parse {RULES}
            hide file="hermes/skill-hidden.j2"
        }}
        template "{{{{ entries | length }}}}"
    }}
}}
"""
ENTRY = """{% set skill = entries | first %}
{% set value = skill.meta.description | default("") %}
{% set text = value | string | trim | trim("'\\"") if value else "" %}
{{ [skill.name, text if text | length <= 60 else text[:57] ~ "..."] | json }}
"""


def run(program, manifest, goldens, scratch, exceptions, result=None):
    with open(goldens + "/frontmatter.json", encoding="utf-8") as file:
        rows = json.load(file)
    for number, row in enumerate(rows):
        write_file(f"{scratch}/rows/{number:03}/skilldir/SKILL.md", row["raw"])
    path = os.path.dirname(manifest) + "/front-matter.kdl"
    write_file(path, MANIFEST)
    write_file(os.path.dirname(manifest) + "/front-matter-entry.j2", ENTRY)
    lines = [situation(number, row, which) for number, row in enumerate(rows) for which in SITUATIONS]
    artifacts = program.batch(path, lines, *promptc.roots([f"rows={scratch}/rows"]))
    got = [{layer["layer"]: text for layer, text in promptc.layers(artifact)} for artifact in artifacts]
    result = result or Result("frontmatter")
    for number, row in enumerate(rows):
        answers = got[number * len(SITUATIONS):][:len(SITUATIONS)]
        result.add(f"row {number} {row['raw'][:60]!r}", "; ".join(problems(row, answers)) or None)
    return result


# Which tools an agent has, beside what the skill asks for; and what then says of the conditions.
SITUATIONS = ("all that it requires", "none", "what it falls back for")


def situation(number, row, which):
    conditions = row.get("conditions", {})
    wants = {"all that it requires": "requires", "what it falls back for": "fallback_for"}.get(which)
    have = {kind: list(conditions.get(f"{wants}_{kind}") or []) if wants else [] for kind in ("tools", "toolsets")}
    environments = {name: True for name in ("docker", "kanban", "s6")}
    return {"row": f"{number:03}", "sys_platform": "linux", "skill_envs": environments, **have}


def shown(row, which):
    """Whether Hermes lists the skill in that situation: its platform and conditions were recorded."""
    given = situation(0, row, which)
    conditions = row["conditions"]
    tools = [(kind, set(given[kind])) for kind in ("tools", "toolsets")]
    missing = any(set(conditions[f"requires_{kind}"]) - have for kind, have in tools)
    beaten = any(set(conditions[f"fallback_for_{kind}"]) & have for kind, have in tools)
    return row["platform_ok"] and not missing and not beaten


def problems(row, answers):
    if "raises" in row:
        yield f"the package fails: {row['raises']}"
        return
    first = answers[0]
    wanted = {
        "parsed": row["parsed"],
        "body": row["body"],
        "context_strip": row["context_strip"],
        "entry": [row["entry"]["frontmatter_name"], row["description"]],
    }
    for layer, value in wanted.items():
        text = first.get(layer, "")
        read = json.loads(text) if not isinstance(value, str) else text
        # A text that is blank yields no layer.
        if read != value and (read or not isinstance(value, str) or value.strip()):
            yield f"{layer}: promptc {read!r}, Hermes {value!r}"
    for which, answer in zip(SITUATIONS, answers):
        listed = answer.get("listed", "0") == "1"
        if listed != shown(row, which):
            yield f"listed with {which}: promptc {listed}, Hermes {not listed}"
