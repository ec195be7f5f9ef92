"""A command whose output was not written has failed: every command, on /dev/full and with standard output closed."""
import os
import shutil
import signal
import subprocess

from commands import all_commands
import harness as h

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
        self.where = ["--server", f"http://127.0.0.1:{server.port}"]
        self.client.ok("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX", "externalId": "bin"})
        self.refusing = h.Receiver(refuse="/hook")
        self.client.ok("POST", "/v1/endpoints", {"name": "refusing", "type": "WEBHOOK", "externalId": "refusing",
                                                 "url": self.refusing.url})
        self.client.ok("POST", "/v1/streams/Order/1", {"events": [{"eventType": "Placed", "data": {}}]})
        self.operation = self.client.ok("POST", "/v1/bulk", {"resource": "events", "action": "cancel",
                                                             "filter": {"eventType": "NONE"}})["id"]
        with open(os.path.join(directory, "events.jsonl"), "w") as file:
            file.write('{"eventType":"T","targetTimestampUTC":"now+1h","endpointId":"ext:bin","deliveryPayload":{}}\n')
        with open(os.path.join(directory, "endpoint.json"), "w") as file:
            file.write('{"name":"put","type":"INBOX"}')

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

    def of(self, command):
        match command:
            case ("event", "list"):
                return [*self.where] if self.event() else []
            case ("event", "import"):
                return ["events.jsonl", *self.where]
            case ("event", "get" | "explain" | "cancel"):
                return [self.event(), *self.where]
            case ("event", "retry"):
                return [self.failed(), *self.where]
            case ("endpoint", "list"):
                return [*self.where]
            case ("endpoint", "get" | "reset"):
                return ["ext:bin", *self.where]
            case ("endpoint", "set"):
                return ["ext:bin", "--enable", *self.where]
            case ("endpoint", "put"):
                return ["ext:put", "endpoint.json", *self.where]
            case ("endpoint", "delete"):
                self.made += 1
                self.client.ok("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX", "externalId": f"bin-{self.made}"})
                return [f"ext:bin-{self.made}", "-y", *self.where]
            case ("dlq", "list" | "export"):
                return [*self.where] if self.failed() else []
            case ("dlq", "retry" | "dismiss"):
                return [self.failed(), "-y", *self.where]
            case ("op", "wait" | "stop"):
                return [self.operation, *self.where]
            case ("lock", "run"):
                return ["free", *self.where, "true"]
            case ("lock", "acquire"):
                self.made += 1
                return [f"new-{self.made}", *self.where]
            case ("lock", "renew" | "release"):
                return [*self.lock(), *self.where]
            case ("lock", "list"):
                return [*self.where] if self.lock() else []
            case ("stream", "read"):
                return ["Order", "1", *self.where]
            case ("stream", "append"):
                return ["Order", "1", "Shipped", *self.where]
            case ("stream", "follow"):
                return ["--once", *self.where]
            case ("clock", "advance"):
                return ["--by", "PT1S", *self.where]
            case ("clock", "show") | ("op", "list") | ("stream", "list") | ("info",):
                return [*self.where]
            case ("tick",) | ("db", "status"):
                return ["--db", "own.db"]
            case ("db", "migrate"):
                return ["--db", self.empty_database()]
            case ("db", "grant"):
                return ["--db", self.postgres, "--to", "pg_monitor"]
            case ("key", "create"):
                return ["--db", "own.db", "--role", "ADMIN", "--name", "x"]
            case ("key", "list"):
                return ["--db", "own.db"] if self.key() else []
            case ("key", "revoke"):
                return [self.key(), "--db", "own.db"]
            case ("next",):
                return ["@daily", "--zone", "UTC"]
            case ("schedule", "explain"):
                return ["@daily"]
            case ("zone", "show"):
                return ["Europe/Berlin"]
            case ("zone", "convert"):
                return ["2027-01-05T08:00:00Z"]
            case ("zone", "diff"):
                return ["/usr/share/zoneinfo", "--json"]
            case ("bench", "lateness"):
                return ["--events", "5", "--rate", "50"]
            case ("bench", _):
                return ["--events", "20"]
            case ("zone", "list") | ("config", "show") | ("version",):
                return []
        raise AssertionError(f"a new command? say here how it is called so that it prints something: {command}")


def judge(what, done):
    assert done.returncode >= 1 and LOST in done.stderr, (what, done)


def short_commands(directory):
    """Those that end by themselves."""
    with h.postgres() as postgres, h.running("dev", "--test-clock", "--db", "served.db", folder=directory) as server:
        examples = Examples(server, directory, postgres)
        for database in ("own.db", postgres):
            run("db", "migrate", "--db", database, directory=directory)
        checked = 0
        for command in all_commands():
            if command in (("serve",), ("dev",)):
                continue
            done = run(*command, *examples.of(command), directory=directory)
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
        silent = run("key", "revoke", examples.key(), "--db", "own.db", directory=directory, out=None,
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
