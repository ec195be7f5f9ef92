#pragma once

#include "application/calendars/ical_text.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// Writes VTIMEZONE: the offsets of `zone` for all local times from `from` on. A change that recurs
/// every year to the end of the known period is written as a rule, all others one by one.
void write_timezone(IcalText& text, const Zone& zone, Instant from);

}  // namespace sundial
