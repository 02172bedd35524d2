"""The JSON Schema of ruleset files, for editors: complete ones, and ones that extend another and say what differs."""

from typing import Any

from pydantic import BaseModel

from mjsim.rules.check import table_of
from mjsim.rules.events import Events, EventWorth
from mjsim.rules.model import Heading, Ruleset
from mjsim.rules.words import EXTENDS, field_meaning

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def file_schema() -> dict[str, Any]:
    """Return the schema of ruleset files, draft 2020-12.

    A file that extends another may leave out any key; another file must have them all. What only `mjsim rules check`
    finds are contradictions between keys.
    """
    schema = Ruleset.model_json_schema()
    tables: dict[str, Any] = schema["$defs"]
    for model in _tables(Ruleset):
        _describe(model, schema if model is Ruleset else tables[model.__name__])
    human_hand = tables[Events.__name__]["properties"]["human_hand"]
    human_hand["anyOf"].append({"const": "double"})
    extends = {"type": "string", "minLength": 1, "description": " ".join(EXTENDS)}
    tables[Heading.__name__]["properties"]["extends"] = extends
    by_itself = {"properties": {"ruleset": {"not": {"required": ["extends"]}}}}
    return {
        "$schema": DIALECT,
        **schema,
        "title": "mjsim ruleset",
        "required": ["ruleset"],
        "if": by_itself,
        "then": _complete(Ruleset),
    }


def _tables(model: type[BaseModel]) -> list[type[BaseModel]]:
    """Return a model and all tables below it, once each."""
    found = [model]
    for name in model.model_fields:
        table = table_of(model, name)
        if table is not None:
            found += [each for each in _tables(table) if each not in found]
    return list(dict.fromkeys(found))


def _describe(model: type[BaseModel], schema: dict[str, Any]) -> None:
    """Say in both languages what each key means, and require none: that is for complete files only."""
    schema.pop("required", None)
    schema.pop("title", None)
    for name, key in schema["properties"].items():
        key.pop("title", None)
        key["description"] = " ".join(field_meaning(model, name))


def _complete(model: type[BaseModel]) -> dict[str, Any]:
    """Return what a table, and every table in it, must have; an event given as a word is not meant."""
    required = [name for name, field in model.model_fields.items() if field.is_required()]
    inner = {name: table_of(model, name) for name in model.model_fields}
    properties = {name: _complete(table) for name, table in inner.items() if table is not None}
    schema: dict[str, Any] = {"required": required} if required else {}
    if properties:
        schema["properties"] = properties
    if issubclass(model, EventWorth):
        worths = [name for name in ("factor", "units", "fixed") if name in model.model_fields]
        schema["anyOf"] = [{"required": [name]} for name in worths]
    return schema
