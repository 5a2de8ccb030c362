"""Reading requests: where each shape has its texts, tools and markers."""

MARKERS = ("cache_control", "prompt_cache_breakpoint", "cachePoint")


def system_texts(body):
    """The texts of the system blocks in order; None if the request has none."""
    if "systemInstruction" in body:
        return [part["text"] for part in body["systemInstruction"]["parts"]]
    if "system" in body:
        return [block["text"] for block in body["system"] if "text" in block]
    first = (said(body) or [{}])[0]
    if first.get("role") not in ("system", "developer"):
        return None
    content = first["content"]
    return [content] if isinstance(content, str) else [part["text"] for part in content]


def said(body):
    """The messages."""
    for key in ("messages", "input", "contents"):
        if key in body:
            return body[key]
    return []


def parts(message):
    """The parts of a message's content; a text is one part."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return [{"text": content}]
    return content or []


def tools(body):
    """Name and schema of each function, in order."""
    found = body.get("toolConfig", body).get("tools", [])
    for tool in found:
        inner = tool.get("functionDeclarations") or [tool.get("toolSpec") or tool.get("function") or tool]
        for one in inner:
            schema = one.get("input_schema", one.get("parameters", one.get("parametersJsonSchema")))
            schema = one["inputSchema"]["json"] if "inputSchema" in one else schema
            if "name" in one and schema is not None:
                yield one["name"], schema


def blocks(body):
    """Everything that can be marked, in the order of the prefix: where, the block, its marker or None."""
    config = body.get("toolConfig", body)
    for tool in config.get("tools", []):
        yield "tools", tool, marker(tool)
    for block in body.get("system", []):
        yield "system", block, marker(block)
    for message in said(body):
        if isinstance(message, dict):
            yield from ((message.get("role", ""), part, marker(part)) for part in parts(message) if isinstance(part, dict))
            if marker(message):
                yield message.get("role", ""), message, marker(message)


def marker(block):
    return next((block[key] for key in MARKERS if key in block), None)
