#include "simulation/scale/scale.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/memory/store.hpp"
#include "application/delivery/admit_events.hpp"
#include "application/delivery/deliver_event.hpp"
#include "application/delivery/judge_receivers.hpp"
#include "application/delivery/worker_loop.hpp"
#include "application/schedules/plan_successors.hpp"
#include "simulation/database_clock.hpp"
#include "support/builders.hpp"
#include "support/deaf_ports.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"

namespace sundial::simulation {
namespace {

using namespace std::chrono_literals;

/// Shared by all instances.
struct Site {
    explicit Site(const ScaleSettings& its_settings)
        : settings(its_settings), cluster(its_settings) {}

    const ScaleSettings settings;
    Timeline time;
    Cluster cluster;
    DatabaseClock clock{noon, time.now()};
    FakeIds ids;
    FakeTimeZones zones;
    memory::MemoryStore store{clock, {}};  // stays empty: the events have neither endpoint nor rule
};

/// One instance: the real worker loop. Its calls and its own work determine how its time passes.
/// Claims and settlements beside it have times of their own.
class Instance final : public EventQueue, public MonotonicClock, public Delivery {
public:
    Instance(Site& site, std::uint64_t number)
        : site_(site),
          own_(1),
          plan_(site.store, site.zones, site.ids),
          deliver_(site.store, site.zones, site.ids, {kinds_, this, handlers_}),
          admit_(site.store, random_),
          judge_(site.store, {}),
          loop_(
              {.instance = InstanceId{uuid_of(number)},
               .shards = shards(),
               .claims_at_once = claims_at_once(),
               .slots = site.settings.slots},
              {*this, plan_, deliver_, admit_, judge_, *this, random_, log_, observer_, permit_}) {
        handlers_.on(EventBuilder().build().type, [](const Event&) { return Handled{}; });
        loop_.use_executors({std::make_unique<BackgroundExecutor>(*this),
                             std::make_unique<BackgroundExecutor>(*this)});
    }

    [[nodiscard]] Time next_turn() const { return next_turn_; }
    void turn() {
        believed_ = std::max(believed_, Cost{site_.time.now()});
        const Mono until = loop_.turn().value();
        next_turn_ = std::max(in_whole(believed_), until - origin);
    }

    // EventQueue: each call costs the database CPU time, and the instance a wait.

    [[nodiscard]] std::uint32_t shards() const override {
        return static_cast<std::uint32_t>(site_.settings.shards);
    }
    [[nodiscard]] std::uint32_t claims_at_once() const override {
        return site_.settings.nodes == 1 ? 8 : 1;  // as PostgreSQL does
    }
    QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& /*no crash*/) override {
        QueuePeek peeked = site_.cluster.peek(believed_);
        peeked.lanes.assign(lanes.begin(), lanes.end());  // the one of its handler
        return peeked;
    }
    std::vector<Claimed> claim_ready(std::span<const ClaimRequest> requests) override {
        auto claims = site_.cluster.claim(requests, background_time_.value());
        claimed_ = 0;
        for (const Claimed& claimed : claims) claimed_ += claimed.events.size();
        return claims;
    }
    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements) override {
        return site_.cluster.settle(settlements, background_time_.value());
    }
    std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) override {
        return std::vector<Result<void, LeaseLost>>(released.size());
    }
    std::vector<EventId> extend(std::span<const Held> /*held*/,
                                std::chrono::microseconds /*lease*/) override {
        return {};
    }
    Claimed claim_from_line(const LineRequest& /*request*/) override { return {}; }
    Backlog backlog(std::span<const Lane> /*lanes*/) override { return {}; }
    std::optional<Instant> first_missed(Instant /*from*/, Instant /*until*/,
                                        std::span<const Lane> /*lanes*/) override {
        return {};
    }
    QueueDepth depth() override { return {}; }

    // MonotonicClock.

    [[nodiscard]] std::chrono::microseconds now() const override {
        return origin +
               in_whole(background_time_.value_or(std::max(believed_, Cost{site_.time.now()})));
    }

    // Delivery.

    void start(DeliveryRequest /*request*/, std::function<void(Outcome)> done) override {
        const Time when = in_whole(believed_ + site_.settings.costs.answer);
        site_.time.at(when, [this, done = std::move(done)] {
            Outcome accepted;
            accepted.verdict = Verdict::accepted;
            done(std::move(accepted));
            wake();
        });
    }

