"""Endpoints of type SQS beside AWS's SDK for JavaScript, which npm installs: a worker reads with it, its signer checks the
product's signatures, and its client checks that the fake service is like the real one."""
import contextlib
import datetime
import json
import os
import subprocess

import fake_sqs
import harness as h
import sqs

HERE = os.path.dirname(os.path.abspath(__file__))


def node(with_npm, work, script, *arguments, **environment):
    """A script of aws_sdk/ as a process."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return subprocess.Popen([with_npm, os.path.join(HERE, "aws_sdk"), work, script, *arguments], text=True,
                            env={**clean, **sqs.KEYS, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@contextlib.contextmanager
def calls(npm, fake, **environment):
    """A function that calls the service by the SDK: its output, or its error."""
    process = node(*npm, "calls.mjs", fake.origin, fake.region, **environment)

    def call(name, **given):
        process.stdin.write(json.dumps({"call": name, "input": {"QueueUrl": fake.url(), **given}}) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())
    try:
        yield call
    finally:
        process.stdin.close()
        process.wait(timeout=h.HANG_GUARD)


def fake(*npm):
    """The SDK gets the responses that it expects, and checks their digests: so the fake behaves like the service."""
    service = fake_sqs.FakeSqs()
    attributes = {"eventType": {"DataType": "String", "StringValue": "Größe"}}
    entries = [{"Id": str(i), "MessageBody": json.dumps({"idempotencyKey": f"k-{i}"}), "MessageAttributes": attributes}
               for i in range(3)]
    with calls(npm, service) as call:
        def code(name="SendMessageBatch", **given):
            return call(name, **({"Entries": entries} | given)).get("error", {}).get("name")

        sent = call("SendMessage", MessageBody="{\"idempotencyKey\":\"one\"}")["output"]
        [received] = call("ReceiveMessage", WaitTimeSeconds=1)["output"]["Messages"]
        assert (received["Body"], received["MessageId"]) == ("{\"idempotencyKey\":\"one\"}", sent["MessageId"]), received
        assert "error" not in call("DeleteMessage", ReceiptHandle=received["ReceiptHandle"])
        assert service.left() == 0 and "Messages" not in call("ReceiveMessage")["output"]

        service.faults = ["entry:InternalError:service"]
        answer = call("SendMessageBatch", Entries=entries)["output"]
        assert [one["Id"] for one in answer["Failed"]] == ["0"] and len(answer["Successful"]) == 2, answer
        assert service.keys_sent() == ["one", "k-1", "k-2"]
        service.visible_after = 0
        first = call("ReceiveMessage", MaxNumberOfMessages=10, MessageAttributeNames=["All"])["output"]["Messages"]
        assert [one["MessageAttributes"] for one in first] == [attributes] * 2, first
        again = call("ReceiveMessage", MaxNumberOfMessages=10)["output"]["Messages"]
        assert {one["Body"] for one in again} == {one["Body"] for one in first}, "a message that is not deleted comes again"
        for one in again:
            call("DeleteMessage", ReceiptHandle=one["ReceiptHandle"])
        assert service.left() == 0

        service.faults = ["throttled"]
        assert code() == "RequestThrottled"
        assert code(QueueUrl=service.url("gone")) == "QueueDoesNotExist"
        assert code(Entries=entries[:1] * 2) == "BatchEntryIdsNotDistinct"
        assert code(Entries=[{**entries[0], "Id": str(i)} for i in range(11)]) == "TooManyEntriesInBatchRequest"
        assert code(Entries=[{"Id": "0", "MessageBody": "x" * (fake_sqs.MAX_BYTES + 1)}]) == "BatchRequestTooLong"
        assert code("SendMessage", MessageBody="\x01") == "InvalidMessageContents"
        assert code("ReceiveMessage", MaxNumberOfMessages=11) == "InvalidParameterValue"
        service.region, right = "us-east-1", service.region
        assert code() == "InvalidSignatureException"
        service.region = right
        service.keys, right = {"AKIDEXAMPLE": ("other", "")}, service.keys
        assert code() == "InvalidSignatureException"
        service.keys = {"AKIDEXAMPLE": ("secret", "token")}
        assert code() == "ExpiredTokenException"
        service.keys = right
        # The SDK corrects its clock by the Date of such a response, like our sender.
        service.clock_error = 7200
        assert code() == "InvalidSignatureException"
        assert "output" in call("SendMessageBatch", Entries=entries)


def signatures(kind, *npm):
    """Each request of the product has the signature that the SDK's own signer computes."""
    service = fake_sqs.FakeSqs(queues=("birthdays", "b.fifo"), keys={"ASIA": ("sec/ret+key", "to/ken+with=signs")})
    service.requests = []
    keys = {"AWS_ACCESS_KEY_ID": "ASIA", "AWS_SECRET_ACCESS_KEY": "sec/ret+key", "AWS_SESSION_TOKEN": "to/ken+with=signs"}
    with h.folder() as directory, sqs.sundial(kind, directory, **keys) as server:
        client = server.client()
        for queue in ("birthdays", "b.fifo"):
            sqs.endpoint(client, service, queue)
            events = [sqs.event(f"{len(queue)}-{number}", deliveryPayload={"text": "é\U0001F382 \\\" \u0001  x" * number})
                      for number in range(150)]
            client.ok("POST", "/v1/events/batch", {"events": events})
            h.wait_until(lambda: len(service.messages[queue]) == len(events), "all messages")
    assert not service.refusals, service.refusals
    lines = "".join(json.dumps(request) + "\n" for request in service.requests)
    said, _ = node(*npm, "signatures.mjs").communicate(lines, timeout=h.HANG_GUARD)
    said = json.loads(said)
    assert said == {"checked": len(service.requests), "wrong": []} and said["checked"] >= 30, said


