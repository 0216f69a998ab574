"""A fair line before a hot sale. This room of the house is reserved; nothing lives here yet.

It will own: the Room (policy), a fan's place in line, waves of admission and the signed pass to
shop. It will be a neighbour of inventory and payments, which it never imports.
"""
