"""Tokens for the API: made and printed this once, listed, revoked."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ticketing.accounts import partners
from ticketing.accounts.models import Partner, PartnerToken, Scope

LONGEST_NAME = Partner._meta.get_field("name").max_length


class Command(BaseCommand):
    help = "Makes, lists or revokes the tokens with which partners use the API."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser("create", help="make a token and print it, this once")
        create.add_argument("partner", help="the partner's name; a new one is a new partner")
        create.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            help="what it may do; may be given several times; else everything",
        )
        create.add_argument(
            "--per-minute", type=int, default=600, metavar="N", help="requests, 600 if not said"
        )
        create.add_argument(
            "--days", type=int, default=365, metavar="N", help="until it expires, 365 if not said"
        )
        verbs.add_parser("list", help="show what is known of all tokens, never a token itself")
        revoke = verbs.add_parser("revoke", help="end a token now")
        revoke.add_argument("id", type=int, help="its number in the list")

    def handle(self, *, verb: str, **options: Any) -> None:
        match verb:
            case "create":
                self._create(**options)
            case "list":
                self._list()
            case _:
                self._revoke(options["id"])

    def _create(
        self,
        *,
        partner: str,
        scope: list[str] | None,
        per_minute: int,
        days: int,
        **_options: Any,
    ) -> None:
        if not 1 <= per_minute <= 1_000_000 or not 1 <= days <= 36_500:  # noqa: PLR2004
            raise CommandError("Requests and days are 1 or more, and not absurdly many.")
        if not partner.strip() or len(partner) > (LONGEST_NAME or 0):
            raise CommandError(f"A partner's name has 1 to {LONGEST_NAME} signs.")
        number, token = partners.make(
            partner=partner.strip(),
            scopes=[Scope(value) for value in scope or Scope.values],
            requests_per_minute=per_minute,
            at=timezone.now(),
            lifetime=timedelta(days=days),
        )
        self.stderr.write(f"Token {number} of {partner.strip()}, shown this once:")
        self.stdout.write(token)

    def _list(self) -> None:
        for token in PartnerToken.objects.select_related("partner").order_by("pk"):
            end = f"revoked {token.revoked_at:%F}" if token.revoked_at else f"{token.expires_at:%F}"
            used = f"{token.last_used_at:%F %H:%M}" if token.last_used_at else "never"
            self.stdout.write(
                f"{token.pk}  {token.partner}  {' '.join(token.scopes)}"
                f"  {token.requests_per_minute} a minute  until {end}  used {used}"
            )

    def _revoke(self, number: int) -> None:
        if not PartnerToken.objects.filter(pk=number).exists():
            raise CommandError(f"There is no token {number}; `partner_token list` shows them.")
        partners.revoke(token_ids=[number], at=timezone.now())
        self.stdout.write(f"Token {number} is revoked.")
