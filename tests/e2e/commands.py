"""Every command of the program and its flags, as `sundial help --json` lists them."""
import functools
import json
import subprocess

import harness as h


@functools.cache
def manual():
    """{("event", "list"): {"help", "operations", "flags"}, …}"""
    done = subprocess.run([h.PROGRAM, "help", "--json"], capture_output=True, text=True, timeout=h.HANG_GUARD, check=True)
    return {tuple(command["command"].split()): command for command in json.loads(done.stdout)}


def all_commands():
    """("event", "list"), … : what can be run."""
    return list(manual())


def flags_of(command):
    """{"--server", …}"""
    names = {name for flag in manual()[command]["flags"] for name in flag["names"]}
    return {name for name in names if name.startswith("--")} - {"--help", "--help-all"}


def operations_of(command):
    """operationIds of openapi.json"""
    return set(manual()[command]["operations"])
