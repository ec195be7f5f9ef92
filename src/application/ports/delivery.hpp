#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/ports/shared_event.hpp"
#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// One attempt.
struct DeliveryRequest {
    SharedEvent event;                         // as claimed: includes attempt and key
    std::shared_ptr<const Endpoint> endpoint;  // null: an in-process handler
    /// RFC 9557, the same for every attempt: 2027-02-28T09:00:00+01:00[Europe/Paris]. Empty for
    /// handlers.
    std::string target_time;
    Instant now;  // estimate of the database's clock: the timestamp of the signature
    /// When its claim was sent, by the monotonic clock: decides whether SendPermit allows it. Empty
    /// without a claim that another instance could take: a test of an endpoint.
    std::optional<std::chrono::microseconds> claimed{};
    /// Of the attempt, for the receiver. Empty: it follows from the event.
    std::optional<TraceContext> trace{};
};

/// The only port that waits for systems outside Sundial.
class Delivery {
public:
    virtual ~Delivery() = default;
    /// Starts one attempt and returns at once. `done` runs exactly once, on any thread, perhaps
    /// before this returns, so it only queues. Sends at most one request and never repeats it
    /// internally.
    virtual void start(DeliveryRequest request, std::function<void(Outcome)> done) = 0;
    struct Starting {
        DeliveryRequest request;
        std::function<void(Outcome)> done;
    };
    /// Starts several attempts at once. An implementation overrides this if waking a thread for
    /// each attempt costs more than the attempt.
    virtual void start_all(std::vector<Starting> all) {
        for (Starting& one : all) start(std::move(one.request), std::move(one.done));
    }
    /// The lease of `event`, as claimed, is lost, so another instance may attempt it. Ends the
    /// attempt as soon as possible if it is under way. `done` still runs.
    virtual void abandon(const Event& /*event*/) {}
};

}  // namespace sundial