private:
    class BackgroundExecutor final : public TaskExecutor {
    public:
        explicit BackgroundExecutor(Instance& instance) : instance_(instance) {}
        void run(std::function<void()> work, std::function<void()> notify) override {
            instance_.begin_in_background(std::move(work), std::move(notify));
        }

    private:
        Instance& instance_;
    };

    static constexpr Mono origin = 1000s;
    static Time in_whole(Cost at) { return std::chrono::ceil<Time>(at); }
    void wake() {
        next_turn_ = std::min(next_turn_, std::max(site_.time.now(), in_whole(believed_)));
    }
    void begin_in_background(std::function<void()> work, std::function<void()> notify) {
        site_.time.at(in_whole(believed_), [this, work = std::move(work),
                                            notify = std::move(notify)] {
            background_time_ = Cost{site_.time.now()};
            work();
            const Time answered = in_whole(std::exchange(background_time_, std::nullopt).value());
            site_.time.at(answered, [this, notify, events = std::exchange(claimed_, 0)] {
                notify();
                take(events);
            });
        });
    }
    /// The loop itself handles its claims, before all other work.
    void take(std::size_t events) {
        Machine& machine = site_.settings.one_machine ? site_.cluster.first_node() : own_;
        believed_ = std::max(believed_, Cost{site_.time.now()});
        if (events > 0) believed_ = machine.run(believed_, site_.settings.costs.event * events);
        next_turn_ = in_whole(believed_);
    }

    Site& site_;
    Machine own_;
    Cost believed_{0};                     // within a turn, time passes for this instance alone
    std::optional<Cost> background_time_;  // likewise during work beside the loop
    std::size_t claimed_ = 0;              // by that work
    Time next_turn_{0};
    FakeRandom random_;
    NoLog log_;
    EngineObserver observer_;
    SendPermit permit_;
    EndpointKinds kinds_;
    Handlers handlers_;
    PlanSuccessors plan_;
    DeliverEvent deliver_;
    AdmitEvents admit_;
    JudgeReceivers judge_;
    WorkerLoop loop_;
};

void run_until_done(Site& site, std::vector<std::unique_ptr<Instance>>& instances) {
    while (!site.cluster.all_done()) {
        Instance& first = **std::ranges::min_element(
            instances, {}, [](const auto& one) { return one->next_turn(); });
        if (site.time.next_at() <= first.next_turn()) {
            site.time.do_next();
        } else {
            site.time.advance_to(first.next_turn());
            first.turn();
        }
    }
}

Scaled summed_up(const Site& site) {
    std::vector<double> lateness;
    Cost last{0};
    for (const Cluster::Done& one : site.cluster.done()) {
        lateness.push_back((one.started - one.due).count() / 1e3);
        last = std::max(last, one.settled);
    }
    std::ranges::sort(lateness);
    const auto at = [&](double share) {
        return lateness[static_cast<std::size_t>(share * static_cast<double>(lateness.size() - 1))];
    };
    const auto& settings = site.settings;
    const double cores = static_cast<double>(settings.nodes * settings.node_cores);
    const double events = static_cast<double>(settings.events);
    return {.events_per_second = events * 1e6 / last.count(),
            .p50_ms = at(0.5),
            .p99_ms = at(0.99),
            .max_ms = lateness.back(),
            .nodes_busy = site.cluster.busy() / (last * cores),
            .events_per_claim = events / static_cast<double>(site.cluster.claims())};
}

}  // namespace

Scaled simulate_scale(const ScaleSettings& settings) {
    Site site{settings};
    std::vector<std::unique_ptr<Instance>> instances;
    for (std::size_t i = 0; i < settings.instances; ++i) {
        instances.push_back(std::make_unique<Instance>(site, i + 1));
    }
    run_until_done(site, instances);
    return summed_up(site);
}

}  // namespace sundial::simulation
