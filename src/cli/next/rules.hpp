#pragma once

#include <memory>

#include "cli/next/request.hpp"
#include "domain/time/misfire.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/resolve.hpp"

namespace sundial::cli {

/// The rule of a request, in its zone. A single time is a rule with one occurrence.
struct RequestedRule {
    TimeKind kind;
    std::shared_ptr<const Recurrence> recurrence;
    std::shared_ptr<const Zone> zone;  // null if the intent is in UTC
};

/// For every kind except tzdb and misfire. Errors: all except bad_request for the fields' names and
/// types.
[[nodiscard]] TimeResult<RequestedRule> read_rule(const Request& request, const TimeZones& zones);

/// The single time of a request of kind local.
struct RequestedLocal {
    WallTime wall;
    std::shared_ptr<const Zone> zone;
    Resolved resolved;
};
[[nodiscard]] TimeResult<RequestedLocal> read_local(FieldReader& read);

}  // namespace sundial::cli
