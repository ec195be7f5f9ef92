#pragma once

#include <exception>
#include <string>

#include "domain/error.hpp"
#include "sundial/retry.hpp"

namespace sundial {

/// Errors that `retry` repeats a call for: version conflicts, of a row or a stream. Others:
/// Stopped, ValidationFailed.
template <>
struct RetryErrors<Error> {
    static bool passing(const Error& error);
    /// A stream's conflict includes the number of attempts.
    static Error after(Error error, unsigned attempts);
    static Error stopped() { return Stopped{}; }
    static Error invalid(std::string why);
};

/// For `retry_thrown`, if the operation may run twice: storage is temporarily unavailable.
[[nodiscard]] bool is_unavailable(const std::exception& thrown);

}  // namespace sundial
