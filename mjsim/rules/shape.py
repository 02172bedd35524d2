"""What the tables of a ruleset are made of: strict, frozen, closed tables, and the kinds of numbers in them."""

from collections.abc import Iterator
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.annotated_handlers import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from mjsim.rules.check import contradiction

NO_SUCH_THING = "none"


class NoneInSchema:
    """Writes `"none"` where pydantic's JSON Schema would write null, which TOML has not."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        for option in schema["anyOf"]:
            if option.get("type") == "null":
                option.clear()
                option["const"] = NO_SUCH_THING
        return schema


def read_none(value: object) -> object:
    """Read the word `"none"` as nothing."""
    return None if isinstance(value, str) and value == NO_SUCH_THING else value


def _drop_table_defaults(schema: dict[str, Any]) -> None:
    for key in schema["properties"].values():
        if key.get("default", "") is None or isinstance(key.get("default"), dict):
            del key["default"]


Points = Annotated[int, Field(ge=0, le=1_000_000)]
PointsOrNone = Annotated[Points | None, BeforeValidator(read_none), NoneInSchema()]
Factor = Annotated[int, Field(ge=1, le=100)]
Times = Annotated[int, Field(ge=0, le=100)]
UnitCount = Annotated[int, Field(ge=0, le=10)]


class Table(BaseModel):
    """One table of a ruleset: frozen, strict about types, closed to unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", json_schema_extra=_drop_table_defaults)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Yield each key that contradicts another one in this table, and what is wrong."""
        yield from ()

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        found = list(self.contradictions())
        if found:
            raise contradiction(found)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain nested dicts shaped and ordered as the TOML file: defaults included, absent events not."""
        tables: dict[str, Any] = {}
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if isinstance(value, Table):
                tables[name] = value.to_dict()
            elif value is not None:
                tables[name] = value
            elif field.is_required():
                tables[name] = NO_SUCH_THING
        return tables
