#include "adapters/postgres/limit_repository.hpp"

#include <optional>

#include "adapters/postgres/limit_statements.hpp"
#include "adapters/postgres/rows.hpp"

namespace sundial::postgres {
namespace {

std::optional<Limits> limits_in(const Answer& rows, EndpointId endpoint) {
    if (rows.empty()) return std::nullopt;
    return Limits{.endpoint = endpoint,
                  .bucket_full_at = rows.get<Instant>(0, rows.column("bucket_full_at").value())};
}

}  // namespace

Limits PostgresLimitRepository::lock(EndpointId endpoint) {
    auto limits = limits_in(session_.run(sql::lock_limits, endpoint), endpoint);
    if (!limits) {
        session_.run(sql::add_limits, endpoint);
        limits = limits_in(session_.run(sql::lock_limits, endpoint), endpoint);
    }
    const Answer slots = session_.run(sql::find_slots, endpoint);
    for (std::size_t row = 0; row < slots.size(); ++row) {
        limits.value().leases.push_back({.by = slots.get<InstanceId>(row, 0),
                                         .slots = slots.get<std::uint32_t>(row, 1),
                                         .ends = slots.get<Instant>(row, 2),
                                         .lacks_until = slots.get<Instant>(row, 3)});
    }
    return *limits;
}

void PostgresLimitRepository::put(const Limits& limits) {
    std::vector<InstanceId> instances;
    std::vector<std::int32_t> slots;
    std::vector<Instant> ends, lacks_until;
    for (const SlotLease& lease : limits.leases) {
        instances.push_back(lease.by);
        slots.push_back(static_cast<std::int32_t>(lease.slots));
        ends.push_back(lease.ends);
        lacks_until.push_back(lease.lacks_until);
    }
    const Answer put = session_.run(sql::put_limits, limits.endpoint, limits.bucket_full_at);
    base::check(put.changed() == 1);
    session_.run(sql::put_slots, limits.endpoint, instances, slots, ends, lacks_until);
}

}  // namespace sundial::postgres
