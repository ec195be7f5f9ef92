"""Endpoints of type SQS: events become messages of a queue, whatever the queue does."""
import collections
import contextlib
import json
import os
import subprocess

import fake_sqs
import harness as h

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"}
QUICK = {"delays": ["PT1S"] * 5}


def environment(directory, **more):
    """Without the AWS credentials of the machine."""
    clean = {name: "" for name in os.environ if name.startswith("AWS_")}
    return {**clean, "HOME": directory, "AWS_EC2_METADATA_DISABLED": "true", **more}


@contextlib.contextmanager
def sundial(kind, directory, *arguments, **more):
    with h.database(kind, directory) as database:
        with h.running("serve", f"--db={database}", *h.LOCAL_RECEIVERS, *arguments, folder=directory,
                       environment=environment(directory, **(more or KEYS))) as server:
            yield server


def endpoint(client, fake, queue="birthdays", **more):
    wanted = {"name": queue, "type": "SQS", "url": fake.url(queue), "region": fake.region, "retryPolicy": QUICK, **more}
    return client.ok("PUT", "/v1/endpoints/ext:queue", wanted)


def event(number=0, **more):
    return {"eventType": "BIRTHDAY", "targetTimestampUTC": "now", "endpointId": "ext:queue", "idempotencyKey": f"key-{number}",
            "deliveryPayload": {"message": "Hey, Jörg \U0001F382"}, **more}


def status(client, made):
    return client.ok("GET", f"/v1/events/{made['id']}")["status"]


def sent(client, **more):
    """A new event, once it is finished."""
    made = client.ok("POST", "/v1/events", event(**more))
    h.wait_until(lambda: status(client, made) in ("COMPLETED", "FAILED"), "an outcome")
    return client.ok("GET", f"/v1/events/{made['id']}")


def messages(kind):
    """The message that workers know, in batches, each once."""
    fake = fake_sqs.FakeSqs()
    with h.folder() as directory, sundial(kind, directory) as server:
        client = server.client()
        endpoint(client, fake)
        ada = client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "L", "dateOfBirth": "1990-12-10",
                                              "timezone": "Europe/London"})
        one = client.ok("POST", "/v1/events", event("ada", userId=ada["id"]))
        h.wait_until(lambda: status(client, one) == "COMPLETED", "a message")
        [message] = fake.messages["birthdays"]
        body = json.loads(message["MessageBody"])
        assert list(body) == ["eventId", "eventType", "idempotencyKey", "metadata"], body
        assert list(body["metadata"]) == ["userId", "targetTimestampUTC", "deliveryPayload"], body
        assert (body["eventId"], body["eventType"], body["idempotencyKey"]) == (one["id"], "BIRTHDAY", "key-ada"), body
        assert body["metadata"] == {"userId": ada["id"], "targetTimestampUTC": one["targetTimestampUTC"],
                                    "deliveryPayload": {"message": "Hey, Jörg \U0001F382"}}, (body, one)
        assert message["MessageAttributes"] == {"eventType": {"DataType": "String", "StringValue": "BIRTHDAY"},
                                                "idempotencyKey": {"DataType": "String", "StringValue": "key-ada"}}, message
        many = 500
        client.ok("POST", "/v1/events/batch", {"events": [event(number) for number in range(many)]})
        h.wait_until(lambda: len(fake.messages["birthdays"]) == many + 1, "all messages")
        assert sorted(fake.keys_sent()) == sorted(["key-ada", *(f"key-{number}" for number in range(many))])
        assert max(fake.batches) <= 10 and len(fake.batches) < many, collections.Counter(fake.batches)
        assert not fake.refusals, fake.refusals
        tested = client.ok("POST", "/v1/endpoints/ext:queue/test")
        assert tested["outcome"] == "SUCCEEDED", tested
        big = [event(f"big-{number}", deliveryPayload={"text": "x" * 250_000}) for number in range(8)]
        for one in big:
            client.ok("POST", "/v1/events", one)
        h.wait_until(lambda: sum("big" in key for key in fake.keys_sent()) == len(big), "big messages")
        assert not fake.refusals, fake.refusals


