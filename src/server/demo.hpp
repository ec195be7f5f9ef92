#pragma once

#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string>

#include "application/endpoints/create_endpoint.hpp"
#include "application/events/schedule_event.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/schedules/edit_schedule.hpp"
#include "application/users/create_user.hpp"

namespace sundial::server {

/// The demo data of `sundial dev`: an inbox, people in twelve zones whose birthday events go to it,
/// and one greeting for each of the twelve, due within seconds of the start at their local time.
class Demo {
public:
    Demo(CreateUser& create_user, CreateEndpoint& create_endpoint, EditSchedule& edit_schedule,
         ScheduleEvent& schedule_event);

    /// Creates the missing parts: `people` people (12 at least), the inbox, and its link to the
    /// birthday schedule. Returns how many people are new.
    std::size_t populate(std::size_t people, const TimeZones& zones);
    /// Schedules one greeting for each of the twelve, the first in three seconds, then one every
    /// three. Every start schedules new ones.
    void greet();

private:
    void make_inbox();

    CreateUser& create_user_;
    CreateEndpoint& create_endpoint_;
    EditSchedule& edit_schedule_;
    ScheduleEvent& schedule_event_;
};

/// Prints each delivery as it arrives: local time and zone, UTC, person, message, lateness.
class DeliveryPrinter final : public EngineObserver {
public:
    DeliveryPrinter(Store& store, const TimeZones& zones, std::ostream& out)
        : store_(store), zones_(zones), out_(out) {}
    void delivered(const AttemptEnded& attempt_ended) override;

private:
    Store& store_;
    const TimeZones& zones_;
    std::ostream& out_;
};

}  // namespace sundial::server
