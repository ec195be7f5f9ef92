"""The signature of a real delivery verifies with the package `standardwebhooks` from npm."""
import base64
import json
import os
import re
import shutil
import subprocess

import harness as h

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "webhook_signature")


def main():
    receiver = h.Receiver()
    with h.folder() as directory, h.running("serve", "--db", "x.db", *h.LOCAL_RECEIVERS, folder=directory) as server:
        for name in os.listdir(HERE):
            if os.path.isfile(os.path.join(HERE, name)):
                shutil.copy(os.path.join(HERE, name), directory)
        subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=directory, check=True, timeout=h.HANG_GUARD)
        client = server.client()
        made = client.ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": receiver.url, "externalId": "r",
                                                   "headers": {"X-Team": "crm"}})
        assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", made["secret"]), made
        assert "secret" not in client.ok("GET", "/v1/endpoints/ext:r")
        payload = '{ "text" : "Zoë\\u0041", "n": 1.0 }'
        event = client.ok("POST", "/v1/events", '{"eventType":"REMINDER","targetTimestampUTC":"now","endpointId":"ext:r",'
                          '"targetTimezone":"Europe/Paris","idempotencyKey":"renewal-7","deliveryPayload":' + payload + "}")
        h.wait_until(lambda: receiver.count() == 1, "the delivery")
        arrived_at, headers, body = receiver.received[0]
        assert abs(arrived_at - int(headers["webhook-timestamp"])) <= 5, (arrived_at, headers)
        assert body.decode() == payload, "the payload's bytes were changed"
        expected = {"webhook-id": "renewal-7", "X-Idempotency-Key": "renewal-7", "Idempotency-Key": '"renewal-7"',
                    "Sundial-Event-Id": event["id"], "Sundial-Event-Type": "REMINDER", "Sundial-Attempt": "1",
                    "ce-specversion": "1.0", "ce-id": "renewal-7", "ce-type": "REMINDER", "ce-source": "/v1/events",
                    "X-Team": "crm", "Content-Type": "application/json", "User-Agent": "sundial/1"}
        for name, value in expected.items():
            assert headers.get(name) == value, (name, headers)
        assert re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-01", headers["traceparent"]), headers
        assert headers["Sundial-Target-Time"].endswith("[Europe/Paris]"), headers
        for absent in ("Expect", "Transfer-Encoding", "Cookie", "Accept-Encoding"):
            assert absent not in headers, headers
        verify(directory, made, headers, body)
        rotate(directory, client, receiver, made)
        formats(directory, client, receiver)
        server.stop()
        another_encryption_key(directory, receiver)
    print("verified with standardwebhooks from npm: before, during and after rotations, and in every format")


def verdict(directory, made, headers, body):
    message = json.dumps({"secret": made["secret"], "publicKey": made["publicKey"], "headers": headers, "body": body.decode()})
    return subprocess.run(["node", "verify.mjs"], cwd=directory, input=message, text=True, capture_output=True, timeout=h.HANG_GUARD)


def verify(directory, made, headers, body):
    done = verdict(directory, made, headers, body)
    assert done.stdout.strip() == "verified", done


def refuse(directory, made, headers, body):
    done = verdict(directory, made, headers, body)
    assert done.returncode != 0 and "No matching signature found" in done.stderr, done


def test_delivery(client, receiver, endpoint="ext:r"):
    """The request that arrives."""
    tested = client.ok("POST", f"/v1/endpoints/{endpoint}/test")
    assert tested["outcome"] == "SUCCEEDED" and tested["statusCode"] == 204, tested
    _, headers, body = receiver.received[-1]
    assert headers["Sundial-Event-Type"] == "sundial.test", headers
    return headers, body