def fifo(kind):
    """Groups and deduplication of a FIFO queue: a repetition after a lost response is dropped there."""
    fake = fake_sqs.FakeSqs(queues=("b.fifo",))
    with h.folder() as directory, sundial(kind, directory) as server:
        client = server.client()
        made = endpoint(client, fake, "b.fifo")
        ada = client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "L", "dateOfBirth": "1990-12-10",
                                              "timezone": "Europe/London"})
        fake.faults = ["cut"]
        done = sent(client, number=1, userId=ada["id"])
        assert done["status"] == "COMPLETED" and len(fake.batches) == 2, (done, fake.batches)
        assert fake.keys_sent("b.fifo") == ["key-1"]
        client.ok("PATCH", "/v1/endpoints/ext:queue", {"messageGroup": "endpoint"})
        sent(client, number=2, userId=ada["id"])
        client.ok("PATCH", "/v1/endpoints/ext:queue", {"messageGroup": None})
        sent(client, number=3)
        ids = [(one["MessageGroupId"], one["MessageDeduplicationId"]) for one in fake.messages["b.fifo"]]
        assert ids == [(ada["id"], "key-1"), (made["id"], "key-2"), ("key-3", "key-3")], ids


def faults(kind):
    """A message that the queue refuses or loses is retried, or fails if the queue can never accept it."""
    fake = fake_sqs.FakeSqs()
    with h.folder() as directory, sundial(kind, directory) as server:
        client = server.client()
        endpoint(client, fake)
        # So many successes that the failures do not open the circuit.
        client.ok("POST", "/v1/events/batch", {"events": [event(f"ok-{number}") for number in range(30)]})
        h.wait_until(lambda: len(fake.messages["birthdays"]) == 30, "messages")
        for number, fault in enumerate(["throttled", "unavailable", "entry:InternalError:service",
                                        "entry:RequestThrottled:sender"]):
            fake.faults = [fault]
            done = sent(client, number=number)
            assert done["status"] == "COMPLETED" and fake.keys_sent().count(f"key-{number}") == 1, (fault, done)
        fake.faults = ["entry:InvalidMessageContents:sender"]
        failed = sent(client, number="refused")
        assert failed["status"] == "FAILED" and "InvalidMessageContents" in failed["failureReason"], failed

        fake.faults = ["whole:Odd"]
        batches = len(fake.batches)
        client.ok("POST", "/v1/events/batch", {"events": [event(f"whole-{number}") for number in range(100)]})
        h.wait_until(lambda: sum("whole" in key for key in fake.keys_sent()) == 100, "events of a refused request")
        assert "Odd" in fake.refusals and fake.batches[batches:].count(1) > 1, (fake.refusals, fake.batches)
        assert not client.ok("GET", "/v1/events?status=FAILED&limit=2")["hasMore"]

        fake.faults = ["cut"]
        done = sent(client, number="cut")
        assert done["status"] == "COMPLETED" and fake.keys_sent().count("key-cut") == 2, done

        endpoint(client, fake, "gone", url=fake.url("gone"))
        failed = sent(client, number="gone")
        assert failed["status"] == "FAILED" and "QueueDoesNotExist" in failed["failureReason"], failed


def skewed(kind):
    """The clock of AWS is three hours ahead: one request is refused, later ones allow for that."""
    fake = fake_sqs.FakeSqs()
    fake.clock_error = 3 * 3600
    with h.folder() as directory, sundial(kind, directory) as server:
        client = server.client()
        endpoint(client, fake)
        assert sent(client, number=1)["status"] == "COMPLETED"
        assert sent(client, number=2)["status"] == "COMPLETED"
        assert fake.refusals == ["InvalidSignatureException"], fake.refusals


def wrong_region(kind):
    """A wrong region is retried, so that its repair loses no event."""
    fake = fake_sqs.FakeSqs()
    with h.folder() as directory, sundial(kind, directory) as server:
        client = server.client()
        endpoint(client, fake, region="us-east-1", retryPolicy={"delays": ["PT1S"] * 50})  # it is repaired before the last
        made = client.ok("POST", "/v1/events", event(1))
        h.wait_until(lambda: fake.refusals, "a refusal")
        assert fake.refusals[0] == "InvalidSignatureException"
        client.ok("PATCH", "/v1/endpoints/ext:queue", {"region": "eu-west-1"})
        h.wait_until(lambda: status(client, made) == "COMPLETED", "a message after the repair")
        assert fake.keys_sent() == ["key-1"]


