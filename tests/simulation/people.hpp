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

/// Clients: create, cancel, edit and retry events, users, schedules and endpoints, at random, and
/// ask again where nobody told them what became of it.
class People {
public:
    /// `someone`: a process that answers, or null.
    People(World& world, std::function<Process*()> someone)
        : world_(world), someone_(std::move(someone)) {}

    /// Endpoints, users and schedules to begin with.
    void settle_in();
    /// One thing, or a burst of them.
    void act();
    /// What they have disabled or broken is well again.
    void make_up();
    /// Those of the rules that they made that should still go on.
    [[nodiscard]] std::vector<FinalChain> chains();

private:
    struct KnownSchedule {
        ScheduleId id;
        bool per_user;
    };

    /// Returns how it went, having asked again a few times if `repeat`.
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
    /// An event that they know of.
    [[nodiscard]] std::optional<EventId> some_event();

    World& world_;
    std::function<Process*()> someone_;
    std::vector<EndpointId> endpoints_;
    std::vector<std::string> urls_;
    std::vector<UserId> users_;
    std::vector<KnownSchedule> schedules_;
    std::set<ScheduleId> unwanted_;  // one whose deletion is cut short stays, paused
    std::vector<EventId> events_;
    std::size_t count_ = 0;
};

}  // namespace sundial::simulation
