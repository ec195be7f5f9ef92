#pragma once

#include "application/calendars/calendars.hpp"
#include "application/calendars/read_calendar.hpp"
#include "application/ports/module_ports.hpp"
#include "application/ports/secrets.hpp"

namespace sundial {

/// iCalendar feeds of schedules and people, and the tokens that give access to them.
struct CalendarsModule {
    CalendarsModule(const ModulePorts& p, ApiKeySecrets& secrets, const Digest& digest)
        : create(p.store, secrets, p.ids),
          revoke(p.store, p.ids),
          read(p.store, p.zones, secrets, digest) {}
    CalendarsModule(const CalendarsModule&) = delete;
    CalendarsModule& operator=(const CalendarsModule&) = delete;

    CreateCalendar create;
    RevokeCalendar revoke;
    ReadCalendar read;
};

}  // namespace sundial
