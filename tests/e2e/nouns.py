"""Every noun of the command line on a server: what its commands do, print and refuse."""
import csv
import io
import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import http.server

import harness as h
from tls import certificate


class Program:
    """`sundial` with the server's address in its environment."""

    def __init__(self, server, directory):
        self.directory = directory
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL") and k not in ("DATABASE_URL", "NO_COLOR")}
        self.environment = clean | {"SUNDIAL_SERVER": f"http://127.0.0.1:{server.port}"}

    def run(self, *arguments, code=0, text=None):
        done = subprocess.run([h.PROGRAM, *arguments], input=text, stdin=None if text is not None else subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=h.HANG_GUARD, env=self.environment, cwd=self.directory,
                              check=False)
        assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
        assert code == 0 or done.stderr, (arguments, "fails without a word")
        self.err = done.stderr
        return done.stdout

    def json(self, *arguments, **more):
        return json.loads(self.run(*arguments, "--json", **more))

    def start(self, *arguments):
        return subprocess.Popen([h.PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=self.environment, cwd=self.directory)


def users(program, client):
    ada = program.json("user", "add", "--first-name", "Ada", "--last-name", "李", "--date-of-birth", "1992-02-29", "--timezone",
                       "Europe/Paris", "--external-id", "ada", "--metadata", '{"team":"x"}')
    assert ada["externalId"] == "ada" and ada == client.ok("GET", "/v1/users/ext:ada")
    assert "李" in program.run("user", "get", "ext:ada")
    refused = program.run("user", "add", "--first-name", "A", "--last-name", "B", "--date-of-birth", "1992-02-30", "--timezone", "Mars/Base",
                          code=2)
    assert not refused and "--date-of-birth: " in program.err and "--timezone: " in program.err, program.err
    assert "(VALIDATION_FAILED)" in program.err, program.err

    program.run("user", "set", "ext:ada", "--metadata", '{"n":1}', code=2)
    assert "--metadata at n: must be a string" in program.err, program.err
    tried = program.run("user", "set", "ext:ada", "--timezone", "Asia/Tokyo", "--dry-run")
    assert "PATCH /v1/users/ext:ada" in tried and "timezone  Europe/Paris -> Asia/Tokyo" in tried, tried
    assert client.ok("GET", "/v1/users/ext:ada")["version"] == 1
    program.run("user", "set", "ext:ada", "--timezone", "Asia/Tokyo", "--if-match", "1")
    program.run("user", "set", "ext:ada", "--timezone", "Asia/Tokyo", "--if-match", "1", code=4)
    assert "(OPTIMISTIC_LOCK)" in program.err, program.err
    assert program.json("user", "set", "ext:ada", "--unset", "external-id", "--data", '{"lastName":"Liu"}')["externalId"] is None
    program.run("user", "set", ada["id"], "--external-id", "ada")

    with open(os.path.join(program.directory, "user.json"), "w") as file:
        json.dump({"firstName": "Bo", "lastName": "A, \"B\"", "dateOfBirth": "1980-05-01", "timezone": "UTC"}, file)
    assert "would be created" in program.run("user", "put", "ext:bo", "user.json", "--dry-run")
    assert client.call("GET", "/v1/users/ext:bo").status == 404
    assert program.json("user", "put", "ext:bo", "user.json")["externalId"] == "bo"
    once = [program.json("user", "add", "--first-name", "C", "--last-name", "C", "--date-of-birth", "1990-01-01", "--timezone", "UTC",
                         "--request-key", "one")["id"] for _ in range(2)]
    assert once[0] == once[1], "one request, sent twice"

    listed = program.run("user", "list", "--sort=-lastName", "--timezone", "UTC,Asia/Tokyo")
    assert [line.split()[0] for line in listed.splitlines()] == ["user", "ext:ada", once[0], "ext:bo"], listed
    rows = list(csv.DictReader(io.StringIO(program.run("user", "list", "--q", "bo", "--csv"))))
    assert [(row["externalId"], row["lastName"]) for row in rows] == [("bo", 'A, "B"')], rows
    assert program.run("user", "list", "--birth-month", "7") == "" and program.err == "none\n"

    program.run("user", "delete", "ext:bo", code=2)
    assert "delete the user ext:bo" in program.err and "give -y" in program.err, program.err
    assert "DELETE /v1/users/ext:bo" in program.run("user", "delete", "ext:bo", "--dry-run")
    assert client.call("GET", "/v1/users/ext:bo").status == 200
    assert program.run("user", "delete", "ext:bo", "-y", "--history", "keep") == "deleted\n"
    program.run("user", "delete", "ext:bo", "-y", code=3)
    program.run("user", "delete", "ext:bo", "--dry-run", code=3)


def pages(program, client):
    """More rows than one page of the API has."""
    client.ok("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX", "externalId": "bin"})
    for _ in range(3):
        client.ok("POST", "/v1/events/batch", {"events": [{"eventType": "PAGED", "targetTimestampUTC": "now+9h", "endpointId": "ext:bin",
                                                           "deliveryPayload": 1.0}] * 400})
    ids = {row["id"] for row in client.all("/v1/events?eventType=PAGED&limit=500")}
    listed = program.run("event", "list", "--type", "PAGED", "--all").splitlines()
    assert len(listed) == 1201 and {line.split()[0] for line in listed[1:]} == ids
    assert len(program.run("event", "list", "--type", "PAGED", "--limit", "700").splitlines()) == 701 and "and more" in program.err
    document = program.run("event", "list", "--type", "PAGED", "--all", "--json")
    page = json.loads(document)
    assert {row["id"] for row in page["data"]} == ids and page["hasMore"] is False and page["nextCursor"] is None
    assert document.count('"deliveryPayload":1.0,') == 1200, "no byte of a payload changes"
    page = program.json("event", "list", "--type", "PAGED", "--limit", "600")
    assert len(page["data"]) == 600 and page["hasMore"] is True and page["nextCursor"]
    assert len(list(csv.DictReader(io.StringIO(program.run("event", "list", "--type", "PAGED", "--all", "--csv"))))) == 1200


