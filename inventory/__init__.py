"""Whose seat is it: the one writer of event seats, pools and holds.

Owns: EventSeat (a venue's seat made sellable for one event, and *the* row that says whose it is),
AdmissionPool (counted places), Hold with its lines, Block. A Hold is a lease with an identity and a
fencing token. It ends by its own identity, never by "whatever is held"; a lapsed lease is free by
definition at read time, so no sale waits for a worker.

Lock order, for everybody: the fan (advisory, all his names) → holds by pk → seats by pk → pools by
pk → the presale code (advisory). Leases are judged by PostgreSQL's clock, read after the locks are
taken.

A hold's owner is an account, or a visitor until he logs in: then what he holds becomes the
account's, key and all, and his name stays beside it. Or it is a partner, for a customer of his.

Nobody outside imports `inventory.models`: ask `selectors`, or act through `services`.
"""
