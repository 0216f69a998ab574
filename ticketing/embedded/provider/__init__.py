"""A payment provider for the demo and the tests: Stripe's wire format, and no money moves.

It is a pure ASGI app in a process of its own, for one worker, on the loopback interface. What the
box office sends it, it would send to the real provider with the same SDK and the same adapter, so
nothing of ours is patched or imitated in a test.

Promises. Every request is one SQLite transaction that holds the effect, its events, their
deliveries and the answer under the idempotency key: a SIGKILL at any moment leaves all of them or
none. A webhook that is owed is sent after a restart. Faults are asked for over `/_control/` and
count themselves down; `/_control/disagree` has it tell other figures than it did, or forget.

Environment: `PROVIDER_STATE` (the folder of its state), `PROVIDER_BASE_URL` (where browsers find
its pages), `PROVIDER_WEBHOOK_URL` and `PROVIDER_WEBHOOK_SECRET` (whom it tells, how it signs).
"""
