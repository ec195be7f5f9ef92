#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

enum class DeadLettersBy : std::uint8_t { reason, endpoint };

/// Dead letters with the same reason or the same endpoint.
struct DeadLetterGroup {
    std::string reason{};  // if grouped by reason
    /// If grouped by endpoint; events without one form a group too.
    std::optional<EndpointId> endpoint{};
    std::uint64_t count = 0;
    Instant oldest{}, newest{};      // when they FAILED
    std::vector<EventId> samples{};  // the newest
    friend bool operator==(const DeadLetterGroup&, const DeadLetterGroup&) = default;
};

struct DeadLetters {
    std::uint64_t counted = 0;
    bool complete = true;                 // false: older dead letters were not counted
    std::vector<DeadLetterGroup> groups;  // the largest first; of equal groups the newest first
};

/// Counting millions of rows takes too long, so only the newest are examined.
inline constexpr std::size_t max_dead_letters = 100'000;
inline constexpr std::size_t max_dead_letter_groups = 100;
inline constexpr std::size_t max_dead_letter_samples = 5;

/// Groups dead letters in the order in which a storage returns them.
class DeadLetterCounters {
public:
    explicit DeadLetterCounters(DeadLettersBy by) : by_(by) {}
    /// Call for the newest first. Dead letters beyond `max_dead_letters` only clear `complete`.
    void add(const std::string& reason, std::optional<EndpointId> endpoint, Instant failed_at,
             EventId id);
    [[nodiscard]] DeadLetters result() &&;

private:
    using Key = std::pair<std::string, std::optional<EndpointId>>;
    DeadLettersBy by_;
    DeadLetters letters_{};
    std::map<Key, DeadLetterGroup> groups_;
};

}  // namespace sundial
