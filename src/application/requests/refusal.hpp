#pragma once

#include <string>

#include "domain/error.hpp"

namespace sundial {

/// An error in words that can be kept, and read where the error itself cannot travel.
struct Refusal {
    std::string code;  // of the API reference: "INVALID_STATE_TRANSITION"
    std::string detail;
};
[[nodiscard]] Refusal refusal_of(const Error& error);

}  // namespace sundial
