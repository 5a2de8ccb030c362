"""What must hold of the bytes that the server received. Each check answers its name, and what is wrong or nothing."""

import json

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

USAGE = "gen_ai.usage.cache_read.input_tokens"
MARKERS = ("cache_control", "prompt_cache_breakpoint")


def request(body, promptc, expected):
    """A request to a provider: the prompt, its breakpoints, and all else as `promptc emit` writes it."""
    sent = json.loads(body)
    text, marked = "", []
    for block in prompt_blocks(sent):
        text += block["text"]
        if any(marker in block for marker in MARKERS):
            marked.append(len(text.encode()))
    return [
        ("prompt", None if text.encode() == promptc.text else f"{len(text.encode())} bytes, not {len(promptc.text)}"),
        ("breakpoints", None if marked and promptc.tier_ends.issuperset(marked) else f"at {marked}, tiers end at {promptc.tier_ends}"),
        ("request", None if ordered(sent) == ordered(expected) else f"sent {body.decode()[:300]}"),
    ]


def prompt_blocks(sent):
    return sent["system"] if "system" in sent else sent["input"][0]["content"]


def ordered(value):
    """The order of keys counts inside a member of the body, not between members."""
    return {key: json.dumps(member) for key, member in value.items()}


def prefix(first, second):
    """The second request of a conversation begins with the blocks of the first, byte for byte."""
    parts = [(raw(first, key), raw(second, key)) for key in ("system", "messages", "input") if f'"{key}":'.encode() in first]
    *same, (before, after) = parts
    # The conversation goes on where its list ended.
    kept = all(one == other for one, other in same) and after.startswith(before[:-1] + b",")
    return [("prefix", None if kept else f"{before.decode()[-300:]}\n    {after.decode()[:300]}")]


def raw(body, key):
    """The bytes of a member of the body, as they were sent."""
    text = body.decode()
    start = text.index(f'"{key}":') + len(key) + 3
    end = json.JSONDecoder().raw_decode(text, start)[1]
    return text[start:end].encode()


def spans(exports):
    """The attributes of each span of all exports, which are protobuf, with those of the process."""
    for body in exports:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for span in (span for scope in resource.scope_spans for span in scope.spans):
                pairs = [*resource.resource.attributes, *span.attributes]
                yield {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


def langfuse(exports, promptc, release):
    """The span of the sample and that of the SDK's call, which has the usage, both have fingerprint, release and layers."""
    fingerprint = promptc.artifact["fingerprint"]
    expected = {"promptc_fingerprint": fingerprint}
    expected |= {f"promptc_layer_{name}": about for name, about in promptc.layers.items()}
    start, found = "langfuse.trace.metadata.", list(spans(exports))
    metadata = [{key.removeprefix(start): json.loads(value) for key, value in span.items() if key.startswith(start)} for span in found]
    return [
        ("metadata", same(metadata, [expected, expected])),
        ("version", same([span.get("langfuse.version") for span in found], [fingerprint, fingerprint])),
        ("release", same([span.get("langfuse.release") for span in found], [release, release])),
        ("usage", same([span[USAGE] for span in found if USAGE in span], [7])),
    ]


def opentelemetry(exports, promptc):
    expected = {"promptc.fingerprint": promptc.artifact["fingerprint"]}
    for name, about in promptc.layers.items():
        expected |= {f"promptc.layer.{name}.{key}": value for key, value in about.items()}
    found = list(spans(exports))
    attributes = [{key: value for key, value in span.items() if key.startswith("promptc.")} for span in found]
    return [
        ("attributes", same(attributes, [expected])),
        ("usage", same([span.get(USAGE) for span in found], [7])),
    ]


def same(found, expected):
    return None if found == expected else f"{found}, not {expected}"
