"""The signature of a real delivery verifies with the package `standardwebhooks` from npm."""
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
        _, headers, body = receiver.received[0]
        assert body.decode() == payload, "the payload's bytes were changed"
        expected = {"webhook-id": "renewal-7", "X-Idempotency-Key": "renewal-7", "Idempotency-Key": '"renewal-7"',
                    "Sundial-Event-Id": event["id"], "Sundial-Event-Type": "REMINDER", "Sundial-Attempt": "1",
                    "X-Team": "crm", "Content-Type": "application/json", "User-Agent": "sundial/1"}
        for name, value in expected.items():
            assert headers.get(name) == value, (name, headers)
        assert headers["Sundial-Target-Time"].endswith("[Europe/Paris]"), headers
        for absent in ("Expect", "Transfer-Encoding", "Cookie", "Accept-Encoding"):
            assert absent not in headers, headers
        message = json.dumps({"secret": made["secret"], "headers": headers, "body": body.decode()})
        done = subprocess.run(["node", "verify.mjs"], cwd=directory, input=message, text=True, capture_output=True,
                              timeout=h.HANG_GUARD)
        assert done.stdout.strip() == "verified", done
        tested = client.ok("POST", "/v1/endpoints/ext:r/test")
        assert tested["outcome"] == "SUCCEEDED" and tested["statusCode"] == 204, tested
    print("verified with standardwebhooks from npm")


if __name__ == "__main__":
    main()
