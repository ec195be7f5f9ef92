"""A command whose output was not written has failed: every command, on /dev/full and with standard output closed."""
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess

from benchmarks import until_not_too_busy
from commands import all_commands, flags_of
import harness as h
import import_files

LOST = "the output could not be written"
SILENT = {("serve",), ("key", "revoke"), ("lock", "run")}  # they print no result, only messages on standard error


def run(*arguments, directory, out=subprocess.PIPE, **more):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SUNDIAL") and name != "DATABASE_URL"}
    return subprocess.run([h.PROGRAM, *arguments], env=clean, cwd=directory, stdin=subprocess.DEVNULL, stdout=out,
                          stderr=subprocess.PIPE, text=True, timeout=h.HANG_GUARD, check=False, **more)


class Examples:
    """Arguments for each command, so that it has something to print; makes what they name."""

    def __init__(self, server, directory, postgres):
        self.client, self.directory, self.postgres, self.made = server.client(), directory, postgres, 0
        self.backups = 0
        self.where = ["--server", f"http://127.0.0.1:{server.port}"]
        self.client.ok("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX", "externalId": "bin"})
        self.refusing = h.Receiver(refuse="/hook")
        self.client.ok("POST", "/v1/endpoints", {"name": "refusing", "type": "WEBHOOK", "externalId": "refusing",
                                                 "url": self.refusing.url})
        self.client.ok("POST", "/v1/streams/Order/1", {"events": [{"eventType": "Placed", "data": {}}]})
        self.operation = self.client.ok("POST", "/v1/bulk", {"resource": "events", "action": "cancel",
                                                             "filter": {"eventType": "NONE"}})["id"]
        import_files.write(directory)
        with open(os.path.join(directory, "events.jsonl"), "w") as file:
            file.write('{"eventType":"T","targetTimestampUTC":"now+1h","endpointId":"ext:bin","deliveryPayload":{}}\n')
        with open(os.path.join(directory, "endpoint.json"), "w") as file:
            file.write('{"name":"put","type":"INBOX"}')
        with open(os.path.join(directory, "user.json"), "w") as file:
            file.write('{"firstName":"A","lastName":"B","dateOfBirth":"1990-01-01","timezone":"UTC"}')
        with open(os.path.join(directory, "users.json"), "w") as file:
            file.write('{"users":[{"firstName":"A","lastName":"B","dateOfBirth":"1990-01-01","timezone":"UTC","externalId":"many"}]}')
        with open(os.path.join(directory, "schedule.json"), "w") as file:
            file.write('{"eventType":"S","trigger":{"every":"PT1H"}}')
        self.client.ok("POST", "/v1/endpoints", {"name": "queue", "type": "PULL", "externalId": "queue"})

    def event(self):
        return self.client.ok("POST", "/v1/events", {"eventType": "T", "targetTimestampUTC": "now+48h", "endpointId": "ext:bin",
                                                     "deliveryPayload": {}})["id"]

    def failed(self):
        """An event that its receiver refuses."""
        self.client.ok("PATCH", "/v1/endpoints/ext:refusing", {"circuit": {"state": "CLOSED"}})
        made = self.client.ok("POST", "/v1/events", {"eventType": "F", "targetTimestampUTC": "now",
                                                     "endpointId": "ext:refusing", "deliveryPayload": {}})["id"]
        self.client.ok("POST", "/v1/clock/advance", {"by": "PT1S"})
        assert self.client.ok("GET", f"/v1/events/{made}")["status"] == "FAILED"
        return made

    def lock(self):
        self.made += 1
        name = f"lock-{self.made}"
        return name, self.client.ok("POST", f"/v1/locks/{name}", {"holder": "x", "ttl": "PT1H"})["lockToken"]

    def key(self):
        made = run("key", "create", "--db", "own.db", "--role", "ADMIN", "--name", "x", directory=self.directory).stdout
        return made.removeprefix("sundial_sk_")[:10]

    def empty_database(self):
        for name in os.listdir(self.directory):
            if name.startswith("fresh.db"):
                os.remove(os.path.join(self.directory, name))
        return "fresh.db"

    def user(self):
        self.made += 1
        return self.client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29",
                                                    "timezone": "Europe/Paris", "externalId": f"user-{self.made}"})["id"]

    def schedule(self):
        self.made += 1
        return self.client.ok("POST", "/v1/schedules", {"externalId": f"schedule-{self.made}", "eventType": "S", "endpointId": "ext:bin",
                                                        "trigger": {"every": "PT1H"}})["id"]

    def claimed(self):
        """The id and the version of an event that a pull worker has claimed."""
        self.client.ok("POST", "/v1/events", {"eventType": "T", "targetTimestampUTC": "now", "endpointId": "ext:queue",
                                              "deliveryPayload": {}})
        claim = self.client.ok("POST", "/v1/endpoints/ext:queue/claim", {"worker": "w", "limit": 1})["data"][0]
        return [claim["id"], str(claim["version"])]

    def of(self, command):
        """The arguments of a command; those that ask a server get its address."""
        asks_server = "--server" in flags_of(command) and command[0] != "key"
        arguments = self.own(command)
        if not asks_server:
            return arguments
        return [*self.where, *arguments] if command == ("lock", "run") else [*arguments, *self.where]

    def own(self, command):
        match command:
            case ("event" | "attempt" | "user" | "endpoint" | "schedule" | "inbox" | "dlq", _):
                return self.of_resources(*command)
            case ("stream" | "feed" | "checkpoint" | "lock" | "intake" | "instance" | "stats" | "op" | "clock", _):
                return self.of_server(*command)
            case ("calendar", verb):
                return self.of_calendars(verb)
            case ("import", _) | ("apply",):
                return import_files.arguments_of(command)
            case ("shadow", _):
                if self.client.call("GET", "/v1/endpoints/ext:shadow").status == 404:
                    self.client.ok("PUT", "/v1/endpoints/ext:shadow", {"name": "shadow", "type": "SHADOW"})
                    self.client.ok("PUT", "/v1/schedules/ext:shadowed", {"eventType": "S", "endpointId": "ext:shadow",
                                                                         "trigger": {"every": "PT1H"}})
                return import_files.arguments_of(command)
            case ("tick",) | ("db", "status"):
                return ["--db", "own.db"]
            case ("db", "migrate"):
                return ["--db", self.empty_database()]
            case ("db", "backup"):
                self.backups += 1
                return [f"saved-{self.backups}.db", "--db", "own.db"]
            case ("db", "restore"):
                saved = os.path.join(self.directory, "to-restore.db")
                if not os.path.exists(saved):
                    run("db", "backup", saved, "--db", "own.db", directory=self.directory)
                return [saved, "--db", self.empty_database()]
            case ("db", "copy"):
                return [self.empty_database(), "--db", self.postgres, "--dry-run"]
            case ("db", "reshard"):
                return ["--shards", "64", "--dry-run", "--db", self.postgres]
            case ("db", "check"):
                return ["--db", "own.db"]
            case ("doctor",):
                return ["--db", "own.db", "--http.listen=127.0.0.1:0"]
            case ("db", "grant"):
                return ["--db", self.postgres, "--to", "pg_monitor"]
            case ("key", "create"):
                return ["--db", "own.db", "--role", "ADMIN", "--name", "x"]
            case ("key", "list"):
                return ["--db", "own.db"] if self.key() else []
            case ("key", "revoke"):
                return [self.key(), "--db", "own.db", "-y"]
            case ("next",):
                return ["@daily", "--zone", "UTC"]
            case ("zone", "show"):
                return ["Europe/Berlin"]
            case ("zone", "convert"):
                return ["2027-01-05T08:00:00Z"]
            case ("zone", "diff"):
                return ["/usr/share/zoneinfo", "--json"]
            case ("zone", "impact"):
                return ["--json"]
            case ("bench", "lateness"):
                return ["--events", "5", "--rate", "50"]
            case ("bench", _):
                return ["--events", "20"]
            case ("docs", "error"):
                return ["OPTIMISTIC_LOCK"]
            case ("docs", "page"):
                return ["operating"]
            case ("docs", "read"):
                return ["guide", "locks"]
            case ("completion",):
                return ["bash"]
            case (("zone", "list" | "served") | ("config", "show" | "served") | ("version",) | ("info",) | ("health",) | ("live",) | ("ready",)
                  | ("metrics",) | ("openapi",) | ("docs", _) | ("help",) | ("man",)):
                return []
        raise AssertionError(f"a new command? say here how it is called so that it prints something: {command}")

    def of_resources(self, noun, verb):
        match noun, verb:
            case ("event", "list"):
                return [] if self.event() else []
            case ("event", "import"):
                return ["events.jsonl"]
            case ("event", "add"):
                return ["--type", "T", "--at", "now+1h", "--endpoint", "ext:bin", "--payload", "{}"]
            case ("event", "set"):
                return [self.event(), "--priority", "HIGH"]
            case ("event", "reschedule"):
                return [self.event(), "--at", "now+2h"]
            case ("event", "complete" | "fail" | "release" | "extend"):
                return self.claimed()
            case ("event", "watch"):
                made = self.client.ok("POST", "/v1/events", {"eventType": "T", "targetTimestampUTC": "now", "endpointId": "ext:bin",
                                                             "deliveryPayload": {}})["id"]
                self.client.ok("POST", "/v1/clock/advance", {"by": "PT1S"})
                return [made]
            case ("event", "cancel"):
                return [self.event(), "-y"]
            case ("event", "reschedule-many"):
                return [self.event(), "--by", "PT1H", "-y"]
            case ("event", "retry") | ("attempt", "list"):
                return [self.failed()]
            case ("attempt", "get"):
                return [self.client.ok("GET", f"/v1/attempts?eventId={self.failed()}")["data"][0]["id"]]
            case ("event", _):
                return [self.event()]
            case ("user", "add"):
                return ["--first-name", "A", "--last-name", "B", "--date-of-birth", "1990-01-01", "--timezone", "UTC"]
            case ("user", "list"):
                return [] if self.user() else []
            case ("user", "set"):
                return [self.user(), "--last-name", "C"]
            case ("user", "put"):
                return [self.user(), "user.json"]
            case ("user", "add-many" | "import"):
                return ["users.json"]
            case ("user", "delete"):
                return [self.user(), "-y"]
            case ("user", _):
                return [self.user()]
            case ("endpoint", "list"):
                return []
            case ("endpoint", "add"):
                return ["--name", "added", "--type", "INBOX"]
            case ("endpoint", "set"):
                return ["ext:bin", "--enable"]
            case ("endpoint", "put"):
                return ["ext:put", "endpoint.json"]
            case ("endpoint", "rotate-secret"):
                return ["ext:refusing", "-y"]
            case ("endpoint", "claim"):
                self.client.ok("POST", "/v1/events", {"eventType": "T", "targetTimestampUTC": "now", "endpointId": "ext:queue",
                                                      "deliveryPayload": {}})
                return ["ext:queue", "--worker", "w"]
            case ("endpoint", "delete" | "disable"):
                self.made += 1
                self.client.ok("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX", "externalId": f"bin-{self.made}"})
                return [f"ext:bin-{self.made}", *(["-y"] if verb == "delete" else [])]
            case ("endpoint", _):
                return ["ext:bin"]
            case ("inbox", "clear"):
                return ["ext:bin", "-y"]
            case ("inbox", "list"):
                self.client.ok("POST", "/v1/endpoints/ext:bin/test")
                return ["ext:bin"]
            case ("schedule", "list"):
                return []
            case ("schedule", "explain"):
                return ["@daily"]
            case ("schedule", "add"):
                return ["--every", "PT1H", "--type", "S"]
            case ("schedule", "set"):
                return [self.schedule(), "--every", "PT2H"]
            case ("schedule", "put"):
                return ["ext:put", "schedule.json"]
            case ("schedule", "delete"):
                return [self.schedule(), "-y"]
            case ("schedule", "backfill"):
                return [self.schedule(), "--from", "now-3h", "--to", "now", "--dry-run"]
            case ("schedule", "pause-many" | "resume-many" | "delete-many"):
                return [self.schedule(), "-y"]
            case ("schedule", "tag-many"):
                return [self.schedule(), "--add-tag", "t", "-y"]
            case ("schedule", _):
                return [self.schedule()]
            case ("dlq", "list" | "export" | "groups"):
                return [] if self.failed() else []
            case ("dlq", "retry" | "dismiss"):
                return [self.failed(), "-y"]
        raise AssertionError(f"a new command? say here how it is called so that it prints something: {noun} {verb}")

    def of_calendars(self, verb):
        if verb == "add":
            return ["--schedule", self.schedule()]
        made = self.client.ok("POST", "/v1/calendars", {"scheduleId": self.schedule()})
        match verb:
            case "list":
                return []
            case "read":
                return [made["token"]]
            case "revoke":
                return [made["id"], "-y"]
        raise AssertionError(f"a new command? say here how it is called so that it prints something: calendar {verb}")

    def of_server(self, noun, verb):
        match noun, verb:
            case ("op", "list"):
                return []
            case ("op", "errors"):
                return [self.operation, "--json"]
            case ("op", _):
                return [self.operation]
            case ("intake" | "instance", "list") | ("stats", "show" | "heatmap"):
                return []
            case ("stats", "series"):
                return ["--metric", "executed"]
            case ("instance", "drain"):
                return [self.client.ok("GET", "/v1/instances")["data"][0]["id"], "-y", "--dry-run"]
            case ("intake", "refused" | "taken"):
                return ["shop"]
            case ("lock", "run"):
                return ["free", "true"]
            case ("lock", "acquire"):
                self.made += 1
                return [f"new-{self.made}"]
            case ("lock", "renew" | "release"):
                return [*self.lock()]
            case ("lock", "get"):
                return [self.lock()[0]]
            case ("lock", "list"):
                return [] if self.lock() else []
            case ("stream", "read"):
                return ["Order", "1"]
            case ("stream", "append"):
                return ["Order", "1", "Shipped"]
            case ("stream", "save-snapshot"):
                return ["Order", "1", "1", "{}"]
            case ("stream", "snapshot"):
                self.client.ok("PUT", "/v1/streams/Order/1/snapshot", {"version": 1, "state": {}})
                return ["Order", "1"]
            case ("stream" | "feed", "follow"):
                return ["--once"]
            case ("stream", "list") | ("feed", "read"):
                return []
            case ("checkpoint", "get"):
                return ["reader"]
            case ("checkpoint", "set"):
                self.made += 1
                return [f"reader-{self.made}", "--previous", "0", "--position", "1"]
            case ("clock", "advance"):
                return ["--by", "PT1S"]
            case ("clock", "set"):
                return [self.client.ok("GET", "/v1/clock")["now"]]
            case ("clock", "show" | "tick"):
                return []
        raise AssertionError(f"a new command? say here how it is called so that it prints something: {noun} {verb}")


