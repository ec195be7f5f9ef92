#pragma once

#include <filesystem>

#include "application/ports/storage_state.hpp"

namespace sundial::sqlite {

/// Sizes of a file, also while a process uses it. Changes nothing. The file may be absent.
[[nodiscard]] StorageState storage_state(const std::filesystem::path& file);

}  // namespace sundial::sqlite
