#include "simulation/network.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_delivery.hpp"

namespace sundial::simulation {
namespace {

using namespace std::chrono_literals;

Outcome failure(DeliveryErrorCode code, const char* text) {
    Outcome outcome;
    outcome.error = code;
    outcome.error_text = text;
    return outcome;
}

Outcome outcome_of(const Reply& reply) {
    if (judge_status(reply.status, 0) == sundial::Verdict::accepted)
        return accepted_outcome(reply.status);
    Outcome outcome = status_outcome(reply.status);
    outcome.retry_after = reply.retry_after;
    return outcome;
}

}  // namespace

Step Network::step_of(Op op, const Exchange& exchange) const {
    const Event& event = exchange.request.event;
    Step step;
    step.source = sender_.number();
    step.op = op;
    step.id = event.id;
    step.key = event.key.value;
    step.version = event.version.value;
    step.attempt = event.attempt.value;
    step.target = target_of(event);
    return step;
}

void Network::start(DeliveryRequest request, std::function<void(Outcome)> done) {
    if (world_.defective(Defect::settles_before_sending) && world_.dice.chance(0.2)) {
        return done(accepted_outcome());
    }
    const Time timeout = request.endpoint->timeout;
    Event sent = request.event;
    if (sent.attempt.value > 1) {
        if (world_.defective(Defect::new_key_on_retry)) sent.key.value += "-again";
        if (world_.defective(Defect::body_changes_on_retry)) sent.payload += " ";
    }
    if (world_.defective(Defect::sends_unclaimed_numbers)) {
        sent.attempt = base::next(sent.attempt);
    }
    request.event = std::move(sent);
    const std::uint64_t number = ++count_;
    const auto exchange = std::make_shared<Exchange>(
        Exchange{std::move(request), std::move(done), world_.time.now()});
    exchanges_.emplace(number, exchange);
    exchange->done = [this, number, notify = std::move(exchange->done)](Outcome outcome) {
        exchanges_.erase(number);
        notify(std::move(outcome));
    };
    watch(exchange);
    world_.time.after(world_.dice.between(1ms, 40ms), [this, exchange] { arrive(exchange); });
    if (world_.defective(Defect::hidden_resend) && world_.dice.chance(0.2)) {
        world_.time.after(1s, [this, exchange] {
            world_.record(step_of(Op::request, *exchange));
            world_.record(step_of(Op::close, *exchange));
        });
    }
    world_.time.after(timeout, [this, exchange] {
        if (exchange->over) return;
        sender_.when_awake([this, exchange] { close(exchange, "timed out"); });
    });
}

void Network::watch(const Shared& exchange) {
    // Its clock may be fast or slow by a few percent, so look often.
    constexpr Time look_again = 100ms;
    if (exchange->over) return;
    if (!permit_.allows(exchange->request.claimed, clock_.now())) {
        return close(exchange, "its sender is silent");
    }
    sender_.when_awake_at(world_.time.now() + look_again, [this, exchange] { watch(exchange); });
}

void Network::arrive(const Shared& exchange) {
    if (exchange->over) return;  // the connection was closed before anything was sent
    exchange->reply = world_.receivers.reply_of(exchange->request.endpoint->url, world_.dice);
    if (!exchange->reply.connects) {
        exchange->over = true;
        return finish(exchange, failure(DeliveryErrorCode::connect, "refused"));
    }
    exchange->arrived = true;
    ++world_.counts.requests;
    Step step = step_of(Op::request, *exchange);
    step.what = exchange->request.event->payload;
    step.until = exchange->request.now;
    world_.record(std::move(step));
    world_.time.after(exchange->reply.processing, [this, exchange] { answer(exchange); });
}

void Network::answer(const Shared& exchange) {
    if (exchange->over) return;
    Step step = step_of(Op::answer, *exchange);
    step.status = exchange->reply.status;
    step.retry_after = exchange->reply.retry_after;
    const bool accepted = judge_status(step.status, 0) == sundial::Verdict::accepted;
    if (accepted) ++world_.counts.accepted;
    const bool lost = world_.faults_happen && world_.dice.chance(world_.rates.lost_answer);
    if (lost) {
        step.how = How::unknown;
        ++world_.counts.faults["lost answer"];
    }
    world_.record(std::move(step));
    exchange->over = true;
    if (lost) {
        const Time rest =
            exchange->request.endpoint->timeout -
            std::chrono::duration_cast<std::chrono::seconds>(world_.time.now() - exchange->began);
        world_.time.after(std::max(rest, Time{1s}), [this, exchange] {
            finish(exchange, failure(DeliveryErrorCode::timeout, "no answer"));
        });
        return;
    }
    Outcome outcome = outcome_of(exchange->reply);
    if (world_.defective(Defect::retry_after_ignored)) outcome.retry_after.reset();
    finish(exchange, std::move(outcome));
}

void Network::close(const Shared& exchange, const char* why) {
    if (exchange->over) return;
    exchange->over = true;
    if (exchange->arrived) {
        Step step = step_of(Op::close, *exchange);
        step.what = why;
        // The receiver may have finished its work although its response was lost.
        const bool accepted = judge_status(exchange->reply.status, 0) == sundial::Verdict::accepted;
        step.status = accepted && world_.dice.chance(0.5) ? exchange->reply.status : 0;
        world_.record(std::move(step));
    }
    finish(exchange, world_.defective(Defect::unknown_is_success)
                         ? accepted_outcome()
                         : failure(DeliveryErrorCode::timeout, why));
}

void Network::finish(const Shared& exchange, Outcome outcome) {
    outcome.duration = world_.time.now() - exchange->began;
    sender_.when_awake([exchange, outcome = std::move(outcome)] { exchange->done(outcome); });
}

void Network::abandon(const Event& event) {
    std::vector<Shared> found;
    for (const auto& [number, exchange] : exchanges_) {
        const Event& sent = exchange->request.event;
        if (sent.id == event.id && sent.version == event.version) found.push_back(exchange);
    }
    for (const Shared& exchange : found) close(exchange, "abandoned");
}

void Network::cut() {
    std::vector<Shared> found;
    for (const auto& [number, exchange] : exchanges_) found.push_back(exchange);
    for (const Shared& exchange : found) close(exchange, "cut off");
}

}  // namespace sundial::simulation
