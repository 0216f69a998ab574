"""All that a newcomer needs beside Python: PostgreSQL, Valkey and a payment provider, in `var/`."""
