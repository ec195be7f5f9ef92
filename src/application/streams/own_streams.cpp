#include "application/streams/own_streams.hpp"

#include <algorithm>

namespace sundial {

std::optional<FieldError> refuse_own_stream(const StreamId& stream, const std::string& at) {
    const auto& own = own_stream::types;
    if (std::ranges::find(own, stream.aggregate_type) == own.end()) return std::nullopt;
    return FieldError{at + "/aggregateType", "not_allowed",
                      "streams of " + stream.aggregate_type +
                          " are reserved: Sundial writes them when the object changes"};
}

}  // namespace sundial
