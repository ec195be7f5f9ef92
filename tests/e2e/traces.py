"""Traces: from the request that creates an event to its delivery, into a collector that checks every byte of them."""
import json

import harness as h
from otlp import Collector
from telemetry import metric

EVENT = {"eventType": "REMINDER", "targetTimestampUTC": "now", "deliveryPayload": {}}
PARENT = "b7ad6b7169203331"


def trace_of(number):
    return f"{number:032x}"


def caller(trace, flags="01"):
    return {"traceparent": f"00-{trace}-{PARENT}-{flags}"}


def server_with(collector, url, directory, *flags):
    return h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, f"--traces.endpoint={collector.url}", *flags, folder=directory)


def endpoint_for(client, url):
    return client.ok("POST", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": url, "retryPolicy": {"delays": ["PT1S"]}})["id"]


def received_for(receiver, event):
    def look():
        with receiver.lock:
            return [headers for _, headers, _ in receiver.received if headers["Sundial-Event-Id"] == event]
    return h.wait_until(look, "a delivery")


def create(client, endpoint, headers=None, **members):
    return client.ok("POST", "/v1/events", {**EVENT, "endpointId": endpoint, **members}, headers)


def one_request(client, collector, receiver, endpoint):
    """Request, creation, attempt and settlement are one trace, in which each is below the one before."""
    trace = trace_of(0x1001)
    event = create(client, endpoint, caller(trace))
    [headers] = received_for(receiver, event["id"])
    spans = {span["name"]: span for span in collector.wait_for(
        trace, ["POST /v1/events", "create", "deliver REMINDER", "settle"])}
    request, creation, attempt, settlement = (spans[name] for name in ("POST /v1/events", "create", "deliver REMINDER", "settle"))
    assert request["parentSpanId"] == PARENT, request
    assert creation["parentSpanId"] == request["spanId"], (creation, request)
    assert attempt["parentSpanId"] == creation["spanId"], (attempt, creation)
    assert settlement["parentSpanId"] == attempt["spanId"], (settlement, attempt)
    assert event["traceparent"] == f"00-{trace}-{creation['spanId']}-01", event
    assert headers["traceparent"] == f"00-{trace}-{attempt['spanId']}-01", headers
    assert [request["kind"], creation["kind"], attempt["kind"], settlement["kind"]] == [2, 4, 3, 1], spans
    for span in spans.values():
        assert 0 < int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]), span
        assert "status" not in span, span
    assert request["attributes"] == {"http.request.method": "POST", "url.scheme": "http", "http.route": "/v1/events",
                                     "http.response.status_code": "201"}, request
    said = attempt["attributes"]
    assert (said["http.response.status_code"], said["server.address"], said["sundial.event.id"], said["sundial.event.attempt"]) == (
        "204", "127.0.0.1", event["id"], "1"), said
    assert settlement["attributes"]["sundial.event.status"] == "COMPLETED", settlement
    assert collector.resources[0]["service.name"] == "sundial" and collector.resources[0]["service.version"], collector.resources
    done = h.wait_until(lambda: (one := client.ok("GET", f"/v1/events/{event['id']}"))["status"] == "COMPLETED" and one, "completion")
    assert done["traceparent"] == event["traceparent"], done


def many_in_one_request(client, collector, receiver, endpoint):
    trace = trace_of(0x1002)
    body = {"events": [{**EVENT, "endpointId": endpoint}] * 3}
    events = client.ok("POST", "/v1/events/batch", body, caller(trace))["data"]
    spans = collector.wait_for(trace, ["POST /v1/events/batch", "create", *["deliver REMINDER", "settle"] * 3])
    [creation] = [span for span in spans if span["name"] == "create"]
    assert creation["attributes"] == {"sundial.events": "3"}, creation
    assert {span["parentSpanId"] for span in spans if span["name"].startswith("deliver")} == {creation["spanId"]}
    for event in events:
        [headers] = received_for(receiver, event["id"])
        assert headers["traceparent"].startswith(f"00-{trace}-"), headers


