"""What may be set, and for whom: `base` for all, then one of `local`, `test`, `production`."""
