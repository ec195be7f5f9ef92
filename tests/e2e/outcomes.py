"""The meaning of each response of a receiver, row by row of the table in docs/reference/webhooks.md, against receivers that
misbehave for real: over TCP and TLS, in the head, in the body, and in time.
"""
import datetime
import os
import socket
import ssl
import struct
import subprocess
import threading
import time
import warnings

import harness as h
import lost_commits

NO_BODY = "Content-Length: 0\r\n\r\n"


class Misbehaving:
    """Listens on a free port, reads one request of each connection (none if `read` is false), then behaves."""

    def __init__(self, behave, read=True, tls=None):
        self.behave, self.read, self.tls = behave, read, tls
        self.connections = self.requests = 0
        self.end = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, host="127.0.0.1"):
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}/hook"

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            if self.read:
                self.read_request(connection)
            self.behave(self, connection)
        except OSError:
            pass  # the sender has had enough: it may
        finally:
            connection.close()

    def read_request(self, connection):
        text = b""
        while b"\r\n\r\n" not in text:
            piece = connection.recv(65536)
            if not piece:
                raise ConnectionError
            text += piece
        head, _, body = text.partition(b"\r\n\r\n")
        size = int(next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")).split(b":")[1])
        while len(body) < size:
            body += connection.recv(65536)
        self.requests += 1


def says(text):
    return lambda receiver, connection: connection.sendall(text.encode() if isinstance(text, str) else text)


def status(code, *headers):
    return says(f"HTTP/1.1 {code} x\r\n" + "".join(line + "\r\n" for line in headers) + NO_BODY)


def holds(receiver, connection):
    receiver.end.wait(h.HANG_GUARD)


def says_and_holds(text):
    def behave(receiver, connection):
        connection.sendall(text.encode())
        receiver.end.wait(h.HANG_GUARD)
    return behave


def resets(receiver, connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def without_end(head, piece):
    def behave(receiver, connection):
        connection.sendall(head.encode())
        while not receiver.end.is_set():
            connection.sendall(piece.encode())
    return behave


def drips(receiver, connection):
    """A head that never ends, a byte at a time: alive, and of no use."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not receiver.end.wait(0.1):
        connection.sendall(b"x")


OK, RETRY, NEVER = "SUCCEEDED", "RETRYABLE", "PERMANENT"
BRIEF, PATIENT = "PT1S", "PT20S"  # time-outs: of requests that time out, and of those that must not, on a busy machine either

# name: (behaviour, outcome, status, error code)
ROWS = {
    **{f"status {code}": (status(code), OK, code, None) for code in (200, 201, 202, 204, 226, 299)},
    "no end of the body": (without_end("HTTP/1.1 200 OK\r\n\r\n", "b" * 8192), OK, 200, None),
    "64 MiB promised, 64 KiB read": (without_end("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n", "b" * 8192), OK, 200, None),
    "cut body": (says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), OK, 200, None),
    "broken chunks": (says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), OK, 200, None),
    "body that stalls": (says_and_holds("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), OK, 200, None),
    "HTTP/1.0": (says("HTTP/1.0 200 OK\r\n\r\nok"), OK, 200, None),
    "8 interim answers": (says("HTTP/1.1 103 x\r\n\r\n" * 8 + "HTTP/1.1 200 x\r\n" + NO_BODY), OK, 200, None),
    "9 interim answers": (says("HTTP/1.1 103 x\r\n\r\n" * 9 + "HTTP/1.1 200 x\r\n" + NO_BODY), RETRY, None, "PROTOCOL"),
    "101": (says_and_holds("HTTP/1.1 101 x\r\nUpgrade: y\r\nConnection: Upgrade\r\n\r\n"), NEVER, 101, "HTTP_STATUS"),
    **{f"status {code}": (status(code), RETRY, code, "HTTP_STATUS") for code in (408, 425, 429, 500, 501, 502, 503, 504, 511, 599)},
    **{f"status {code}": (status(code), NEVER, code, "HTTP_STATUS")
       for code in (300, 304, 400, 401, 402, 403, 404, 405, 406, 407, 409, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 426,
                    428, 431, 451, 499)},
    "resets": (resets, RETRY, None, "CONNECT"),
    "closes at once": (lambda receiver, connection: None, RETRY, None, "PROTOCOL"),
    "closes in the status line": (says("HTTP/1.1 20"), RETRY, None, "PROTOCOL"),
    "closes in the head": (says("HTTP/1.1 200 OK\r\nContent-"), RETRY, None, "PROTOCOL"),
    "closes after an interim answer": (says("HTTP/1.1 103 x\r\n\r\n"), RETRY, None, "PROTOCOL"),
    "not HTTP": (says("220 mail.example ESMTP\r\n"), RETRY, None, "PROTOCOL"),
    "HTTP/0.9": (says("<html>ok</html>"), RETRY, None, "PROTOCOL"),
    "binary": (says(bytes(range(256))), RETRY, None, "PROTOCOL"),
    "head over 32 KiB": (says("HTTP/1.1 200 OK\r\n" + "X: " + "x" * 1000 + "\r\n" * 1 + ("Y: " + "y" * 1000 + "\r\n") * 33 + "\r\n"),
                         RETRY, None, "PROTOCOL"),
    "head of 31 KiB": (says("HTTP/1.1 200 OK\r\n" + ("Y: " + "y" * 995 + "\r\n") * 31 + NO_BODY), OK, 200, None),
    "head without end": (without_end("HTTP/1.1 200 OK\r\n", "X: y\r\n" * 100), RETRY, None, "PROTOCOL"),
    "holds": (holds, RETRY, None, "TIMEOUT"),
    "drips": (drips, RETRY, None, "TIMEOUT"),
}
# The rows that last until the time-out. The head of one comes before it, on a busy machine too.
WAITED_FOR = {"body that stalls": "PT5S", "holds": BRIEF, "drips": BRIEF}


def webhook(client, url, **members):
    return client.ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": url, "timeout": PATIENT, **members})["id"]


def try_once(client, url, **members):
    result = client.ok("POST", f"/v1/endpoints/{webhook(client, url, **members)}/test")
    return result, (result["outcome"], result["statusCode"], result["error"] and result["error"]["code"])


def check_rows(client):
    for name, (behave, *expected) in ROWS.items():
        receiver = Misbehaving(behave)
        result, got = try_once(client, receiver.url(), timeout=WAITED_FOR.get(name, PATIENT))
        receiver.end.set()
        assert got == tuple(expected), (name, result)
        h.wait_until(lambda: receiver.requests, f"{name}: a request, which the time-out may overtake")
        assert receiver.requests == 1, f"{name}: {receiver.requests} requests"
        assert len(result["response"]["body"]) <= 2048, name
    return len(ROWS)


def check_bodies(client):
    """A body is shown as text, whatever its bytes, and is not cut inside a character."""
    shown_as = {bytes(range(256)): bytes(range(128)).decode() + "\ufffd" * 128, b"a" * 2047 + "é".encode(): "a" * 2047}
    for body, shown in shown_as.items():
        receiver = Misbehaving(says(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body))
        result = try_once(client, receiver.url())[0]
        receiver.end.set()
        assert result["response"]["body"] == shown, result
    return len(shown_as)


def check_nobody_there(client):
    assert try_once(client, "http://nobody.invalid/")[1] == (RETRY, None, "DNS")
    refuses = socket.socket()  # bound, and does not listen
    refuses.bind(("127.0.0.1", 0))
    assert try_once(client, f"http://127.0.0.1:{refuses.getsockname()[1]}/")[1] == (RETRY, None, "CONNECT")
    denied = try_once(client, f"http://localhost:{client.port}/")[1]
    assert denied == (NEVER, None, "DESTINATION_FORBIDDEN"), denied
    answer = client.call("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": f"http://127.0.0.1:{client.port}/"})
    assert answer.status == 400, "our own listener was taken for a receiver"
    return 4


def check_redirect_is_not_followed(client):
    other = Misbehaving(status(204))
    for code in (301, 302, 303, 307, 308):
        assert try_once(client, Misbehaving(status(code, f"Location: {other.url()}")).url())[1] == (NEVER, code, "HTTP_STATUS")
    assert other.connections == 0
    return 5


class Certificates:
    """An authority of our own, and what it and others have signed."""

    def __init__(self, directory):
        self.directory = directory
        self.make("ca", "-x509", "-days", "2", "-subj", "/CN=test authority")
        self.good = self.signed("good", "IP:127.0.0.1")
        self.wrong_name = self.signed("wrong", "DNS:other.example")
        self.self_signed = self.context(*self.make("self", "-x509", "-days", "2", "-subj", "/CN=x", "-addext",
                                                   "subjectAltName=IP:127.0.0.1"))
        self.expired = self.signed("expired", "IP:127.0.0.1", "-not_before", "20200101000000Z", "-not_after", "20200102000000Z")
        self.old_tls = self.signed("old", "IP:127.0.0.1")
        self.old_tls.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.old_tls.minimum_version = ssl.TLSVersion.TLSv1
            self.old_tls.maximum_version = ssl.TLSVersion.TLSv1_1

    def path(self, name):
        return os.path.join(self.directory, name)

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.directory)

    def make(self, name, *arguments):
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key",
                     "-out", f"{name}.pem", *arguments)
        return self.path(f"{name}.pem"), self.path(f"{name}.key")

    def signed(self, name, alternative, *validity):
        self.make(name, "-subj", "/CN=x")  # a request, whatever its ending says
        with open(self.path(f"{name}.ext"), "w") as file:
            file.write(f"subjectAltName={alternative}\n")
        if not validity:
            self.openssl("x509", "-req", "-in", f"{name}.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2", "-extfile",
                         f"{name}.ext", "-out", f"{name}.crt")
        else:
            self.sign_for_the_past(name)
        return self.context(self.path(f"{name}.crt"), self.path(f"{name}.key"))

    def sign_for_the_past(self, name):
        with open(self.path("ca.cnf"), "w") as file:
            file.write("[ca]\ndefault_ca=own\n[own]\nnew_certs_dir=.\ndatabase=index\nserial=serial\ndefault_md=sha256\n"
                       "policy=any\n[any]\ncommonName=optional\n")
        open(self.path("index"), "w").close()
        with open(self.path("serial"), "w") as file:
            file.write("01\n")
        self.openssl("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{name}.pem", "-extfile",
                     f"{name}.ext", "-startdate", "20200101000000Z", "-enddate", "20200102000000Z", "-notext", "-out", f"{name}.crt")

    @staticmethod
    def context(certificate, key):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context


def check_tls(client, certificates):
    good = Misbehaving(status(204), tls=certificates.good)
    assert try_once(client, good.url())[1] == (OK, 204, None)
    rows = {"wrong name": Misbehaving(status(204), tls=certificates.wrong_name),
            "own signature": Misbehaving(status(204), tls=certificates.self_signed),
            "expired": Misbehaving(status(204), tls=certificates.expired),
            "TLS 1.1": Misbehaving(status(204), tls=certificates.old_tls)}
    for name, receiver in rows.items():
        result, got = try_once(client, receiver.url())
        assert got == (RETRY, None, "TLS"), (name, result)
        assert receiver.requests == 0, f"{name}: the request was sent"
    plain = Misbehaving(says("HTTP/1.1 200 OK\r\n" + NO_BODY), read=False)
    assert try_once(client, plain.url().replace("http:", "https:"))[1] == (RETRY, None, "TLS")
    stalls = Misbehaving(holds, read=False)
    result, got = try_once(client, stalls.url().replace("http:", "https:"), timeout=BRIEF)
    assert got == (RETRY, None, "TIMEOUT"), result
    stalls.end.set()
    result, got = try_once(client, Misbehaving(holds, read=False).url().replace("http:", "https:"), timeout=PATIENT)
    assert got == (RETRY, None, "TIMEOUT") and "TLS" in result["error"]["text"], result
    assert 4_500 <= result["durationMs"] < 20_000, result
    return len(rows) + 4


def event_to(client, endpoint, key):
    client.ok("POST", "/v1/events", {"eventType": "REMINDER", "targetTimestampUTC": "now", "endpointId": endpoint,
                                     "idempotencyKey": key, "deliveryPayload": {"key": key}})
    return client.ok("GET", f"/v1/events?idempotencyKey={key}")["data"][0]["id"]


def the_event(client, event, condition, what):
    return h.wait_until(lambda: (e := client.ok("GET", f"/v1/events/{event}")) and condition(e) and e, what)


def seconds_between(first, second):
    first, second = (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (first, second))
    return (second - first).total_seconds()


def check_events(client):
    """The behaviour over several attempts: delays, counts, the end."""
    for number, code in enumerate((429, 503)):
        receiver = Misbehaving(status(code, "Retry-After: 3600"))
        event = event_to(client, webhook(client, receiver.url()), f"later-{number}")
        waits = the_event(client, event, lambda e: e["retryCount"] == 1, "the first try")
        assert 3590 <= seconds_between(waits["updatedAt"], waits["nextAttemptAt"]) <= 3601, waits
    receiver = Misbehaving(status(503, "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT"))
    waits = the_event(client, event_to(client, webhook(client, receiver.url()), "a-date"), lambda e: e["retryCount"] == 1, "the first try")
    assert 86_390 <= seconds_between(waits["updatedAt"], waits["nextAttemptAt"]) <= 86_401, waits

    policy = {"retryPolicy": {"delays": ["PT1S", "PT1S"]}}
    for code in (302, 401, 403, 404, 407, 409, 421):
        receiver = Misbehaving(status(code))
        event = event_to(client, webhook(client, receiver.url(), retryClientErrors=1, **policy), f"mistake-{code}")
        ended = the_event(client, event, lambda e: e["status"] == "FAILED", f"the end of {code}")
        assert (ended["failureReason"], ended["attempt"], receiver.requests) == (f"HTTP_STATUS {code}", 2, 2), ended
    receiver = Misbehaving(status(400))
    event = event_to(client, webhook(client, receiver.url(), retryClientErrors=1, **policy), "mistake-400")
    ended = the_event(client, event, lambda e: e["status"] == "FAILED", "the end of 400")
    assert receiver.requests == ended["attempt"] == 1, ended

    gone = webhook(client, Misbehaving(status(410)).url())
    event = event_to(client, gone, "gone")
    assert the_event(client, event, lambda e: e["status"] == "FAILED", "the end of 410")["failureReason"] == "HTTP_STATUS 410"
    h.wait_until(lambda: not client.ok("GET", f"/v1/endpoints/{gone}")["enabled"], "the endpoint to be disabled")
    other = event_to(client, gone, "after-gone")
    waits = the_event(client, other, lambda e: e["status"] == "PROCESSING" and e["claimedBy"] is None, "the other event to wait")
    assert waits["retryCount"] == 0 and waits["nextAttemptAt"] is None, waits
    return 13


def check_nothing_is_sent_twice(client):
    """A kept connection that dies under the request: one failed attempt, and no second request behind our back."""
    def keeps_once(receiver, connection):
        connection.sendall(("HTTP/1.1 200 OK\r\n" + NO_BODY).encode())
        connection.recv(1)  # the beginning of the next request
        resets(receiver, connection)

    receiver = Misbehaving(keeps_once)
    endpoint = webhook(client, receiver.url())
    first = client.ok("POST", f"/v1/endpoints/{endpoint}/test")
    second = client.ok("POST", f"/v1/endpoints/{endpoint}/test")
    assert (first["outcome"], second["outcome"]) == (OK, RETRY), (first, second)
    assert second["error"]["code"] in ("CONNECT", "PROTOCOL"), second
    assert receiver.requests == 1, "the request went out again on another connection"
    return 1


def check_connections_are_kept_for_less_than_five_seconds(client):
    def goes_on(receiver, connection):
        while True:
            connection.sendall(("HTTP/1.1 200 OK\r\n" + NO_BODY).encode())
            receiver.read_request(connection)

    receiver = Misbehaving(goes_on)
    endpoint = webhook(client, receiver.url())

    def connections_after_a_delivery():
        assert client.ok("POST", f"/v1/endpoints/{endpoint}/test")["outcome"] == OK
        return receiver.connections

    assert connections_after_a_delivery() == connections_after_a_delivery() == 1
    time.sleep(5)  # this tests the time itself
    assert connections_after_a_delivery() == 2
    return 2


def check_nobody_accepts(client):
    """A SYN without an answer: the kernel of a receiver whose queue is full drops it."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        result, got = try_once(client, f"http://127.0.0.1:{address[1]}/", timeout=PATIENT)
        for one in waiting:
            one.close()
    assert got == (RETRY, None, "TIMEOUT") and "no connection" in result["error"]["text"], result
    assert 4_500 <= result["durationMs"] < 20_000, result
    return 1


def check_the_database_is_no_receiver(directory):
    """Neither by its address nor by a name, though every address is allowed."""
    with h.postgres() as url:
        proxy = lost_commits.Proxy(url)
        port = proxy.listener.getsockname()[1]
        with h.running("serve", "--db", proxy.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            client = server.client()
            for host in ("127.0.0.1", "0.0.0.0"):
                answer = client.call("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": f"http://{host}:{port}/"})
                assert answer.status == 400, f"the database was taken for a receiver: {answer.body}"
            assert try_once(client, f"http://localhost:{port}/")[1] == (NEVER, None, "DESTINATION_FORBIDDEN")
            assert try_once(client, Misbehaving(status(204)).url("localhost"))[1] == (OK, 204, None)
    return 4


def main():
    with h.folder() as directory:
        certificates = Certificates(directory)
        with h.running("serve", "--db", "x.db", *h.LOCAL_RECEIVERS, f"--delivery.ca_file={certificates.path('ca.pem')}",
                       folder=directory) as server:
            client = server.client()
            checks = (check_rows, check_bodies, check_nobody_there, check_nobody_accepts, check_redirect_is_not_followed, check_events,
                      check_nothing_is_sent_twice, check_connections_are_kept_for_less_than_five_seconds)
            rows = sum(check(client) for check in checks) + check_tls(client, certificates)
        rows += check_the_database_is_no_receiver(directory)
    print(f"{rows} behaviours of receivers, each with the outcome that it must have")


if __name__ == "__main__":
    main()