def rotate(directory, client, receiver, first):
    """The new signs first, the old beside it; three at most; after PT0S the old ones have ended."""
    second = client.ok("POST", "/v1/endpoints/ext:r/rotate-secret", {"oldSignsFor": "PT24H"})
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", second["secret"]) and second["secret"] != first["secret"], second
    assert second["version"] == first["version"] + 1, second
    assert "secret" not in client.ok("GET", "/v1/endpoints/ext:r")
    headers, body = test_delivery(client, receiver)
    assert len(headers["webhook-signature"].split(" ")) == 2, headers
    verify(directory, first, headers, body)
    verify(directory, second, headers, body)
    newest = headers["webhook-signature"].split(" ")[0]
    verify(directory, second, {**headers, "webhook-signature": newest}, body)
    refuse(directory, first, {**headers, "webhook-signature": newest}, body)

    own = "whsec_" + base64.b64encode(bytes(range(24))).decode()
    third = client.ok("POST", "/v1/endpoints/ext:r/rotate-secret", {"secret": own})
    assert third["secret"] == own, third
    headers, body = test_delivery(client, receiver)
    for made in (first, second, third):
        verify(directory, made, headers, body)
    refused = client.call("POST", "/v1/endpoints/ext:r/rotate-secret")
    assert refused.status == 400 and refused.json()["errors"][0]["pointer"] == "/oldSignsFor", refused.body

    # A pair of keys comes beside the secrets.
    patched = client.ok("PATCH", "/v1/endpoints/ext:r", {"ed25519": True})
    assert re.fullmatch(r"whpk_[A-Za-z0-9+/]{43}=", patched["publicKey"]), patched
    headers, body = test_delivery(client, receiver)
    assert [one.split(",")[0] for one in headers["webhook-signature"].split(" ")] == ["v1a", "v1", "v1", "v1"], headers
    verify(directory, {**third, "publicKey": patched["publicKey"]}, headers, body)

    last = client.ok("POST", "/v1/endpoints/ext:r/rotate-secret", {"oldSignsFor": "PT0S"})
    assert last["publicKey"] not in (None, patched["publicKey"]), last
    headers, body = test_delivery(client, receiver)
    verify(directory, last, headers, body)
    for made in (first, second, third):
        refuse(directory, {**made, "publicKey": None}, headers, body)


def formats(directory, client, receiver):
    """The body is what the format says, the same at every attempt, and signed as it is."""
    for name, members in (("ENVELOPE", ["type", "timestamp", "data"]),
                          ("CLOUDEVENTS", ["specversion", "id", "source", "type", "time", "datacontenttype", "data"])):
        made = client.ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": receiver.url, "format": name})
        client.ok("POST", "/v1/events", {"eventType": "REMINDER", "targetTimestampUTC": "now", "endpointId": made["id"],
                                         "idempotencyKey": name, "deliveryPayload": {"text": "Zoë"}})
        h.wait_until(lambda: name in receiver.ids(), f"the delivery as {name}")
        _, headers, body = next(one for one in receiver.received if one[1]["webhook-id"] == name)
        verify(directory, made, headers, body)
        sent = json.loads(body)
        assert list(sent) == members and sent["type"] == "REMINDER" and sent["data"] == {"text": "Zoë"}, sent
        assert headers["Content-Type"].startswith("application/cloudevents+json" if name == "CLOUDEVENTS" else "application/json")
        assert client.call("PATCH", f"/v1/endpoints/{made['id']}", {"format": "RAW"}).status == 400, "the format may never change"


def another_encryption_key(directory, receiver):
    """The secrets of a database move from one encryption key to the next, and are of no use without theirs."""
    old, new = h.ENCRYPTION_KEY, base64.b64encode(bytes(32)).decode()

    def serve(keys):
        return h.running("serve", "--db", "keys.db", "--delivery.allow_private=true", f"--security.encryption_key={keys}", folder=directory)

    def told(server, text):
        return any(text in line["msg"] for line in server.log())

    with serve(old) as server:
        made = server.client().ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": receiver.url, "externalId": "r"})
        server.stop()
    for keys, resealed in ((f"{new},{old}", True), (new, False)):
        with serve(keys) as server:
            verify(directory, made, *test_delivery(server.client(), receiver))
            assert told(server, "encrypted with the first key") == resealed, server.log_text()
            server.stop()
    with serve(old) as server:
        assert told(server, "nothing can be sent to these endpoints"), server.log_text()
        tested = server.client().ok("POST", "/v1/endpoints/ext:r/test")
        assert tested["error"]["code"] == "WORKER", tested


if __name__ == "__main__":
    main()
