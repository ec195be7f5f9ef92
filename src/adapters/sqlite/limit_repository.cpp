#include "adapters/sqlite/limit_repository.hpp"

#include "adapters/sqlite/limit_statements.hpp"
#include "adapters/sqlite/rows.hpp"

namespace sundial::sqlite {
namespace {

SlotLease read_lease(Cursor& row) {
    return {.by = row.take<InstanceId>(),
            .slots = row.take<std::uint32_t>(),
            .ends = row.take<Instant>(),
            .lacks_until = row.take<Instant>()};
}

}  // namespace

Limits SqliteLimitRepository::lock(EndpointId endpoint) {
    Limits limits{.endpoint = endpoint};
    {
        auto row = connection_.query(sql::limits, endpoint);
        if (!row.next()) return limits;
        limits.bucket_full_at = row.get<Instant>(0);
    }
    limits.leases = all_of(connection_.query(sql::slots, endpoint), read_lease);
    return limits;
}

void SqliteLimitRepository::put(const Limits& limits) {
    connection_.execute(sql::put_limits, limits.endpoint, limits.bucket_full_at);
    connection_.execute(sql::remove_slots, limits.endpoint);
    for (const SlotLease& lease : limits.leases) {
        connection_.execute(sql::add_slots, limits.endpoint, lease.by, lease.slots, lease.ends,
                            lease.lacks_until);
    }
}

}  // namespace sundial::sqlite
