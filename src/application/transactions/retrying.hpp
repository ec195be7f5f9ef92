#pragma once

#include <exception>
#include <string>

#include "domain/error.hpp"
#include "sundial/retry.hpp"

namespace sundial {

/// What is worth another call inside: version conflicts, of a row or a stream. Others: Stopped,
/// ValidationFailed.
template <>
struct RetryErrors<Error> {
    static bool passing(const Error& error);
    /// A stream's conflict tells how many calls there were.
    static Error after(Error error, unsigned attempts);
    static Error stopped() { return Stopped{}; }
    static Error invalid(std::string why);
};

/// For `retry_thrown`, where the operation may be done twice: the storage is away for a moment.
[[nodiscard]] bool is_unavailable(const std::exception& thrown);

}  // namespace sundial
