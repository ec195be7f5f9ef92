#!/usr/bin/env python3
"""A client sends its payment again because it got no response, or a user clicks twice. With an Idempotency-Key the
payment is made once: the second request gets the response to the first, or an error while the first is in progress.

usage: pay_once.py SUNDIAL    (the program: bin/sundial)
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

PAYMENT = {"events": [{"eventType": "PaymentMade", "data": {"cents": 1250, "to": "acme"}}]}


def send(url, key=None, body=None):
    """Status, whether it is a replay, body."""
    headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers.get("Idempotency-Replayed") == "true", json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, False, json.load(refused)


def shows(server):
    payments = server + "/v1/streams/Account/ada"
    clicks = []
    threads = [threading.Thread(target=lambda: clicks.append(send(payments, "order-17", PAYMENT))) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = [answer for status, replayed, answer in clicks if status == 201 and not replayed]
    assert len(made) == 1, clicks
    assert all(status == 201 or answer["code"] == "IDEMPOTENCY_IN_PROGRESS" for status, _, answer in clicks), clicks

    again = send(payments, "order-17", PAYMENT)  # an hour later, say
    assert again == (201, True, made[0]), again
    other = {"events": [{"eventType": "PaymentMade", "data": {"cents": 9999, "to": "acme"}}]}
    assert send(payments, "order-17", other)[2]["code"] == "IDEMPOTENCY_KEY_REUSED"
    assert len(send(payments)[2]["data"]) == 1
    print("ten clicks, one payment")


def address(server, log):
    """Where it listens, once it says that it is ready."""
    while server.poll() is None:
        for line in log.read_text().split("\n")[:-1]:
            if '"server.ready"' in line:
                return json.loads(line)["listen"]
        time.sleep(0.02)
    raise SystemExit(log.read_text())


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        with open(log, "w") as errors:
            server = subprocess.Popen([program, "serve", "--db", f"{folder}/sundial.db", "--http.listen=127.0.0.1:0",
                                       "--log.level=info"], stderr=errors)
        try:
            shows("http://" + address(server, log))
        finally:
            server.terminate()
            server.wait()


main(sys.argv[1])
