"""A receiver that the network cuts off while a request is under way: when it comes back, an abandoned request must not
arrive any more. In a network of its own, whose packets nftables drops.
"""
import os
import shutil
import subprocess
import sys

import harness as h

SKIPPED = 77
INSIDE = "E2E_UNPLUGGED_INSIDE"


def nft(*rules):
    subprocess.run(["nft", "-f", "-"], input="\n".join(rules).encode(), check=True)


def unread(port):
    """Bytes that the kernel still wants to bring there, of open and of closed sockets."""
    sockets = subprocess.run(["ss", "-Htn", f"dport = :{port}"], check=True, stdout=subprocess.PIPE).stdout.decode()
    return sum(int(line.split()[2]) for line in sockets.splitlines())


def unplugged():
    receiver = h.Receiver()
    port = int(receiver.url.split(":")[2].split("/")[0])
    with h.folder() as folder, h.running("serve", "--db", os.path.join(folder, "x.db"), *h.LOCAL_RECEIVERS,
                                         folder=folder) as server:
        client = server.client()
        client.ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "externalId": "r", "url": receiver.url,
                                            "timeout": "PT1S", "retryPolicy": {"delays": ["PT1S"] * 30}})
        event = {"eventType": "X", "targetTimestampUTC": "now", "endpointId": "ext:r", "deliveryPayload": {}}
        client.ok("POST", "/v1/events", event)
        h.wait_until(lambda: receiver.count() == 1, "a delivery, whose connection is kept")
        nft("add table inet cut", "add chain inet cut out { type filter hook output priority 0; }",
            f"add rule inet cut out tcp dport {port} drop")
        cut_off = client.ok("POST", "/v1/events", event)["id"]
        h.wait_until(lambda: client.ok("GET", f"/v1/events/{cut_off}")["retryCount"] > 0, "the first try to be given up")
        client.ok("PATCH", "/v1/endpoints/ext:r", {"timeout": "PT20S"})  # the try that arrives is answered in time
        nft("delete table inet cut")
        h.wait_until(lambda: client.ok("GET", f"/v1/events/{cut_off}")["status"] == "COMPLETED", "the delivery")
        h.wait_until(lambda: unread(port) == 0, "the kernel to have nothing more to send")
        attempts = [int(headers["Sundial-Attempt"]) for _, headers, _ in receiver.received[1:]]
        tries = client.ok("GET", f"/v1/events/{cut_off}")["attempt"]
        assert attempts == [tries] and tries > 1, f"of {tries} tries these arrived: {attempts}"
        print(f"try {tries} arrived; of those before, cut off, none came later")
        assert server.stop() == 0


if __name__ == "__main__":
    if os.environ.get(INSIDE):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        unplugged()
        sys.exit(0)
    apart = ["unshare", "-rn"]
    if not all(map(shutil.which, ("nft", "ss"))) or subprocess.run([*apart, "true"], check=False).returncode != 0:
        print("no network of our own here: skipped")
        sys.exit(SKIPPED)
    os.execvpe(apart[0], [*apart, sys.executable, *sys.argv], os.environ | {INSIDE: "1"})
