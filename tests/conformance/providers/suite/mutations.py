"""Requests that were right and are spoiled: types or rules have to refuse each, or the checks could not fail."""

import copy

from .sdks import SDKS

EPHEMERAL = {"type": "ephemeral"}
# The keys of breakpoints.
MARKERS = ("cache_control", "cachePoint")


def system(body):
    """The system blocks, wherever they stand."""
    if "systemInstruction" in body:
        return body["systemInstruction"]["parts"]
    if "system" in body:
        return body["system"]
    return (body.get("messages") or body["input"])[0]["content"]


def put(path, value):
    """Sets the value at a path of keys and numbers."""
    def spoil(body):
        at = body
        for number, key in enumerate(path[:-1]):
            following = path[number + 1]
            if following in MARKERS and number + 2 < len(path):
                # Something in a marker: not each block has one.
                at = next(block for block in at if following in block)
            else:
                at = at[key]
        at[path[-1]] = value
    return spoil


def longer_behind(body):
    blocks = system(body)
    blocks[:2] = [{**block, "cache_control": {**EPHEMERAL, "ttl": ttl}} for block, ttl in zip(blocks, ("5m", "1h"))]


def many(key, marker):
    def spoil(body):
        one = next(block for block in system(body) if "text" in block)
        system(body)[:] = [{**one, key: marker} for _ in range(5)]
    return spoil


def five_points(body):
    body["system"] = [body["system"][0], *({"cachePoint": {"type": "default"}} for _ in range(5))]


def blank_tail(body):
    system(body).append({**{key: value for key, value in system(body)[0].items() if key == "type"}, "text": " \n"})


def no_marks(body):
    for block in system(body):
        block.pop("prompt_cache_breakpoint", None)
    body["prompt_cache_options"] = {"mode": "explicit"}


def resent(body):
    body["systemInstruction"] = {"parts": [{"text": "again"}]}


# Case, what is done, how, who refuses it (types or rules), and a word of what it says.
SPOILED = [
    ("anthropic", "a TTL of 2h", put(("system", 0, "cache_control", "ttl"), "2h"), "types", "ttl"),
    ("anthropic", "a marker of another kind", put(("system", 0, "cache_control", "type"), "permanent"), "types", "type"),
    ("anthropic", "Bedrock's marker", put(("system", 0, "cachePoint"), {"type": "default"}), "types", "cachePoint"),
    ("anthropic", "a misspelt key", put(("system", 0, "cache_controls"), EPHEMERAL), "types", "cache_controls"),
    ("anthropic", "no limit", lambda body: body.pop("max_tokens"), "types", "max_tokens"),
    ("anthropic", "OpenAI's form of a tool", put(("tools", 0), {"type": "function", "function": {}}), "types", "tools"),
    ("anthropic", "five breakpoints", many("cache_control", EPHEMERAL), "rules", "more than 4"),
    ("anthropic", "the longer time behind", longer_behind, "rules", "longer"),
    ("anthropic", "a blank tail", blank_tail, "rules", "blank"),
    ("anthropic-automatic", "a marker with four others", many("cache_control", EPHEMERAL), "rules", "more than 4"),
    ("anthropic-prefill", "a prefill with a blank", put(("messages", -1, "content"), "{ "), "rules", "prefill"),
    ("openai", "12h", put(("prompt_cache_options", "ttl"), "12h"), "types", "ttl"),
    ("openai", "Anthropic's marker", put(("messages", 0, "content", 0, "cache_control"), EPHEMERAL), "types", "cache_control"),
    ("openai", "another mode", put(("prompt_cache_options", "mode"), "always"), "types", "mode"),
    ("openai", "more than three explicit", many("prompt_cache_breakpoint", {"mode": "explicit"}), "rules", "implicit"),
    ("openai", "explicit without a breakpoint", no_marks, "rules", "keeps nothing"),
    ("openai-history", "a breakpoint on output", put(("messages", 1), {
        "role": "assistant", "content": [{"type": "text", "text": "x", "prompt_cache_breakpoint": {"mode": "explicit"}}]}),
     "rules", "output"),
    ("openai-responses", "instructions in blocks", put(("instructions",), [{"type": "input_text", "text": "x"}]), "types",
     "instructions"),
    ("openai-responses", "Anthropic's marker", put(("input", 0, "content", 0, "cache_control"), EPHEMERAL), "types",
     "cache_control"),
    ("openai-responses", "chat's kind of text", put(("input", 0, "content", 0, "type"), "text"), "types", "type"),
    ("gemini", "a marker", put(("systemInstruction", "parts", 0, "cache_control"), EPHEMERAL), "types",
     "system_instruction"),
    ("gemini", "an unknown key", put(("cacheControl",), EPHEMERAL), "types", "cacheControl"),
    ("gemini-cached", "the prompt beside its resource", resent, "rules", "beside"),
    ("bedrock", "a TTL of 2h", put(("system", 1, "cachePoint", "ttl"), "2h"), "types", "2h"),
    ("bedrock", "Anthropic's kind of marker", put(("system", 1, "cachePoint", "type"), "ephemeral"), "types", "ephemeral"),
    ("bedrock", "Anthropic's marker", put(("system", 0, "cache_control"), EPHEMERAL), "types", "cache_control"),
    ("bedrock", "five cache points", five_points, "rules", "more than 4"),
    ("bedrock", "a cache point in front", lambda body: body["system"].reverse(), "rules", "nothing in front"),
    ("openrouter", "a marker of another kind", put(("messages", 0, "content", 0, "cache_control", "type"), "permanent"),
     "types", "permanent"),
    ("openrouter", "five breakpoints", many("cache_control", EPHEMERAL), "rules", "more than 4"),
    ("chat-mistral", "a marker", put(("messages", 0, "content"), [{"type": "text", "text": "x", "cache_control": EPHEMERAL}]),
     "types", "cache_control"),
    ("chat-deepseek", "a marker", put(("messages", 0, "content"), [{"type": "text", "text": "x", "cache_control": EPHEMERAL}]),
     "types", "cache_control"),
    ("chat-qwen", "a marker of another kind", put(("messages", 0, "content", 0, "cache_control", "type"), "permanent"), "types",
     "marker"),
]


def run(bodies):
    """By its name, the check of each spoiled request whose case ran."""
    found = {}
    for name, what, spoil, who, word in SPOILED:
        sdk_name, body = bodies.get(name, ("", None))
        if body is None:
            continue
        spoiled = copy.deepcopy(body)
        spoil(spoiled)
        found[f"{name} with {what}"] = [(f"refused by {who}", verdict(SDKS[sdk_name], spoiled, who, word))]
    return found


def verdict(sdk, body, who, word):
    said = (sdk.types if who == "types" else sdk.rules)(body)
    return None if any(word in error for error in said) else f"not refused: {said}"