def events(program, client):
    payload = '{"text": "Renew",  "n": 1.0}'
    with open(os.path.join(program.directory, "payload.json"), "w") as file:
        file.write(payload)
    new = ["event", "add", "--type", "REMINDER", "--endpoint", "ext:bin"]
    made = program.json(*new, "--at", "2040-03-25T02:30", "--timezone", "Europe/Berlin", "--gap", "earlier", "--payload", "@payload.json")
    assert made["targetTimestampUTC"] == "2040-03-25T00:30:00.000Z", made
    assert f'"deliveryPayload":{payload}' in client.get(f"/v1/events/{made['id']}").body.decode()
    assert program.json(*new, "--at", "now+2h", "--payload", "-", text="[1]")["deliveryPayload"] == [1]
    program.run(*new, "--at", "2040-03-25T02:30", "--timezone", "Europe/Berlin", "--gap", "reject", "--payload", "1", code=2)
    assert "--at: " in program.err, program.err
    assert "POST /v1/events" in program.run(*new, "--at", "now", "--payload", "1", "--dry-run")
    event = made["id"]
    moved = program.json("event", "reschedule", event, "--at", "2040-05-01T09:00", "--timezone", "Asia/Tokyo")
    assert moved["targetTimestampUTC"] == "2040-05-01T00:00:00.000Z" and moved["version"] == 2, moved
    assert program.json("event", "set", event, "--priority", "HIGH")["priority"] == "HIGH"
    assert "Europe" not in program.run("event", "explain", event) and "Asia/Tokyo" in program.run("event", "explain", event)
    program.run("event", "fire", event)
    assert program.run("event", "watch", event, "--timeout", "60").splitlines()[-1].startswith("COMPLETED")
    attempts = program.run("attempt", "list", event)
    assert "SUCCEEDED" in attempts and attempts.splitlines()[0].split()[:2] == ["id", "started"], attempts
    requests = program.json("inbox", "list", "ext:bin")["data"]
    assert [request["body"] for request in requests] == [payload], requests
    client.ok("POST", "/v1/events", {"eventType": "T", "targetTimestampUTC": "now", "endpointId": "ext:bin",
                                     "deliveryPayload": "\u202e\n"})
    h.wait_until(lambda: len(program.json("inbox", "list", "ext:bin")["data"]) == 2, "the second request")
    shown = program.run("inbox", "list", "ext:bin")
    assert len(shown.splitlines()) == 3 and "\u202e" not in shown, "a text of others cannot disturb the terminal"
    program.run("inbox", "clear", "ext:bin", code=2)
    assert program.run("inbox", "clear", "ext:bin", "-y") == "cleared\n"
    assert program.json("inbox", "list", "ext:bin")["data"] == []
    missed = program.json(*new, "--at", "2026-01-05T08:00:00Z", "--payload", "1")["id"]
    # On a slow machine those above were late, too.
    h.wait_until(lambda: missed in {each["id"] for each in program.json("event", "list", "--late")["data"]}, "a late event")
    [late] = [row for row in csv.DictReader(io.StringIO(program.run("event", "list", "--late", "--csv"))) if row["id"] == missed]
    assert late["endpointId"] and late["createdAt"] and int(late["latenessMs"]) > 1000, late
    assert "latenessMs" not in program.run("event", "list", "--csv").splitlines()[0]
    later = program.json(*new, "--at", "now+2h", "--payload", "1")["id"]
    program.run("event", "cancel", later, code=2)
    for verb in ("get", "retry", "cancel", "watch"):
        program.run("event", verb, "..", *(("-y",) if verb == "cancel" else ()), code=2)
    assert "CANCELLED" in program.run("event", "cancel", later, "-y")
    pull_worker(program, client)


