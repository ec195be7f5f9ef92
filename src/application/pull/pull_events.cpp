#include "application/pull/pull_events.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "application/delivery/division.hpp"
#include "application/delivery/judge_outcome.hpp"
#include "application/observation/engine_log.hpp"
#include "application/ports/failures.hpp"
#include "application/requests/queries.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
/// Consecutive claims without usable events before a worker gets an empty answer.
constexpr int max_rounds = 8;
constexpr std::size_t longest_worker_name = 100;
/// Events that end at another instance are noticed by then.
constexpr std::chrono::microseconds until_an_event_ends = 1s;
constexpr std::chrono::microseconds planning_failed_wait = 1min;

constexpr const char* not_taken =
    "WORKER_GONE its worker disconnected before it received the event";
const Deferral planning_failed{planning_failed_wait,
                               "PLANNING_FAILED its successor cannot be planned"};

/// The shards with due events, and the priorities of these events.
std::map<std::uint32_t, MayHaveMore> due_by_shard(const PullPeek& peeked) {
    std::map<std::uint32_t, MayHaveMore> due;
    for (const PullHead& head : peeked.heads) {
        if (head.next <= peeked.now)
            due[head.shard][static_cast<std::size_t>(head.priority)] = true;
    }
    return due;
}

bool anything_due(const PullPeek& peeked) {
    return std::ranges::any_of(peeked.heads,
                               [&](const PullHead& head) { return head.next <= peeked.now; });
}

void sort_by_urgency(std::vector<Event>& events) {
    std::ranges::sort(events, {}, [](const Event& event) {
        return std::tuple{event.priority, target_of(event), event.id};
    });
}

Claimant claimant_of(const Event& claimed) {
    return std::get<Processing>(claimed.state).claimed_by.value();
}

ReleasedClaim release_of(const Event& claimed, const Deferral& why) {
    return {.id = claimed.id,
            .held = claimed.version,
            .number = claimed.attempt,
            .by = claimant_of(claimed),
            .delay = why.delay,
            .reason = why.reason};
}

}  // namespace

std::optional<FieldError> refuse_work_lease(std::chrono::microseconds lease) {
    if (shortest_work_lease <= lease && lease <= longest_work_lease) return std::nullopt;
    return FieldError{"/lease", "out_of_range", "must be PT1S to PT12H"};
}

PullResult<Endpoint> PullEvents::admit(const WorkOrder& order) {
    std::vector<FieldError> defects;
    if (auto defect = refuse_text("/worker", order.worker, longest_worker_name)) {
        defects.push_back(*std::move(defect));
    }
    if (order.limit < 1 || order.limit > max_work) {
        defects.push_back({"/limit", "out_of_range", "must be 1 to 100"});
    }
    if (auto defect = refuse_work_lease(order.lease)) defects.push_back(*std::move(defect));
    if (!defects.empty()) return ValidationFailed{std::move(defects)};

    return in_read(ports_.store, [&](Transaction& tx) -> PullResult<Endpoint> {
        const auto id = endpoint_id(tx, order.endpoint);
        if (!id) return id.error();
        auto endpoint = tx.endpoints().find(*id);
        if (!endpoint) return NotFound{Noun::endpoint, order.endpoint};
        if (!is_pulled(*endpoint)) {
            return invalid("", "not_allowed",
                           "endpoint '" + endpoint->name + "' is of type " + endpoint->type.value +
                               "; only a PULL endpoint's events are claimed by workers");
        }
        if (!endpoint->enabled) {
            return EndpointDisabled{*id, endpoint->disabled_reason.value_or("disabled")};
        }
        return *std::move(endpoint);
    });
}

PullResult<Work> PullEvents::run(const WorkOrder& order) {
    const auto endpoint = admit(order);
    if (!endpoint) return endpoint.error();
    Work work{endpoint->id, {}};
    for (int round = 0; round < max_rounds && work.events.size() < order.limit; ++round) {
        std::vector<ClaimedEvent> claimed;
        try {
            claim_and_log(*endpoint, order, claimed, work);
            if (claimed.empty()) break;
            std::ranges::move(sort_out(claimed), std::back_inserter(work.events));
        } catch (const std::exception&) {
            release_claimed(claimed);
            if (work.events.empty()) throw;
            break;  // the worker gets the events claimed so far
        }
    }
    sort_by_urgency(work.events);
    return work;
}

