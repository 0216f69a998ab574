"""Halls and their seat maps: what the building is, whatever is on.

Owns: Venue, SeatMap, Section, Row, Seat. A SeatMap is a draft or a published version; a published
version never changes (a trigger holds that) and is known by the hash of its content, so that an
event may pin it and a browser may keep it for ever. A seat's `guid` is its name across versions.
Whether a seat is free is nobody's business here: that is an event seat, in inventory. Which seats a
new version may not lose is asked of the floors above, which hand a function to `usage`.

A plan comes in through `pretix` (pure: a document in, a plan and a report out), is written and
published by `services.maps`, and is drawn from `selectors`, which keep published geometry.
"""
