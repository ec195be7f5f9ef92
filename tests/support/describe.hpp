#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "base/strong.hpp"
#include "base/uuid.hpp"
#include "domain/error.hpp"
#include "domain/event.hpp"
#include "domain/ids.hpp"
#include "domain/outcome.hpp"

/// Values as text with all their members, for failure messages and for comparing the results of two
/// adapters.
namespace sundial {

[[nodiscard]] std::string describe(Instant instant);
[[nodiscard]] std::string describe(const Claimant& claimant);
[[nodiscard]] std::string describe(const Event& event);
[[nodiscard]] std::string describe(const AttemptRecord& attempt);
[[nodiscard]] std::string describe(const Error& error);
[[nodiscard]] inline std::string describe(const Result<void>& answer) {
    return answer ? "done" : describe(answer.error());
}
[[nodiscard]] inline std::string describe(const Result<Attempt>& answer) {
    return answer ? "done, after attempt " + std::to_string(answer->value)
                  : describe(answer.error());
}
template <class T>
[[nodiscard]] std::string describe(const std::optional<T>& value) {
    return value ? describe(*value) : "none";
}
/// One per line.
template <class Values>
[[nodiscard]] std::string describe_all(const Values& values) {
    std::string text;
    for (const auto& value : values) text += describe(value) + '\n';
    return text;
}

/// GoogleTest prints values with these.
inline void PrintTo(const Claimant& claimant, std::ostream* out) { *out << describe(claimant); }
inline void PrintTo(const Event& event, std::ostream* out) { *out << describe(event); }
inline void PrintTo(const AttemptRecord& attempt, std::ostream* out) { *out << describe(attempt); }

namespace base {
template <class Tag>
void PrintTo(const Strong<Tag, Uuid>& id, std::ostream* out) {
    *out << to_string(id.value);
}
}  // namespace base

}  // namespace sundial
