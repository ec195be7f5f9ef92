#pragma once

#include <string>

namespace sundial::server {

[[nodiscard]] std::string product_version();
/// `git describe` of the tree this was built from; empty if unknown.
[[nodiscard]] std::string product_commit();
/// Version and commit as the command line prints them: "sundial 0.1.0 (1b76bf1be31b)".
[[nodiscard]] std::string product_line();

}  // namespace sundial::server
