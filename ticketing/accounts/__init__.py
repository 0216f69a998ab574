"""The user: one account for fans, organizers and staff, known by an e-mail address.

What somebody may do is said by groups and by the organizers they belong to, never by a kind of
user.
"""
