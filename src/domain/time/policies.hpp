#pragma once

#include <optional>
#include <string_view>

#include "domain/time/types.hpp"

/// The names of the policies. They are stable API, the same in HTTP, SQL and the batch format.
namespace sundial {

[[nodiscard]] std::string_view to_string(GapPolicy policy);
[[nodiscard]] std::string_view to_string(OverlapPolicy policy);
[[nodiscard]] std::string_view to_string(LeapPolicy policy);
[[nodiscard]] std::string_view to_string(MisfirePolicy policy);

/// Empty for an unknown name.
[[nodiscard]] std::optional<GapPolicy> gap_policy(std::string_view name);
[[nodiscard]] std::optional<OverlapPolicy> overlap_policy(std::string_view name);
[[nodiscard]] std::optional<LeapPolicy> leap_policy(std::string_view name);
[[nodiscard]] std::optional<MisfirePolicy> misfire_policy(std::string_view name);

}  // namespace sundial
