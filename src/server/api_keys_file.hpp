#pragma once

#include <string>
#include <vector>

#include "application/access/api_key_ring.hpp"

namespace sundial::server {

/// The keys in a file of the operator's: a line each, `NAME ROLE KEY`, as
/// `ci WRITE sundial_sk_…`; empty lines and those that begin with # say nothing. Throws
/// CannotStart, naming file and line, never the key.
[[nodiscard]] std::vector<FixedKey> read_api_keys_file(const std::string& file,
                                                       const ApiKeySecrets& secrets);

}  // namespace sundial::server
