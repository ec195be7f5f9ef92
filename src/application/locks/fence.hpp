#pragma once

#include <string>

#include "application/ports/store.hpp"
#include "domain/lock.hpp"

/// The fences of locks that lie elsewhere: in the database that has what they guard, the greatest
/// token of each name that was ever granted or used. Others who do the same wait until `tx` ends.
namespace sundial {

/// Greatest so far; 0 if there was none.
[[nodiscard]] FencingToken greatest_seen(Store& store, const std::string& name);
/// A token that was granted just now. Errors: LockLeaseLost if one as great is known.
[[nodiscard]] Result<void> raise_fence(Transaction& tx, const std::string& name,
                                       FencingToken granted);
/// Whose holder is about to write in `tx`. Errors: LockLeaseLost if a greater one is known.
[[nodiscard]] Result<void> pass_fence(Transaction& tx, const std::string& name, FencingToken token);

}  // namespace sundial
