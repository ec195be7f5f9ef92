#pragma once

#include <optional>
#include <string>

namespace sundial::postgres {

/// What to mend where every server of `url` answers and turns us away for a reason that no waiting
/// changes: no such database, no such role, a wrong password, no right to connect. Nothing where a
/// server may yet answer otherwise. For a start that could not connect: tries once more, for three
/// seconds at most.
[[nodiscard]] std::optional<std::string> lasting_refusal(const std::string& url);

}  // namespace sundial::postgres
