#include "simulation/simulation.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "simulation/people.hpp"
#include "simulation/process.hpp"

namespace sundial::simulation {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::size_t, 4> slot_counts{64, 64, 8, 2};
constexpr Time year = std::chrono::seconds{std::chrono::years{1}};
/// The minimum between two steps of the database's clock. It exceeds a lease, so that no lease
/// meets two steps, which together could exceed the lease's safety margin.
constexpr Time between_clock_steps = 2min;
constexpr Time largest_clock_step = 4s;
/// After the last fault: covers the longest freeze, a lease, and all events that are due by then.
constexpr Time quiet = 10min;

class Simulation {
public:
    explicit Simulation(const Settings& settings)
        : world_(settings), people_(world_, [this] { return any_process(); }) {
        running_.resize(1 + world_.dice.below(4));
        slots_ = world_.dice.pick(slot_counts);
        world_.history.roomy = slots_ > 8;
    }

    Run run() {
        for (std::size_t place = 0; place < running_.size(); ++place) start(place);
        people_.settle_in();
        act_later();
        kill_later();
        step_clock_later();
        run_until(Time{
            static_cast<std::int64_t>(world_.settings.years * static_cast<double>(year.count()))});
        come_to_rest();
        collect();
        Run done{std::move(world_.history), std::move(world_.counts), {}, 0};
        done.verdict = check(done.history);
        done.hash = hash_of(done.history);
        return done;
    }

private:
    // Time.

    void run_until(Time end) {
        end_ = end;
        for (;;) {
            restart_dead_processes();
            jump();
            const auto turn = std::ranges::min_element(running_, {}, &Process::next_turn);
            const Time next = std::min(world_.time.next_at(), (*turn)->next_turn());
            if (next >= end) return world_.time.advance_to(end);
            if (world_.time.next_at() <= next) {
                world_.time.do_next();
            } else {
                world_.time.advance_to(next);
                (*turn)->turn();
            }
        }
    }

    /// Skips ticks while all processes only look, and looking cannot have a result.
    void jump() {
        const auto rests = [](const Process* one) { return !one->alive() || one->idle(); };
        if (!std::ranges::all_of(running_, rests)) return;
        Time until = std::min(world_.time.next_at(), end_);
        const QueuePeek peeked = world_.store.queue().peek(std::vector{endpoint_lane});
        Instant due = *std::ranges::min_element(peeked.next);
        // An event in line is claimed when its limit or its circuit lets it, not at the next due.
        for (const LineHead& head : peeked.lines) due = std::min(due, head.next);
        if (due != never) until = std::min(until, world_.clock.true_time_of(due));
        if (until - world_.time.now() < 3s) return;
        if (until - world_.time.now() < 40s && any_claim_held()) return;
        for (Process* one : running_) one->skip_ticks_until(until);
    }

    [[nodiscard]] bool any_claim_held() {
        const QueueDepth depth = world_.store.queue().depth();
        return depth.stored[static_cast<std::size_t>(EventStatus::processing)] >
               depth.waiting_for_retry + depth.waiting_for_endpoint + depth.waiting_for_circuit +
                   depth.waiting_for_limit;
    }

    [[nodiscard]] Time some_time(double each_year) {
        return Time{static_cast<std::int64_t>(2 * world_.dice.unit() *
                                              static_cast<double>(year.count()) / each_year)};
    }

    // Processes.

    void start(std::size_t place) {
        const auto number = static_cast<std::uint32_t>(processes_.size() + 1);
        processes_.push_back(std::make_unique<Process>(world_, number, slots_));
        Process* process = processes_.back().get();
        running_[place] = process;
        process->begin();
    }

    void restart_dead_processes() {
        restarting_.resize(running_.size(), false);
        for (std::size_t place = 0; place < running_.size(); ++place) {
            if (running_[place]->alive() || restarting_[place]) continue;
            restarting_[place] = true;
            const Time wait = world_.dice.chance(0.05) ? world_.dice.between(1h, 72h)
                                                       : world_.dice.between(100ms, 60s);
            if (no_process_runs()) none_since_ = world_.time.now();
            world_.time.after(wait, [this, place] { restart(place); });
        }
    }

    void restart(std::size_t place) {
        if (!restarting_[place]) return;
        restarting_[place] = false;
        if (no_process_runs()) {
            world_.record_fault("nobody is there", 0, none_since_, world_.time.now());
        }
        start(place);
    }

    [[nodiscard]] bool no_process_runs() const {
        return std::ranges::none_of(running_, [](const Process* one) { return one->alive(); });
    }

