#include "application/observation/logged_queue.hpp"

#include <algorithm>

namespace sundial {
namespace {

using Op = ClaimStep::Op;
using Answer = ClaimStep::Answer;

ClaimStep step(Op op, EventId id, Version version) {
    return {.op = op, .answer = Answer::begun, .id = id, .version = version};
}

ClaimStep step_of(Op op, const Event& event) {
    ClaimStep made = step(op, event.id, event.version);
    made.attempt = event.attempt;
    made.event = &event;
    return made;
}

Answer answer_to(const Result<void>& result) {
    return result.has_value() ? Answer::done : Answer::refused;
}

}  // namespace

template <class Call>
auto LoggedQueue::answer_of(std::vector<ClaimStep>& steps, Call call) {
    const auto began = monotonic_.now();
    const auto record_time = [&] {
        for (ClaimStep& one : steps) one.took = monotonic_.now() - began;
    };
    try {
        auto answer = call();
        record_time();
        return answer;
    } catch (...) {
        record_time();
        for (ClaimStep& one : steps) one.answer = Answer::unknown;
        log_.write(steps);
        throw;
    }
}

template <class Call>
Claimed LoggedQueue::log_claim(Call claim) {
    std::vector<ClaimStep> steps{{.op = Op::claim, .answer = Answer::begun}};
    Claimed claimed = answer_of(steps, claim);
    const auto took = steps.front().took;
    steps.clear();
    for (const ClaimedEvent& one : claimed.events) {
        ClaimStep& made = steps.emplace_back(step_of(Op::claim, one.event));
        made.answer = Answer::done;
        made.took = took;
        made.previous_lost = one.previous_lost;
    }
    log_.write(steps);
    return claimed;
}

Claimed LoggedQueue::claim_ready(const ClaimRequest& request) {
    return log_claim([&] { return queue_.claim_ready(request); });
}

Claimed LoggedQueue::claim_from_line(const LineRequest& request) {
    return log_claim([&] { return queue_.claim_from_line(request); });
}

std::vector<Result<void>> LoggedQueue::settle(std::span<const Settlement> settlements) {
    std::vector<ClaimStep> steps;
    for (const Settlement& one : settlements) {
        ClaimStep& made = steps.emplace_back(step(Op::settle, one.id, one.held));
        made.attempt = one.number;
        made.settlement = &one;
    }
    auto results = answer_of(steps, [&] { return queue_.settle(settlements); });
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].answer = answer_to(results[i]);
    log_.write(steps);
    return results;
}

std::vector<Result<void>> LoggedQueue::release_claims(std::span<const ReleasedClaim> released) {
    std::vector<ClaimStep> steps;
    for (const ReleasedClaim& one : released) {
        steps.emplace_back(step(Op::release, one.id, one.held)).attempt = one.number;
    }
    auto results = answer_of(steps, [&] { return queue_.release_claims(released); });
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].answer = answer_to(results[i]);
    log_.write(steps);
    return results;
}

std::vector<EventId> LoggedQueue::extend(std::span<const Held> held,
                                         std::chrono::microseconds lease) {
    std::vector<ClaimStep> steps;
    for (const Held& one : held) steps.push_back(step(Op::extend, one.id, one.held));
    auto lost = answer_of(steps, [&] { return queue_.extend(held, lease); });
    for (ClaimStep& one : steps) {
        const bool is_lost = std::ranges::find(lost, one.id) != lost.end();
        one.answer = is_lost ? Answer::refused : Answer::done;
    }
    log_.write(steps);
    return lost;
}

void LoggedSends::started(const AttemptStarted& attempt_started) {
    const ClaimStep sends = step_of(Op::send, attempt_started.event);
    log_.write({&sends, 1});
}

}  // namespace sundial