def expired_token(kind):
    """Keys of a container expire: new ones are fetched, and no event is lost."""
    fake = fake_sqs.FakeSqs(keys={"ASIA1": ("secret", "token-1"), "ASIA2": ("secret", "token-2")})
    service = fake_sqs.FakeCredentials(("ASIA1", "token-1"), ("ASIA2", "token-2"), authorization="pod")
    with h.folder() as directory, sundial(kind, directory, AWS_CONTAINER_CREDENTIALS_FULL_URI=f"{service.origin}/keys",
                                          AWS_CONTAINER_AUTHORIZATION_TOKEN="pod") as server:
        client = server.client()
        endpoint(client, fake)
        assert sent(client, number=1)["status"] == "COMPLETED"
        assert service.asked == ["/keys"], service.asked
        fake.expired.add("token-1")
        assert sent(client, number=2)["status"] == "COMPLETED"
        assert service.asked == ["/keys", "/keys"], service.asked
        assert sorted(fake.keys_sent()) == ["key-1", "key-2"]


def sources():
    """Each place that keys may come from. An endpoint never leads to one of them."""
    fake = fake_sqs.FakeSqs(keys={"AKIDEXAMPLE": ("secret", ""), "ASIA": ("secret", "token")})
    service = fake_sqs.FakeCredentials(("ASIA", "token"))
    with h.folder() as shared:
        profile, token = os.path.join(shared, "credentials"), os.path.join(shared, "token")
        with open(profile, "w") as file:
            file.write("[default]\naws_access_key_id = WRONG\naws_secret_access_key = x\n"
                       "[sender]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n")
        with open(token, "w") as file:
            file.write("web/identity+token\n")
        for number, given in enumerate([
                KEYS,
                {"AWS_SHARED_CREDENTIALS_FILE": profile, "AWS_PROFILE": "sender"},
                {"AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_ROLE_ARN": "arn:aws:iam::1:role/sender",
                 "AWS_ENDPOINT_URL_STS": f"{service.origin}/"},
                {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{service.origin}/keys"},
                {"AWS_EC2_METADATA_SERVICE_ENDPOINT": service.origin, "AWS_EC2_METADATA_DISABLED": "false"}]):
            with h.folder() as directory, sundial("sqlite", directory, **given) as server:
                client = server.client()
                endpoint(client, fake)
                assert sent(client, number=number)["status"] == "COMPLETED", given
        assert fake.refusals == [], fake.refusals

        with h.folder() as directory, sundial("sqlite", directory, AWS_REGION="eu-west-1") as server:
            client = server.client()
            endpoint(client, fake, retryPolicy={"delays": ["PT1S"]})
            failed = sent(client, number="none")
            assert failed["status"] == "FAILED" and "no AWS credentials" in failed["failureReason"], failed


def ticked(kind):
    """`sundial tick` in place of a server, as an external trigger calls it."""
    fake = fake_sqs.FakeSqs()
    with h.folder() as directory, h.database(kind, directory) as database:
        with h.running("serve", f"--db={database}", *h.LOCAL_RECEIVERS, folder=directory,
                       environment=environment(directory, **KEYS)) as server:
            client = server.client()
            endpoint(client, fake, enabled=False)
            client.ok("POST", "/v1/events/batch", {"events": [event(number, targetTimestampUTC="now+2s") for number in range(25)]})
            client.ok("PATCH", "/v1/endpoints/ext:queue", {"enabled": True})
            assert server.stop() == 0

        def tick():
            subprocess.run([h.PROGRAM, "tick", f"--db={database}", *h.LOCAL_RECEIVERS], check=True, cwd=directory,
                           env={**os.environ, **environment(directory, **KEYS)}, stdout=subprocess.DEVNULL,
                           timeout=h.HANG_GUARD)
            return len(fake.messages["birthdays"]) == 25
        h.wait_until(tick, "all messages")
        assert len(set(fake.keys_sent())) == 25 and max(fake.batches) <= 10, fake.batches


def refused():
    """Settings and payloads that cannot work are refused when they are given."""
    fake = fake_sqs.FakeSqs()
    aws = "https://sqs.eu-west-1.amazonaws.com/123456789012/q"
    with h.folder() as directory:
        with h.running("serve", f"--db={directory}/sundial.db", f"--security.encryption_key={h.ENCRYPTION_KEY}", folder=directory,
                       environment=environment(directory)) as server:
            client = server.client()

            def defects(**settings):
                answer = client.call("POST", "/v1/endpoints", {"name": "q", "type": "SQS", **settings})
                return [one["pointer"] for one in answer.json()["errors"]] if answer.status != 201 else []

            assert defects() == ["/url"]
            assert defects(url=aws) == []
            assert defects(url=aws, region="eu-west-1", endpointUrl="https://vpce-1.sqs.eu-west-1.vpce.amazonaws.com") == []
            assert defects(url=aws + ".fifo", messageGroup="endpoint") == []
            assert defects(url="https://queue.example/1/q") == ["/region"]
            assert defects(url=aws, messageGroup="user") == ["/messageGroup"]
            assert defects(url=aws, messageGroup="event") == ["/messageGroup"]
            assert defects(url=aws, endpointUrl="http://169.254.169.254") == ["/endpointUrl"]
            assert defects(url=aws, endpointUrl="https://10.0.0.1") == ["/endpointUrl"]
            assert defects(url=fake.url(), region="eu-west-1") == ["/url"]
            assert defects(url=aws, headers={"X": "y"}) == ["/headers"]
            assert defects(url=aws, format="ENVELOPE") == ["/format"]
            assert defects(url="https://sqs.eu-west-1.amazonaws.com/") == ["/url"]
            assert defects(url="queues/q", endpointUrl="https://sqs.eu-west-1.amazonaws.com") == ["/url"]
            answer = client.call("POST", "/v1/endpoints", {"name": "w", "type": "WEBHOOK", "url": "https://crm.example/",
                                                           "region": "eu-west-1"})
            assert [one["pointer"] for one in answer.json()["errors"]] == ["/region"], answer.body

            made = client.ok("PUT", "/v1/endpoints/ext:queue", {"name": "q", "type": "SQS", "url": aws})
            assert (made["url"], made["secretHint"], "region" in made) == (aws, None, False), made
            wanted = event(1, targetTimestampUTC="now+48h", deliveryPayload={"text": "\uffff"})
            answer = client.call("POST", "/v1/events", json.dumps(wanted, ensure_ascii=False).encode())
            [error] = answer.json()["errors"]
            assert answer.status == 400 and error["pointer"] == "/deliveryPayload" and "U+FFFF" in error["message"], error
            client.ok("POST", "/v1/events", event(1, targetTimestampUTC="now+48h", deliveryPayload={"text": "\u0001"}))


def killed(kind, birthdays="2000"):
    """The worker of a queue handles each birthday once by its key, though instances are killed."""
    fake = fake_sqs.FakeSqs()
    many = int(birthdays)
    handled = set()
    with h.folder() as directory, h.database(kind, directory) as database:
        def start():
            return h.Server("serve", f"--db={database}", *h.LOCAL_RECEIVERS, "--scheduler.lease=PT15S",
                            "--delivery.timeout=PT5S", folder=directory, environment=environment(directory, **KEYS)).ready()

        server = start()
        try:
            client = server.client()
            endpoint(client, fake, timeout="PT5S")
            for first in range(0, many, 500):
                part = range(first, min(first + 500, many))
                client.ok("POST", "/v1/events/batch", {"events": [event(number) for number in part]})
            for share in (0.2, 0.5):
                h.wait_until(lambda: len(fake.messages["birthdays"]) >= share * many, "some messages")
                server.kill()
                server = start()
                client = server.client()
            h.wait_until(lambda: len(set(fake.keys_sent())) == many, "all birthdays", seconds=240)
            for body in fake.bodies():
                handled.add(body["idempotencyKey"])
            assert handled == {f"key-{number}" for number in range(many)}
            h.wait_until(lambda: not any(client.ok("GET", f"/v1/events?status={one}&limit=1")["data"]
                                         for one in ("PENDING", "PROCESSING")), "all settled")
            assert not client.ok("GET", "/v1/events?status=FAILED&limit=1")["data"]
            assert not fake.refusals, fake.refusals
        finally:
            if server.process.poll() is None:
                server.kill()


if __name__ == "__main__":
    h.main({"messages": messages, "fifo": fifo, "faults": faults, "skewed": skewed, "wrong_region": wrong_region,
            "expired_token": expired_token, "sources": sources, "refused": refused, "killed": killed, "ticked": ticked})
