#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/webhook/address_rules.hpp"
#include "application/ports/clock.hpp"

namespace sundial::webhook {

/// All addresses of a name, A and AAAA; if there are none, the reason.
struct Resolution {
    std::vector<Address> addresses;
    std::string failure;
};

/// Resolves names with the machine's configured resolver. Caches a result for 30 seconds, a failure
/// for one. Lookups run on threads of their own, because the system's resolver cannot be cancelled:
/// one per name, and a bounded number at once.
class Resolver {
public:
    using Lookup = std::function<Resolution(const std::string& host)>;
    /// The system's resolver (getaddrinfo). Blocks.
    [[nodiscard]] static Resolution ask_system(const std::string& host);

    /// `wake` runs on any thread after each lookup, until this object is destroyed.
    Resolver(const MonotonicClock& clock, std::function<void()> wake, Lookup lookup);
    /// Does not wait for running lookups.
    ~Resolver();
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    /// The cached result for `host`. If there is none, returns empty and starts a lookup, which
    /// ends with a wake-up.
    [[nodiscard]] std::optional<Resolution> ask(const std::string& host);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace sundial::webhook
