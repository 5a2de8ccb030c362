"""mistralai: chat requests."""

import httpx
from mistralai.client import Mistral
from mistralai.client.models import ChatCompletionRequestTypedDict

from .. import rules as written
from ..typed import errors


REPLY = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [],
         "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def rules(body):
    """The API refuses a request that ends with a message of the assistant, unless this says that it is a prefix."""
    last = body["messages"][-1]
    alone = last["role"] == "assistant" and last.get("prefix") is not True
    return written.plain(body) + (["an answer's beginning without `prefix`"] if alone else [])


def types(body):
    return errors(body, ChatCompletionRequestTypedDict)


def wire(body):
    seen = []

    def answer(request):
        seen.append(request.content)
        return httpx.Response(200, json=REPLY)

    Mistral(api_key="x", client=httpx.Client(transport=httpx.MockTransport(answer))).chat.complete(**body)
    return seen[-1]
