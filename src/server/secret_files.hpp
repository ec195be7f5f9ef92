#pragma once

#include <string>
#include <vector>

#include "application/access/api_keys.hpp"
#include "base/log.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// The keys in a file that the operator provides, one per line, `NAME ROLE KEY`, as in
/// `ci WRITE sundial_sk_…`. Empty lines and lines that begin with # are ignored. Throws
/// CannotStart, naming file and line, never the key.
[[nodiscard]] std::vector<FixedKey> read_api_keys_file(const std::string& file,
                                                       const ApiKeySecrets& secrets);

/// One warning for each of `files` that every user of the machine may read or write. The group may
/// have access: services read keys that another user owns this way.
void warn_of_open_files(const std::vector<SecretFile>& files, base::Log& log);

}  // namespace sundial::server