def pull_worker(program, client):
    client.ok("POST", "/v1/endpoints", {"name": "queue", "type": "PULL", "externalId": "queue"})
    for verb in ("complete", "fail", "release", "extend"):
        client.ok("POST", "/v1/events", {"eventType": verb, "targetTimestampUTC": "now", "endpointId": "ext:queue", "deliveryPayload": 1})
        work = program.json("endpoint", "claim", "ext:queue", "--worker", "w", "--lease", "PT1M", "--wait", "PT20S")["data"]
        assert len(work) == 1, work
        more = {"fail": ["--reason", "broken", "--retry=false"], "extend": ["--lease", "PT2M"]}.get(verb, [])
        event = program.json("event", verb, work[0]["id"], str(work[0]["version"]), *more)
        assert event["status"] == {"complete": "COMPLETED", "fail": "FAILED"}.get(verb, "PROCESSING"), event
        if verb == "release":
            work = program.json("endpoint", "claim", "ext:queue", "--worker", "w", "--wait", "PT20S")["data"]
            program.run("event", "complete", work[0]["id"], str(work[0]["version"]))
    program.run("event", "complete", work[0]["id"], "1", code=4)


def watching(program, client):
    """Without a terminal a watched list prints new and changed rows."""
    process = program.start("event", "list", "--type", "WATCHED", "--watch", "--interval", "1", "--json")
    try:
        made = client.ok("POST", "/v1/events", {"eventType": "WATCHED", "targetTimestampUTC": "now+9h", "endpointId": "ext:bin",
                                                "deliveryPayload": 1})
        assert json.loads(process.stdout.readline())["id"] == made["id"]
        client.ok("PATCH", f"/v1/events/{made['id']}", {"priority": "HIGH"})
        assert json.loads(process.stdout.readline())["priority"] == "HIGH"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=h.HANG_GUARD) == 130
    finally:
        if process.poll() is None:
            process.kill()


def endpoints(program, client):
    made = program.run("endpoint", "add", "--type", "WEBHOOK", "--name", "hook", "--url", "http://127.0.0.1:9/hook", "--external-id", "hook",
                       "--rate-limit", '{"perSecond":5,"burst":5}')
    assert "ext:hook  WEBHOOK  enabled" in made and "secret whsec_" in made, made
    assert program.json("endpoint", "test", "ext:bin")["outcome"] == "SUCCEEDED"
    assert "PERMANENT" in (tested := program.run("endpoint", "test", "ext:hook")) or "RETRYABLE" in tested, tested
    program.run("endpoint", "rotate-secret", "ext:hook", code=2)
    rotated = program.json("endpoint", "rotate-secret", "ext:hook", "--old-signs-for", "PT1H", "-y")
    assert rotated["secret"].startswith("whsec_"), rotated
    assert "disabled" in program.run("endpoint", "disable", "ext:hook") and "enabled" in program.run("endpoint", "enable", "ext:hook")
    assert program.json("endpoint", "set", "ext:hook", "--disable", "--unset", "rate-limit")["rateLimit"] is None
    assert "ext:hook" in program.run("endpoint", "list", "--enabled=false")
    assert "ext:hook" not in program.run("endpoint", "list", "--enabled")


