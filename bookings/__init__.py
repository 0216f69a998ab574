"""The deal, from the fan's first click on a seat to the ticket in hand.

Owns: Booking and its lines, Cancellation, Ticket, Credential, the mails, and what organizers read
about their sales. A booking is PENDING from the start of the payment, and remembers the hold *and
the fencing token* it started with: a confirm that carries another one is refused. It is the only
floor that may ask inventory, payments and the waiting room; it learns of money by facts, and each
step of the saga commits and may be run again.

Fans hold as visitors or accounts (`visitors`), partners for customers of theirs (`customers`).

Cancelling is a workflow of its own, line by line (`services/cancellations`): tickets, places and
the promise of the money in one transaction, by the policy that stood at the purchase. A
Cancellation is the record of one: who, why, what goes back; nothing changes it.

One e-mail address has no more places at an event than one fan may have. Its lock (advisory, by
event and address) comes before its bookings, and these come before their holds.
"""
