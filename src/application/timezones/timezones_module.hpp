#pragma once

#include "application/ports/module_ports.hpp"
#include "application/timezones/follow_tzdata.hpp"
#include "application/timezones/survey_tzdata.hpp"

namespace sundial {

/// The effects of another tz database on stored events.
struct TimezonesModule {
    explicit TimezonesModule(const ModulePorts& p)
        : follow(p.store, p.zones, p.ids, p.wakeups), survey(p.store, p.zones) {}

    FollowTzdata follow;
    SurveyTzdata survey;
};

}  // namespace sundial
