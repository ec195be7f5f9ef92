#pragma once

#include <string>
#include <string_view>

#include "application/ports/time_zones.hpp"
#include "domain/time/types.hpp"

namespace sundial::cli {

/// Why the API would refuse this person, a JSON object as for `POST /v1/users`; empty: it would
/// not. Makes the checks that need no server, for a dry run.
[[nodiscard]] std::string refusal_of_person(std::string_view body, const TzData& zones,
                                            Instant now);

}  // namespace sundial::cli
