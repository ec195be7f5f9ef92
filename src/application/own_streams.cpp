#include "application/own_streams.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace sundial {
namespace {

/// As recorded_changes.cpp names them.
constexpr std::array<std::string_view, 4> own_types{"User", "Schedule", "Endpoint", "ApiKey"};

}  // namespace

std::optional<FieldError> refuse_own_stream(const StreamId& stream, const std::string& at) {
    if (std::ranges::find(own_types, stream.aggregate_type) == own_types.end()) {
        return std::nullopt;
    }
    return FieldError{
        at + "/aggregateType", "not_allowed",
        "streams of " + stream.aggregate_type + " are written by changes of theirs only"};
}

}  // namespace sundial
