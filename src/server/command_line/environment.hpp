#pragma once

#include <map>
#include <string>

namespace sundial::server {

/// The variables of this process.
[[nodiscard]] std::map<std::string, std::string> environment();

}  // namespace sundial::server