void PullEvents::claim_and_log(const Endpoint& endpoint, const WorkOrder& order,
                               std::vector<ClaimedEvent>& all, Work& work) {
    const Claimant by{instance_, order.worker};
    if (ports_.log.wants(base::LogLevel::debug)) ports_.log.write(claim_started_line(by));
    const Mono began = ports_.monotonic.now();
    const auto took = [&] { return ports_.monotonic.now() - began; };
    const std::size_t limit = order.limit - work.events.size();
    try {
        if (endpoint.rate_limit || endpoint.max_in_flight) {
            claim_within_limits(order, limit, all, work);
        } else {
            claim(endpoint.id, order, limit, all);
        }
    } catch (const std::exception& error) {
        ports_.log.write(claim_failed_line(base::LogLevel::warn, error.what(), took(), by));
        throw;
    }
    if (!all.empty()) report_claim(all, took(), by, ports_.log, ports_.observer);
}

void PullEvents::claim(EndpointId endpoint, const WorkOrder& order, std::size_t limit,
                       std::vector<ClaimedEvent>& all) {
    const auto due = due_by_shard(ports_.pull_queue.peek({&endpoint, 1}));
    std::vector<std::pair<std::uint32_t, MayHaveMore>> shards{due.begin(), due.end()};
    if (shards.empty()) return;
    // Workers begin at different shards.
    const auto first =
        static_cast<std::ptrdiff_t>(ports_.random.unit() * static_cast<double>(shards.size()));
    std::ranges::rotate(shards, shards.begin() + first);

    for (auto& [shard, may_have_more] : shards) {
        while (any(may_have_more) && all.size() < limit) {
            const auto left = static_cast<std::uint32_t>(limit - all.size());
            const Division shares = divided(left, may_have_more, ports_.random);
            auto claimed = ports_.pull_queue.claim({.endpoint = endpoint,
                                                    .by = {instance_, order.worker},
                                                    .shard = shard,
                                                    .shares = shares,
                                                    .lease = order.lease});
            Division found{};
            for (ClaimedEvent& one : claimed.events) {
                ++found[static_cast<std::size_t>(one.event.priority)];
                all.push_back(std::move(one));
            }
            // The part that one priority did not use goes to priorities that may have more.
            for (std::size_t p = 0; p < found.size(); ++p) {
                may_have_more[p] = may_have_more[p] && found[p] >= shares[p];
            }
        }
    }
}

void PullEvents::claim_within_limits(const WorkOrder& order, std::size_t limit,
                                     std::vector<ClaimedEvent>& all, Work& work) {
    ports_.store.transact([&](Transaction& tx) {
        all.clear();
        work.wait = {};
        work.token_at.reset();
        const auto endpoint = tx.endpoints().find(work.endpoint);
        if (!endpoint) return false;
        const Instant now = tx.now();
        const Limits limits = tx.limits().lock(endpoint->id);
        LimitDemand demand{
            .by = instance_, .waiting = static_cast<std::uint32_t>(limit), .since = order.token_at};
        if (endpoint->max_in_flight) {
            const auto held =
                std::min(ports_.pull_queue.held(endpoint->id), *endpoint->max_in_flight);
            demand.waiting = std::min(demand.waiting, *endpoint->max_in_flight - held);
            if (demand.waiting == 0) work.wait = until_an_event_ends;
        }
        // Every event in flight is counted in the queue, so instances hold no slots of them.
        const LimitRules rules{.rate = endpoint->rate_limit};
        const LimitGrant max = share_out(limits, rules, demand, now).grant;
        if (max.admitted == 0) {
            if (max.next_token) work.wait = *max.next_token - now;
            if (max.next_token && anything_due(ports_.pull_queue.peek({&endpoint->id, 1}))) {
                work.token_at = max.next_token;
            }
            return false;
        }
        claim(endpoint->id, order, max.admitted, all);
        demand.waiting = std::min(demand.waiting, static_cast<std::uint32_t>(all.size()));
        tx.limits().put(share_out(limits, rules, demand, now).limits);
        return true;
    });
}

/// Otherwise no worker would know of these events until the lease ends.
void PullEvents::release_claimed(std::span<const ClaimedEvent> claimed) {
    std::vector<ReleasedClaim> returned;
    for (const ClaimedEvent& one : claimed) {
        returned.push_back(release_of(
            one.event, {0us, "CLAIM_FAILED the claim failed before its worker got a response"}));
    }
    try_to_release(returned, "a claim that failed");
}

void PullEvents::try_to_release(std::span<const ReleasedClaim> released, std::string_view of) {
    try {
        release_claims(released, {});
    } catch (const std::exception& error) {
        ports_.log.write({.level = base::LogLevel::warn,
                          .event_name = {},
                          .message = std::to_string(released.size()) +
                                     " events stay claimed until their lease expires, after " +
                                     std::string{of} + ": " + error.what(),
                          .correlation_id = {},
                          .fields = {}});
    }
}

