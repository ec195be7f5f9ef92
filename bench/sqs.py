"""Messages a second to a queue of SQS: Sundial, which claims, sends and settles due events, beside a bare client of AWS's SDK
for JavaScript, which only sends; in turns.

    python3 bench/sqs.py [sqlite|postgres] [--messages 20000] [--pairs 3]

Both send batches of ten, 16 of them under way at once, to a queue on the same machine that accepts them at once. The time is
that from the first to the last request, by the queue. npm installs the SDK below build/.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import time

from bed import ROOT, h

WITH_NPM = os.path.join(ROOT, "tests", "crosscheck", "with_npm.sh")
SDK = os.path.join(ROOT, "tests", "e2e", "aws_sdk")
WORK = os.path.join(ROOT, "build", "bench", "aws_sdk")
REGION = "eu-west-1"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"}


class Queue:
    def __init__(self, messages):
        self.messages = messages
        self.process = subprocess.Popen(["node", os.path.join(ROOT, "bench", "sqs_queue.mjs"), str(messages)], text=True,
                                        stdout=subprocess.PIPE)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/123456789012/birthdays"

    def rate(self):
        """Messages a second, once all have arrived."""
        said = json.loads(self.process.stdout.readline())
        self.process.wait()
        return self.messages / said["seconds"], said["requests"]


def bare(messages, _):
    queue = Queue(messages)
    subprocess.run([WITH_NPM, SDK, WORK, "sender.mjs", queue.url, REGION, str(messages)], check=True,
                   env={**os.environ, **KEYS})
    return queue.rate()


def sundial(messages, kind):
    queue = Queue(messages)
    with h.folder() as directory, h.database(kind, directory) as database:
        environment = {**KEYS, "HOME": directory, "AWS_EC2_METADATA_DISABLED": "true"}
        with h.running("serve", f"--db={database}", *h.LOCAL_RECEIVERS, folder=directory, environment=environment) as server:
            client = server.client()
            client.ok("POST", "/v1/endpoints", {"name": "queue", "externalId": "queue", "type": "SQS", "url": queue.url,
                                                "region": REGION})
            due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=5 + messages / 1000)
            for first in range(0, messages, 500):
                client.ok("POST", "/v1/events/batch", {"events": [
                    {"eventType": "BIRTHDAY", "targetTimestampUTC": due.strftime("%Y-%m-%dT%H:%M:%SZ"), "endpointId": "ext:queue",
                     "idempotencyKey": f"bench-{number}", "deliveryPayload": {"message": "Hey, Ada Lovelace it's your birthday"}}
                    for number in range(first, min(first + 500, messages))]})
            assert time.time() < due.timestamp() - 1, "the events were created too late: take more time"
            return queue.rate()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", nargs="?", default="sqlite", choices=("sqlite", "postgres"))
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--pairs", type=int, default=3)
    asked = parser.parse_args()
    sides = {"sundial": sundial, "bare client": bare}
    rates = {name: [] for name in sides}
    for _ in range(asked.pairs):
        for name, side in sides.items():
            rate, requests = side(asked.messages, asked.kind)
            rates[name].append(rate)
            print(f"{name}: {rate:,.0f} messages a second, {asked.messages / requests:.1f} in a request", flush=True)
    ratios = [ours / theirs for ours, theirs in zip(*rates.values())]
    for name, seen in rates.items():
        print(f"{name}: median {statistics.median(seen):,.0f} a second ({min(seen):,.0f}-{max(seen):,.0f})")
    print(f"{asked.kind}: sundial / bare client {statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})")


if __name__ == "__main__":
    main()
