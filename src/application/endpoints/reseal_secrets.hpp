#pragma once

#include <cstddef>

#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Brings the keys and the header values of all endpoints under the encryption key that seals
/// today, so that the one before it can be forgotten; also header values that versions before
/// stored readable. For the start of a process; several may do it at once.
class ResealSecrets {
public:
    ResealSecrets(Store& store, Secrets& secrets) : store_(store), secrets_(secrets) {}
    struct Done {
        std::size_t resealed = 0;    // endpoints
        std::size_t unreadable = 0;  // sealed under a key that is not known any more
        std::size_t unsealed = 0;    // with header values that no key is there to seal
    };
    [[nodiscard]] Done run();

private:
    /// Returns whether all keys could be opened.
    [[nodiscard]] bool reseal(Endpoint& endpoint);

    Store& store_;
    Secrets& secrets_;
};

}  // namespace sundial
