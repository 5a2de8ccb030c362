"""Whole prompts: every case of a folder of goldens through promptc, byte for byte."""

import glob
import os
from concurrent.futures import ThreadPoolExecutor

from . import facts, promptc
from .report import Result, first_difference


# What the layers that an exception may cover are called in the recorded parts.
OURS = {"identity": "identity", "context_files": "project", "memory": "memory", "user": "user"}


def run(program, manifest, goldens, scratch, exceptions, result=None):
    result = result or Result("prompt")
    tables = facts.load(goldens + "/constants/tables.json")
    cases = [facts.Case(folder) for folder in sorted(glob.glob(goldens + "/case-*"))]
    text = os.path.dirname(manifest) + "/text"

    def judge(case):
        arguments = promptc.roots([*case.roots(), f"text={text}"])
        given = case.facts(tables)
        printed, error = program.build(manifest, *arguments, facts=given)
        if printed == case.expected:
            return case, None, []
        if error:
            return case, error, ["(not built)"]
        return case, *explain(case, printed, program.artifact(manifest, *arguments, facts=given))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, problem, layers in pool.map(judge, cases):
            where = f"seed {case.recorded['seed']} {case.name} ({case.theme})"
            result.add(where, problem, exceptions.excuse("prompt", case.recorded, layers))
    return result


def explain(case, printed, artifact):
    """What differs first, in words, and the names of all layers that differ."""
    got, wanted = printed.decode(), case.expected.decode()
    at, excerpt = first_difference(got, wanted)
    layers = list(promptc.layers(artifact))
    theirs = their_layers(case)
    differing = differences([(layer["layer"], text.strip()) for layer, text in layers], theirs)
    here = next((layer["layer"] for layer, _ in layers if layer["end"] > len(got[:at].encode())), "the end")
    there = next((name for end, name, _ in theirs if end > at), "the end")
    message = f"layer `{here}` (Hermes: {there}), code point {at}\n{excerpt}\n    all that differ: {', '.join(differing)}"
    return message, differing


def differences(ours, theirs):
    """Layers of ours that are no part of Hermes', parts that are no layer of ours, and whether the others changed places."""
    our_texts, their_texts = [text for _, text in ours], [text for _, _, text in theirs]
    found = {name for name, text in ours if text not in their_texts}
    found |= {OURS.get(name, f"{name} (Hermes)") for _, name, text in theirs if text not in our_texts}
    if [text for text in our_texts if text in their_texts] != [text for text in their_texts if text in our_texts]:
        found.add("the order")
    return sorted(found) or ["a join"]


def their_layers(case):
    """The recorded parts as they stand in the prompt: where each ends, its name, its text."""
    end, parts = 0, []
    for part in case.layers:
        text = (part["raw"] or "").strip()
        if text:
            end += len(text) + (2 if parts else 0)
            parts.append((end, part["name"], text))
    return parts
