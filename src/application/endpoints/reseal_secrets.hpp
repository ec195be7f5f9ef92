#pragma once

#include <cstddef>

#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Reseals the keys of all endpoints under the current encryption key, so that the previous one can
/// be removed. Runs at the start of a process; several may run it at once.
class ResealSecrets {
public:
    ResealSecrets(Store& store, Secrets& secrets) : store_(store), secrets_(secrets) {}
    struct Done {
        std::size_t resealed = 0;    // endpoints
        std::size_t unreadable = 0;  // sealed under a key that is no longer known
    };
    [[nodiscard]] Done run();

private:
    /// Returns whether all keys could be opened.
    [[nodiscard]] bool reseal(Endpoint& endpoint);

    Store& store_;
    Secrets& secrets_;
};

}  // namespace sundial
