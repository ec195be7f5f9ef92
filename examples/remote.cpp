// A program that runs no engine: it schedules, keeps users, endpoints and schedules, records and
// locks at a server, by the library's client. A call with a key takes effect once.
//
// usage: example_remote SERVER    (with_server starts one)

#include "sundial/remote.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>

using namespace std::chrono_literals;

namespace {

using sundial::Expected;

/// An example fails if it does not do what it demonstrates.
void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(EXIT_FAILURE);
}

const sundial::Instant due =
    std::chrono::floor<std::chrono::hours>(std::chrono::system_clock::now()) + 48h;

/// The key makes the second call find the event of the first.
void schedules_once(const sundial::RemoteEvents& events) {
    const sundial::NewEvent invoice{.type = "INVOICE",
                                    .at = due,
                                    .payload = R"({"cents": 1250, "to": "Zoë"})",
                                    .idempotency_key = "invoice-17"};
    const auto first = events.create(invoice).value();
    const auto second = events.create(invoice);
    require(!second && second.error().code == "DUPLICATE_IDEMPOTENCY_KEY",
            "the invoice is scheduled once");
    const auto* const taken = std::get_if<sundial::Duplicate>(&second.error().data);
    require(taken != nullptr && taken->existing == first.id && taken->name == "invoice-17" &&
                taken->status == "PENDING",
            "the error names the event that has the key");

    const auto read = events.get(first.id).value();
    require(read.payload == invoice.payload && read.due == due && read.status == "PENDING" &&
                read.priority == sundial::Priority::normal,
            "it is read as it was scheduled");

    const auto moved = events.reschedule(first.id, due + 90min, first.version).value();
    require(moved.due == due + 90min && moved.version > first.version, "it was moved");
    const auto stale = events.reschedule(first.id, due, first.version);
    const auto* const conflict =
        stale ? nullptr : std::get_if<sundial::VersionConflict>(&stale.error().data);
    require(conflict != nullptr && conflict->id == first.id &&
                conflict->expected == first.version && conflict->actual == moved.version,
            "a change of an older version is refused");

    const auto not_failed = events.retry(first.id);
    require(!not_failed && not_failed.error().code == "INVALID_STATE_TRANSITION",
            "only what failed is tried again");
    require(events.cancel(first.id).value().status == "CANCELLED", "it was cancelled");
    const auto missing = events.get("00000000-0000-7000-8000-000000000000");
    require(!missing && missing.error().code == "EVENT_NOT_FOUND", "no other event has this id");
    const auto no_time = events.create({.type = "INVOICE", .local_time = "25 o'clock"});
    require(!no_time && no_time.error().code == "VALIDATION_FAILED", "no such time");
}

void lists_pages(const sundial::RemoteEvents& events) {
    for (int i = 0; i < 5; ++i) {
        require(events.create({.type = "PAGE", .at = due + std::chrono::hours{i}}).has_value(),
                "an event of the list");
    }
    std::string seen;
    sundial::PageOptions page{.limit = 2, .latest_first = true};
    do {
        const auto found =
            events
                .list({.statuses = {"PENDING", "FAILED"},
                       .types = {"PAGE", "OTHER"},
                       .priorities = {sundial::Priority::low, sundial::Priority::normal},
                       .due_from = due},
                      page)
                .value();
        for (const auto& event : found.events) {
            seen += std::to_string((event.due - due) / 1h);
        }
        page.after = found.next;
    } while (!page.after.empty());
    require(seen == "43210", "the pages have each event once, in order");
}

void keeps_users(const sundial::RemoteUsers& users) {
    const auto zoe = users
                         .create({.first_name = "Zoë",
                                  .last_name = "Li",
                                  .date_of_birth = "1992-02-29",
                                  .timezone = "Europe/Paris",
                                  .external_id = "crm-7",
                                  .dates = {{"anniversary", "2015-06-01"}}})
                         .value();
    const auto moved =
        users.update("ext:crm-7", {.timezone = "Asia/Tokyo", .metadata = {{"plan", "gold"}}}, 1);
    require(moved.value().version == 2 && moved->timezone == "Asia/Tokyo" &&
                moved->dates == zoe.dates && moved->metadata.at("plan") == "gold",
            "only the given fields are changed");
    const auto stale = users.update(zoe.id, {.first_name = "Zoe"}, 1);
    require(!stale && stale.error().code == "OPTIMISTIC_LOCK", "an older version is refused");
    const auto found = users.list({.timezones = {"Asia/Tokyo", "Asia/Seoul"}, .prefix = "crm-"});
    require(found.value().users.size() == 1 && found->users.at(0).id == zoe.id,
            "the user is listed");
    require(users.remove(zoe.id, 2).has_value(), "it was removed");
    require(users.get(zoe.id).error().code == "USER_NOT_FOUND", "it is gone");
}

