#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sundial::server {

/// The values of a TOML file by dotted key, as text; list members are joined by commas. Throws
/// CannotStart with the file, the line and the remedy.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> read_settings_file(
    const std::string& file);

/// The content of a file with a single value (a mounted secret), without its last line break.
/// Throws CannotStart.
[[nodiscard]] std::string read_secret_file(const std::string& file, const std::string& named_by);

}  // namespace sundial::server
