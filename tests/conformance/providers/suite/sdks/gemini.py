"""google-genai: generateContent, and the resources that it can name."""

import httpx
from google import genai
from google.genai import types as sdk
from pydantic import ValidationError

from .. import rules as written

# The members of a request's body by the arguments of the client's config.
CONFIG = {"systemInstruction": "system_instruction", "tools": "tools", "cachedContent": "cached_content", "ttl": "ttl",
          "displayName": "display_name"}


def rules(body):
    """The API refuses a request that names a resource and sends what this holds."""
    both = "cachedContent" in body and ("systemInstruction" in body or "tools" in body)
    return written.blank(body) + (["the prompt is sent beside the resource that holds it"] if both else [])


def types(body):
    """The SDK's own classes forbid keys that they do not have; what they do not cover is named here."""
    try:
        arguments(body)
    except (ValidationError, KeyError) as error:
        return [str(error)]
    return []


def arguments(body):
    """The body as the client takes it: the contents, and a config."""
    rest = {key: value for key, value in body.items() if key not in ("contents", "model", "generationConfig")}
    config = {CONFIG[key]: value for key, value in rest.items()}
    config.update(body.get("generationConfig", {}))
    kind = sdk.CreateCachedContentConfig if is_resource(body) else sdk.GenerateContentConfig
    contents = [sdk.Content.model_validate(content) for content in body.get("contents", [])]
    return contents, kind.model_validate(config)


def is_resource(body):
    """The body of `POST cachedContents` names its model, that of a call does not."""
    return "model" in body


def wire(body):
    seen = []

    def answer(request):
        seen.append(request.content)
        return httpx.Response(200, json={"name": "cachedContents/abc"} if is_resource(body) else {"candidates": []})

    client = genai.Client(api_key="x", http_options=sdk.HttpOptions(
        httpx_client=httpx.Client(transport=httpx.MockTransport(answer))))
    contents, config = arguments(body)
    if is_resource(body):
        config.contents = contents or None
        client.caches.create(model=body["model"], config=config)
    else:
        client.models.generate_content(model="gemini-3.8-flash", contents=contents, config=config)
    # For resources the SDK forgets its name's other form. The API reads both: they are those of one protobuf field.
    return seen[-1].replace(b'"parameters_json_schema"', b'"parametersJsonSchema"')
