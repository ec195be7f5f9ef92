#include "application/ports/instance_repository.hpp"

#include <memory>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"

/// SQL statements for the reports of instances. The table has a row for each instance, so it has no
/// shards.
namespace sundial::postgres::sql {

/// $1 to $11: the columns in order.
inline constexpr Statement report_instance{"report_instance", R"sql(
    INSERT INTO sundial.instance_reports AS known
        (id, version, roles, started_at, reported_at, clock_skew, held, slots, draining,
         drain_requested_at, last_claim_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (id) DO UPDATE
       SET version = $2, roles = $3, reported_at = $5, clock_skew = $6, held = $7, slots = $8,
           draining = $9, last_claim_at = $11
    RETURNING known.drain_requested_at)sql"};
inline constexpr Statement instance_reports{"instance_reports", R"sql(
    SELECT * FROM sundial.instance_reports ORDER BY started_at, id LIMIT 1000)sql"};
inline constexpr Statement instance_report{"instance_report", R"sql(
    SELECT * FROM sundial.instance_reports WHERE id = $1)sql"};
/// $2 when.
inline constexpr Statement request_drain{"request_drain", R"sql(
    UPDATE sundial.instance_reports SET drain_requested_at = coalesce(drain_requested_at, $2)
     WHERE id = $1)sql"};
inline constexpr Statement remove_instance_report{
    "remove_instance_report", "DELETE FROM sundial.instance_reports WHERE id = $1"};
/// $1 reported before then.
inline constexpr Statement forget_instance_reports{
    "forget_instance_reports", "DELETE FROM sundial.instance_reports WHERE reported_at < $1"};

}  // namespace sundial::postgres::sql

namespace sundial::postgres {
namespace {

std::vector<InstanceReport> reports_in(const Answer& rows) {
    return each_row(rows, [](const Row& row) {
        return InstanceReport{
            .id = row.get<InstanceId>("id"),
            .version = row.get<std::string>("version"),
            .roles = row.get<std::vector<std::string>>("roles"),
            .started_at = row.get<Instant>("started_at"),
            .reported_at = row.get<Instant>("reported_at"),
            .clock_skew = row.get<std::chrono::microseconds>("clock_skew"),
            .held = row.get<std::uint32_t>("held"),
            .slots = row.get<std::uint32_t>("slots"),
            .draining = row.get<bool>("draining"),
            .drain_requested_at = row.get<std::optional<Instant>>("drain_requested_at"),
            .last_claim_at = row.get<std::optional<Instant>>("last_claim_at")};
    });
}

class PostgresInstanceRepository final : public InstanceRepository {
public:
    explicit PostgresInstanceRepository(Session& session) : session_{session} {}

    std::optional<Instant> report(const InstanceReport& report) override {
        return session_
            .run(sql::report_instance, report.id, report.version, report.roles, report.started_at,
                 report.reported_at, report.clock_skew, report.held, report.slots, report.draining,
                 report.drain_requested_at, report.last_claim_at)
            .get<std::optional<Instant>>(0, 0);
    }
    std::vector<InstanceReport> list() override {
        return reports_in(session_.run(sql::instance_reports));
    }
    std::optional<InstanceReport> find(InstanceId id) override {
        return first_of(reports_in(session_.run(sql::instance_report, id)));
    }
    bool request_drain(InstanceId id, Instant at) override {
        return session_.run(sql::request_drain, id, at).changed() == 1;
    }
    void remove(InstanceId id) override { session_.run(sql::remove_instance_report, id); }
    void forget(Instant before) override { session_.run(sql::forget_instance_reports, before); }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<InstanceRepository> make_instance_repository(Session& session) {
    return std::make_unique<PostgresInstanceRepository>(session);
}

}  // namespace sundial::postgres
