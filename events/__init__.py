"""The programme: who sells what, when, and for how much.

Owns: Organizer, Series, Event, OnSale, PriceZone, Fare, Price, Fee. An Event is one dated happening
at one venue and pins one published version of a seat map. Whether it sells now follows from its
OnSales and its pause switch, never from its state alone. A price belongs to a zone and a fare; it
is frozen only when somebody holds a place, in inventory. What is still free is not known here:
inventory hands an availability level down (`availability`), and adds its own step, opening,
to those that staff find on an event's page (`steps`).
"""
