#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "application/intake/complete_intake.hpp"
#include "application/operations/operation_tasks.hpp"
#include "application/operations/operations.hpp"
#include "application/schedules/schedules_module.hpp"
#include "postgres_storage.hpp"
#include "support/builders.hpp"
#include "support/control_plane.hpp"
#include "support/deaf_ports.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"
#include "support/postgres_cluster.hpp"

/// The functions for programs that speak SQL, beside the use cases of the API on one database.
namespace sundial::postgres {

using SqlRows = std::vector<std::vector<std::string>>;

/// One instance: the use cases that complete what SQL has stored.
struct IntakeInstance {
    IntakeInstance(Store& its, FakeIds& given, std::uint64_t number = 1)
        : store(its), ids(given), id(uuid_of(number)) {}

    Store& store;
    FakeIds& ids;
    InstanceId id;
    FakeTimeZones zones;
    FakeRandom random;
    ManualMonotonic monotonic;
    RecordedWakeups wakeups;
    RecordedLog log;
    ModulePorts ports{.instance = id,
                      .store = store,
                      .zones = zones,
                      .ids = ids,
                      .random = random,
                      .monotonic = monotonic,
                      .wakeups = wakeups,
                      .log = log};
    Operations operations{{.instance = id},
                          {.store = store,
                           .ids = ids,
                           .wakeups = wakeups,
                           .monotonic = monotonic,
                           .log = log,
                           .make_task = operation_tasks(store, zones, ids, wakeups)}};
    SchedulesModule schedules{ports, operations};
    CompleteIntake intake{{.store = store,
                           .zones = zones,
                           .ids = ids,
                           .wakeups = wakeups,
                           .log = log,
                           .put_schedule = schedules.put,
                           .delete_schedule = schedules.remove}};
};

class SqlFunctions : public testing::Test {
protected:
    SqlRows sql(const std::string& text) { return query(storage.url(), text); }
    std::string value(const std::string& text) {
        const SqlRows rows = sql("SELECT " + text);
        return rows.at(0).at(0);
    }
    std::string refusal(const std::string& text) {
        try {
            sql("SELECT " + text);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "accepted";
    }
    Event event(const std::string& id) {
        const auto uuid = base::parse_uuid(id);
        auto found = in_read(storage.store(),
                             [&](Transaction& tx) { return tx.events().find(EventId{*uuid}); });
        return found.value();
    }
    std::vector<Event> live() {
        std::vector<Event> events;
        for (const auto& row : sql("SELECT id FROM sundial.events ORDER BY due, id")) {
            events.push_back(event(row[0]));
        }
        return events;
    }
    void add_workers() {
        sql(R"(INSERT INTO sundial.endpoints
                 (id, external_id, name, type, url, header_names, sealed_headers, header_hints, timeout, retry_policy,
                  retry_delays, retry_client_errors, enabled, secret_hint, version, created_at, updated_at)
               VALUES ('00000000-0000-7000-8000-000000000009', 'w', 'Workers', 'PULL', '', '{}', '{}', '{}', '10 s',
                       'seed', '{}', 0, true, '', 1, sundial.clock(), sundial.clock()))");
    }
    SqlRows claim(const std::string& arguments = "'w', 'one'") {
        return sql("SELECT id, version, attempt FROM sundial.claim(" + arguments + ")");
    }

    PostgresStorage storage{4};
    FakeIds ids;
    IntakeInstance instance{storage.store(), ids};
};

}  // namespace sundial::postgres
