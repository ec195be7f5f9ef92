"""Receivers' credentials, the values of endpoints' own headers, reach the receiver alone; the first start seals those
that a version before stored readable; files that hold secrets are their owner's."""
import glob
import json
import os
import stat
import subprocess
import threading

import harness as h
import old_schemas

TOKEN = "Bearer credential-0123456789"
PART = "credential-0123456789"
HINT = "…789"


def stored_bytes(kind, db):
    """All that the database has of it."""
    if kind == "postgres":
        return subprocess.run(["pg_dump", "--inserts", db], check=True, capture_output=True).stdout
    text = b""
    for name in glob.glob(db + "*"):
        with open(name, "rb") as file:
            text += file.read()
    return text


def test_delivery(client, receiver, endpoint="ext:r"):
    """The requests that the receiver got."""
    client.ok("POST", f"/v1/endpoints/{endpoint}/test")
    with receiver.lock:
        return receiver.received[-1][1]


class Echo(h.Receiver):
    """Answers 500 and what it was asked."""

    def __init__(self):
        super().__init__()
        handler = self.server.RequestHandlerClass

        def answer(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            body = f"you sent {self.headers['Authorization']}".encode()
            self.send_response_only(500)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        handler.do_POST = answer


def hidden(kind):
    """No answer, stream, log line or byte of the database shows a value."""
    receiver, echo = h.Receiver(), Echo()
    with h.folder() as directory, h.database(kind, directory) as db:
        arguments = ("serve", "--db", db, "--ui.inbox=true", *h.LOCAL_RECEIVERS)
        with h.running(*arguments, folder=directory) as server:
            client = server.client()
            seen = []

            def call(method, path, body=None, headers=None):
                answer = client.call(method, path, body, headers)
                seen.append(answer.body.decode())
                assert answer.status < 300, (method, path, answer.status, answer.body)
                return answer.json() if answer.body else None

            made = call("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": receiver.url, "externalId": "r",
                                                  "headers": {"Authorization": TOKEN, "X-Team": "crm"}},
                        {"Idempotency-Key": "made"})
            assert made["headers"] == {"Authorization": HINT, "X-Team": "…"}, made
            call("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX", "externalId": "bin",
                                           "headers": {"Authorization": TOKEN}}, {"Idempotency-Key": "bin"})
            call("POST", "/v1/endpoints", {"name": "echo", "type": "WEBHOOK", "url": echo.url, "externalId": "echo",
                                           "headers": {"Authorization": TOKEN}, "retryPolicy": {"delays": ["PT1H"]}})

            assert test_delivery(client, receiver)["Authorization"] == TOKEN
            call("POST", "/v1/endpoints/ext:bin/test")
            received = call("GET", "/v1/endpoints/ext:bin/inbox")["data"][0]["headers"]
            assert received["Authorization"] == HINT, received
            told = call("POST", "/v1/endpoints/ext:echo/test")["response"]["body"]
            assert told == "you sent " + "*" * len(TOKEN), told
            event = call("POST", "/v1/events", {"eventType": "T", "endpointId": "ext:echo", "targetTimestampUTC": "now",
                                                "deliveryPayload": {}})
            h.wait_until(lambda: client.ok("GET", f"/v1/events/{event['id']}")["retryCount"] == 1, "a failed try")

            for key in ("same", "same"):
                call("PATCH", "/v1/endpoints/ext:r", {"headers": {"Authorization": TOKEN + "9"}}, {"Idempotency-Key": key})
            call("PATCH", "/v1/endpoints/ext:r", {"headers": {"Authorization": TOKEN, "X-Team": None}})
            assert call("GET", "/v1/endpoints/ext:r")["headers"] == {"Authorization": HINT}
            for path in ("/v1/endpoints", "/v1/feed", f"/v1/streams/Endpoint/{made['id']}", "/v1/attempts", "/v1/events",
                         f"/v1/events/{event['id']}/explain", "/metrics", "/healthz", "/v1/info"):
                answer = client.get(path)
                seen.append(answer.body.decode())
                assert answer.status == 200 or path == "/v1/attempts", (path, answer.status)
            assert any('"headers":["Authorization"' in text for text in seen), "the feed tells which headers changed"
            moved(client, receiver)
            server.stop()
            seen.append(server.log_text())
        for text in seen:
            assert PART not in text, text
        assert PART.encode() not in stored_bytes(kind, db)


def moved(client, receiver):
    """A URL of another origin gets no value that was not given for it."""
    before = client.ok("GET", "/v1/endpoints/ext:r")
    other = h.Receiver()
    refused = client.call("PATCH", "/v1/endpoints/ext:r", {"url": other.url})
    assert refused.status == 400, refused.body
    [error] = refused.json()["errors"]
    origin = other.url.removesuffix("/hook")
    assert error["pointer"] == "/headers/Authorization" and error["code"] == "required" and origin in error["message"], error
    assert client.ok("GET", "/v1/endpoints/ext:r") == before, "a refused edit changes nothing"
    hint = client.call("PATCH", "/v1/endpoints/ext:r", {"url": other.url, "headers": before["headers"]})
    assert hint.status == 400 and "hint" in hint.json()["errors"][0]["message"], hint.body

    client.ok("PATCH", "/v1/endpoints/ext:r", {"url": receiver.url + "/elsewhere"})
    assert test_delivery(client, receiver)["Authorization"] == TOKEN, "the same origin: nothing is asked"
    client.ok("PATCH", "/v1/endpoints/ext:r", {"url": other.url, "headers": {"Authorization": TOKEN}})
    assert test_delivery(client, other)["Authorization"] == TOKEN
    client.ok("PATCH", "/v1/endpoints/ext:r", {"url": receiver.url, "headers": None})
    assert "Authorization" not in test_delivery(client, receiver)


