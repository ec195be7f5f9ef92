"""Shared by the tests: the harness of the end-to-end tests, a client that records, a server that plays a script."""
import http.server
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
sys.path[:0] = [os.environ.get("SUNDIAL_CLIENT", os.path.dirname(HERE)), os.path.join(ROOT, "tests", "e2e")]

import harness  # noqa: E402
import sundial_client  # noqa: E402

# A server with a clock that stands still, inboxes, and webhooks to this machine.
TEST_CLOCK = ("dev", "--test-clock", "--users=1", "--db", "x.db")
REAL_CLOCK = ("serve", "--db", "x.db", *harness.LOCAL_RECEIVERS)


def url(server):
    return f"http://127.0.0.1:{server.port}"


class Recording(sundial_client.Sundial):
    """Records the status of each operation that succeeds. Copies made by with_options share the record."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.done = {}

    def reply(self, operation, *arguments, **options):
        reply = super().reply(operation, *arguments, **options)
        self.done.setdefault(operation, set()).add(reply.status)
        return reply

    def stream(self, operation, **options):
        for piece in super().stream(operation, **options):
            self.done.setdefault(operation, set()).add(200)
            yield piece


class Script:
    """A server that gives the answers of a list, one for each request: (status, headers, body). None breaks the connection.

    Requests are kept as (method, path, headers, body). More requests than answers are an error of the test.
    """

    def __init__(self, *answers):
        requests = self.requests = []
        rest = list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                answer = rest.pop(0)
                if answer is None:
                    self.close_connection = True
                    return
                status, headers, text = answer
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # of a connection that a client has left
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def problem(status, code, retryable=True, headers=None, **members):
    """An answer for a Script."""
    import json
    body = {"type": f"/docs/errors/{code}", "title": code, "status": status, "code": code, "retryable": retryable, "detail": "no",
            "instance": "/", "correlationId": "req-1", **members}
    return status, {"Content-Type": "application/problem+json", **(headers or {})}, json.dumps(body)
