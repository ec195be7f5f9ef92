#pragma once

#include <string>

namespace sundial::server {

[[nodiscard]] std::string product_version();
/// `git describe` of the tree that it was built from; empty if that is not known.
[[nodiscard]] std::string product_commit();
/// Both, as the command line tells them: "sundial 0.1.0 (1b76bf1be31b)".
[[nodiscard]] std::string product_line();

}  // namespace sundial::server
