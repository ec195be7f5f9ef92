#include "application/observation/observed_storage.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "application/observation/engine_log.hpp"
#include "application/observation/observed_transaction.hpp"
#include "application/transactions/after_commit.hpp"

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

Answer answer_to(const Result<void, LeaseLost>& result) {
    return result.has_value() ? Answer::done : Answer::refused;
}

std::size_t refused_of(const std::vector<Result<void, LeaseLost>>& results) {
    const auto refused = std::ranges::count_if(
        results, [](const Result<void, LeaseLost>& result) { return !result.has_value(); });
    return static_cast<std::size_t>(refused);
}

}  // namespace

template <class Call>
auto ObservedStorage::timed(std::string_view operation, Call call) {
    struct Timer {
        std::string_view operation;
        const Ports& ports;
        std::chrono::microseconds began = ports.monotonic.now();
        ~Timer() { ports.observer.queried(operation, ports.monotonic.now() - began); }
    };
    const Timer timer{operation, ports_};
    return call();
}

template <class Call>
auto ObservedStorage::timed(std::string_view operation, std::vector<ClaimStep>& steps, Call call) {
    const auto began = ports_.monotonic.now();
    const auto note_time = [&] {
        for (ClaimStep& one : steps) one.took = ports_.monotonic.now() - began;
    };
    try {
        auto answer = timed(operation, call);
        note_time();
        return answer;
    } catch (const PartlyUnavailable& partly) {
        // The holder acts on the answers that are known, and may never ask for them again.
        note_time();
        for (std::size_t i = 0; i < steps.size(); ++i) {
            steps[i].answer =
                partly.known.has(i) ? answer_to(partly.known.results[i]) : Answer::unknown;
        }
        ports_.claims->write(steps);
        throw;
    } catch (...) {
        note_time();
        for (ClaimStep& one : steps) one.answer = Answer::unknown;
        ports_.claims->write(steps);
        throw;
    }
}

void ObservedStorage::transact(const std::function<bool(Transaction&)>& work) {
    TransactionChanges changes;
    bool kept = false;
    timed("transact", [&] {
        ports_.store.transact([&](Transaction& tx) {
            changes = {};  // the work may run again
            return kept = run_observed(tx, work, changes);
        });
    });
    if (kept) after_commit([this, changes = std::move(changes)] { report(changes); });
}

void ObservedStorage::read(const std::function<void(Transaction&)>& work) {
    timed("read", [&] { ports_.store.read(work); });
}

std::optional<Appended> ObservedStorage::append_at_once(ExpectedVersion expected,
                                                        std::span<const RecordedEvent> batch) {
    const auto began = ports_.monotonic.now();
    const auto appended = ports_.store.append_at_once(expected, batch);
    if (!appended) return std::nullopt;  // the transaction that follows is counted instead
    ports_.observer.queried("append", ports_.monotonic.now() - began);
    TransactionChanges changes;
    changes.appended[batch.front().stream.aggregate_type] = batch.size();
    after_commit([this, changes = std::move(changes)] { report(changes); });
    return appended;
}

void ObservedStorage::report(const TransactionChanges& changes) {
    if (!changes.appended.empty() && appended_) appended_();
    for (const auto& [type, count] : changes.appended) ports_.observer.appended(type, count);
    for (const auto& [reason, count] : changes.skipped) ports_.observer.skipped(reason, count);
    for (const auto& [type, count] : changes.created) {
        ports_.observer.transition(type, EventStatus::pending, count);
    }
    for (const auto& [type, count] : changes.dropped) {
        ports_.observer.transition(type, EventStatus::cancelled, count);
    }
    for (const EventMoved& moved : changes.moved) ports_.log.write(rescheduled_line(moved));
    for (const Event& event : changes.cancelled) {
        ports_.observer.transition(event.type, EventStatus::cancelled, 1);
        ports_.log.write(cancelled_line(event, std::get<Cancelled>(event.state).reason));
    }
}

QueuePeek ObservedStorage::peek(std::span<const Lane> lanes, const DeadInstances& dead) {
    return timed("look", [&] { return ports_.queue.peek(lanes, dead); });
}

std::optional<Renewal> ObservedStorage::renew(InstanceId own) {
    const auto call = [&] { return ports_.queue.renew(own); };
    if (ports_.claims == nullptr) return timed("heartbeat", call);
    std::vector<ClaimStep> steps{{.op = Op::heartbeat, .answer = Answer::done}};
    auto renewal = timed("heartbeat", steps, call);
    if (renewal) ports_.claims->write(steps);
    return renewal;
}

void ObservedStorage::retire(InstanceId own) { ports_.queue.retire(own); }

template <class Call>
std::vector<Claimed> ObservedStorage::logged_claims(std::string_view operation, Call claim) {
    if (ports_.claims == nullptr) return timed(operation, claim);
    std::vector<ClaimStep> steps{{.op = Op::claim, .answer = Answer::begun}};
    std::vector<Claimed> claims = timed(operation, steps, claim);
    const auto took = steps.front().took;
    steps.clear();
    for (const Claimed& claimed : claims) {
        for (const ClaimedEvent& one : claimed.events) {
            ClaimStep& made = steps.emplace_back(step_of(Op::claim, one.event));
            made.answer = Answer::done;
            made.took = took;
            made.previous_lost = one.previous_lost;
        }
    }
    ports_.claims->write(steps);
    return claims;
}

std::vector<Claimed> ObservedStorage::claim_ready(std::span<const ClaimRequest> requests) {
    return logged_claims("claim_ready", [&] { return ports_.queue.claim_ready(requests); });
}