def birthday_at():
    """A minute at which all users are there, even on a busy machine."""
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=210)).replace(second=0, microsecond=0)


def celebrating(client, instant, many):
    """Users with a birthday at `instant`; their ids by their first names."""
    ids = {}
    for first in range(0, many, 500):
        people = [{"firstName": f"Ada{number}", "lastName": "Li", "timezone": "UTC",
                   "dateOfBirth": f"{1952 + 4 * (number % 10)}-{instant:%m-%d}"} for number in range(first, min(first + 500, many))]
        answer = client.call("POST", "/v1/users/batch?atomic=true", {"users": people})
        assert answer.status == 201, answer.body
        ids |= {user["firstName"]: user["id"] for user in answer.json()["data"]}
    assert datetime.datetime.now(datetime.timezone.utc) < instant, "the users were created too late"
    assert len(ids) == many
    return ids


def lines_in(path):
    """Whole lines of the file that the worker writes."""
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        return file.read().split(b"\n")[:-1]


def worker(kind, many, *npm):
    """A worker that reads with AWS's SDK handles each birthday once by its key, though instances and the worker are killed."""
    many, instances = int(many), 3 if kind == "postgres" else 1
    service = fake_sqs.FakeSqs(visible_after=5)
    sent = service.messages["birthdays"]
    instant = birthday_at()
    with h.folder() as directory, h.database(kind, directory) as database, contextlib.ExitStack() as ending:
        path = os.path.join(directory, "handled.jsonl")

        def start():
            server = h.Server("serve", f"--db={database}", *h.LOCAL_RECEIVERS, f"--scheduler.birthday_time={instant:%H:%M}",
                              "--scheduler.lease=PT15S", "--delivery.timeout=PT5S", folder=directory,
                              environment=sqs.environment(directory, **sqs.KEYS))
            ending.callback(lambda: server.process.poll() is None and server.kill())
            return server.ready()

        def work():
            process = node(*npm, "worker.mjs", service.url(), service.region, path)
            ending.callback(process.kill)
            return process

        servers, reader = [start() for _ in range(instances)], work()
        client = servers[0].client()
        # Slow enough for each kill to find messages that are not sent.
        sqs.endpoint(client, service, timeout="PT5S", rateLimit={"perSecond": max(many // 40, 1)})
        client.ok("PATCH", "/v1/schedules/ext:birthday", {"endpointId": "ext:queue"})
        ids = celebrating(client, instant, many)
        for number, share in enumerate((0.1, 0.3, 0.5, 0.7, 0.9)):
            h.wait_until(lambda: len(sent) >= share * many, "some birthdays", seconds=600)
            service.faults += ["cut"]  # the messages of that request are sent again
            victim = number % instances
            servers[victim].kill()
            servers[victim] = start()
            if number == 2:
                reader.kill()
                reader = work()
        h.wait_until(lambda: len(lines_in(path)) >= many and service.left() == 0, "all birthdays", seconds=600)
        client = servers[0].client()
        h.wait_until(lambda: not client.ok("GET", "/v1/events?status=PROCESSING&limit=1")["data"], "all settled")
        handled = [json.loads(line) for line in lines_in(path)]
        assert len({one["key"] for one in handled}) == len(handled) == many, len(handled)
        assert {one["user"] for one in handled} == set(ids.values())
        assert {one["text"] for one in handled} == {f"Hey, {name} Li it's your birthday" for name in ids}
        assert {one["at"] for one in handled} == {f"{instant:%Y-%m-%dT%H:%M}:00.000Z"}
        assert not client.ok("GET", "/v1/events?status=FAILED&limit=1")["data"]
        assert not service.refusals, service.refusals
        print(f"{many} birthdays, {len(sent)} messages")


if __name__ == "__main__":
    h.main({"fake": fake, "signatures": signatures, "worker": worker})