def schedules(program, client):
    made = program.json("schedule", "add", "--external-id", "hourly", "--type", "TICK", "--every", "PT1H", "--endpoint", "ext:bin")
    assert made["trigger"] == {"every": "PT1H"}, made
    program.run("schedule", "set", "ext:hourly", "--cron", "0 9 * * 1", "--timezone", "Europe/Berlin", "--unset", "trigger", code=2)
    program.run("schedule", "put", "ext:hourly", text='{"eventType":"TICK","trigger":{"cron":"0 9 * * 1"},"timezone":"Europe/Berlin"}')
    shown = program.run("schedule", "preview", "ext:hourly", "--count", "3")
    assert len(shown.splitlines()) == 5 and "Europe/Berlin" in shown, shown
    shown = program.run("schedule", "preview", "--cron", "30 2 * * *", "--timezone", "Europe/Berlin", "--from", "2027-03-27T12:00:00Z",
                        "--count", "2")
    assert "gap_" in shown, shown
    assert program.json("schedule", "preview", "--yearly", "02-29", "--at", "09:00", "--timezone", "UTC", "--leap", "mar1")["data"]
    assert program.json("schedule", "pause", "ext:hourly", "--note", "holidays")["enabled"] is False
    assert "disabled: holidays" in program.run("schedule", "list", "--enabled=false")
    assert program.json("schedule", "resume", "ext:hourly")["enabled"] is True
    assert program.json("schedule", "set", "ext:hourly", "--tags", "night,home,night")["tags"] == ["home", "night"]
    assert "hourly" in program.run("schedule", "list", "--tag", "home")
    assert "hourly" not in program.run("schedule", "list", "--tag", "hom")
    program.run("schedule", "set", "ext:hourly", "--tags", "no spaces", code=2)
    assert program.json("schedule", "trigger", "ext:hourly", "--payload", "7")["deliveryPayload"] == 7
    assert program.run("schedule", "occurrences", "ext:hourly", "--from", "2027-01-01T00:00:00Z", "--to", "2027-02-01T00:00:00Z").count("\n") == 5
    assert "occurrences would get an event" in program.run("schedule", "backfill", "ext:hourly", "--from", "now-14d", "--to", "now", "--dry-run")
    operation = program.json("schedule", "backfill", "ext:hourly", "--from", "now-14d", "--to", "now")["id"]
    program.run("op", "wait", operation)
    assert program.json("op", "get", operation)["status"] == "COMPLETED"
    assert program.json("op", "errors", operation)["data"] == []
    program.run("schedule", "delete", "ext:hourly", code=2)
    assert program.run("schedule", "delete", "ext:hourly", "-y") == "deleted\n"
    assert "(VALIDATION_FAILED)" in (program.run("schedule", "add", "--type", "X", "--cron", "61 * * * *", "--timezone", "UTC", code=2)
                                     or program.err) and "--cron: " in program.err, program.err


def calendars(program, client):
    program.run("calendar", "add", code=2)
    program.run("schedule", "add", "--external-id", "shown", "--type", "SHOWN", "--cron", "0 9 * * 1", "--timezone", "UTC")
    made = program.json("calendar", "add", "--schedule", "ext:shown", "--name", "Team; all", "--expires-at", "2100-01-01T00:00:00Z")
    assert made["path"] == f"/calendar/{made['token']}.ics" and made["expiresAt"] == "2100-01-01T00:00:00.000Z", made
    feed = program.run("calendar", "read", made["token"] + ".ics", "--days", "10")
    assert feed.startswith("BEGIN:VCALENDAR") and "NAME:Team\\; all" in feed and "BYDAY=MO" in feed, feed
    listed = program.run("calendar", "list", "--schedule", "ext:shown")
    assert "Team; all" in listed and made["token"] not in listed, listed
    assert program.json("calendar", "list", "--user", "ext:ada")["data"] == []
    program.run("calendar", "revoke", made["id"], code=2)
    assert made["id"] in (program.run("calendar", "revoke", made["id"], "--dry-run") + program.err), program.err
    assert program.run("calendar", "revoke", made["id"], "-y") == "revoked\n"
    program.run("calendar", "revoke", made["id"], "-y", code=3)
    program.run("calendar", "read", made["token"], code=3)
    program.run("schedule", "delete", "ext:shown", "-y")


