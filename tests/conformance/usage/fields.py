"""The fields with numbers in the usage types of SDKs, and whether the table has them."""

import ast
import re
import sys
import typing
import zipfile

import anthropic
import botocore.session
import google.genai.types
import groq.types
import mistralai.client.models
import openai.types
import openai.types.responses
import openrouter.components
import pydantic
from openrouter.components import openresponsesresult

TYPES = {
    "anthropic": [
        anthropic.types.Usage,
        anthropic.types.MessageDeltaUsage,
        anthropic.types.beta.BetaUsage,
        anthropic.types.beta.BetaMessageDeltaUsage,
    ],
    "openai": [openai.types.CompletionUsage, openai.types.responses.ResponseUsage],
    "google-genai": [google.genai.types.GenerateContentResponseUsageMetadata],
    "mistralai": [mistralai.client.models.UsageInfo],
    "openrouter": [openrouter.components.ChatUsage, openresponsesresult.Usage],
    "groq": [groq.types.CompletionUsage],
}


def leaves(annotation, path):
    """The paths of the numbers in a type, as the table writes them."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in (int, float):
        yield path
    elif isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        for name, field in annotation.model_fields.items():
            yield from leaves(field.annotation, f"{path}.{field.alias or name}".lstrip("."))
    elif origin in (list, typing.List):
        for item in members(inner[0]):
            for word in words(item):
                yield from leaves(item, f"{path}[{word}]")
    elif origin is not typing.Literal:
        for part in inner:
            yield from leaves(part, path)


def members(annotation):
    """The types of a union."""
    if isinstance(annotation, type):
        return [annotation]
    return [one for part in typing.get_args(annotation) for one in members(part)]


def words(item):
    """The values of the field that names the kind of an item."""
    fields = getattr(item, "model_fields", {})
    named = [fields[name].annotation for name in ("type", "ttl") if name in fields]
    return typing.get_args(named[0]) if named else [""]


def of_bedrock():
    """The same of the service model of Converse."""
    model = botocore.session.get_session().get_service_model("bedrock-runtime")

    def walk(shape, path):
        if shape.type_name in ("integer", "long", "float", "double"):
            yield path
        elif shape.type_name == "structure":
            for name, member in shape.members.items():
                yield from walk(member, f"{path}.{name}".lstrip("."))
        elif shape.type_name == "list":
            ttl = getattr(shape.member, "members", {}).get("ttl")
            for word in ttl.enum if ttl else [""]:
                yield from walk(shape.member, f"{path}[{word}]")

    return walk(model.shape_for("TokenUsage"), "")


def of_litellm(wheel):
    """The same of litellm, which is read and not installed."""
    with zipfile.ZipFile(wheel) as packed:
        tree = ast.parse(packed.read("litellm/types/utils.py"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

    def walk(name, path):
        for base in classes[name].bases:
            if isinstance(base, ast.Name) and base.id in classes:
                yield from walk(base.id, path)
        for node in classes[name].body:
            if isinstance(node, ast.AnnAssign) and not node.target.id.startswith("_"):
                place = f"{path}.{node.target.id}".lstrip(".")
                named = {part.id for part in ast.walk(node.annotation) if isinstance(part, ast.Name)}
                inner = sorted(named & classes.keys())
                for one in inner:
                    yield from walk(one, place)
                if not inner and named & {"int", "float"}:
                    yield place

    return walk("Usage", "")


def is_known(path, table):
    """Whether the table has a field, or an object that it is in."""
    ends = [found.start() for found in re.finditer(r"[.\[]", path)] + [len(path)]
    return any(path[:end] in table for end in ends) or any(path[: found.end()] in table for found in re.finditer(r"\]", path))


def main():
    _, path, wheel, *each = sys.argv
    lines = open(path, encoding="utf-8").read().splitlines()
    table = {line.split()[0] for line in lines if line and not line.startswith("#")}
    found = {name: [leaf for kind in kinds for leaf in leaves(kind, "")] for name, kinds in TYPES.items()}
    found |= {"bedrock": list(of_bedrock()), "litellm": list(of_litellm(wheel))}
    bad = 0
    for name, paths in found.items():
        paths = sorted(set(paths))
        unknown = [path for path in paths if not is_known(path, table)]
        # A table without a row has to be noticed, or the check cannot fail.
        if not paths or all(is_known(path, table - {path}) for path in paths):
            unknown.append("nothing was looked at")
        bad += len(unknown)
        print(f"{name}: {len(paths)} fields, {len(unknown)} unknown")
        for path in paths if each else unknown:
            print(f"    {path}")
    print(f"{bad} that layers/usage.txt does not have" if bad else "ok")
    sys.exit(bad > 0)


main()
