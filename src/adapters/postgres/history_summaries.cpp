#include "adapters/postgres/history_summaries.hpp"

#include <algorithm>
#include <utility>

#include "adapters/postgres/retention_sql.hpp"

namespace sundial::postgres {
namespace {

/// Ranges of one transaction, 16 MiB of rows. Other transactions that want its lock, such as a
/// vacuum, wait that long.
constexpr std::int64_t ranges_at_once = 64;

}  // namespace

bool HistorySummaries::run(std::size_t limit) {
    if (database_.distributed()) return false;
    const std::lock_guard lock{mutex_};
    const std::vector<Partition> partitions = read_partitions();
    std::map<std::int64_t, Known> still_there;
    for (const Partition& each : partitions) still_there[each.id] = known_[each.id];
    known_ = std::move(still_there);
    auto left = static_cast<std::int64_t>(limit);
    for (const Partition& each : partitions) {
        if (left == 0) return true;
        if (known_[each.id].received != each.received) summarise(each, left);
    }
    return left == 0;
}

std::vector<HistorySummaries::Partition> HistorySummaries::read_partitions() {
    std::vector<Partition> partitions;
    database_.read("summaries", [&](Session& session) {
        partitions.clear();
        const Answer rows = session.run(sql::history_partitions);
        for (std::size_t row = 0; row < rows.size(); ++row) {
            partitions.push_back({rows.get<std::int64_t>(row, 0), rows.get<std::int64_t>(row, 1)});
        }
    });
    return partitions;
}

std::optional<std::int64_t> HistorySummaries::summarise_ranges(const Partition& partition,
                                                               std::int64_t first,
                                                               std::int64_t past) {
    std::optional<std::int64_t> ranges;
    database_.write("summaries", [&](Session& session) {
        ranges = session.run(sql::summarise_history, partition.id, first, past)
                     .get<std::optional<std::int64_t>>(0, 0);
        return true;
    });
    return ranges;
}

void HistorySummaries::summarise(const Partition& partition, std::int64_t& left) {
    const auto ranges = summarise_ranges(partition, 0, 0);
    if (!ranges) return;
    Known& known = known_[partition.id];
    if (!known.seen || *ranges < known.high) {  // or it was emptied
        known = {.low = *ranges, .high = *ranges, .seen = true};
    }
    while (left > 0 && (known.high < *ranges || known.low > 0)) {
        const bool later = known.high < *ranges;
        const std::int64_t count =
            std::min({left, ranges_at_once, later ? *ranges - known.high : known.low});
        const std::int64_t first = later ? known.high : known.low - count;
        if (!summarise_ranges(partition, first, first + count)) return;
        (later ? known.high : known.low) += later ? count : -count;
        left -= count;
    }
    if (known.high == *ranges && known.low == 0) known.received = partition.received;
}

}  // namespace sundial::postgres