def streams(program, client):
    for number in range(3):
        program.run("stream", "append", "Order", "7", "Placed", f'{{"n":{number}.0}}', "--expect", str(number))
    read = program.run("stream", "read", "Order", "7", "--json")
    assert '"data":{"n":1.0}' in read and len(json.loads(read)["data"]) == 3, read
    backward = program.json("stream", "read", "Order", "7", "--direction", "backward", "--from", "2")["data"]
    assert [event["version"] for event in backward] == [3, 2], backward
    program.run("stream", "save-snapshot", "Order", "7", "3", '{"total":3}')
    assert program.json("stream", "snapshot", "Order", "7")["state"] == {"total": 3}
    feed = program.json("feed", "read", "--type", "Order", "--all")["data"]
    assert [event["version"] for event in feed] == [1, 2, 3], feed
    assert len(program.run("feed", "follow", "Order", "--once", "--json").splitlines()) == 3
    position = str(feed[-1]["position"])
    program.run("checkpoint", "set", "reader", "--previous", "0", "--position", position)
    assert program.json("checkpoint", "get", "reader")["position"] == int(position)
    program.run("checkpoint", "set", "reader", "--previous", "0", "--position", position, code=4)


def locks(program, client):
    token = program.json("lock", "acquire", "nightly", "--ttl", "PT1M")["lockToken"]
    program.run("lock", "acquire", "nightly", code=4)
    held = program.json("lock", "get", "nightly")
    assert ":" in held["holder"], "host and process"
    assert "nightly" in program.run("lock", "list", "night")
    assert "would PUT" in program.run("lock", "renew", "nightly", token, "--dry-run")
    assert "held until" in program.run("lock", "renew", "nightly", token)
    assert program.run("lock", "release", "nightly", token) == "released\n"
    program.run("lock", "get", "nightly", code=3)


def system(program, client):
    assert program.run("live") and program.run("ready")
    assert "pass" in program.run("health") or "warn" in program.run("health")
    assert "sundial_build_info" in program.run("metrics")
    assert json.loads(program.run("openapi"))["openapi"]
    assert "OPTIMISTIC_LOCK" in program.run("docs", "error", "OPTIMISTIC_LOCK") and "LOCK_HELD" in program.run("docs", "errors")
    program.run("docs", "error", "NO_SUCH_CODE", code=3)
    assert "<" in program.run("docs", "start") and program.run("docs", "api").startswith("# Documentation")
    assert "guide/locks.md" in program.run("docs", "list") and "<!-- /docs/guide/locks -->" in program.run("docs", "all")
    assert program.run("docs", "page", "operating").startswith("# Operating") and program.run("docs", "read", "guide", "locks")
    program.run("docs", "page", "no-such-page", code=3)
    assert "Europe/Berlin" in program.run("zone", "served", "berlin")
    settings = {one["key"]: one for one in program.json("config", "served")["data"]}
    assert settings["http.listen"]["origin"] == "--http.listen" and settings["http.listen"]["help"], settings["http.listen"]
    assert settings["security.encryption_key"]["value"] in ("", "***"), settings["security.encryption_key"]
    assert "http.rate_limit_per_second" in program.run("config", "served")
    assert program.json("zone", "impact")["data"] == []
    assert "claimed" in program.run("clock", "tick")
    assert "system clock" in program.run("clock", "show")
    program.run("clock", "set", "2040-01-01T00:00:00Z", code=4)
    program.run("clock", "advance", "--by", "PT1H", code=4)
    program.run("clock", "advance", code=2)
    assert "sundial" in program.run("info")


