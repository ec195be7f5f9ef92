#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// One try.
struct DeliveryRequest {
    Event event;                               // as claimed: attempt and key are in it
    std::shared_ptr<const Endpoint> endpoint;  // null: an in-process handler
    /// RFC 9557, the same for every try: 2027-02-28T09:00:00+01:00[Europe/Paris]. Handlers have
    /// none.
    std::string target_time;
    Instant now;  // the database's clock, as well as it is known here: the signature's timestamp
};

/// The one port that waits for strangers.
class Delivery {
public:
    virtual ~Delivery() = default;
    /// Starts one try and returns at once. `done` runs exactly once, on any thread, perhaps before
    /// this returns, so it only queues. At most one request is sent, never a hidden second.
    virtual void start(DeliveryRequest request, std::function<void(Outcome)> done) = 0;
    struct Starting {
        DeliveryRequest request;
        std::function<void(Outcome)> done;
    };
    /// Several in one go: where to wake somebody for each would cost more than the tries do.
    virtual void start_all(std::vector<Starting> all) {
        for (Starting& one : all) start(std::move(one.request), std::move(one.done));
    }
    /// This try of `event`, as claimed, is of no use any more: somebody else may be at it. Ends it
    /// as soon as can be, if it is under way; `done` runs all the same.
    virtual void abandon(const Event& /*event*/) {}
};

/// Judges where requests may go (reliability 8), without a look at the network.
class DestinationRules {
public:
    virtual ~DestinationRules() = default;
    /// What is wrong with `url` for a webhook, at pointer /url; empty if nothing is.
    [[nodiscard]] virtual std::optional<FieldError> refuse(std::string_view url) const = 0;
    /// Scheme, host and port of `url`: https://crm.example, http://[::1]:8080. Empty if it is none.
    [[nodiscard]] virtual std::string origin(std::string_view url) const = 0;
};

}  // namespace sundial
