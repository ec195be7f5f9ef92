#pragma once

#include <string>

#include "domain/error.hpp"

namespace sundial {

/// An error as text, for storage and for places that cannot hold the error itself.
struct Refusal {
    std::string code;  // from the API reference: "INVALID_STATE_TRANSITION"
    std::string detail;
};
[[nodiscard]] Refusal refusal_of(const Error& error);

}  // namespace sundial
