#pragma once

#include <optional>

#include "adapters/http/message.hpp"
#include "adapters/http/schema.hpp"

namespace sundial::http {

/// What the guard says of a request.
struct Admission {
    std::optional<Response> refused{};  // the answer, if it may not go on
    Headers headers{};                  // to be added to whatever the answer is
};

/// Decides who may use which route. Thread-safe.
class Guard {
public:
    virtual ~Guard() = default;
    /// Whether it is decided who may use this operation. What is not decided nobody may use.
    [[nodiscard]] virtual bool knows(const Operation& operation) const = 0;
    /// Lets a request through to `operation`, or to the answer that there is none (null), and
    /// writes into the request who asks. May throw Unavailable.
    virtual Admission admit(Request& request, const Operation* operation) = 0;
};

/// For what everybody may use.
class OpenDoor final : public Guard {
public:
    [[nodiscard]] bool knows(const Operation& /*operation*/) const override { return true; }
    Admission admit(Request& /*request*/, const Operation* /*operation*/) override { return {}; }
};

}  // namespace sundial::http
