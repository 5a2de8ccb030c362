"""What is checked of a case. Each check answers its name, and what is wrong or nothing."""

import json

from . import body as reading
from . import promptc
from .sdks import SDKS


def accepted(program, case):
    """The checks of a request that must be right, and its body."""
    sdk = SDKS[case.sdk]
    run = promptc.emit(program, case)
    if run.returncode:
        return [("emit", run.stderr.decode())], (case.sdk, None)
    body = json.loads(run.stdout)
    stored, texts = promptc.artifact(program, case)
    checks = [
        ("types", sdk.types(body)),
        ("rules", sdk.rules(body)),
        ("wire", wire(sdk, body, run.stdout)),
        ("system prompt", system_text(case, body, texts)),
        ("turn text", turn_text(body, texts)),
        ("tools", tools(body)),
        ("markers", markers(case, body)),
        ("from artifact", None if promptc.from_artifact(program, case, stored).stdout == run.stdout else "other bytes"),
    ]
    return checks, (case.sdk, body)


def wire(sdk, body, written):
    """What the client sends is what promptc wrote."""
    try:
        sent = sdk.wire(body)
    except Exception as error:  # whatever a client raises is an answer
        return f"the client raises {type(error).__name__}: {error}"
    return difference(json.loads(sent), body, sdk.adds) or key_order(sdk, sent, written)


def difference(sent, body, adds, path="$"):
    """Where two JSON values part, or None. What the client `adds` may stand in any object that does not have it."""
    if type(sent) is type(body) is dict:
        added = sent.keys() - body.keys()
        odd = sorted(key for key in added if key not in adds or sent[key] != adds[key]) + sorted(body.keys() - sent.keys())
        if odd:
            return f"{path}: only one of them has {odd}: sent {json.dumps(sent)[:200]}"
        pairs = [(sent[key], body[key], adds, f"{path}.{key}") for key in body]
    elif type(sent) is type(body) is list and len(sent) == len(body):
        pairs = [(one, other, adds, f"{path}[{at}]") for at, (one, other) in enumerate(zip(sent, body))]
    elif sent == body and type(sent) is type(body):
        return None
    else:
        return f"{path}: sent {json.dumps(sent)[:200]}\n    not {json.dumps(body)[:200]}"
    return next(filter(None, (difference(*pair) for pair in pairs)), None)


def key_order(sdk, sent, written):
    """Providers read the prefix as it is written, so the keys inside tools and messages keep their order."""
    got, own = (json.loads(text, object_pairs_hook=Pairs) for text in (sent, written))
    for key in ("tools", "toolConfig", "system", "systemInstruction", "messages", "input", "contents"):
        mine, theirs = dict(own).get(key), dict(got).get(key)
        if not sdk.keeps_order:
            mine, theirs = list(schemas(mine)), list(schemas(theirs))
        if mine != theirs:
            return f"{key}: the keys stand in another order: {theirs} not {mine}"[:600]
    return None


class Pairs(list):
    """An object as the list of its pairs, whose order then counts."""


def schemas(value):
    """The schemas of arguments, which every client takes as JSON of the caller's."""
    if isinstance(value, Pairs):
        for key, item in value:
            yield from [item] if key in ("parameters", "parametersJsonSchema") else schemas(item)
    elif isinstance(value, list):
        for item in value:
            yield from schemas(item)


def system_text(case, body, texts):
    """The texts of all system blocks, one behind the other, are the system prompt that is built."""
    found, built = reading.system_texts(body), texts.get("system", "")
    if "cachedContent" in body:
        return None if found is None else "the prompt is sent again"
    if found is None:
        return "there is none" if built else None
    return None if "".join(found) == built else f"{len(''.join(found))} characters, not {len(built)}"


def turn_text(body, texts):
    """What changes at every call stands behind every marker, in the last message of the user."""
    built = texts.get("user", "")
    if not built or "model" in body and str(body["model"]).startswith("models/"):
        return None
    users = [at for at, message in enumerate(reading.said(body)) if message.get("role") == "user"]
    if not users:
        return "no message of the user"
    last = [part.get("text", "") for part in reading.parts(reading.said(body)[users[-1]])][-1]
    blocks = list(reading.blocks(body))
    own = max((at for at, (_, block, _) in enumerate(blocks) if block.get("text") == last), default=-1)
    marked = max((at for at, (_, _, marker) in enumerate(blocks) if marker), default=-1)
    if not last.endswith(built):
        return f"the last text of the user is {last[-100:]!r}"
    return "a marker stands on it or behind it" if marked >= own >= 0 else None


def tools(body):
    """Functions by name, the keys of their schemas in order."""
    found = list(reading.tools(body))
    names = [name for name, _ in found]
    if names != sorted(names):
        return f"the order is {names}"
    unsorted = [name for name, schema in found if json.dumps(schema) != json.dumps(schema, sort_keys=True)]
    return f"keys not in order: {unsorted}" if unsorted else None


def markers(case, body):
    """How many places are marked, if the case says it."""
    number = sum(1 for _, _, marker in reading.blocks(body) if marker)
    return None if case.marks in (None, number) else f"{number}, not {case.marks}"


def refused(program, case):
    """The checks of a call that promptc must refuse."""
    run = promptc.emit(program, case)
    codes = promptc.codes(run)
    return [
        ("exit 2", None if run.returncode == 2 else f"exit {run.returncode}"),
        ("nothing written", run.stdout.decode()[:200] or None),
        (case.refused, None if case.refused in codes else f"{codes}: {run.stderr.decode()[:300]}"),
    ]
