"""The programme: who sells what, when, and for how much.

Owns: Organizer, Series, Event, OnSale with its AccessCodes, PriceZone, Fare, Price, Fee. An Event
is one dated happening at one venue and pins one published version of a seat map. Whether it sells
now follows from its OnSales and its pause switch, never from its state alone; in a presale it sells
to those who carry a code, of which only a keyed hash is kept. A price belongs to a zone and a fare;
it is frozen only when somebody holds a place, in inventory. What is still free is not known here:
inventory hands down an availability level (`availability`) and how often codes are in use (`uses`),
and adds its own step, opening, to those that staff find on an event's page (`steps`).
"""
