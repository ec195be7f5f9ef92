"""A collector of traces that takes what the protocol's schema allows and nothing else.

The messages are those of opentelemetry-proto 1.x, trace/v1/trace.proto, in the JSON encoding of the OTLP specification: ids
in hex, 64-bit integers as strings, enums as numbers, unknown members refused.
"""
import http.server
import json
import re
import threading

import harness as h


def text(value):
    assert isinstance(value, str), value


def hex_of(digits, may_be_empty=False):
    def check(value):
        ok = isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{digits}}}", value) and set(value) != {"0"}
        assert ok or (may_be_empty and value == ""), f"no id of {digits} digits: {value!r}"
    return check


def string_of_digits(value):
    assert isinstance(value, str) and re.fullmatch("0|-?[1-9][0-9]*", value), f"no 64-bit integer as a string: {value!r}"


def number(low, high):
    def check(value):
        assert isinstance(value, int) and not isinstance(value, bool) and low <= value <= high, value
    return check


def any_value(value):
    assert isinstance(value, dict) and len(value) == 1, f"not one value: {value!r}"
    [(kind, one)] = value.items()
    if kind == "stringValue":
        text(one)
    elif kind == "intValue":
        string_of_digits(one)
    elif kind == "boolValue":
        assert isinstance(one, bool), one
    elif kind == "doubleValue":
        assert isinstance(one, float), one
    else:
        raise AssertionError(f"no value that these tests expect: {value!r}")


def message(required, **members):
    def check(value):
        assert isinstance(value, dict), value
        unknown = value.keys() - members.keys()
        assert not unknown, f"unknown members {unknown}"
        missing = set(required) - value.keys()
        assert not missing, f"missing members {missing}"
        for name, one in value.items():
            members[name](one)
    return check


def list_of(item):
    def check(value):
        assert isinstance(value, list), value
        for one in value:
            item(one)
    return check


count = number(0, 2**32 - 1)
attributes = list_of(message(("key", "value"), key=text, value=any_value))
status = message((), message=text, code=number(0, 2))
link = message(("traceId", "spanId"), traceId=hex_of(32), spanId=hex_of(16), traceState=text, attributes=attributes,
               droppedAttributesCount=count, flags=count)
event = message(("timeUnixNano", "name"), timeUnixNano=string_of_digits, name=text, attributes=attributes,
                droppedAttributesCount=count)
span = message(("traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"),
               traceId=hex_of(32), spanId=hex_of(16), traceState=text, parentSpanId=hex_of(16, may_be_empty=True), flags=count,
               name=text, kind=number(1, 5), startTimeUnixNano=string_of_digits, endTimeUnixNano=string_of_digits,
               attributes=attributes, droppedAttributesCount=count, events=list_of(event), droppedEventsCount=count,
               links=list_of(link), droppedLinksCount=count, status=status)
scope = message(("name",), name=text, version=text, attributes=attributes, droppedAttributesCount=count)
resource = message(("attributes",), attributes=attributes, droppedAttributesCount=count)
scope_spans = message(("spans",), scope=scope, spans=list_of(span), schemaUrl=text)
resource_spans = message(("resource", "scopeSpans"), resource=resource, scopeSpans=list_of(scope_spans), schemaUrl=text)
export_request = message(("resourceSpans",), resourceSpans=list_of(resource_spans))

# The attributes of OpenTelemetry's semantic conventions that are stable and that Sundial sets; all others are its own.
STABLE = {"service.name", "service.version", "telemetry.sdk.name", "telemetry.sdk.language", "telemetry.sdk.version",
          "http.request.method", "http.response.status_code", "http.route", "url.scheme", "server.address", "server.port",
          "error.type"}


def named(pairs):
    """The attributes as a dictionary; each key once."""
    found = {pair["key"]: next(iter(pair["value"].values())) for pair in pairs}
    assert len(found) == len(pairs), f"an attribute twice: {pairs}"
    strange = {key for key in found if key not in STABLE and not key.startswith("sundial.")}
    assert not strange, f"attributes that are neither stable nor our own: {strange}"
    return found


class Collector:
    """Keeps the spans of valid requests. `answers` are (status, headers, body) for the next requests; then it accepts."""

    def __init__(self):
        self.lock = threading.Lock()
        self.kept, self.resources, self.defects, self.headers, self.answers = [], [], [], [], []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status_code, headers, answer = collector.take(self.path, dict(self.headers), body)
                self.send_response_only(status_code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        with self.lock:
            self.headers.append(headers)
            if self.answers:
                return self.answers.pop(0)
            try:
                assert path == "/v1/traces" and headers["Content-Type"] == "application/json", (path, headers)
                request = json.loads(body)
                export_request(request)
                for one in request["resourceSpans"]:
                    self.resources.append(named(one["resource"]["attributes"]))
                    for spans in one["scopeSpans"]:
                        self.kept += [dict(span, attributes=named(span["attributes"])) for span in spans["spans"]]
            except (AssertionError, ValueError, KeyError) as defect:
                self.defects.append(f"{defect}: {body[:2000]!r}")
                return 400, {}, b"{}"
            return 200, {}, b'{"partialSuccess":{}}'

    def spans(self, trace=None):
        with self.lock:
            assert not self.defects, self.defects
            return [span for span in self.kept if trace in (None, span["traceId"])]

    def wait_for(self, trace, names):
        """The spans of the trace by name, once it has exactly these."""
        def look():
            found = self.spans(trace)
            return found if sorted(span["name"] for span in found) == sorted(names) else None
        try:
            return h.wait_until(look, f"the spans {names}")
        except AssertionError as timeout:
            raise AssertionError(f"{timeout}; there are {[span['name'] for span in self.spans(trace)]}") from timeout
