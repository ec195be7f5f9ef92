"""Every operation of openapi.json on each interface: how it is called there, or why it is not there. This table is the
source of docs/reference/interfaces.md, and names the calls of the suite beside it.

A new operation of openapi.json needs a line here, and each call that a line names needs a step in the suite."""
import json
import sys

INTERFACES = ("HTTP", "SQL", "CLI", "C++")


class No(str):
    """The reason why an interface does not have an operation."""


class Elsewhere(No):
    """The interface has the operation, and other tests compare it, for this reason."""


SETUP = No("set up by people and deployments, over HTTP or the command line")
NO_VIEW = No("has no view; read over HTTP")
NAMES = No("names and birth dates are in no view")
SERVER = No("about a server process, not about rows")
RULES = No("needs the rules and the tz database, which servers have")
RECORD = No("recorded by the functions themselves; read over HTTP")
CONDITION = No("the statement's own `WHERE` decides; edits are conditional over HTTP")
PARTS = No("of one row; functions replace or finish whole ones")
PROGRAM = No("called by programs in a loop; a shell command for each event would be too slow")
NO_COMMAND = No("no command yet; HTTP")
ALIAS = No("another path for `/v1/users`")
DOCUMENT = No("a document or a probe for HTTP clients")
LOCAL = No("the command `zone` reads this machine's tz database")

# operationId: (SQL, CLI). HTTP has all of them.
TWO = {
    "listUsers": (NAMES, NO_COMMAND), "v1CreateUser": (No("`upsert_user` creates under an external id"), NO_COMMAND),
    "v1GetUser": (NAMES, NO_COMMAND), "v1PutUser": ("upsert_user", NO_COMMAND),
    "v1DeleteUser": ("delete_user", NO_COMMAND), "patchUser": (CONDITION, NO_COMMAND),
    "listEvents": ("v_events", "event list"), "createEvent": ("schedule_event", No("`event import` takes one event, too")),
    "createEvents": ("schedule_event", "event import"), "getEvent": ("v_events", "event get"),
    "patchEvent": (PARTS, NO_COMMAND), "cancelEvent": ("cancel_event", "event cancel"),
    "retryEvent": ("retry_event", "event retry"), "explainEvent": (RULES, "event explain"),
    "completeEvent": ("complete", PROGRAM), "failEvent": ("fail", PROGRAM), "releaseEvent": ("release", PROGRAM),
    "extendEvent": ("extend", PROGRAM),
    "listEndpoints": (SETUP, "endpoint list"), "createEndpoint": (SETUP, No("`endpoint put` creates under an external id")),
    "getEndpoint": (SETUP, "endpoint get"), "patchEndpoint": (SETUP, "endpoint set"), "putEndpoint": (SETUP, "endpoint put"),
    "deleteEndpoint": (SETUP, "endpoint delete"), "rotateSecret": (SETUP, NO_COMMAND), "testEndpoint": (SERVER, NO_COMMAND),
    "claimEvents": ("claim", PROGRAM), "readInbox": (SERVER, NO_COMMAND), "clearInbox": (SERVER, NO_COMMAND),
    "listSchedules": (NO_VIEW, NO_COMMAND), "createSchedule": (No("`schedule_rule` creates under a name"), NO_COMMAND),
    "getSchedule": (NO_VIEW, NO_COMMAND), "patchSchedule": (CONDITION, NO_COMMAND), "putSchedule": ("schedule_rule", NO_COMMAND),
    "deleteSchedule": ("unschedule", NO_COMMAND), "triggerSchedule": (RULES, NO_COMMAND),
    "backfillSchedule": (RULES, NO_COMMAND), "previewSchedule": (RULES, No("`next` computes without a server")),
    "listOccurrences": (RULES, NO_COMMAND),
    "listOperations": (SERVER, "op list"), "getOperation": (SERVER, No("`op wait` waits for its end")),
    "stopOperation": (SERVER, "op stop"), "listOperationErrors": (SERVER, NO_COMMAND),
    "listApiKeys": (SETUP, "key list"), "createApiKey": (SETUP, "key create"), "revokeApiKey": (SETUP, "key revoke"),
    "bulk": (No("one statement over the functions is a bulk operation"), "event cancel"),
    "listFailures": ("v_dead_letters", "dlq list"),
    "listStreams": (RECORD, "stream list"), "readStream": (RECORD, "stream read"), "appendToStream": ("append", "stream append"),
    "getSnapshot": (RECORD, NO_COMMAND), "saveSnapshot": (RECORD, NO_COMMAND), "readFeed": (RECORD, "stream follow"),
    "getCheckpoint": (RECORD, NO_COMMAND), "saveCheckpoint": (RECORD, NO_COMMAND),
    "listIntakes": ("v_intake", "intake list"), "listRefusedRows": ("v_intake", "intake refused"),
    "listTakenRows": (No("over HTTP or the command line"), "intake taken"),
    "listLocks": (No("`try_lock` tells who may; holders are listed over HTTP"), "lock list"),
    "getLock": (No("`try_lock` tells who may; holders are listed over HTTP"), NO_COMMAND),
    "acquireLock": ("try_lock", "lock acquire"), "renewLock": (No("a lock by SQL guards one transaction or has a long lease"), "lock renew"),
    "releaseLock": ("unlock", "lock release"),
    "getClock": (No("`sundial.clock()` is the clock itself"), "clock show"), "setClock": (SERVER, NO_COMMAND),
    "advanceClock": (SERVER, "clock advance"), "tick": (SERVER, No("`sundial tick` is a server for one pass")),
    "listTimezones": (RULES, LOCAL), "getTimezoneImpact": (RULES, LOCAL), "getInfo": (SERVER, "info"),
    **{name: (DOCUMENT, DOCUMENT) for name in ("getStartPage", "getDocs", "getErrors", "getError", "getOpenApi", "livez",
                                               "readyz", "healthz", "metrics")},
    **{name: (ALIAS, ALIAS) for name in ("seedCreateUser", "seedGetUser", "seedPutUser", "seedDeleteUser", "seedsCreateUser",
                                         "seedsGetUser", "seedsPutUser", "seedsDeleteUser")},
}