def a_refusal_and_its_retry(client, collector, receiver, refusing, endpoint):
    """The retry of a dead letter stays in the trace of the request that created the event."""
    trace = trace_of(0x1003)
    event = create(client, refusing, caller(trace))
    spans = collector.wait_for(trace, ["POST /v1/events", "create", "deliver REMINDER", "settle"])
    [attempt] = [span for span in spans if span["name"].startswith("deliver")]
    assert attempt["status"]["code"] == 2 and attempt["attributes"]["error.type"] == "404", attempt
    retry = client.ok("POST", f"/v1/events/{event['id']}/retry")
    assert retry["traceparent"] == event["traceparent"], retry
    collector.wait_for(trace, ["POST /v1/events", "create", *["deliver REMINDER", "settle"] * 2])


def states_of_callers(client, collector, receiver, endpoint, refusing):
    """Every attempt has the caller's tracestate beside a traceparent of its own; a broken one is dropped, never refused."""
    trace, state = trace_of(0x1006), "rojo=00f067aa0ba902b7,congo=t 61"
    parent = caller(trace)["traceparent"]
    event = create(client, endpoint, {"traceparent": parent, "tracestate": "rojo=00f067aa0ba902b7 ,, congo=t 61"})
    [headers] = received_for(receiver, event["id"])
    assert headers["tracestate"] == state and headers["traceparent"].startswith(f"00-{trace}-"), headers
    spans = collector.wait_for(trace, ["POST /v1/events", "create", "deliver REMINDER", "settle"])
    shown = client.ok("GET", f"/v1/events/{event['id']}")
    assert shown["traceparent"] == event["traceparent"] and len(shown["traceparent"]) == 55, shown
    assert shown["traceparent"].startswith(f"00-{trace}-"), shown
    assert {span.get("traceState") for span in spans} == {state}, spans

    trace = trace_of(0x1007)
    failed = create(client, refusing, {"traceparent": caller(trace)["traceparent"], "tracestate": state})
    collector.wait_for(trace, ["POST /v1/events", "create", "deliver REMINDER", "settle"])
    for event in (failed, client.ok("POST", f"/v1/events/{failed['id']}/retry")):
        [headers] = received_for(receiver, event["id"])
        assert headers["tracestate"] == state, headers

    for wrong in ({"traceparent": parent, "tracestate": "Rojo=1"}, {"traceparent": "00-xyz", "tracestate": state},
                  {"tracestate": state}):
        [headers] = received_for(receiver, create(client, endpoint, wrong)["id"])
        assert "tracestate" not in headers, (wrong, headers)


def decisions_of_callers(client, collector, receiver, endpoint):
    """With a share of 0, a trace is recorded if its caller records it, and receivers get the decision."""
    unsampled = trace_of(0x1004)
    events = {
        "unsampled": create(client, endpoint, caller(unsampled, "00")),
        "none": create(client, endpoint),
        "invalid": create(client, endpoint, {"traceparent": "00-xyz"}),
        "future": create(client, endpoint, {"traceparent": f"42-{trace_of(0x1005)}-{PARENT}-01-more"}),
    }
    sent = {name: received_for(receiver, event["id"])[0]["traceparent"] for name, event in events.items()}
    assert sent["unsampled"].startswith(f"00-{unsampled}-") and sent["unsampled"].endswith("-00"), sent
    assert sent["none"].endswith("-00") and sent["invalid"].endswith("-00"), sent
    assert sent["future"].startswith(f"00-{trace_of(0x1005)}-") and sent["future"].endswith("-01"), sent
    collector.wait_for(trace_of(0x1005), ["POST /v1/events", "create", "deliver REMINDER", "settle"])
    for text in (sent["unsampled"], sent["none"], sent["invalid"]):
        assert not collector.spans(text.split("-")[1]), text


def follow(kind):
    collector, receiver = Collector(), h.Receiver(refuse="/refuse")
    with h.folder() as directory, h.database(kind, directory) as url:
        with server_with(collector, url, directory, "--traces.sample=0", "--traces.headers=X-Team=a%2Cb,X-Key=k") as server:
            client = server.client()
            endpoint = endpoint_for(client, receiver.url)
            refusing = endpoint_for(client, receiver.url.replace("/hook", "/refuse"))
            one_request(client, collector, receiver, endpoint)
            many_in_one_request(client, collector, receiver, endpoint)
            a_refusal_and_its_retry(client, collector, receiver, refusing, endpoint)
            states_of_callers(client, collector, receiver, endpoint, refusing)
            decisions_of_callers(client, collector, receiver, endpoint)
            assert not [span for span in collector.spans() if span["name"] == "claim"], "a share of 0 records no claim"
            assert collector.headers[0]["X-Team"] == "a,b" and collector.headers[0]["X-Key"] == "k", collector.headers[0]
            assert '"***"' in json.dumps(client.ok("GET", "/v1/settings")), "headers are secret"
            assert server.stop() == 0


