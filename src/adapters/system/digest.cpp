#include "adapters/system/digest.hpp"

#include "adapters/system/crypto.hpp"

namespace sundial::system {

std::string OpensslDigest::sha256(std::string_view bytes) const { return system::sha256(bytes); }

}  // namespace sundial::system
