#pragma once

#include <fstream>
#include <istream>
#include <optional>
#include <string>

/// The files that commands read.
namespace sundial::server {

/// `file`, opened, or standard input for `-`. Null, with a message, if it cannot be read.
[[nodiscard]] std::istream* open_input(const std::string& name, std::ifstream& file);
/// The content of a file, `-` for standard input. Empty, with a message, if it cannot be read.
[[nodiscard]] std::optional<std::string> read_whole_file(const std::string& name);

}  // namespace sundial::server
