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

/// Dead letters that have something in common.
struct DeadLetterGroup {
    std::string reason{};                  // by reason: what they all say
    std::optional<EndpointId> endpoint{};  // by endpoint; those without one are a group too
    std::uint64_t count = 0;
    Instant oldest{}, newest{};      // when they FAILED
    std::vector<EventId> samples{};  // the newest
    friend bool operator==(const DeadLetterGroup&, const DeadLetterGroup&) = default;
};

struct DeadLetters {
    std::uint64_t counted = 0;
    bool complete = true;                 // or there are more, which are older
    std::vector<DeadLetterGroup> groups;  // the largest first, of equal ones the newest
};

/// Nobody waits for a count of millions: the newest are looked at.
inline constexpr std::size_t most_dead_letters = 100'000;
inline constexpr std::size_t most_dead_letter_groups = 100;
inline constexpr std::size_t most_dead_letter_samples = 5;

/// Sorts dead letters into groups, as a storage hands them over.
class DeadLetterTally {
public:
    explicit DeadLetterTally(DeadLettersBy by) : by_(by) {}
    /// The newest first. Those beyond `most_dead_letters` are only noticed.
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