def all_of_them(kind):
    """With a share of 1 everything is recorded, and each attempt names its claim, in a trace of its own."""
    collector, receiver = Collector(), h.Receiver()
    with h.folder() as directory, h.database(kind, directory) as url:
        with server_with(collector, url, directory, "--traces.sample=1", "--traces.service=scheduler-eu") as server:
            client = server.client()
            event = create(client, endpoint_for(client, receiver.url))
            [headers] = received_for(receiver, event["id"])
            trace = headers["traceparent"].split("-")[1]
            spans = collector.wait_for(trace, ["POST /v1/events", "create", "deliver REMINDER", "settle"])
            [first] = [span for span in spans if not span.get("parentSpanId")]
            assert first["name"] == "POST /v1/events", first
            [attempt] = [span for span in spans if span["name"].startswith("deliver")]
            [link] = attempt["links"]
            [claim] = h.wait_until(lambda: collector.spans(link["traceId"]), "its claim")
            assert claim["name"] == "claim" and claim["spanId"] == link["spanId"], claim
            assert claim["attributes"]["sundial.claim.events"] == "1", claim
            client.get("/readyz")
            client.get("/metrics")
            assert server.stop() == 0  # sends what it still has
        assert {one["service.name"] for one in collector.resources} == {"scheduler-eu"}, collector.resources
        routes = {span["attributes"].get("http.route") for span in collector.spans() if span["kind"] == 2}
        assert "/v1/endpoints" in routes and all(route.startswith("/v1/") for route in routes), routes


def outage():
    """A collector that is away or refuses delays nothing; dropped spans are counted."""
    collector, receiver = Collector(), h.Receiver()
    with h.folder() as directory:
        with server_with(collector, "sundial.db", directory, "--traces.sample=0") as server:
            client = server.client()
            endpoint = endpoint_for(client, receiver.url)

            def spans(outcome):
                return metric(client, "sundial_trace_spans_total", outcome=outcome)

            def traced(number, *answers):
                """An event, once all four spans of its trace are counted. The collector gets them before the exporter
                counts them, in as many batches as they end in."""
                with collector.lock:
                    collector.answers = list(answers)
                event = create(client, endpoint, caller(trace_of(number)))
                received_for(receiver, event["id"])
                h.wait_until(lambda: spans("exported") + spans("refused") == 4 * number, f"four spans of trace {number}")

            traced(1, (503, {"Retry-After": "1"}, b""), (400, {}, b""))
            refused = spans("refused")
            assert refused > 0, "a refused batch"
            [line] = h.wait_until(lambda: server.logged("traces.lost"), "a line in the log")
            assert "400" in line["reason"], line
            traced(2, (200, {}, b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}'))
            assert spans("refused") == refused + 1, "a rejected span"
            traced(3)
            collector.wait_for(trace_of(3), ["POST /v1/events", "create", "deliver REMINDER", "settle"])
            assert spans("refused") == refused + 1 and spans("queue_full") == 0 and spans("unreachable") == 0
            assert len(collector.headers) >= 4, "the batch that got 503 was repeated"
        for flags in (["--traces.endpoint=127.0.0.1:4318"], [f"--traces.endpoint={collector.url}/v1/traces"],
                      ["--traces.endpoint=http://sundial:word@127.0.0.1:4318"], ["--traces.headers=a=b"],
                      [f"--traces.endpoint={collector.url}", "--traces.headers=nothing"]):
            bad = h.Server("serve", "--db", "other.db", *flags, folder=directory)
            assert bad.process.wait(h.HANG_GUARD) == 1 and "traces." in bad.log_text(), (flags, bad.log_text())


if __name__ == "__main__":
    h.main({"follow": follow, "all": all_of_them, "outage": outage})
