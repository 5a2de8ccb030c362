"""Asks by the SDKs of providers and by LiteLLM, and prints each answer as a line of JSON. The variables of the environment say where."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

SYSTEM = "You are Harbor. Answer in one sentence."
ASKS = ["plain", "a tool please", "give me a 429", "give me a 500"]
SCHEMA = {"type": "object", "properties": {"length": {"type": "number"}}}


def said(name, ask):
    """Prints what a call gives, or how it fails."""
    try:
        got = ask()
    except Exception as error:  # noqa: BLE001
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        got = {"error": type(error).__name__, "status": status}
    print(json.dumps([name, got], default=plain, sort_keys=True), flush=True)


def plain(value):
    dumped = value.model_dump(mode="json") if hasattr(value, "model_dump") else vars(value)
    # When an SDK made it, and what it says of the connection, is its own.
    return {k: v for k, v in dumped.items() if k not in ("created", "sdk_http_response", "created_at")}


def with_anthropic():
    import anthropic

    client = anthropic.Anthropic(api_key="none", max_retries=0)
    tools = [{"name": "berth", "description": "Find a free berth.", "input_schema": SCHEMA}]

    def request(text):
        return dict(model="claude-opus-5-5", max_tokens=99, system=SYSTEM, tools=tools, messages=[{"role": "user", "content": text}])

    def leave():
        with client.messages.create(**request("let me leave"), stream=True) as stream:
            return next(iter(stream))

    for text in ASKS:
        said(f"anthropic {text}", lambda: client.messages.create(**request(text)))
        said(f"anthropic stream {text}", lambda: list(client.messages.create(**request(text), stream=True)))
    said("anthropic slow", lambda: list(client.messages.create(**request("slow"), stream=True)))
    said("anthropic leave", leave)
    large = "Berth 4 is free.\n" * (3 << 20) + "large"
    said("anthropic large", lambda: client.messages.create(**request(large)))
    with ThreadPoolExecutor(64) as pool:
        many = list(pool.map(lambda i: client.messages.create(**request(f"number {i}")).id, range(64)))
    said("anthropic many", lambda: many)


def with_openai():
    import openai

    client = openai.OpenAI(api_key="none", max_retries=0)
    function = {"name": "berth", "description": "Find a free berth.", "parameters": SCHEMA}

    def chat(text, **more):
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
        return client.chat.completions.create(model="gpt-6.1", messages=messages, tools=[{"type": "function", "function": function}], **more)

    def respond(text, **more):
        return client.responses.create(model="gpt-6.1", instructions=SYSTEM, input=text, tools=[{"type": "function", **function}], **more)

    for text in ASKS:
        said(f"chat {text}", lambda: chat(text))
        said(f"chat stream {text}", lambda: list(chat(text, stream=True, stream_options={"include_usage": True})))
        said(f"responses {text}", lambda: respond(text))
        said(f"responses stream {text}", lambda: list(respond(text, stream=True)))


def with_gemini():
    from google import genai

    client = genai.Client(api_key="none")
    declared = [{"name": "berth", "description": "Find a free berth.", "parameters_json_schema": SCHEMA}]
    config = {"system_instruction": SYSTEM, "tools": [{"function_declarations": declared}]}
    for text in ASKS:
        ask = dict(model="gemini-3.1-pro", contents=text, config=config)
        said(f"gemini {text}", lambda: client.models.generate_content(**ask))
        said(f"gemini stream {text}", lambda: list(client.models.generate_content_stream(**ask)))


def with_litellm():
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY", "OPENROUTER_API_KEY"):
        os.environ[name] = "none"
    messages = [{"role": "system", "content": SYSTEM}]

    def short(answer):
        message = answer.choices[0].message
        return [message.content, [call.function.arguments for call in message.tool_calls or []], answer.usage.prompt_tokens]

    models = ["anthropic/claude-opus-5-5", "openai/gpt-6.1", "gemini/gemini-3.1-pro", "deepseek/deepseek-chat", "openrouter/openai/gpt-6.1"]
    for model in models:
        for text in ASKS:
            ask = dict(model=model, messages=[*messages, {"role": "user", "content": text}], num_retries=0, max_retries=0)
            said(f"litellm {model} {text}", lambda: short(litellm.completion(**ask)))
            words = lambda: [chunk.choices[0].delta.content for chunk in litellm.completion(**ask, stream=True)]  # noqa: E731
            said(f"litellm stream {model} {text}", words)


for name in sys.argv[1:]:
    {"anthropic": with_anthropic, "openai": with_openai, "gemini": with_gemini, "litellm": with_litellm}[name]()
