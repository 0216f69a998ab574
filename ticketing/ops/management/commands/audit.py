from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ticketing.kernel import audit


class Command(BaseCommand):
    help = "Look for everything that may never be. Exits with 1 and names each finding, if any."

    def handle(self, *_: Any, verbosity: int, **__: Any) -> None:
        findings = list(audit.run())
        if verbosity > 1:
            for rule in audit.rules():
                self.stdout.write(f"asked: {rule}")
        for finding in findings:
            self.stderr.write(str(finding))
        if findings:
            raise CommandError(f"{len(findings)} findings in {len(audit.rules())} checks.")
        self.stdout.write(f"{len(audit.rules())} checks, no finding.")