def judge(what, done):
    assert done.returncode >= 1 and LOST in done.stderr, (what, done)


def short_commands(directory):
    """Those that end by themselves."""
    shop = os.path.join(directory, "shop.db")
    with contextlib.closing(sqlite3.connect(shop)) as connection:
        connection.execute("CREATE TABLE sundial_outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind, request)")
        connection.execute("INSERT INTO sundial_outbox (kind, request) VALUES ('event', '?')")
        connection.commit()
    with h.postgres() as postgres, h.running("dev", "--test-clock", "--db", "served.db", f"--storage.intake=shop=sqlite:{shop}",
                                             folder=directory) as server:
        h.wait_until(lambda: server.client().ok("GET", "/v1/intakes/refused?intake=shop")["data"], "the row of the outbox")
        examples = Examples(server, directory, postgres)
        for database in ("own.db", postgres):
            run("db", "migrate", "--db", database, directory=directory)
        checked = 0
        for command in all_commands():
            if command in (("serve",), ("dev",), ("db", "distribute")):  # the last one needs Citus
                continue
            done = until_not_too_busy(lambda: run(*command, *examples.of(command), directory=directory))
            assert done.returncode == 0, (command, done)
            if command in SILENT:
                assert not done.stdout, (command, done)
                continue
            assert done.stdout, (command, "prints nothing: is it one of SILENT?", done)
            with open("/dev/full", "w") as full:
                judge(command, run(*command, *examples.of(command), directory=directory, out=full))
            checked += 1
        for arguments in (["--help"], ["--help-all"], ["--version"], ["event", "list", "--help"]):
            with open("/dev/full", "w") as full:
                judge(arguments, run(*arguments, directory=directory, out=full))
        judge("closed", run("version", directory=directory, out=None, preexec_fn=lambda: os.close(1)))
        silent = run("key", "revoke", examples.key(), "-y", "--db", "own.db", directory=directory, out=None,
                     preexec_fn=lambda: os.close(1))
        assert silent.returncode == 0, silent  # it had nothing to write
        requests_and_rejects(examples, directory)
        long_outputs(examples, directory)
        server.stop()
    return checked


