#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/statement.hpp"
#include "domain/time/types.hpp"

namespace sundial::postgres {

/// The text of a read of events with $n for each `sundial.clock()`. Empty if the statement does not
/// read events, changes rows, or does not read the clock.
[[nodiscard]] std::optional<std::string> with_clock_parameter(std::string_view sql, std::size_t n);

/// The coordinator's clock for reads of a distributed database (ADR 0060). Citus evaluates
/// `sundial.clock()` on the coordinator for a statement that changes rows, but leaves it to the
/// machine of the rows in a read. So a read gets the coordinator's clock as one more parameter.
/// Thread-safe.
class ClockParameter {
public:
    /// Whether any of the calls is such a read.
    [[nodiscard]] bool is_needed(std::span<const Call> calls);
    /// The calls; reads get `now`.
    [[nodiscard]] std::vector<Call> given(std::span<const Call> calls, Instant now);

private:
    struct WithParameter {
        std::string name, sql;
        Statement statement;
    };
    /// Null if the statement needs no parameter.
    const Statement* with_parameter(const Call& call);

    std::mutex mutex_;
    std::map<const Statement*, std::unique_ptr<WithParameter>> known_;
};

}  // namespace sundial::postgres
