"""What every app stands on, and nothing that knows an app.

Owns: the outbox (facts that leave with the transaction that made them true), the one way to write
a state machine, the rule of who opens a transaction, money, idempotency keys, the load board, what
may stand in a log, and the registry of audit queries.

Words: a *fact* is a past-tense message, `app.noun_verbed`; a *handler* reacts to one; a *delivery*
records that a handler is done with a fact; a *dead* fact is one that failed too often and waits
for staff.
"""
