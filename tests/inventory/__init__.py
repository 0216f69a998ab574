import pytest

# What fails there should say which values it compared.
pytest.register_assert_rewrite("tests.inventory.machine")