Claimed ObservedStorage::claim_from_line(const LineRequest& request) {
    const auto call = [&] { return std::vector{ports_.queue.claim_from_line(request)}; };
    return std::move(logged_claims("claim_from_line", call).front());
}

void ObservedStorage::report_conflicts(std::string_view operation, std::size_t count) {
    if (count > 0) ports_.observer.conflicted(operation, count);
}

std::vector<Result<void, LeaseLost>> ObservedStorage::settle(
    std::span<const Settlement> settlements) {
    return settle_by(&EventQueue::settle, settlements);
}

std::vector<Result<void, LeaseLost>> ObservedStorage::settle_soon(
    std::span<const Settlement> settlements) {
    return settle_by(&EventQueue::settle_soon, settlements);
}

std::vector<Result<void, LeaseLost>> ObservedStorage::settle_by(
    SettleCall method, std::span<const Settlement> settlements) {
    auto results = settle_and_log(method, settlements);
    report_conflicts("settle", refused_of(results));
    return results;
}

std::vector<Result<void, LeaseLost>> ObservedStorage::settle_and_log(
    SettleCall method, std::span<const Settlement> settlements) {
    const auto call = [&] { return (ports_.queue.*method)(settlements); };
    if (ports_.claims == nullptr) return timed("settle", call);
    std::vector<ClaimStep> steps;
    for (const Settlement& one : settlements) {
        ClaimStep& made = steps.emplace_back(step(Op::settle, one.id, one.held));
        made.attempt = one.number;
        made.settlement = &one;
    }
    auto results = timed("settle", steps, call);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].answer = answer_to(results[i]);
    ports_.claims->write(steps);
    return results;
}

std::vector<Result<void, LeaseLost>> ObservedStorage::release_claims(
    std::span<const ReleasedClaim> released) {
    auto results = release_and_log(released);
    report_conflicts("release", refused_of(results));
    return results;
}

std::vector<Result<void, LeaseLost>> ObservedStorage::release_and_log(
    std::span<const ReleasedClaim> released) {
    const auto call = [&] { return ports_.queue.release_claims(released); };
    if (ports_.claims == nullptr) return timed("give_back", call);
    std::vector<ClaimStep> steps;
    for (const ReleasedClaim& one : released) {
        steps.emplace_back(step(Op::release, one.id, one.held)).attempt = one.number;
    }
    auto results = timed("give_back", steps, call);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].answer = answer_to(results[i]);
    ports_.claims->write(steps);
    return results;
}

std::vector<EventId> ObservedStorage::extend(std::span<const Held> held,
                                             std::chrono::microseconds lease) {
    auto lost = extend_and_log(held, lease);
    report_conflicts("extend", lost.size());
    return lost;
}

std::vector<EventId> ObservedStorage::extend_and_log(std::span<const Held> held,
                                                     std::chrono::microseconds lease) {
    const auto call = [&] { return ports_.queue.extend(held, lease); };
    if (ports_.claims == nullptr) return timed("extend", call);
    std::vector<ClaimStep> steps;
    for (const Held& one : held) steps.push_back(step(Op::extend, one.id, one.held));
    auto lost = timed("extend", steps, call);
    for (ClaimStep& one : steps) {
        const bool is_lost = std::ranges::find(lost, one.id) != lost.end();
        one.answer = is_lost ? Answer::refused : Answer::done;
    }
    ports_.claims->write(steps);
    return lost;
}

Backlog ObservedStorage::backlog(std::span<const Lane> lanes) {
    return timed("backlog", [&] { return ports_.queue.backlog(lanes); });
}

std::optional<Instant> ObservedStorage::first_missed(Instant from, Instant until,
                                                     std::span<const Lane> lanes) {
    return timed("first_missed", [&] { return ports_.queue.first_missed(from, until, lanes); });
}

QueueDepth ObservedStorage::depth() {
    return timed("depth", [&] { return ports_.queue.depth(); });
}

PullPeek ObservedStorage::peek(std::span<const EndpointId> endpoints) {
    return timed("look_to_pull", [&] { return ports_.pull_queue.peek(endpoints); });
}

Claimed ObservedStorage::claim(const PullRequest& request) {
    return timed("claim_to_pull", [&] { return ports_.pull_queue.claim(request); });
}

std::uint32_t ObservedStorage::held(EndpointId endpoint) {
    return timed("held_by_workers", [&] { return ports_.pull_queue.held(endpoint); });
}

void LoggedStore::transact(const std::function<bool(Transaction&)>& work) {
    TransactionChanges changes;
    bool kept = false;
    const auto began = monotonic_.now();
    const auto write = [&](Answer answer) {
        if (!kept) return;
        std::vector<ClaimStep> steps;
        for (const auto& [id, version] : changes.updated) {
            ClaimStep& made = steps.emplace_back(step(Op::update, id, version));
            made.answer = answer;
            made.took = monotonic_.now() - began;
        }
        if (!steps.empty()) log_.write(steps);
    };
    try {
        store_.transact([&](Transaction& tx) {
            changes = {};  // the work may run again
            kept = false;
            return kept = run_observed(tx, work, changes);
        });
    } catch (...) {
        write(Answer::unknown);
        throw;
    }
    write(Answer::done);
}

void LoggedSends::started(const AttemptStarted& attempt_started) {
    const ClaimStep sends = step_of(Op::send, attempt_started.event);
    log_.write({&sends, 1});
}

}  // namespace sundial
