#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "application/ports/delivery.hpp"
#include "support/builders.hpp"

namespace sundial {

[[nodiscard]] inline Outcome accepted_outcome(int status = 204) {
    Outcome outcome;
    outcome.verdict = Verdict::accepted;
    outcome.status_code = status;
    return outcome;
}

/// The outcome that a webhook reports for a status other than success.
[[nodiscard]] inline Outcome status_outcome(int status) {
    Outcome outcome;
    outcome.verdict = judge_status(status, 0);
    outcome.error = DeliveryErrorCode::http_status;
    outcome.status_code = status;
    return outcome;
}

/// A receiver that records every request and answers at once, or later when the test says so.
class FakeDelivery final : public Delivery {
public:
    void start(DeliveryRequest request, std::function<void(Outcome)> done) override {
        if (refuses_to_start) throw std::runtime_error("no thread is left");
        requests.push_back(std::move(request));
        if (holds) {
            held_.push_back(std::move(done));
        } else {
            done(answer(requests.back()));
        }
    }
    void abandon(const Event& event) override { abandoned.push_back(event.id); }
    /// Answers the oldest unanswered request.
    void finish(const Outcome& outcome) {
        const auto done = std::move(held_.at(0));
        held_.erase(held_.begin());
        done(outcome);
    }

    void finish_all(const Outcome& outcome) {
        for (const auto& done : std::exchange(held_, {})) done(outcome);
    }

    std::function<Outcome(const DeliveryRequest&)> answer = [](const DeliveryRequest&) {
        return accepted_outcome();
    };
    bool holds = false;
    bool refuses_to_start = false;
    std::vector<DeliveryRequest> requests;
    std::vector<EventId> abandoned;

private:
    std::vector<std::function<void(Outcome)>> held_;
};

}  // namespace sundial
