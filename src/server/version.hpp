#pragma once

#include <string>

namespace sundial::server {

[[nodiscard]] std::string product_version();
/// `git describe` of the tree that it was built from; empty if that is not known.
[[nodiscard]] std::string product_commit();

}  // namespace sundial::server
