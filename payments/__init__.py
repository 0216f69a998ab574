"""Money asked for once and given back once, whatever the provider does.

Owns: Payment, ProviderCall, ProviderEvent, Refund, Movement, Dispute, and every word with the
provider. It knows an opaque `reference` that the floor above gives, never what is bought with it.

Words: *authorize* reserves the money, *capture* takes it, *void* undoes before capture, *refund*
gives back after. A call is *unknown* while nobody heard the provider's answer; an answer resolves
it, a guess of ours never. A payment is *unwanted* once the floor above asked for its money back.

Promises. An intent row is committed before each call that changes something, the call is made
outside any transaction, and its outcome is written after. Only the payment intent's own status is
believed: not a redirect, not a session, not the words of a webhook, which merely make us ask. A
state only moves along its table, so duplicates in any order come to the same end. Whatever nobody
finished is finished by `reconciliation`: it asks about every payment that is not at rest.

A refund is promised in the caller's transaction, under the payment's lock and never above what is
left, and made after it (`services/refunds`). One that somebody made at the provider is taken in.

A payment of nothing takes the same way through a gateway of its own that says yes at once.

The ledger has each movement of money as a row that nobody can change, entered in the transaction
that moved the payment. A payment's amounts are its sums.

Facts: `payments.payment_authorized`, `…_captured`, `…_declined`, `…_expired`, `…_voided`,
`…_refunded`, `payments.capture_failed`, `payments.refund_requested` and `…_failed`, each told once
a reference.
"""