def old_sqlite(db, url):
    """A database of schema version 16, with an endpoint that has a credential, as it was stored then."""
    schema = old_schemas.make("sqlite", db, 16)
    schema.connection.execute(
        "INSERT INTO endpoints (id, external_id, name, type, url, headers, timeout, retry_policy, retry_delays,"
        " retry_client_errors, enabled, secret_hint, version, created_at, updated_at)"
        " VALUES (?, 'r', 'r', 'WEBHOOK', ?, ?, 10, 'standard', '[]', 0, 1, '', 1, 0, 0)",
        (bytes(range(16)), url, json.dumps([["Authorization", TOKEN], ["X-Team", "crm"]])))
    schema.close()
    for name in (db, db + "-lock"):
        with open(name, "ab"):
            os.chmod(name, 0o644)


def old_postgres(db, url):
    """Likewise, of schema version 20."""
    schema = old_schemas.make("postgres", db, 20)
    schema.run(
        "INSERT INTO sundial.endpoints (id, external_id, name, type, url, header_names, header_values, timeout, retry_policy,"
        " retry_delays, retry_client_errors, enabled, secret_hint, version, created_at, updated_at)"
        f" VALUES (gen_random_uuid(), 'r', 'r', 'WEBHOOK', '{url}', '{{Authorization,X-Team}}', ARRAY['{TOKEN}', 'crm'],"
        " '10 s', 'standard', '{}', 0, true, '', 1, now(), now())")
    schema.close()


def upgraded(kind):
    """A database of the version before: the first start seals, the receiver notices nothing."""
    receiver = h.Receiver()
    with h.folder() as directory, h.database(kind, directory, empty=True) as db:
        (old_sqlite if kind == "sqlite" else old_postgres)(db, receiver.url)
        assert PART.encode() in stored_bytes(kind, db)
        with h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory) as server:
            assert any("header values have been encrypted" in line["msg"] for line in server.log()), server.log_text()
            client = server.client()
            assert client.ok("GET", "/v1/endpoints/ext:r")["headers"] == {"Authorization": HINT, "X-Team": "…"}
            sent = test_delivery(client, receiver)
            assert sent["Authorization"] == TOKEN and sent["X-Team"] == "crm", sent
            if kind == "sqlite":
                assert modes(db) == {"": 0o600, "-lock": 0o600, "-shm": 0o600, "-wal": 0o600}, modes(db)
            server.stop()
        assert PART.encode() not in stored_bytes(kind, db)
        with h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory) as server:
            assert not any("header values" in line["msg"] for line in server.log()), server.log_text()
            server.stop()


def modes(db):
    return {name.removeprefix(db): stat.S_IMODE(os.stat(name).st_mode) for name in glob.glob(db + "*")}


def files():
    """Files that serve makes are their owner's alone, whatever the mask; it warns of secrets that every user may read."""
    with h.folder() as directory:
        db = os.path.join(directory, "sundial.db")
        keys, tls, key, config = (os.path.join(directory, name) for name in ("api_keys", "tls.key", "encryption", "sundial.toml"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", tls, "-out", tls + ".pem", "-subj", "/CN=localhost"], check=True, capture_output=True)
        for name, text in ((keys, ""), (key, h.ENCRYPTION_KEY), (config, "[storage]\nlisten_url = 'postgresql://u:p@h/d'\n")):
            with open(name, "w") as file:
                file.write(text)

        def warned(mode, *arguments, environment=None):
            for name in (keys, tls, key, config):
                os.chmod(name, mode)
            with h.running("serve", "--db", db, *arguments, folder=directory, environment=environment,
                           preexec=lambda: os.umask(0)) as server:
                found = {line["msg"].split(":")[0] for line in server.log() if "every user of this machine" in line["msg"]}
                server.stop()
                return found

        assert warned(0o644) == set()
        assert modes(db) == {"": 0o600, "-lock": 0o600, ".key": 0o600}, modes(db)
        os.chmod(db + ".key", 0o644)
        assert warned(0o644) == {"security.encryption_key"}
        arguments = (f"--security.api_keys_file={keys}", f"--http.tls_key={tls}", f"--http.tls_cert={tls}.pem",
                     f"--config={config}")
        environment = {"SUNDIAL_SECURITY_ENCRYPTION_KEY_FILE": key}
        expected = {"security.api_keys_file", "http.tls_key", "security.encryption_key", "storage.listen_url"}
        assert warned(0o644, *arguments, environment=environment) == expected
        assert warned(0o640, *arguments, environment=environment) == set()
        os.chmod(db + ".key", 0o600)


if __name__ == "__main__":
    h.main({"hidden": hidden, "upgraded": upgraded, "files": files})
