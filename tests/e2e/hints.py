"""Instances that listen take what another has no room for, long before they would look by themselves."""
import contextlib
import threading

import harness as h


def main():
    release = threading.Event()
    receiver = h.Receiver(hold=release)
    with h.folder() as directory, h.postgres(migrated=True) as url, contextlib.ExitStack() as stack:
        settings = (*h.LOCAL_RECEIVERS, "--scheduler.tick=PT60S", "--scheduler.lease=PT40S", "--delivery.workers=1", f"--storage.listen_url={url}")
        one, two = (stack.enter_context(h.running("serve", "--db", url, *settings, folder=directory)) for _ in range(2))
        client = one.client()
        client.ok("POST", "/v1/endpoints", {"name": "slow", "type": "WEBHOOK", "url": receiver.url, "externalId": "r",
                                           "timeout": "PT30S"})
        for i in range(2):
            client.ok("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "now", "endpointId": "ext:r",
                                             "idempotencyKey": f"e-{i}", "deliveryPayload": {}})
        holders = lambda: {event["claimedBy"] for event in client.all("/v1/events?status=PROCESSING")} - {None}
        h.wait_until(lambda: len(holders()) == 2, "each instance to hold one of two events", 50)
        h.wait_until(lambda: receiver.count() == 2, "both to be sent")
        release.set()
        assert one.stop() == 0 and two.stop() == 0
    print("an instance without room told the other")


if __name__ == "__main__":
    main()
