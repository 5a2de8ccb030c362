"""The SDKs: who checks a case's request, by the name that the case gives or by its shape."""

import dataclasses
import typing

from . import anthropic, bedrock, gemini, mistral, openai, openrouter


@dataclasses.dataclass
class Sdk:
    """How one SDK is asked.

    `types` says what is wrong with a body, `rules` what the types let pass, `wire` sends it through the real client into a
    transport that goes nowhere, and answers the bytes of the request. `adds` is what the client writes besides: its defaults.
    """

    types: typing.Callable
    rules: typing.Callable
    wire: typing.Callable
    adds: dict = dataclasses.field(default_factory=dict)
    # The client passes objects on as they are; others write the members of their own classes in an order of their own.
    keeps_order: bool = True


SDKS = {
    "anthropic": Sdk(anthropic.types, anthropic.rules, anthropic.wire),
    "openai": Sdk(openai.chat_types, openai.rules, openai.chat_wire),
    "openai-responses": Sdk(openai.responses_types, openai.rules, openai.responses_wire),
    "gemini": Sdk(gemini.types, gemini.rules, gemini.wire, {"generationConfig": {}}, keeps_order=False),
    "bedrock": Sdk(bedrock.types, bedrock.rules, bedrock.wire),
    "openrouter": Sdk(openrouter.types, openrouter.rules, openrouter.wire, {"stream": False}, keeps_order=False),
    "mistral": Sdk(mistral.types, mistral.rules, mistral.wire, {"stream": False, "index": 0, "prefix": False}, keeps_order=False),
    "chat": Sdk(openai.chat_types, openai.plain_rules, openai.chat_wire),
    "marked-chat": Sdk(openai.marked_chat_types, openai.marked_rules, openai.chat_wire),
}
