#pragma once

#include <string>
#include <vector>

#include "application/pull/pull_events.hpp"
#include "application/pull/settle_pulled.hpp"
#include "support/engine.hpp"

namespace sundial {

/// Pull workers of one PULL endpoint, on the engine's store.
class PullWorkers : public Engine {
protected:
    [[nodiscard]] WorkOrder order(std::string worker = "w-1", std::size_t limit = 10) const {
        return {.endpoint = to_string(endpoint.id),
                .worker = std::move(worker),
                .limit = limit,
                .lease = 30s};
    }
    std::vector<Event> pulled(const std::string& worker = "w-1", std::size_t limit = 10) {
        return pull.run(order(worker, limit)).value().events;
    }
    Event pulled_one(const std::string& worker = "w-1") {
        const auto events = pulled(worker);
        EXPECT_EQ(events.size(), 1U);
        return events.at(0);
    }
    Event a_due_event() { return Engine::a_due_event(endpoint); }

    Result<Event> completed_by(const Event& claimed) {
        return settle_pulled.complete(to_string(claimed.id), claimed.version);
    }
    Result<Event> failed_by(const Event& claimed, const WorkFailure& failure = {}) {
        return settle_pulled.fail(to_string(claimed.id), claimed.version, failure);
    }
    Result<Event> released_by(const Event& claimed) {
        return settle_pulled.release(to_string(claimed.id), claimed.version);
    }
    Result<Event> extended_by(const Event& claimed, std::chrono::microseconds for_so_long = 30s) {
        return settle_pulled.extend(to_string(claimed.id), claimed.version, for_so_long);
    }
    std::vector<AttemptRecord> attempts_of(const Event& event) {
        return in_read(store, [&](Transaction& tx) { return tx.events().attempts_of(event.id); });
    }
    PullPorts ports_over(PullQueue& of_workers) {
        return {.store = store,
                .pull_queue = of_workers,
                .queue = faulty,
                .plan = plan,
                .deliver = deliver,
                .monotonic = monotonic,
                .random = random,
                .log = log,
                .observer = observer,
                .wakeups = wakeups};
    }
    void change_endpoint(const std::function<void(Endpoint&)>& change) {
        write([&](Transaction& tx) {
            Endpoint changed = tx.endpoints().lock(endpoint.id).value();
            change(changed);
            changed.version = base::next(changed.version);
            ASSERT_TRUE(tx.endpoints().update(changed));
        });
    }

    const Endpoint endpoint = an_existing_endpoint(
        an_endpoint().pull().named("workers").with_external_id("workers").with_retry_policy(
            {.kind = RetryPolicy::Kind::custom, .custom = {4s, 8s}}));
    PullQueue& pull_queue = store.pull_queue();
    PullEvents pull{instance_b, ports_over(pull_queue)};
    SettlePulled settle_pulled{{.store = store,
                                .queue = faulty,
                                .random = random,
                                .log = log,
                                .observer = observer,
                                .wakeups = wakeups}};
};

}  // namespace sundial
