"""What providers refuse, or silently do not keep, that the types of their SDKs let pass.

Sources, all read on 2026-11-21: github.com/anthropics/skills, claude-api/shared/prompt-caching.md @0da71c3b; the docstrings of
openai-python 3.54.0; github.com/NousResearch/hermes-agent/issues/97618 for blank texts.
"""

from . import body as reading

HOURS = {"5m": 5 / 60, "30m": 0.5, "1h": 1, "12h": 12}


def anthropic(body):
    """Anthropic's Messages."""
    return [*common(body), *too_many(body, 1 if "cache_control" in body else 0), *prefilled(body)]


def bedrock(body):
    """Bedrock's Converse with a model of Anthropic."""
    alone = [f"{where}: a cache point with nothing in front of it" for where, blocks in point_lists(body)
             if blocks and "cachePoint" in blocks[0]]
    return [*common(body), *too_many(body, 0), *alone]


def point_lists(body):
    yield "tools", body.get("toolConfig", {}).get("tools", [])
    yield "system", body.get("system", [])
    for message in reading.said(body):
        yield "messages", message["content"]


def markers(body):
    """Chat messages with Anthropic's markers: OpenRouter, Qwen."""
    return [*common(body), *too_many(body, 0)]


def openai(body):
    """Chat Completions and Responses."""
    marked = [where for where, _, marker in reading.blocks(body) if marker]
    options = body.get("prompt_cache_options", {})
    mode = options.get("mode", "implicit")
    most = 4 if mode == "explicit" else 3
    found = blank(body)
    if len(marked) > most:
        found.append(f"{len(marked)} breakpoints: only the latest {most} are written in {mode} mode")
    if "assistant" in marked:
        found.append("a breakpoint on output of the model")
    if mode == "explicit" and not marked:
        found.append("explicit mode without a breakpoint keeps nothing")
    if options.get("ttl") == "12h" and "messages" in body:
        found.append("12h is for Responses only")
    return found


def plain(body):
    """Chat messages of providers that keep by themselves."""
    marked = [where for where, _, marker in reading.blocks(body) if marker]
    return [*blank(body), *(["markers that the provider does not know"] if marked else [])]


def common(body):
    return [*blank(body), *order(body)]


def blank(body):
    """A text of white space only is refused, also one that is what a cut left over."""
    texts = [(where, block.get("text")) for where, block, _ in reading.blocks(body)]
    found = [f"{where}: a blank text" for where, text in texts if isinstance(text, str) and not text.strip()]
    parts = body.get("systemInstruction", {}).get("parts", [])
    return found + ["system: a blank text" for part in parts if not part["text"].strip()]


def too_many(body, implicit):
    marked = [marker for _, _, marker in reading.blocks(body) if marker]
    number = len(marked) + implicit
    return [f"{number} breakpoints, more than 4"] if number > 4 else []


def order(body):
    """A breakpoint cannot be kept longer than one in front of it. The one of the whole request is the last."""
    markers = [marker for _, _, marker in reading.blocks(body)] + [body.get("cache_control")]
    times = [HOURS[marker.get("ttl", "5m")] for marker in markers if marker]
    return ["a longer time to live behind a shorter one"] if times != sorted(times, reverse=True) else []


def prefilled(body):
    """The beginning of an answer must not end with white space."""
    last = (reading.said(body) or [{}])[-1]
    texts = [part.get("text", "") for part in reading.parts(last) if isinstance(part, dict)]
    ends = last.get("role") == "assistant" and texts and texts[-1] != texts[-1].rstrip()
    return ["a prefill that ends with white space"] if ends else []
