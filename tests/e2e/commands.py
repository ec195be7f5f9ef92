"""Every command of the program and its flags, as its own help lists them."""
import functools
import re
import subprocess

import harness as h


@functools.cache
def help_of(path):
    done = subprocess.run([h.PROGRAM, *path, "--help"], capture_output=True, text=True, timeout=h.HANG_GUARD, check=True)
    return done.stdout


def verbs_below(path):
    """The words that may follow."""
    _, found, rest = help_of(path).partition("\nSubcommands:\n")
    return re.findall(r"^  (\S+)", rest, re.MULTILINE) if found else []


def all_commands(path=()):
    """("event", "list"), … : what can be run."""
    verbs = verbs_below(path)
    if not verbs:
        return [path]
    return [command for verb in verbs for command in all_commands((*path, verb))]


def flags_of(command):
    """{"--server", …}"""
    return set(re.findall(r"^  (?:-\w,)?(--[\w.-]+)", help_of(command), re.MULTILINE)) - {"--help", "--help-all"}
