#pragma once

#include <string>
#include <vector>

#include "application/access/api_key_ring.hpp"

namespace sundial::server {

/// The keys in a file that the operator provides, one per line, `NAME ROLE KEY`, as in
/// `ci WRITE sundial_sk_…`. Empty lines and lines that begin with # are ignored. Throws
/// CannotStart, naming file and line, never the key.
[[nodiscard]] std::vector<FixedKey> read_api_keys_file(const std::string& file,
                                                       const ApiKeySecrets& secrets);

}  // namespace sundial::server
