from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ticketing.kernel import audit


class Command(BaseCommand):
    help = "Looks for everything that may never be. Names each finding, and then exits with 1."

    def handle(self, *_: Any, verbosity: int, **__: Any) -> None:
        findings = list(audit.run())
        if verbosity > 1:
            for rule in audit.rules():
                self.stdout.write(f"asked: {rule}")
        for finding in findings:
            self.stderr.write(str(finding))
        if findings:
            raise CommandError(f"Findings: {len(findings)}, in {len(audit.rules())} checks.")
        self.stdout.write(f"No finding, in {len(audit.rules())} checks.")
