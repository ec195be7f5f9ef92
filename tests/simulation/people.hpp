#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/process.hpp"
#include "simulation/world.hpp"

namespace sundial::simulation {

/// Clients. They create, cancel, edit and retry events, users, schedules and endpoints at random,
/// and repeat requests whose outcome they did not learn.
class People {
public:
    /// `any_process`: returns a process that answers, or null.
    People(World& world, std::function<Process*()> any_process)
        : world_(world), any_process_(std::move(any_process)) {}

    /// Creates the initial endpoints, users and schedules.
    void settle_in();
    /// Does one action, or a burst of them.
    void act();
    /// Undoes what they have disabled or broken.
    void make_up();
    /// Their rules that should still continue.
    [[nodiscard]] std::vector<FinalChain> chains();

private:
    struct KnownSchedule {
        ScheduleId id;
        bool per_user;
    };

    /// Sends a request, again a few times if `repeat`; returns the outcome.
    How ask(const std::function<bool(Process&)>& request, bool repeat, bool lost_commit = false);
    void record(Op op, How how, std::optional<EventId> id, std::string what);

    void create_event(std::optional<Instant> due);
    void cancel_event();
    void edit_event();
    void retry_event();
    void create_user();
    void edit_user();
    void delete_user();
    void create_schedule();
    void edit_schedule();
    void delete_schedule();
    void trigger_schedule();
    void create_endpoint();
    void edit_endpoint();

    [[nodiscard]] std::string zone();
    [[nodiscard]] std::string a_birth_date();
    [[nodiscard]] Instant soon();
    /// An event known to the clients.
    [[nodiscard]] std::optional<EventId> some_event();

    World& world_;
    std::function<Process*()> any_process_;
    std::vector<EndpointId> endpoints_;
    std::vector<std::string> urls_;
    std::vector<UserId> users_;
    std::vector<KnownSchedule> schedules_;
    std::set<ScheduleId> unwanted_;  // a schedule whose deletion is cut short stays, paused
    std::vector<EventId> events_;
    std::size_t count_ = 0;
};

}  // namespace sundial::simulation
