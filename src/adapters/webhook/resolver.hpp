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

/// All addresses that a name has, A and AAAA; none: why not.
struct Resolution {
    std::vector<Address> addresses;
    std::string failure;
};

/// Names to addresses, by whatever the machine is set up to ask. What was found is taken as true
/// for 30 seconds, that nothing was found for one. Lookups run on threads of their own, as the
/// system's resolver cannot be told to stop: one for each name, a bounded number at once.
class Resolver {
public:
    using Lookup = std::function<Resolution(const std::string& host)>;
    /// The system's (getaddrinfo). Blocks.
    [[nodiscard]] static Resolution ask_system(const std::string& host);

    /// `wake` runs on any thread whenever a lookup has ended, until this is destroyed.
    Resolver(const MonotonicClock& clock, std::function<void()> wake, Lookup lookup);
    /// Waits for no lookup that is under way.
    ~Resolver();
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    /// What is known of `host`; if nothing is, it begins to find out, and wakes whoever asked.
    [[nodiscard]] std::optional<Resolution> ask(const std::string& host);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace sundial::webhook
