"""Who somebody is: people, and the partners that use the API.

Owns: User, one account for fans, organizers and staff, known by an e-mail address; Partner, and the
tokens that partners show. What a person may do is said by groups and by the organizers they belong
to, never by a kind of user; what a token may do, by its scopes. A token is shown once, when it is
made: only its hash is kept, and losing the database tells nobody a token.
"""
