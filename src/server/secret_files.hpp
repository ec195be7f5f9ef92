#pragma once

#include <vector>

#include "base/log.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// One warning for each of `files` that every user of the machine may read or write. The group of a
/// file is its owner's business: that is how a service gets a key that is not its own.
void warn_of_open_files(const std::vector<SecretFile>& files, base::Log& log);

}  // namespace sundial::server
