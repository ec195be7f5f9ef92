"""More than a hundred ways to talk badly to a port: each gets a problem or a closed connection, and the server lives.

Every case has a socket of its own. The response is read to the end and checked: each response is well-formed HTTP, each
error is application/problem+json with all its members, none is a 5xx, nothing behind a fault of the wire is carried out.
"""
import json
import socket
import struct
import threading
import time

import harness as h

MEMBERS = {"type", "title", "status", "code", "retryable", "detail", "instance", "correlationId"}
CRLF = "\r\n"


def get(target="/livez", *fields, version="HTTP/1.1", host="Host: localhost"):
    return CRLF.join([f"GET {target} {version}", *([host] if host else []), *fields, "", ""])


def post(body="", *fields, target="/v1/users", length=True):
    lengths = [f"Content-Length: {len(body)}"] if length else []
    return CRLF.join([f"POST {target} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *lengths, *fields, "", ""]) + body


def chunked(*chunks, fields=()):
    return post("".join(chunks), "Transfer-Encoding: chunked", *fields, length=False)


# A request that must never be carried out: it hides behind something broken.
HIDDEN = post('{"firstName":"Smuggled","lastName":"X","dateOfBirth":"1990-01-01","timezone":"UTC"}')
ADA = '{"firstName":"Ada","lastName":"Li","dateOfBirth":"1990-01-01","timezone":"UTC"}'

# name, bytes sent, the status of each response. After the last of a faulty one the server closes.
FAULTS = [
    # not HTTP at all
    ("a greeting", "hello\r\n\r\n", [400]),
    ("a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", [400]),
    ("an SSH banner", "SSH-2.0-OpenSSH_9.2\r\n\r\n", [400]),
    ("a preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]),
    ("zeros", b"\0" * 64 + b"\r\n\r\n", [400]),
    ("high bytes", bytes(range(128, 256)) + b"\r\n\r\n", [400]),
    ("SMTP", "EHLO example.com\r\n\r\n", [400]),
    ("a Redis command", "*1\r\n$4\r\nPING\r\n\r\n", [400]),
    ("only an end of line, then garbage", "\r\n?\r\n\r\n", [400]),
    ("a memcached command", "get key\r\n\r\n", [400]),
    ("a proxy's greeting", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + get(), [400]),
    # request lines
    ("no version", "GET /livez\r\n\r\n", [400]),
    ("version 0.9", get(version="HTTP/0.9"), [400]),
    ("version 2.0", get(version="HTTP/2.0"), [400]),
    ("version 1.2", get(version="HTTP/1.2"), [400]),
    ("version of many digits", get(version="HTTP/1.10"), [400]),
    ("version in small letters", get(version="http/1.1"), [400]),
    ("another protocol", get(version="SIP/2.0"), [400]),
    ("no target", "GET  HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("two spaces before the version", "GET /livez  HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("a tab in the line", "GET\t/livez\tHTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("a space in the target", "GET /li vez HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("a NUL in the target", b"GET /li\0vez HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("a control in the target", "GET /li\x01vez HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("a broken escape", get("/v1/users/%zz"), [400]),
    ("half an escape", get("/v1/users/%a"), [400]),
    ("an escaped NUL", get("/v1/users/%00"), [400]),
    ("an escape that is no UTF-8", get("/v1/users/%ff"), [400]),
    ("an overlong escape", get("/v1/users/%c0%af"), [400]),
    ("an escaped surrogate", get("/v1/users/%ed%a0%80"), [400]),
    ("an escaped line break in the query", get("/v1/users?q=%0d%0aSet-Cookie:x"), [400]),
    ("a target that is too long", get("/" + "x" * 4100), [414]),
    ("a query that is too long", get("/v1/users?q=" + "x" * 4100), [414]),
    ("a target without end", "GET /" + "x" * 8000, [414]),
    ("a method without end", "G" * 17_000, [431]),
    # header fields
    ("no Host", get(host=None), [400]),
    ("two Hosts", get("/livez", "Host: b"), [400]),
    ("the same Host twice", get("/livez", "Host: localhost"), [400]),
    ("a field without a colon", get("/livez", "nonsense"), [400]),
    ("a field without a name", get("/livez", ": x"), [400]),
    ("a space before the colon", get("/livez", "A : b"), [400]),
    ("a space before the name", "GET /livez HTTP/1.1\r\n Host: localhost\r\n\r\n", [400]),
    ("a folded field", get("/livez", "A: b\r\n c"), [400]),
    ("a field folded by a tab", get("/livez", "A: b\r\n\tc"), [400]),
    ("a NUL in a field", get("/livez", "A: b\0c"), [400]),
    ("a NUL in a name", get("/livez", "A\0: b"), [400]),
    ("a control in a name", get("/livez", "A\x07: b"), [400]),
    ("a bracket in a name", get("/livez", "A(b): c"), [400]),
    ("a name that is no ASCII", get("/livez", "Ä: b"), [400]),
    ("an empty first field", get("/livez", ":"), [400]),
    ("lines that end with LF", get().replace(CRLF, "\n"), [400]),
    ("one line that ends with LF", "GET /livez HTTP/1.1\nHost: localhost\r\n\r\n", [400]),
    ("a field that ends with LF", "GET /livez HTTP/1.1\r\nHost: localhost\nA: b\r\n\r\n", [400]),
    ("lines that end with CR", get().replace(CRLF, "\r"), [400]),
    ("a CR in a field", get("/livez", "A: b\rc"), [400]),
    ("a doubled CR", "GET /livez HTTP/1.1\r\r\nHost: localhost\r\n\r\n", [400]),
    ("101 fields", get("/livez", *[f"A{i}: b" for i in range(100)]), [431]),
    ("a thousand fields", get("/livez", *[f"A{i}: b" for i in range(1000)]), [431]),
    ("a field that is too long", get("/livez", "A: " + "x" * 17_000), [431]),
    ("fields that are too long together", get("/livez", *["A: " + "x" * 1000] * 17), [431]),
    ("a megabyte of head", get("/livez", "A: " + "x" * (1 << 20)), [431]),
    # where the body ends: what request smuggling lives on
    ("two lengths that differ", post("abc", "Content-Length: 3", "Content-Length: 30", length=False) + HIDDEN, [400]),
    ("two lengths that agree", post("abc", "Content-Length: 3", "Content-Length: 3", length=False), [400]),
    ("a list of lengths", post("abc", "Content-Length: 3, 3", length=False), [400]),
    ("a negative length", post("", "Content-Length: -1", length=False), [400]),
    ("a length with a plus", post("abc", "Content-Length: +3", length=False), [400]),
    ("a length with a space", post("abc", "Content-Length: 3 0", length=False), [400]),
    ("a hexadecimal length", post("abc", "Content-Length: 0x3", length=False), [400]),
    ("a length with a point", post("abc", "Content-Length: 3.0", length=False), [400]),
    ("an empty length", post("abc", "Content-Length:", length=False), [400]),
    ("a length in words", post("abc", "Content-Length: three", length=False), [400]),
    ("a length beyond all numbers", post("", "Content-Length: 99999999999999999999999", length=False), [400]),
    ("a length that is too large", post("", "Content-Length: 1048577", length=False), [413]),
    ("the largest length there is", post("", "Content-Length: 18446744073709551615", length=False), [400, 413]),
    ("length, then chunks", post("0\r\n\r\n", "Content-Length: 5", "Transfer-Encoding: chunked", length=False) + HIDDEN, [400]),
    ("chunks, then length", post("0\r\n\r\n", "Transfer-Encoding: chunked", "Content-Length: 5", length=False) + HIDDEN, [400]),
    ("chunks in HTTP/1.0", chunked("0\r\n\r\n").replace("HTTP/1.1", "HTTP/1.0") + HIDDEN, [400]),
    ("an encoding that is unknown", post("abc", "Transfer-Encoding: gzip"), [400]),
    ("gzip, then chunked", post("0\r\n\r\n", "Transfer-Encoding: gzip, chunked", length=False), [400]),
    ("chunked twice", post("0\r\n\r\n", "Transfer-Encoding: chunked, chunked", length=False), [400]),
    ("chunked in two fields", post("0\r\n\r\n", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", length=False), [400]),
    ("chunked and identity", post("0\r\n\r\n", "Transfer-Encoding: chunked", "Transfer-Encoding: identity", length=False), [400]),
    ("chunked misspelt", post("0\r\n\r\n", "Transfer-Encoding: xchunked", length=False) + HIDDEN, [400]),
    ("chunked behind a vertical tab", post("0\r\n\r\n", "Transfer-Encoding: \x0bchunked", length=False) + HIDDEN, [400]),
    ("chunked with a space before the colon", post("0\r\n\r\n", "Transfer-Encoding : chunked", length=False) + HIDDEN, [400]),
    ("chunked in quotes", post("0\r\n\r\n", 'Transfer-Encoding: "chunked"', length=False) + HIDDEN, [400]),
    # chunks
    ("a chunk size that is none", chunked("x\r\nabc\r\n0\r\n\r\n"), [400]),
    ("an empty chunk size", chunked("\r\nabc\r\n0\r\n\r\n"), [400]),
    ("a negative chunk size", chunked("-1\r\nabc\r\n0\r\n\r\n"), [400]),
    ("a chunk size with 0x", chunked("0x3\r\nabc\r\n0\r\n\r\n"), [400]),
    ("a chunk size beyond all numbers", chunked("fffffffffffffffff\r\nabc\r\n0\r\n\r\n"), [400, 413]),
    ("a chunk that is too large", chunked("100001\r\n"), [413]),
    ("a chunk without its end", chunked("3\r\nabcdef\r\n0\r\n\r\n") + HIDDEN, [400]),
    ("chunk lines that end with LF", chunked("3\nabc\n0\n\n") + HIDDEN, [400]),
    ("a chunk extension without end", chunked("3;" + "x" * 20_000), [400]),
    ("an LF in a quoted chunk extension", chunked('3;a="\n"\r\nabc\r\n0\r\n\r\n') + HIDDEN, [400]),
    ("a NUL in a quoted chunk extension", chunked('3;a="\0"\r\nabc\r\n0\r\n\r\n') + HIDDEN, [400]),
    ("an LF in the extension of the last chunk", chunked('3\r\nabc\r\n0;a="\n"\r\n\r\n') + HIDDEN, [400]),
    ("a folded trailer", chunked("3\r\nabc\r\n0\r\nA: b\r\n c\r\n\r\n") + HIDDEN, [400]),
    ("a trailer without a colon", chunked("3\r\nabc\r\n0\r\nnonsense\r\n\r\n"), [400]),
    # bodies
    ("no JSON", post("nonsense"), [400]),
    ("half a JSON", post('{"firstName":'), [400]),
    ("an empty body", post(""), [400]),
    ("two JSON values", post(ADA + ADA), [400]),
    ("a byte order mark", post("\ufeff" + "{}"), [400]),
    ("a NUL in JSON", post('{"firstName":"a\0b"}'), [400]),
    ("a duplicate member", post('{"firstName":"a","firstName":"b"}'), [400]),
    ("a duplicate member by escape", post('{"firstName":"a","first\\u004eame":"b"}'), [400]),
    ("a lone surrogate", post('{"firstName":"\\ud800"}'), [400]),
    ("NaN", post('{"firstName":NaN}'), [400]),
    ("infinity", post('{"firstName":1e999}'), [400]),
    ("33 levels", post("[" * 33 + "]" * 33), [400]),
    ("a hundred thousand levels", post("[" * 100_000), [400]),
    ("a number of a thousand digits", post("[" + "1" * 1000 + "]"), [400]),
    ("20,000 members", post("{" + ",".join(f'"m{i}":0' for i in range(20_000)) + "}"), [400]),
    ("a comment", post("{/* */}"), [400]),
    ("a name with a NUL", post('{"a\\u0000b":1}'), [400]),
    ("XML", post("<?xml version='1.0'?><x/>"), [400]),
    ("a body with a GET", get("/v1/users", "Content-Length: 2", "Content-Type: application/json") + "{}", [400]),
    ("another media type", post(ADA).replace("application/json", "text/plain"), [415]),
    ("no media type", post(ADA).replace("Content-Type: application/json\r\n", ""), [415]),
    ("another character set", post(ADA).replace("application/json", "application/json; charset=utf-16"), [201, 400, 415]),
    ("compressed", post(ADA, "Content-Encoding: gzip"), [201, 400, 415]),
    # methods, routes, negotiation
    ("an unknown method", get().replace("GET", "BREW"), [400, 405]),
    ("TRACE", get().replace("GET", "TRACE"), [405]),
    ("CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", [400, 404, 405]),
    ("OPTIONS of everything", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", [400, 404, 405]),
    ("an absolute target", get("http://localhost/livez"), [200]),
    ("an absolute target of another host", get("http://example.com/livez"), [403]),
    ("HTTP/1.0 without Host", get(version="HTTP/1.0", host=None), [403]),
    ("dots that climb", get("/v1/../../etc/passwd"), [404]),
    ("escaped dots that climb", get("/v1/%2e%2e/%2e%2e/etc/passwd"), [404]),
    ("a doubled slash", get("//v1//users"), [404]),
    ("a media type that nobody has", get("/v1/users", "Accept: image/png"), [406]),
    ("an upgrade", get("/livez", "Connection: Upgrade", "Upgrade: websocket"), [200]),
    ("an upgrade to h2c", get("/livez", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQ"), [200]),
    ("an unknown expectation", post(ADA, "Expect: the-unexpected"), [201, 400, 417]),
    ("a Range", get("/livez", "Range: bytes=0-18446744073709551615"), [200]),
    ("a request id that breaks lines", get("/livez", "X-Request-Id: a b"), [200]),
    ("If-Match that is no tag", get("/livez", 'If-Match: ""'), [200]),
    ("a cursor of nonsense", get("/v1/users?cursor=////"), [400]),
    ("a limit beyond all numbers", get("/v1/users?limit=99999999999999999999"), [400]),
    ("a negative limit", get("/v1/users?limit=-1"), [400]),
    ("an unknown parameter", get("/v1/users?role=admin"), [400]),
    ("a parameter twice", get("/v1/users?limit=1&limit=2"), [400]),
    # several requests on one connection
    ("two in one packet", get() + get(), [200, 200]),
    ("fifty in one packet", get() * 50, [200] * 50),
    ("a good one, then garbage", get() + "garbage\r\n\r\n" + HIDDEN, [200, 400]),
    ("a fault, then a good one", get(host=None) + HIDDEN, [400]),
    ("empty lines between", get() + CRLF * 3 + get(), [200, 200]),
    ("a refused body, then a good one", post("nonsense") + get(), [400, 200]),
    ("a HEAD before a GET", get().replace("GET", "HEAD") + get(), [200, 200]),
    ("more body than its length", post(ADA + HIDDEN[:5]).replace(f"Content-Length: {len(ADA) + 5}", f"Content-Length: {len(ADA)}"), [201]),
    ("closed by wish, then one more", get("/livez", "Connection: close") + HIDDEN, [200]),
    ("HTTP/1.0, then one more", get(version="HTTP/1.0") + HIDDEN, [200]),
]


class Replies:
    """The bytes received on a socket, parsed."""

    def __init__(self, data, heads):
        self.answers = []
        while data:
            head, end, rest = data.partition(b"\r\n\r\n")
            assert end, f"half an answer: {data[:200]}"
            lines = head.decode("latin-1").split(CRLF)
            version, status, _ = (lines[0] + " ").split(" ", 2)
            assert version in ("HTTP/1.1", "HTTP/1.0"), lines[0]
            fields = dict(line.split(": ", 1) for line in lines[1:])
            if status == "100":
                data = rest
                continue
            length = 0 if len(self.answers) in heads else int(fields.get("Content-Length", 0))
            assert len(rest) >= length, f"half a body: {data[:200]}"
            self.answers.append((int(status), fields, rest[:length]))
            data = rest[length:]

    def statuses(self):
        return [status for status, _, _ in self.answers]


def judge(name, replies, expected):
    statuses = replies.statuses()
    if len(expected) > 1 and len(statuses) == 1:
        assert statuses[0] in expected, f"{name}: {statuses}"  # any one of them will do
    else:
        assert statuses == expected, f"{name}: {statuses}, not {expected}"
    for status, fields, body in replies.answers:
        assert status < 500, f"{name}: {status} {body}"
        if status < 400 or not body:
            continue
        assert fields["Content-Type"] == "application/problem+json", f"{name}: {fields}"
        problem = json.loads(body)
        assert MEMBERS <= problem.keys() and problem["status"] == status, f"{name}: {problem}"
        assert problem["correlationId"] == fields["X-Request-Id"], f"{name}: {problem}"


def sent(port, data, pieces=1, half_close=True):
    """All that is answered to `data`, sent in so many pieces."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    with socket.create_connection(("127.0.0.1", port), timeout=h.HANG_GUARD) as connection:
        try:
            step = max(1, -(-len(raw) // pieces))
            for at in range(0, len(raw), step):
                connection.sendall(raw[at:at + step])
            if half_close:
                connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has had enough, and says why
        received = b""
        while True:
            try:
                some = connection.recv(65536)
            except ConnectionResetError:
                break
            if not some:
                break
            received += some
    return received


def rude_endings(port):
    """Clients that disconnect in the middle: no response is sent, nothing is left behind."""
    whole = post(ADA).encode()
    for count in (0, 1, 3, 20, len(whole) - len(ADA), len(whole) - 1):
        with socket.create_connection(("127.0.0.1", port), timeout=h.HANG_GUARD) as connection:
            connection.sendall(whole[:count])
    for count in (0, 1, 20, len(whole) - 1):
        connection = socket.create_connection(("127.0.0.1", port), timeout=h.HANG_GUARD)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close resets
        connection.sendall(whole[:count])
        connection.close()
    return 10


def slow_clients(port):
    """A head that never ends and a body that drips get an error in time: 10 s, and 5 s and a byte."""
    told = {}

    def drip(name, first, at_most):
        with socket.create_connection(("127.0.0.1", port), timeout=h.HANG_GUARD) as connection:
            connection.sendall(first)
            begin, received = time.monotonic(), b""
            connection.settimeout(0.5)
            while time.monotonic() - begin < 10 * at_most:
                try:
                    some = connection.recv(65536)
                    if not some:
                        break
                    received += some
                except TimeoutError:
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        pass
                except ConnectionResetError:
                    break
            told[name] = (time.monotonic() - begin, received, at_most)

    body = post("", "Content-Length: 1000", length=False).encode()
    clients = [threading.Thread(target=drip, args=case) for case in
               (("head", b"GET /livez HTTP/1.1\r\nA: ", 10), ("body", body, 7))]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    for name, (took, received, at_most) in told.items():
        judge(f"a slow {name}", Replies(received, set()), [408])
        assert took < 10 * at_most, f"a slow {name} was told after {took} s"
    return len(told)


def main():
    with h.folder() as directory, h.running("serve", "--db", "x.db", folder=directory) as server:
        names = [name for name, _, _ in FAULTS]
        assert len(set(names)) == len(names)
        for name, data, expected in FAULTS:
            heads = {0} if "HEAD" in name else set()
            judge(name, Replies(sent(server.port, data), heads), expected)
        # The same, torn to pieces: what a byte means does not depend on the packet it came in.
        for name, data, expected in FAULTS[::3]:
            heads = {0} if "HEAD" in name else set()
            judge(name + ", in pieces", Replies(sent(server.port, data, pieces=7), heads), expected)
        cases = len(FAULTS) + rude_endings(server.port) + slow_clients(server.port)
        client = server.client()
        people = client.all("/v1/users")
        assert not [one for one in people if one["firstName"] == "Smuggled"], "a hidden request was carried out"
        h.wait_until(lambda: client.get("/readyz").status == 200, "the server, as if nothing had been")
        assert not [line for line in server.log() if line["level"] == "error"], "an error in the log"
        assert server.stop() == 0
    assert cases >= 100
    print(f"{cases} cases, {len(FAULTS[::3])} of them also in pieces")


if __name__ == "__main__":
    main()
