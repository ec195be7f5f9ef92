#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "application/ports/copy.hpp"
#include "domain/time/types.hpp"

/// SQLite as the source or the target of a copy (ADR 0056).
namespace sundial::sqlite {

/// Holds the lock of `file` until it is closed, so that no process uses it meanwhile. Throws
/// CannotStart if one does, if the file is damaged, not migrated or on a test clock, or if its
/// tables are not `tables`.
[[nodiscard]] std::unique_ptr<CopySource> open_copy_source(const std::filesystem::path& file,
                                                           const std::vector<CopyTable>& tables,
                                                           Instant now);

/// The partial copy is a file beside `file`, which is renamed at the end.
[[nodiscard]] std::filesystem::path partial_copy_of(const std::filesystem::path& file);

/// Holds the lock of `file` until it is closed. `make_partial` makes a migrated, empty database of
/// `partial_copy_of(file)`. Throws CannotStart if a process uses `file`, or if it has data.
[[nodiscard]] std::unique_ptr<CopyTarget> open_copy_target(
    const std::filesystem::path& file, const std::function<void()>& make_partial, Instant now);

}  // namespace sundial::sqlite
