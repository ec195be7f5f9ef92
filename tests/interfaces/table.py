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
COMMAND = Elsewhere("has a command: `sundial help --json` names the operation of each; tested in tests/e2e/nouns.py")
BROWSER = No("for pages in a browser, with a cookie or without an end")
ATTEMPTS = Elsewhere("the view `v_attempts`; tested in tests/adapters/postgres")
SEVERAL = No("call the function for each row")
ALIAS = No("another path for `/v1/users`")
DOCUMENT = No("a document or a probe for HTTP clients")

# operationId: (SQL, CLI). HTTP has all of them.
TWO = {
    "listUsers": (NAMES, COMMAND), "v1CreateUser": (No("`upsert_user` creates under an external id"), COMMAND),
    "v1GetUser": (NAMES, COMMAND), "v1PutUser": ("upsert_user", COMMAND),
    "v1DeleteUser": ("delete_user", COMMAND), "patchUser": (CONDITION, COMMAND),
    "listEvents": ("v_events", "event list"), "createEvent": ("schedule_event", COMMAND),
    "createEvents": ("schedule_event", "event import"), "getEvent": ("v_events", "event get"),
    "patchEvent": (PARTS, COMMAND), "cancelEvent": ("cancel_event", "event cancel"),
    "retryEvent": ("retry_event", "event retry"), "explainEvent": (RULES, "event explain"),
    "completeEvent": ("complete", COMMAND), "failEvent": ("fail", COMMAND), "releaseEvent": ("release", COMMAND),
    "extendEvent": ("extend", COMMAND),
    "listEndpoints": (SETUP, "endpoint list"), "createEndpoint": (SETUP, COMMAND),
    "getEndpoint": (SETUP, "endpoint get"), "patchEndpoint": (SETUP, "endpoint set"), "putEndpoint": (SETUP, "endpoint put"),
    "deleteEndpoint": (SETUP, "endpoint delete"), "rotateSecret": (SETUP, COMMAND), "testEndpoint": (SERVER, COMMAND),
    "claimEvents": ("claim", COMMAND), "readInbox": (SERVER, COMMAND), "clearInbox": (SERVER, COMMAND),
    "listSchedules": (NO_VIEW, COMMAND), "createSchedule": (No("`schedule_rule` creates under a name"), COMMAND),
    "getSchedule": (NO_VIEW, COMMAND), "patchSchedule": (CONDITION, COMMAND), "putSchedule": ("schedule_rule", COMMAND),
    "deleteSchedule": ("unschedule", COMMAND), "triggerSchedule": (RULES, COMMAND),
    "backfillSchedule": (RULES, COMMAND), "previewSchedule": (RULES, COMMAND),
    "listOccurrences": (RULES, COMMAND),
    "listOperations": (SERVER, "op list"), "getOperation": (SERVER, COMMAND),
    "stopOperation": (SERVER, "op stop"), "listOperationErrors": (SERVER, COMMAND),
    "listApiKeys": (SETUP, "key list"), "createApiKey": (SETUP, "key create"), "revokeApiKey": (SETUP, "key revoke"),
    "listCalendars": (SETUP, COMMAND), "createCalendar": (SETUP, COMMAND), "revokeCalendar": (SETUP, COMMAND), "readCalendar": (SETUP, COMMAND),
    "bulkSchedules": (No("one statement over the functions is a bulk operation"), "schedule pause-many"),
    "bulk": (No("one statement over the functions is a bulk operation"), "event cancel"),
    "listFailures": ("v_dead_letters", "dlq list"),
    "listStreams": (RECORD, "stream list"), "readStream": (RECORD, "stream read"), "appendToStream": ("append", "stream append"),
    "getSnapshot": (RECORD, COMMAND), "saveSnapshot": (RECORD, COMMAND), "readFeed": (RECORD, "stream follow"),
    "getCheckpoint": (RECORD, COMMAND), "saveCheckpoint": (RECORD, COMMAND),
    "listIntakes": ("v_intake", "intake list"), "listRefusedRows": ("v_intake", "intake refused"),
    "listTakenRows": (No("over HTTP or the command line"), "intake taken"),
    "listLocks": (No("`try_lock` tells who may; holders are listed over HTTP"), "lock list"),
    "getLock": (No("`try_lock` tells who may; holders are listed over HTTP"), COMMAND),
    "acquireLock": ("try_lock", "lock acquire"), "renewLock": (No("a lock by SQL guards one transaction or has a long lease"), "lock renew"),
    "releaseLock": ("unlock", "lock release"),
    "getClock": (No("`sundial.clock()` is the clock itself"), "clock show"), "setClock": (SERVER, COMMAND),
    "advanceClock": (SERVER, "clock advance"), "tick": (SERVER, COMMAND),
    "listTimezones": (RULES, COMMAND), "getTimezoneImpact": (RULES, COMMAND), "getInfo": (SERVER, "info"),
    "listSettings": (SERVER, COMMAND),
    "createUsers": (SEVERAL, COMMAND), "importUsers": (SEVERAL, COMMAND),
    "listAttempts": (ATTEMPTS, COMMAND), "getAttempt": (ATTEMPTS, COMMAND),
    "listInstances": (SERVER, COMMAND), "drainInstance": (SERVER, COMMAND),
    "getStats": (SERVER, COMMAND), "getStatsSeries": (SERVER, COMMAND),
    "getStatsHeatmap": (SERVER, COMMAND),
    **{name: (BROWSER, BROWSER) for name in ("followLive", "logIn", "getSession", "logOut")},
    **{name: (DOCUMENT, DOCUMENT) for name in ("getStartPage", "getDocs", "getDocument", "getDocumentInFolder",
                                               "getDocumentList", "getAllDocuments", "getErrors", "getError", "getOpenApi", "livez",
                                               "getConsolePath", "getDocsWithSlash", "getConsole", "getConsoleFile",
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
    **{name: Elsewhere(f"`{call}`; tested in tests/embedded") for name, call in {
        "listEvents": "events", "patchEvent": "change", "retryEvent": "retry", "listFailures": "events",
        "putSchedule": "put_schedule", "getSchedule": "find_schedule", "deleteSchedule": "delete_schedule",
        "triggerSchedule": "trigger_schedule", "previewSchedule": "preview", "listStreams": "Streams::list"}.items()},
    **{name: Elsewhere("`Streams`; tested in tests/embedded") for name in ("readStream", "readFeed", "getCheckpoint", "saveCheckpoint")},
    "advanceClock": Elsewhere("`advance` runs the program's handlers; tested in tests/embedded"), "getClock": Elsewhere("`now`; tested in tests/embedded"),
    **{name: Elsewhere(f"`{call}`; tested in tests/embedded") for name, call in {
        "putEndpoint": "put_endpoint", "getEndpoint": "find_endpoint", "listEndpoints": "endpoints", "deleteEndpoint": "delete_endpoint",
        "patchEndpoint": "change_endpoint, enable_endpoint, disable_endpoint", "rotateSecret": "rotate_secret",
        "testEndpoint": "test_endpoint", "readInbox": "inbox", "clearInbox": "clear_inbox", "getLock": "find_lock"}.items()},
    "createEvents": Elsewhere("`schedule_all`; tested in tests/embedded"),
}
# Why the library lacks the others. Its component `client` calls them over HTTP.
OF_A_SERVER = No("about a server process; `on_attempt` and `log_record` tell the program about its own engine")
NOT_IN_LIBRARY = {
    **{name: No("the engine needs users for their events only; read and change them over HTTP")
       for name in ("listUsers", "v1GetUser", "v1PutUser", "patchUser")},
    **{name: No("call `create_user` for each row") for name in ("createUsers", "importUsers")},
    "explainEvent": No("`waiting_for`, `next_attempt` and `failure_reason` of the event itself say it"),
    "createEndpoint": No("`put_endpoint` creates under a name"),
    "createSchedule": No("`put_schedule` creates under a name"),
    "patchSchedule": No("`put_schedule` replaces it"),
    "listSchedules": No("the program knows the names that it gave; others over HTTP"),
    "backfillSchedule": No("its occurrences of the past are created over HTTP"),
    "listOccurrences": No("`preview` has those of one schedule, `events` the planned ones"),
    **{name: No("the engine runs them in the background; watched and stopped over HTTP")
       for name in ("listOperations", "getOperation", "stopOperation", "listOperationErrors")},
    **{name: No("an engine has no server that checks keys") for name in ("listApiKeys", "createApiKey", "revokeApiKey")},
    "bulk": No("call the function for each event that `events` finds"),
    "bulkSchedules": No("call `put_schedule` for each"),
    **{name: No("`on_attempt` reports each as it ends") for name in ("listAttempts", "getAttempt")},
    **{name: No("servers follow outboxes") for name in ("listIntakes", "listRefusedRows", "listTakenRows")},
    **{name: No("an engine has no address that a calendar program could read")
       for name in ("listCalendars", "createCalendar", "revokeCalendar", "readCalendar")},
    "listLocks": No("`find_lock` tells the holder of one"),
    **{name: No("`advance` moves a test clock and handles due events") for name in ("setClock", "tick")},
    **{name: No("the tz database is `Options::zoneinfo`, or the system's") for name in ("listTimezones", "getTimezoneImpact")},
    **{name: OF_A_SERVER for name in ("getStats", "getStatsSeries", "getStatsHeatmap", "listInstances", "drainInstance",
                                      "getInfo", "listSettings")},
}


def in_library(name, command):
    """A call, or the reason why there is none."""
    assert name in LIBRARY or name in NOT_COMPARED or name in NOT_IN_LIBRARY or command in (DOCUMENT, ALIAS, BROWSER), \
        f"say how the C++ library does {name}, or why not (NOT_IN_LIBRARY)"
    return LIBRARY.get(name) or NOT_COMPARED.get(name) or (command if command in (DOCUMENT, ALIAS, BROWSER) else NOT_IN_LIBRARY[name])


OPERATIONS = {name: (*two, in_library(name, two[1])) for name, two in TWO.items()}


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