std::vector<Event> PullEvents::sort_out(std::span<const ClaimedEvent> claimed) {
    std::vector<SharedEvent> events;
    for (const ClaimedEvent& one : claimed) events.emplace_back(one.event);
    std::vector<EventId> left;
    const Planning planning = plan(events, left);
    report_plan(planning, events, ports_.log, ports_.observer);
    if (planning.earliest != never) ports_.wakeups.due_at(planning.earliest);
    const auto decisions = ports_.deliver.decide(events, planning);

    std::vector<Event> work;
    std::vector<SharedEvent> parked;
    std::vector<Settled> over;
    std::vector<ReleasedClaim> returned;
    const auto defer = [&](const SharedEvent& event, const Deferral& why) {
        returned.push_back(release_of(event, why));
        if (!why.delay) parked.push_back(event);
    };
    const auto finish = [&](const SharedEvent& event, Settlement settlement) {
        over.push_back({event, std::move(settlement), false});
    };
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Event& event = events[i];
        const Claimant by = claimant_of(event);
        if (std::ranges::find(left, event.id) != left.end()) {
            defer(events[i], planning_failed);
        } else if (const auto* why = std::get_if<Deferral>(&decisions[i].what)) {
            defer(events[i], *why);
        } else if (const auto* accepted = std::get_if<AcceptedBefore>(&decisions[i].what)) {
            finish(events[i], accepted_before(event, accepted->attempt, by));
        } else if (const auto* destination = std::get_if<Destination>(&decisions[i].what)) {
            if (claimed[i].previous_lost && attempts_used_up(event, destination->retry_policy)) {
                finish(events[i], lost_for_good(event, by));
            } else if (event.payload.empty()) {
                finish(events[i], settlement_of(event, *destination, without_payload(), by,
                                                event.updated_at, ports_.random.unit()));
            } else {
                const Instant first = event.first_attempt_at.value_or(event.updated_at);
                ports_.observer.started({event, destination->endpoint.get(), event.updated_at,
                                         !event.first_attempt_at, first - target_of(event)});
                work.push_back(event);
            }
        }
    }
    settle(std::move(over));
    release_claims(returned, parked);
    return work;
}

Planning PullEvents::plan(std::span<const SharedEvent> claimed, std::vector<EventId>& left) {
    // An event that cannot be planned would cost all events claimed with it an attempt, repeatedly.
    // So it is isolated, as the worker loop does.
    try {
        return ports_.plan.run(claimed);
    } catch (const Unavailable&) {
        throw;
    } catch (const std::exception& error) {
        ports_.log.write({.level = base::LogLevel::error,
                          .event_name = {},
                          .message = std::string{"successors cannot be planned: "} + error.what(),
                          .correlation_id = "evt-" + to_string(claimed.front()->id),
                          .fields = {}});
    }
    if (claimed.size() == 1) {
        left.push_back(claimed.front()->id);
        return {};
    }
    const std::size_t half = claimed.size() / 2;
    Planning planning = plan(claimed.first(half), left);
    add_planning(planning, plan(claimed.subspan(half), left));
    return planning;
}

void PullEvents::settle(std::vector<Settled> settled) {
    if (settled.empty()) return;
    std::vector<Settlement> batch;
    batch.reserve(settled.size());
    for (const Settled& one : settled) batch.push_back(one.settlement);
    const auto answers = ports_.queue.settle(batch);
    for (std::size_t i = 0; i < settled.size(); ++i) {
        Settled& one = settled[i];
        one.late = !answers[i].has_value();
        report_settled({&one, 1}, one.event->updated_at, ports_.log, ports_.observer);
    }
}

void PullEvents::release_claims(std::span<const ReleasedClaim> released,
                                std::span<const SharedEvent> parked) {
    if (released.empty()) return;
    // Results do not matter: a claim whose lease is lost has nothing to release.
    static_cast<void>(ports_.queue.release_claims(released));
    ports_.deliver.release_if_possible(parked);
}

void PullEvents::take_back(std::span<const Event> events) {
    if (events.empty()) return;
    std::vector<ReleasedClaim> returned;
    for (const Event& event : events) returned.push_back(release_of(event, {0us, not_taken}));
    try_to_release(returned, "a response that was not delivered");
    ports_.wakeups.due_at(events.front().updated_at);
}

}  // namespace sundial
