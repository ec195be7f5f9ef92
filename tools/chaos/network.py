"""Network namespaces: give an instance a network of its own, which can be cut or lose packets."""
import ctypes
import http.client
import json
import os
import random
import subprocess

import harness as h
from machine import run
from processes import libc

CLONE_NEWNET = 0x40000000


class Network:
    """Addresses of the harness that every namespace can reach: one for the database, one for the receiver."""

    def __init__(self, world):
        taken = run("ip", "-4", "-o", "address")
        subnets = [n for n in range(64, 250) if f" 10.{n}." not in taken]
        self.prefix = f"10.{random.choice(subnets)}"
        self.database, self.sink = f"{self.prefix}.255.1", f"{self.prefix}.255.2"
        self.world, self.home = world, os.open("/proc/self/ns/net", os.O_RDONLY)
        for address in (self.database, self.sink):
            run("ip", "address", "add", f"{address}/32", "dev", "lo")
            world.closing.append(lambda address=address: run("ip", "address", "delete", f"{address}/32", "dev", "lo"))

    def place(self, number):
        return Place(self, number)


class Place:
    """A network namespace with one link to the harness."""

    def __init__(self, network, number):
        self.network = network
        self.name = f"chaos-{os.getpid()}-{number}"
        outside, inside = f"ch{os.getpid() % 10**7}o{number}", f"ch{os.getpid() % 10**7}i{number}"
        gateway, address = (f"{network.prefix}.{number + 1}.{host}" for host in (1, 2))
        run("ip", "netns", "add", self.name)
        network.world.closing.append(lambda: run("ip", "netns", "delete", self.name))  # and the link with it
        run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", self.name)
        run("ip", "address", "add", f"{gateway}/24", "dev", outside)
        run("ip", "link", "set", outside, "up")
        self.inside("ip", "address", "add", f"{address}/24", "dev", inside)
        self.inside("ip", "link", "set", inside, "up")
        self.inside("ip", "link", "set", "lo", "up")
        self.inside("ip", "route", "add", "default", "via", gateway)
        self.prefix = ("ip", "netns", "exec", self.name)
        self.handle = os.open(f"/run/netns/{self.name}", os.O_RDONLY)

    def inside(self, *command):
        return run("ip", "netns", "exec", self.name, *command)

    def __enter__(self):
        enter(self.handle)

    def __exit__(self, *error):
        enter(self.network.home)

    def client(self, port):
        return ClientThere(self, port)

    def lose(self, packets, addresses):
        """`packets` is an expression of nftables: empty for all packets, or 'numgen random mod 100 < 20'."""
        def chain(name, hook, way):
            rules = "".join(f"ip {way} {address} {packets} counter drop\n" for address in addresses)
            return f"chain {name} {{ type filter hook {hook} priority 0;\n{rules}}}\n"
        self.nft(f"table inet chaos {{\n{chain('out', 'output', 'daddr')}{chain('in', 'input', 'saddr')}}}\n")

    def heal(self):
        """Returns the number of lost packets."""
        rules = json.loads(self.inside("nft", "-j", "list", "table", "inet", "chaos"))["nftables"]
        lost = sum(part["counter"]["packets"] for rule in rules if "rule" in rule
                   for part in rule["rule"]["expr"] if "counter" in part)
        self.nft("delete table inet chaos\n")
        return lost

    def nft(self, text):
        subprocess.run(["ip", "netns", "exec", self.name, "nft", "-f", "-"], input=text.encode(), check=True)


class ClientThere(h.Client):
    """Connects inside the namespace in which the server listens."""

    def __init__(self, place, port):
        super().__init__(port)
        self.place = place

    def connect(self, timeout):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        with self.place:  # a socket stays in the namespace that created it
            connection.connect()
        return connection


def enter(handle):
    """For this thread alone."""
    if libc.setns(handle, CLONE_NEWNET) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
