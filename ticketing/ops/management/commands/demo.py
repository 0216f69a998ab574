"""Everything on this machine, for trying and developing."""

import http.client
import shutil
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from ticketing.embedded import EmbeddedError, demo, runtime, services
from ticketing.embedded.children import Family
from ticketing.embedded.supervisor import Interrupted, Supervisor

# Seconds the web process may take until it answers.
READY_WITHIN = 60
WELCOME = """
Ticketing is running at  {url}

  Admin    {url}/admin/
           admin@example.org      sees and does everything
           organizer@example.org  sees and sells its own events
           staff@example.org      helps fans at the box office
           Each has the password: demo
  Mails    {var}/mail, a file each: tickets arrive there
  Logs     {var}/log/demo

Try:
  1. Open {url}, choose an event and take two seats on its map.
  2. Pay on the local payment page, with or without 3-D Secure: nobody is charged.
  3. Open the newest mail: its link leads to the tickets.
  4. Open an event for sale in the admin, or from another terminal: .venv/bin/python manage.py help

Ctrl-C stops everything. What was sold stays sold; `make clean` forgets it."""


class Command(BaseCommand):
    help = "Runs the whole box office on this machine, with services and data of its own."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--port",
            type=int,
            help=f"where to serve; {demo.PORT} or the next free one if not given, 0 is any",
        )

    def handle(self, *, port: int | None, **_options: Any) -> None:
        try:
            family = Family(demo.NAME)
        except runtime.Running as running:
            where = running.environment.get("BASE_URL")
            self.stdout.write(
                f"The demo is already running at {where}; Ctrl-C in its terminal stops it."
                if where
                else "The demo is starting or stopping in another terminal: try again in a moment."
            )
            return
        except EmbeddedError as error:
            raise CommandError(str(error)) from error
        supervisor = Supervisor(family, self._say)
        try:
            self._run(family, supervisor, port)
        except Interrupted:
            pass
        except EmbeddedError as error:
            raise CommandError(str(error)) from error
        finally:
            self._say("\nStopping…")
            family.close()
            self._say("Stopped. `make demo` starts it again.")

    def _run(self, family: Family, supervisor: Supervisor, wanted: int | None) -> None:
        port = demo.choose_port(wanted)
        if wanted is None and port != demo.PORT:
            self._say(f"Port {demo.PORT} is in use: taking {port}. `make demo PORT=…` chooses.")
        self._say("Starting…")
        for folder in ("static", "mail"):
            (runtime.VAR / folder).mkdir(parents=True, exist_ok=True)
        values, started = services.start(family, keep=True)
        for child in started:
            supervisor.adopt(child)
        values |= demo.addresses(port)
        # The figures of a run are its own.
        shutil.rmtree(settings.METRICS_DIR, ignore_errors=True)
        supervisor.run(demo.manage("migrate", values=values))
        front, behind = demo.programs(port, values)
        web, *_ = [supervisor.start(program) for program in front]
        # Meanwhile: the two need about as long.
        supervisor.run(demo.manage("load_demo", values=values))
        runtime.publish(demo.NAME, values)
        if not supervisor.wait(lambda: not web.is_alive or _answers(port), within=READY_WITHIN):
            raise EmbeddedError(f"The site does not answer. {web.last_words()}")
        if not web.is_alive:
            raise EmbeddedError(f"The site does not start. {web.last_words()}")
        for program in behind:
            supervisor.start(program)
        self._say(WELCOME.format(url=values["BASE_URL"], var=runtime.VAR))
        supervisor.watch()

    def _say(self, text: str) -> None:
        try:
            self.stdout.write(text)
            self.stdout.flush()
        except OSError:
            # The terminal is gone. What remains to be done is done all the same.
            return


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection(demo.HOST, port, timeout=2)
    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()
