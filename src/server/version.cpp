#include "server/version.hpp"

#include "sundial_version.hpp"

namespace sundial::server {

std::string product_version() { return std::string(version); }
std::string product_commit() { return std::string(build_commit); }

}  // namespace sundial::server