# The calls of the C++ library. It is an engine in the program itself: what it lacks is in the table of docs/reference/library.md.
LIBRARY = {
    "v1CreateUser": "create_user", "v1DeleteUser": "delete_user", "createEvent": "schedule", "getEvent": "find_event",
    "cancelEvent": "cancel", "claimEvents": "claim", "completeEvent": "complete", "failEvent": "fail, refuse",
    "releaseEvent": "release", "extendEvent": "extend", "appendToStream": "append",
}
NOT_COMPARED = {
    **{name: Elsewhere("a part of an object, such as `Lock` or `Aggregate`; tested in tests/embedded") for name in ("acquireLock", "renewLock", "releaseLock", "getSnapshot",
                                                                                    "saveSnapshot")},
    **{name: Elsewhere("`Streams`; tested in tests/embedded") for name in ("readStream", "readFeed", "getCheckpoint", "saveCheckpoint")},
    "advanceClock": Elsewhere("`advance` runs the program's handlers; tested in tests/embedded"), "getClock": Elsewhere("`now`; tested in tests/embedded"),
    "putEndpoint": No("`create_queue` makes queues, with a name only"), "createEvents": Elsewhere("`transact` around `schedule`; tested in tests/embedded"),
}
NOT_IN_LIBRARY = No("not in the library yet; HTTP")
OPERATIONS = {name: (*two, LIBRARY.get(name) or NOT_COMPARED.get(name) or (two[1] if two[1] in (DOCUMENT, ALIAS) else NOT_IN_LIBRARY))
              for name, two in TWO.items()}


def has(operation, interface):
    return interface == "HTTP" or not isinstance(OPERATIONS[operation][INTERFACES.index(interface) - 1], No)


def offered(document):
    """operationId: method and path."""
    with open(document, encoding="utf-8") as file:
        paths = json.load(file)["paths"]
    return {operation["operationId"]: f"{method.upper()} {path}"
            for path, methods in paths.items() for method, operation in methods.items()}


def page(document):
    routes = offered(document)
    assert routes.keys() == OPERATIONS.keys(), f"say on which interfaces it is, and why not: {routes.keys() ^ OPERATIONS.keys()}"
    reasons = []

    def cell(what):
        if not isinstance(what, No):
            return f"`{what}`"
        if what not in reasons:
            reasons.append(what)
        return f"{'yes' if isinstance(what, Elsewhere) else 'no'} ({reasons.index(what) + 1})"
    lines = [f"| `{route}` | {' | '.join(map(cell, OPERATIONS[name]))} |" for name, route in routes.items()]
    counts = ", ".join(f"{interface} {sum(has(name, interface) for name in OPERATIONS)}" for interface in INTERFACES)
    compared = sum(sum(has(name, interface) for interface in INTERFACES) > 1 for name in OPERATIONS)
    return f"""# Interfaces

Every operation, and how it is called: over HTTP, by [SQL](sql.md) on PostgreSQL, on the [command line](cli.md),
by the [C++ library](library.md). `tests/interfaces/conformance.py` calls each operation that at least two interfaces
have over each of them, and compares all rows of the database afterwards. `python3 tests/interfaces/table.py write openapi.json
docs/reference/interfaces.md` writes this page; a test fails if it is out of date, or if an operation of `openapi.json` is
missing.

Operations: {counts}; {compared} of them are compared.

| HTTP | SQL | command line | C++ |
|---|---|---|---|
{chr(10).join(lines)}

Notes:

{chr(10).join(f"{number}. {reason}" for number, reason in enumerate(reasons, 1))}
"""


def main(action, document, name):
    text = page(document)
    if action == "write":
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(name, encoding="utf-8") as file:
        assert file.read() == text, f"{name} is out of date: python3 tests/interfaces/table.py write {document} {name}"
    print(f"{len(OPERATIONS)} operations")


if __name__ == "__main__":
    main(*sys.argv[1:])
