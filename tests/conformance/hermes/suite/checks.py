"""All kinds of goldens, in order."""

from . import front_matter, hints, markers, memories, overlay, prompts, threats, truncation

KINDS = {
    "prompt": prompts.run,
    "truncate": truncation.run,
    "threat": threats.run,
    "frontmatter": front_matter.run,
    "subdir": hints.run,
    "memory": memories.run,
    "cache": markers.run,
}
# What is made anew for each seed; of the others the rows differ only by their filling.
OF_EACH_SEED = ("prompt", "memory", "cache")
# What takes the longest: a process for each call or list of messages.
SLOW = ("memory", "cache")


def run(program, goldens, scratch, exceptions, kinds, base, every=1):
    """The results of each kind; rows are taken from the first folder, and of the slow ones each `every`th case."""
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise SystemExit(f"unknown kinds: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    manifest = overlay.write(scratch + "/overlay", goldens[0] + "/constants", base)
    results = []
    for kind in (kind for kind in KINDS if kind in kinds):
        result, more = None, {"every": every} if kind in SLOW else {}
        for number, folder in enumerate(goldens if kind in OF_EACH_SEED else goldens[:1]):
            result = KINDS[kind](program, manifest, folder, f"{scratch}/{kind}-{number}", exceptions, result, **more)
        results.append(result)
    return results
