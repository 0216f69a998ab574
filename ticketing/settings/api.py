"""How the API speaks: JSON only, problem details, tokens, an OpenAPI schema that says all of it."""

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["ticketing.kernel.parsing.SmallJSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["ticketing.accounts.callers.PartnerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["ticketing.accounts.callers.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["ticketing.accounts.callers.PerMinute"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "ticketing.kernel.problems.handler",
    "DEFAULT_METADATA_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}
SPECTACULAR = {
    "TITLE": "Ticketing",
    "DESCRIPTION": "Events, what is free of them, and holds.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
}