    [[nodiscard]] Process* any_process() {
        std::vector<Process*> answering;
        for (Process* one : running_) {
            if (one->answers()) answering.push_back(one);
        }
        return answering.empty() ? nullptr : world_.dice.pick(answering);
    }

    // Spontaneous actions.

    void act_later() {
        world_.time.after(world_.dice.between(1min, 16h), [this] {
            if (!world_.faults_happen) return;
            people_.act();
            operations_later();
            act_later();
        });
    }

    void operations_later() {
        world_.time.after(world_.dice.between(1s, 1min), [this] {
            if (Process* one = any_process()) one->work_on_operations();
        });
    }

    void kill_later() {
        if (world_.rates.kills == 0) return;
        world_.time.after(some_time(world_.rates.kills), [this] {
            if (!world_.faults_happen) return;
            Process* one = world_.dice.pick(running_);
            if (one->alive() && world_.dice.chance(0.4)) {
                ++world_.counts.faults["stop"];
                one->stop();
            } else if (one->alive()) {
                world_.record_fault("kill", one->number(), world_.time.now(), world_.time.now());
                one->kill();
            }
            kill_later();
        });
    }

    void step_clock_later() {
        if (world_.rates.clock_steps == 0) return;
        const Time wait = std::max(some_time(world_.rates.clock_steps), between_clock_steps);
        world_.time.after(wait, [this] {
            if (!world_.faults_happen) return;
            world_.clock.put_ahead(world_.dice.between(1ms, largest_clock_step));
            world_.record_fault("clock step", 0, world_.time.now(), world_.time.now());
            step_clock_later();
        });
    }

    // The end.

    void come_to_rest() {
        world_.faults_happen = false;
        for (std::size_t place = 0; place < running_.size(); ++place) {
            if (running_[place]->alive()) continue;
            restarting_[place] = true;
            restart(place);
        }
        run_until(world_.time.now() + quiet);
        people_.make_up();
        // An instance that starts releases events that a crash has left parked.
        for (Process* one : running_) one->begin();
        for (int i = 0; i < 4; ++i) {
            for (Process* one : running_) one->work_on_operations();
            run_until(world_.time.now() + quiet);
        }
    }

    void collect() {
        History& history = world_.history;
        history.ended_at = world_.clock.now();
        world_.store.read([&](Transaction& tx) {
            EventQuery query;
            query.sort = EventQuery::Sort::created_at;
            query.page.limit = 500;
            for (bool more = true; more;) {
                const Page<Event> page = tx.events().list(query);
                for (const Event& event : page.items) {
                    history.events.push_back(
                        {event, tx.events().attempts_of(event.id), may_go(tx, event)});
                }
                more = page.has_more;
                if (more) {
                    const Event& last = page.items.back();
                    query.page.after = PageKey{{}, last.id.value};
                }
            }
        });
        history.chains = people_.chains();
        world_.counts.events = history.events.size();
    }

    [[nodiscard]] static bool may_go(Transaction& tx, const Event& event) {
        std::optional<EndpointId> destination = event.endpoint;
        if (event.occurrence) {
            const auto schedule = tx.schedules().find(event.occurrence->schedule);
            if (!schedule || !schedule->enabled) return false;
            if (!destination) destination = schedule->endpoint;
        }
        if (!destination) return false;
        const auto endpoint = tx.endpoints().find(*destination);
        return endpoint && endpoint->enabled;
    }

    World world_;
    People people_;
    std::vector<std::unique_ptr<Process>> processes_;  // including dead ones
    std::vector<Process*> running_;                    // by slot
    std::vector<bool> restarting_;
    std::size_t slots_ = 0;
    Time end_{0};
    Time none_since_{0};
};

}  // namespace

Run simulate(const Settings& settings) {
    // On the heap: the processes keep pointers to it.
    const auto simulation = std::make_unique<Simulation>(settings);
    return simulation->run();
}

std::string explain(const Run& run) {
    constexpr std::size_t max_breaches = 5, max_lines = 60;
    std::string text;
    for (std::size_t i = 0; i < run.verdict.breaches.size() && i < max_breaches; ++i) {
        const Breach& breach = run.verdict.breaches[i];
        text += breach.invariant + " " + breach.text + "\n";
        if (breach.event) text += trace(run.history, breach.event, max_lines);
    }
    if (run.verdict.breaches.size() > max_breaches) {
        text += std::to_string(run.verdict.breaches.size() - max_breaches) + " more\n";
    }
    return text;
}

}  // namespace sundial::simulation
