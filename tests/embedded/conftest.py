from tests.provider import listener, provider, provider_process

__all__ = ["listener", "provider", "provider_process"]
