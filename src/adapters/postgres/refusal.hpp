#pragma once

#include <optional>
#include <string>

namespace sundial::postgres {

/// The remedy if every server of `url` answers and rejects the connection for a permanent reason:
/// no such database, no such role, a wrong password, no right to connect. Empty if a server may
/// still accept the connection. For a start that could not connect: tries once more, for three
/// seconds at most.
[[nodiscard]] std::optional<std::string> lasting_refusal(const std::string& url);

}  // namespace sundial::postgres
