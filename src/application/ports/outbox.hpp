#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/id_ranges.hpp"

namespace sundial {

/// Maximum size of a request, the same as for a body of the API.
inline constexpr std::size_t max_outbox_request = 1UL * 1024 * 1024;

/// A row of a table `sundial_outbox`, as the application wrote it.
struct OutboxRow {
    std::int64_t id;
    std::optional<std::string> kind{};     // empty: null, no text, or not read
    std::optional<std::string> request{};  // likewise
    bool too_large = false;                // larger than `max_outbox_request`
};

/// A page ends with the row that reaches one of them.
struct OutboxLimits {
    std::size_t rows = 500;
    std::size_t bytes = 4UL * 1024 * 1024;  // of requests
};

struct OutboxPage {
    std::vector<OutboxRow> rows;  // ascending
    bool more = false;            // there may be more rows in the ranges
    /// The latest id that the table has given out by itself; empty if that cannot be known.
    std::optional<std::int64_t> last_id{};
};

/// The table `sundial_outbox` of an application, in a database of its own. Sundial only reads it.
/// For one thread at a time. All calls throw Unavailable if the table cannot be read at present.
class Outbox {
public:
    virtual ~Outbox() = default;
    /// The first rows whose ids are in `among`, which are ascending and disjoint. The work does not
    /// depend on rows outside of these ranges.
    [[nodiscard]] virtual OutboxPage read(std::span<const IdInterval> among,
                                          const OutboxLimits& limits) = 0;
    /// For each range, whether the table has a row with an id in it, or may have one.
    [[nodiscard]] virtual std::vector<bool> has_rows(std::span<const IdInterval> ranges) = 0;
};

}  // namespace sundial
