"""Times of the package itself on a home of an ordinary size; `timing` calls it, in the environment of clean.py.

    python -m generator.bench make DIR SKILLS    a home and a project, and the recorded case of them
    python -m generator.bench once DIR           one build; the caller takes the time of the process
    python -m generator.bench warm DIR           builds in one process, as JSON
"""

import json
import os
import random
import statistics
import sys
import time

from . import prompts, scenarios
from .inputs import plant_git
from .package import memory_tool, prompt_builder, reset_caches, system_prompt, write
from .texts import WORDS, markdown, sentence

SPEC = {**scenarios.random_spec(random.Random("bench")), **scenarios.BASE, "theme": "bench", "case": 0, "seed": 0}
SNAPSHOT = ".skills_prompt_snapshot.json"


def folders(root):
    return root + "/home", root + "/project"


def make(root, skills):
    r = random.Random("home")
    home, project = folders(root)
    write(home + "/SOUL.md", markdown(r, 10_000))
    write(project + "/AGENTS.md", markdown(r, 10_000))
    for name, count in (("MEMORY.md", 8), ("USER.md", 7)):
        write(f"{home}/memories/{name}", memory_tool.ENTRY_DELIMITER.join(sentence(r, 12) for _ in range(count)))
    for number in range(skills):
        category, name = f"category-{number % 20}", f"{r.choice(WORDS)}-{number}"
        description = sentence(r, 8).replace(":", ".")
        body = markdown(r, 3_800)
        write(f"{home}/skills/{category}/{name}/SKILL.md", f"---\nname: {name}\ndescription: {description}\n---\n{body}\n")
    plant_git(project, "real")
    prompts.record(root, SPEC, home, project)


def build():
    agent, _ = prompts.make_agent(SPEC)
    return system_prompt.build_system_prompt(agent, None)


def median(prepare, count):
    times = []
    for _ in range(count):
        prepare()
        start = time.perf_counter()
        build()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def warm(home):
    def parse_all():
        reset_caches()
        os.remove(f"{home}/{SNAPSHOT}")

    build()
    return {
        "everything cached": median(lambda: None, 20),
        "skills snapshot read": median(prompt_builder.clear_skills_system_prompt_cache, 20),
        "every skill read": median(parse_all, 7),
    }


def main():
    command, root = sys.argv[1:3]
    if command == "make":
        make(root, int(sys.argv[3]))
    else:
        home, project = folders(root)
        prompts.arrange(SPEC, home, project)
        print(json.dumps(warm(home)) if command == "warm" else len(build()), flush=True)
    os._exit(0)  # the package starts background threads; nothing is left to save


main()
