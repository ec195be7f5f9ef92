#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"
#include "application/ports/event_queue.hpp"

/// The calls of `claim_sql.hpp` that settle and release claims. A call touches one shard: it gets
/// all items and the indices of those in its shard.
namespace sundial::postgres {

/// The items at these indices.
template <class Given>
std::vector<std::reference_wrapper<const Given>> chosen(std::span<const Given> given,
                                                        const std::vector<std::size_t>& indices) {
    return column(indices, [given](std::size_t i) { return std::cref(given[i]); });
}
/// For results of one kind, an index of the variant. The last call returns the ordinals (from 1) of
/// the claims that were held. A distributed database moves a row to its history by two statements.
[[nodiscard]] std::vector<Call> settling(std::int16_t shard, std::size_t kind,
                                         std::span<const Settlement> all,
                                         const std::vector<std::size_t>& indices, bool distributed);

/// Answers repetitions, and records the outcomes of claims that are lost.
[[nodiscard]] Call settling_late(std::int16_t shard, std::span<const Settlement> all,
                                 const std::vector<std::size_t>& indices);

/// The last call returns the ordinals of the claims that were held.
[[nodiscard]] std::vector<Call> releasing(std::int16_t shard, std::span<const ReleasedClaim> all,
                                          const std::vector<std::size_t>& indices);

/// Returns the ordinals of those that an earlier call has released.
[[nodiscard]] Call finding_released(std::int16_t shard, std::span<const ReleasedClaim> all,
                                    const std::vector<std::size_t>& indices);

}  // namespace sundial::postgres