def requests_and_rejects(examples, directory):
    """Answers to the batch format; the file of `event import --rejects`."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([h.PROGRAM, "next", "--json"], input='{"cron":"@daily","timezone":"UTC"}\n', stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=h.HANG_GUARD, check=False, cwd=directory)
        assert done.returncode >= 1, done
    with open(os.path.join(directory, "wrong.jsonl"), "w") as file:
        file.write('{"eventType":"T","no such member":1}\n')
    done = run("event", "import", "wrong.jsonl", "--rejects", "/dev/full", *examples.where, directory=directory)
    assert done.returncode == 1 and "could not be written to /dev/full" in done.stderr, done


def long_outputs(examples, directory):
    """A command that prints page after page ends with the first lost page, not with the last."""
    for number in range(3):
        examples.client.ok("POST", f"/v1/streams/Long/{number}", {"events": [{"eventType": "Placed", "data": {}}] * 900})
    with open("/dev/full", "w") as full:
        judge("follow without end", run("stream", "follow", *examples.where, directory=directory, out=full))


def served(directory):
    """`dev` serves on, and says at its end that what it printed is lost; `serve` prints nothing."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SUNDIAL") and name != "DATABASE_URL"}
    for command, code in (("dev", 1), ("serve", 0)):
        log = os.path.join(directory, command + ".log")
        with open("/dev/full", "w") as full, open(log, "w") as err:
            process = subprocess.Popen([h.PROGRAM, command, "--db", command + ".db", "--http.listen=127.0.0.1:0",
                                        "--log.level=info", "--log.format=json"], env=clean, cwd=directory,
                                       stdin=subprocess.DEVNULL, stdout=full, stderr=err)

        def said(text):
            with open(log) as file:
                return text in file.read()
        try:
            h.wait_until(lambda: said('"server.ready"') or process.poll() is not None, "server.ready")
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=h.HANG_GUARD) == code, (command, open(log).read())
        finally:
            if process.poll() is None:
                process.kill()
        assert said(LOST) == (code == 1), open(log).read()


def main():
    assert shutil.which("true")
    with h.folder() as directory:
        print(f"{short_commands(directory)} commands fail when their output is lost")
        served(directory)


if __name__ == "__main__":
    main()
