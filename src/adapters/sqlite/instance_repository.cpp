#include "application/ports/instance_repository.hpp"

#include <memory>

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"

#define SUNDIAL_INSTANCE                                                               \
    "id, version, roles, started_at, reported_at, clock_skew, held, slots, draining, " \
    "drain_requested_at, last_claim_at"

/// SQL statements for the reports of instances.
namespace sundial::sqlite::sql {

inline constexpr Statement report_instance{"INSERT INTO instance_reports (" SUNDIAL_INSTANCE R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    ON CONFLICT (id) DO UPDATE
       SET version = ?2, roles = ?3, reported_at = ?5, clock_skew = ?6, held = ?7, slots = ?8,
           draining = ?9, last_claim_at = ?11
    RETURNING drain_requested_at)sql"};
inline constexpr Statement instance_reports{
    "SELECT " SUNDIAL_INSTANCE " FROM instance_reports ORDER BY started_at, id LIMIT 1000"};
inline constexpr Statement instance_report{"SELECT " SUNDIAL_INSTANCE
                                           " FROM instance_reports WHERE id = ?1"};
/// ?2 when.
inline constexpr Statement request_drain{R"sql(
    UPDATE instance_reports SET drain_requested_at = coalesce(drain_requested_at, ?2)
     WHERE id = ?1)sql"};
inline constexpr Statement remove_instance_report{"DELETE FROM instance_reports WHERE id = ?1"};
/// ?1 reported before then.
inline constexpr Statement forget_instance_reports{
    "DELETE FROM instance_reports WHERE reported_at < ?1"};

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

InstanceReport read_instance(Cursor& row) {
    return {.id = row.take<InstanceId>(),
            .version = row.take<std::string>(),
            .roles = texts_in(row.take<std::string>()),
            .started_at = row.take<Instant>(),
            .reported_at = row.take<Instant>(),
            .clock_skew = row.take<std::chrono::microseconds>(),
            .held = row.take<std::uint32_t>(),
            .slots = row.take<std::uint32_t>(),
            .draining = row.take<bool>(),
            .drain_requested_at = row.take<std::optional<Instant>>(),
            .last_claim_at = row.take<std::optional<Instant>>()};
}

class SqliteInstanceRepository final : public InstanceRepository {
public:
    explicit SqliteInstanceRepository(Session& session) : connection_{session.connection} {}

    std::optional<Instant> report(const InstanceReport& report) override {
        auto row = connection_.query(sql::report_instance, report.id, report.version,
                                     array_of(report.roles), report.started_at, report.reported_at,
                                     report.clock_skew, report.held, report.slots, report.draining,
                                     report.drain_requested_at, report.last_claim_at);
        std::optional<Instant> requested;
        while (row.next()) requested = row.get<std::optional<Instant>>(0);
        return requested;
    }
    std::vector<InstanceReport> list() override {
        return all_of(connection_.query(sql::instance_reports), read_instance);
    }
    std::optional<InstanceReport> find(InstanceId id) override {
        return first_of(connection_.query(sql::instance_report, id), read_instance);
    }
    bool request_drain(InstanceId id, Instant at) override {
        return connection_.execute(sql::request_drain, id, at) == 1;
    }
    void remove(InstanceId id) override { connection_.execute(sql::remove_instance_report, id); }
    void forget(Instant before) override {
        connection_.execute(sql::forget_instance_reports, before);
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<InstanceRepository> make_instance_repository(Session& session) {
    return std::make_unique<SqliteInstanceRepository>(session);
}

}  // namespace sundial::sqlite
