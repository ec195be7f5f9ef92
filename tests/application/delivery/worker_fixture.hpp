#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "application/delivery/worker.hpp"
#include "support/builders.hpp"

namespace sundial {

/// A worker driven by hand. Its database's clock shows noon at the start and runs like `now`.
class WorkerTest : public testing::Test {
protected:
    static WorkerSettings settings(std::size_t slots = 64) {
        return {.instance = instance_a, .slots = slots, .count_backlog = false};
    }
    void restart(const WorkerSettings& with) { worker = Worker{with}; }

    [[nodiscard]] Instant db() const { return noon + (now - start); }

    /// The next command, which must be a `Expected`.
    template <class Expected>
    Expected want() {
        Command command = worker.next(now);
        if (auto* expected = std::get_if<Expected>(&command)) return std::move(*expected);
        static constexpr std::array names{
            "CountBacklog",     "Peek",          "Claim",   "ClaimLines",    "Plan",
            "RequestAdmission", "Send",          "Abandon", "ReportResults", "DisableEndpoint",
            "Settle",           "ReleaseClaims", "Extend",  "WaitUntil",     "Finished"};
        throw std::logic_error(std::string{"the worker wants "} + names.at(command.index()));
    }
    /// Returns the time until its next wake-up.
    Mono wait() { return want<WaitUntil>().when - now; }

    void peek(std::vector<Instant> next) {
        want<Peek>();
        worker.peeked({db(), std::move(next), {}, {}, reminders_only}, now);
    }
    void claim(const std::vector<Event>& events, bool previous_lost = false) {
        want<Claim>();
        give(events, previous_lost);
    }
    /// Answers a claim with `events`.
    void give(const std::vector<Event>& events, bool previous_lost = false) {
        Claimed claimed{{}, db()};
        for (const Event& event : events) {
            claimed.events.push_back(
                {sundial::claim(event, instance_a, db(), 30s).value(), previous_lost});
        }
        worker.claimed({claimed}, now);
    }
    /// Answers a plan: all events go to `endpoint`.
    void plan_to(const std::shared_ptr<const Endpoint>& endpoint) {
        const Plan plan = want<Plan>();
        std::vector<Decision> decisions;
        for (const Event& event : plan.events) {
            decisions.push_back({event.id, Destination{endpoint, endpoint->retry_policy,
                                                       endpoint->timeout, "target"}});
        }
        worker.planned(std::move(decisions), never, now);
    }
    void plan() { plan_to(webhook); }
    void plan_as(decltype(Decision::what) what) {
        const Plan planned = want<Plan>();
        ASSERT_THAT(planned.events, testing::SizeIs(1));
        worker.planned({{planned.events.front()->id, std::move(what)}}, never, now);
    }
    /// Answers a look, a claim and a plan with `events`, all of one shard.
    void take(const std::vector<Event>& events, bool previous_lost = false) {
        peek({db()});
        claim(events, previous_lost);
        plan();
    }
    void claim_of_the_first_of_two_shards() {
        restart({.instance = instance_a, .shards = 2, .slots = 64, .count_backlog = false});
        peek({db(), db()});
        claim(events(1));
    }
    void plan_while_claiming() {
        want<Claim>();
        plan();
        send();
    }
    Event send() { return want<Send>().event; }
    void deliver(const Event& event, const Outcome& outcome) {
        worker.delivered(event.id, outcome, 0.5, now);
    }
    void accept(const Event& event) { deliver(event, accepted()); }
    std::vector<Settled> settle(std::optional<LeaseLost> lost = std::nullopt) {
        return answer(want<Settle>(), lost);
    }
    std::vector<Settled> answer(const Settle& expected,
                                std::optional<LeaseLost> lost = std::nullopt) {
        std::vector<Result<void, LeaseLost>> results(expected.batch.size());
        if (lost) std::ranges::fill(results, Result<void, LeaseLost>{*lost});
        return worker.settled({results}, 0.5, now);
    }
    void report() {
        want<ReportResults>();
        worker.results_reported({});
    }
    template <class Failed>
    void fail(bool transient = true, double random = 0.0) {
        worker.failed(want<Failed>(), transient, random, now);
    }

    /// The maximum number of events that the claim requests.
    static std::uint32_t asked(const Claim& claim) {
        std::uint32_t all = 0;
        for (const ClaimRequest& one : claim.requests) {
            all += one.shares[0] + one.shares[1] + one.shares[2] + one.shares[3];
        }
        return all;
    }
    static Outcome accepted() {
        Outcome outcome;
        outcome.verdict = Verdict::accepted;
        outcome.status_code = 204;
        return outcome;
    }
    static Outcome status(int code) {
        Outcome outcome;
        outcome.verdict = Verdict::permanent;
        outcome.error = DeliveryErrorCode::http_status;
        outcome.status_code = code;
        return outcome;
    }
    static std::vector<Event> events(std::size_t count, Priority priority = Priority::normal) {
        std::vector<Event> made;
        for (std::size_t i = 0; i < count; ++i) made.push_back(an_event().with_priority(priority));
        return made;
    }

    const Mono start = 1000s;
    Mono now = start;
    Worker worker{settings()};
    std::shared_ptr<const Endpoint> webhook = std::make_shared<const Endpoint>(an_endpoint());
};

}  // namespace sundial
