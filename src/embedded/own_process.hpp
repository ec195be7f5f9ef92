#pragma once

#include <cstdint>
#include <memory>

#include "sundial/result.hpp"

namespace sundial::embedding {

/// The process that created an object. After a fork the child has a copy of the object, but not its
/// threads, and the connections of the copy are the parent's. So the child must neither use nor
/// destroy the copy.
class OwnProcess {
public:
    OwnProcess();
    /// Whether this is a child of that process.
    [[nodiscard]] bool forked() const;
    /// WRONG_PROCESS, for calls in the child.
    [[nodiscard]] Error error() const;

private:
    const std::int64_t id_;
};

/// Destroys `parts`. In a forked child, leaves them in memory instead.
template <class Parts>
void destroy_unless_forked(std::unique_ptr<Parts> parts) {
    if (parts && parts->process.forked()) static_cast<void>(parts.release());
}

}  // namespace sundial::embedding
