#include "server/version.hpp"

#include <cstddef>
#include <iterator>

#include "sundial_version.hpp"

namespace sundial::server {
namespace {

/// `packaging/package` writes the digest over these bytes of the linked program. Volatile, so that
/// the compiler reads them instead of assuming what it sees here.
[[gnu::section(".sundial_sbom"), gnu::used]] const volatile char sbom_digest[] =
    "0000000000000000000000000000000000000000000000000000000000000000";

}  // namespace

std::string product_version() { return std::string(version); }
std::string product_commit() { return std::string(build_commit); }
std::string product_line() {
    return "sundial " + product_version() + " (" + product_commit() + ")";
}

std::string product_sbom() {
    std::string digest;
    for (std::size_t i = 0; i + 1 < std::size(sbom_digest); ++i) digest += sbom_digest[i];
    const bool packaged = digest.find_first_not_of('0') != std::string::npos;
    return packaged ? digest : "";
}

}  // namespace sundial::server