void keeps_endpoints(const sundial::RemoteEndpoints& endpoints) {
    const sundial::NewEndpoint wanted{.name = "reports",
                                      .type = sundial::EndpointType::pull,
                                      .retry_delays = {5s, 2h},
                                      .max_in_flight = 3};
    const auto made = endpoints.put(wanted).value();
    require(made.created && made.endpoint.type == "PULL" && made.endpoint.timeout == 10s &&
                made.endpoint.retry_delays == wanted.retry_delays,
            "it is stored as it was given");
    require(!endpoints.put(wanted).value().created, "and created once");
    const auto now = endpoints.get("ext:reports").value();
    const auto changed = endpoints.update(
        now.id, {.max_in_flight = 0, .max_per_second = 9, .if_version = now.version});
    require(!changed.value().max_in_flight && changed->max_per_second == 9U, "it was changed");
    const auto stale = endpoints.remove("ext:reports", now.version);
    require(!stale && stale.error().code == "OPTIMISTIC_LOCK", "an older version is refused");
    require(endpoints.list({.type = "PULL", .enabled = true}).value().endpoints.size() == 1,
            "the endpoint is listed");
}

void keeps_schedules(const sundial::RemoteSchedules& schedules,
                     const sundial::RemoteEndpoints& endpoints) {
    sundial::NewSchedule wanted{.name = "weekly",
                                .event_type = "REPORT",
                                .rule = sundial::Cron{"0 9 * * MON"},
                                .timezone = "Europe/Paris",
                                .queue = "reports"};
    const auto made = schedules.put(wanted).value();
    require(made.name == "weekly" && made.version == 1 && made.next, "it has a next event");
    wanted.rule = sundial::Every{.interval = 90min};
    const auto moved = schedules.put(wanted, made.version).value();
    require(moved.id == made.id && moved.version == 2, "it was replaced");
    const auto stale = schedules.put(wanted, made.version);
    require(!stale && stale.error().code == "OPTIMISTIC_LOCK", "an older version is refused");
    wanted.rule = sundial::Cron{"every Monday"};
    require(schedules.put(wanted).error().code == "VALIDATION_FAILED", "no such rule");

    const auto used = endpoints.remove("ext:reports");
    require(!used && used.error().code == "ENDPOINT_IN_USE", "a schedule sends to it");
    require(!schedules.set_enabled("ext:weekly", false).value().enabled, "it is paused");
    require(
        schedules.list({.types = {"REPORT", "X"}, .enabled = false}).value().schedules.size() == 1,
        "the schedule is listed");
    require(schedules.remove("ext:weekly").has_value(), "it was removed");
    require(schedules.get("ext:weekly").error().code == "SCHEDULE_NOT_FOUND", "it is gone");
    require(endpoints.remove("ext:reports").has_value(), "and so is its endpoint");
}

void records(const sundial::RemoteStreams& streams) {
    const sundial::StreamId order{"Order", "17/ä"};
    require(streams.read(order).value().version == 0, "no stream yet");
    const auto placed = streams.append(order, Expected::no_stream(),
                                       {{.type = "OrderPlaced",
                                         .data = R"({"cents":1250})",
                                         .metadata = {.actor = "Zoë", .headers = R"({"a":1})"}},
                                        {.type = "OrderPaid"}});
    require(placed.value().last_version == 2 && !placed->replayed, "two events");
    const auto late = streams.append(order, Expected::exactly(1), {{.type = "OrderShipped"}});
    const auto* const conflict =
        late ? nullptr : std::get_if<sundial::Conflict>(&late.error().data);
    require(conflict != nullptr && conflict->stream_id == order.id && conflict->expected == 1 &&
                conflict->actual == 2,
            "an append to an older version is refused");
    const auto part = streams.read(order, {.backward = true}).value();
    require(part.version == 2 && part.events.size() == 2 && part.events.at(0).type == "OrderPaid" &&
                part.events.at(1).data == R"({"cents":1250})" &&
                part.events.at(1).metadata.actor == "Zoë" &&
                part.events.at(1).metadata.headers == R"({"a":1})",
            "they are read as they were appended");
}

void locks_once(const sundial::RemoteLocks& locks) {
    const auto mine = locks.try_lock("nightly report", "job-1", 20s).value();
    const auto theirs = locks.try_lock("nightly report", "job-2", 20s);
    const auto* const held =
        theirs ? nullptr : std::get_if<sundial::HeldLock>(&theirs.error().data);
    require(held != nullptr && held->holder == "job-1" && held->expires_at == mine.expires_at,
            "the lock is held once");
    const auto longer = locks.renew(mine, 60s).value();
    require(longer.expires_at > mine.expires_at && longer.fencing_token == mine.fencing_token,
            "the lease is longer");
    require(locks.unlock(longer).has_value(), "it was released");
    const auto next = locks.try_lock("nightly report", "job-2", 2s).value();
    require(next.fencing_token > mine.fencing_token, "a later holder has a greater token");
    require(!locks.renew(mine), "the lease of the first is over");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return EXIT_FAILURE;
    const sundial::Client client{{.server = argv[1]}};
    schedules_once(sundial::RemoteEvents{client});
    lists_pages(sundial::RemoteEvents{client});
    keeps_users(sundial::RemoteUsers{client});
    keeps_endpoints(sundial::RemoteEndpoints{client});
    keeps_schedules(sundial::RemoteSchedules{client}, sundial::RemoteEndpoints{client});
    records(sundial::RemoteStreams{client});
    locks_once(sundial::RemoteLocks{client});
    std::puts("scheduled, kept, recorded and locked at a server");
}