def keys(program, client):
    assert "would create" in program.run("key", "create", "--name", "ops", "--role", "ADMIN", "--dry-run")
    key = program.run("key", "create", "--name", "ops", "--role", "ADMIN").strip()
    program.run("user", "list", code=5)
    assert "--api-key or SUNDIAL_API_KEY" in program.err, program.err
    program.environment["SUNDIAL_API_KEY"] = key
    reader = program.json("key", "create", "--name", "reader", "--role", "READ")
    program.environment["SUNDIAL_API_KEY"] = reader["key"]
    program.run("user", "delete", "ext:ada", "-y", code=5)
    assert "with the role WRITE" in program.err, program.err
    program.environment["SUNDIAL_API_KEY"] = key
    assert "reader" in (program.run("key", "revoke", reader["id"], "--dry-run") or program.err) or "reader" in program.err
    program.run("key", "revoke", reader["id"], code=2)
    program.run("key", "revoke", reader["id"], "-y")
    program.run("key", "revoke", "none", "--dry-run", code=3)


def nouns(kind):
    tests = [users, pages, events, watching, endpoints, schedules, calendars, streams, locks, system, keys]
    if kind == "postgres":
        tests = [users, pages, events, streams]
    with h.folder() as directory, h.database(kind, directory) as database, \
            h.running("serve", "--db", database, "--ui.inbox=true", *h.LOCAL_RECEIVERS, folder=directory) as server:
        program, client = Program(server, directory), server.client()
        for test in tests:
            test(program, client)
            print(f"{kind}: {test.__name__}")
        assert server.stop() == 0
        program.run("user", "list", code=6)
        assert "no response from" in program.err
        assert "due; nothing was delivered" in program.run("tick", "--db", database, "--dry-run")
        assert "applied" in program.run("db", "migrate", "--db", database, "--dry-run")
        program.run("db", "migrate", "--db", os.path.join(directory, "new.db"), "--dry-run", code=0)
        assert not os.path.exists(os.path.join(directory, "new.db")), "nothing is made by looking"


def certificates():
    """--ca-file, and a certificate of the client's own, which a server in front may ask for."""
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = b'{"mode":"system","now":"2027-01-01T00:00:00.000Z"}'
            self.send_response_only(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    class Quiet(http.server.ThreadingHTTPServer):
        def handle_error(self, request, address):
            pass  # refused handshakes are expected

    with h.folder() as directory:
        (server_certificate, server_key), (client_certificate, client_key) = (certificate(directory, name) for name in ("server", "client"))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(server_certificate, server_key)
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_certificate)
        server = Quiet(("127.0.0.1", 0), Answer)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"https://localhost:{server.server_address[1]}"
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}

        def show(*flags, **variables):
            return subprocess.run([h.PROGRAM, "clock", "show", "--server", url, *flags], env=clean | variables, capture_output=True,
                                  text=True, timeout=h.HANG_GUARD, check=False)
        whole = ["--ca-file", server_certificate, "--cert-file", client_certificate, "--key-file", client_key]
        done = show(*whole)
        assert done.returncode == 0 and "2027-01-01" in done.stdout, done
        done = show(SUNDIAL_CA_FILE=server_certificate, SUNDIAL_CERT_FILE=client_certificate, SUNDIAL_KEY_FILE=client_key)
        assert done.returncode == 0, done
        # A command that reads settings ignores the client's variables, and still reports misspelt ones.
        clients = {"SUNDIAL_SERVER": url, "SUNDIAL_API_KEY": "any", "SUNDIAL_CA_FILE": server_certificate,
                   "SUNDIAL_CERT_FILE": client_certificate, "SUNDIAL_KEY_FILE": client_key}
        reading = [h.PROGRAM, "config", "show"]
        done = subprocess.run(reading, env=clean | clients, cwd=directory, capture_output=True, text=True, timeout=h.HANG_GUARD, check=False)
        assert done.returncode == 0, done
        done = subprocess.run(reading, env=clean | {"SUNDIAL_CA_FIL": "x"}, cwd=directory, capture_output=True, text=True,
                              timeout=h.HANG_GUARD, check=False)
        assert done.returncode == 1 and "did you mean SUNDIAL_CA_FILE?" in done.stderr, done
        assert show(*whole[:2]).returncode == 6, "without a certificate of its own"
        untrusted = show(*whole[2:])
        assert untrusted.returncode == 6 and "--ca-file" in untrusted.stderr, untrusted
        server.shutdown()


if __name__ == "__main__":
    h.main({"nouns": nouns, "certificates": certificates})
