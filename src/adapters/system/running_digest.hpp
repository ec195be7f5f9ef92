#pragma once

#include <memory>

#include "application/ports/backup.hpp"

namespace sundial::system {

[[nodiscard]] std::unique_ptr<RunningDigest> new_sha256();

}  // namespace sundial::system
