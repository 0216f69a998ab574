"""What the API takes and gives: fields that take exactly what the schema says, and no more."""

from collections.abc import Mapping
from typing import Any

from django.core.validators import ProhibitNullCharactersValidator
from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import exceptions, serializers
from rest_framework.validators import ProhibitSurrogateCharactersValidator

MAX_ID = 2**63 - 1
# What a database could not keep.
UNKEPT = (ProhibitNullCharactersValidator, ProhibitSurrogateCharactersValidator)


class StrictInteger(serializers.IntegerField):
    """A JSON number without a fraction, such as 12 or 12.0; "12" is a text."""

    def to_internal_value(self, data: Any) -> int:
        if type(data) is float and data.is_integer():
            data = int(data)
        if type(data) is not int:
            self.fail("invalid")
        return data


class QueryInteger(serializers.IntegerField):
    """A number in an address, in plain digits."""

    def to_internal_value(self, data: Any) -> int:
        if not (data.isascii() and data.isdecimal()):
            self.fail("invalid")
        return super().to_internal_value(data)


class QueryText(serializers.CharField):
    """Words in an address; a sign that no database keeps is none."""

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data.replace("\0", " "))


class StrictString(serializers.CharField):
    """A JSON string as it came; 12 is a number. For what is hashed: any sign will do."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=1, trim_whitespace=False, **options)
        self.validators = [rule for rule in self.validators if not isinstance(rule, UNKEPT)]

    def to_internal_value(self, data: Any) -> str:
        if type(data) is not str:
            self.fail("invalid")
        return data


class Wished(serializers.Serializer[Any]):
    """A JSON object that a caller sends: a name that is not in the schema is refused, not lost."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = {name: [_("There is no such field.")] for name in set(data) - {*self.fields}}
            if unknown:
                raise exceptions.ValidationError(unknown)
        return super().to_internal_value(data)


class WishedInSchema(OpenApiSerializerExtension):
    target_class = Wished
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False}


class MoneyShape(serializers.Serializer[Any]):
    """An amount in minor units: 12.50 EUR is 1250."""

    minor = serializers.IntegerField()
    currency = serializers.CharField(help_text="ISO 4217")
