#include "server/version.hpp"

#include "sundial_version.hpp"

namespace sundial::server {

std::string product_version() { return std::string(version); }
std::string product_commit() { return std::string(build_commit); }
std::string product_line() {
    return "sundial " + product_version() + " (" + product_commit() + ")";
}

}  // namespace sundial::server
