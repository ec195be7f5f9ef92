#include "application/events/target.hpp"

#include <chrono>
#include <utility>

#include "base/check.hpp"
#include "domain/time/calendar_duration.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

constexpr const char* at_utc = "/targetTimestampUTC";
constexpr const char* at_local = "/targetTimestampLocal";
constexpr const char* at_zone = "/targetTimezone";

/// 50 years (reliability 9), leap days included.
constexpr std::chrono::days horizon{18'263};

ValidationFailed refused(std::string pointer, const TimeError& error) {
    return invalid(std::move(pointer), std::string{to_string(error.code)}, error.message);
}

/// The zone in brackets after an instant, read before the rest of the text.
std::optional<std::string> suffix_of(const std::string& text) {
    const auto instant = parse_instant(text);
    return instant ? instant->zone : std::nullopt;
}

ValidationFailed no_policy(const char* pointer) {
    return invalid(pointer, "not_allowed",
                   "belongs to a local time; give targetTimestampLocal too");
}

}  // namespace

bool is_relative(const TargetFields& fields) {
    return fields.utc && fields.utc->starts_with("now");
}

EventResult<Target> TargetReader::read(const TargetFields& fields,
                                       const std::optional<std::string>& user_zone) const {
    if (fields.utc && fields.local) {
        return invalid(at_local, "not_allowed",
                       "give either targetTimestampUTC or targetTimestampLocal");
    }
    if (fields.utc) return read_instant(fields);
    if (fields.local) return read_local(fields, user_zone);
    return invalid(at_utc, "required",
                   "give targetTimestampUTC, or targetTimestampLocal with targetTimezone");
}

EventResult<Target> TargetReader::edit(const Target& before, const TargetFields& fields,
                                       const std::optional<std::string>& user_zone) const {
    const Intent& intent = before.intent;
    if (fields.utc || fields.local) {
        TargetFields requested = fields;
        if (fields.local && !fields.utc && intent.wall) {
            if (!requested.gap) requested.gap = intent.gap;
            if (!requested.overlap) requested.overlap = intent.overlap;
        }
        return read(requested, intent.wall ? intent.zone : user_zone);
    }
    if (!fields.zone && !fields.gap && !fields.overlap) return before;

    Intent changed = intent;
    if (fields.zone) changed.zone = *fields.zone;
    if (intent.wall) {
        changed.gap = fields.gap.value_or(intent.gap);
        changed.overlap = fields.overlap.value_or(intent.overlap);
        return resolve_wall(std::move(changed), std::nullopt, at_zone);
    }
    if (fields.gap) return no_policy("/gap");
    if (fields.overlap) return no_policy("/overlap");
    if (auto zone = zones_.find(changed.zone); !zone) return refused(at_zone, zone.error());
    return Target{std::move(changed), before.due};
}

EventResult<Target> TargetReader::read_instant(const TargetFields& fields) const {
    if (fields.gap) return no_policy("/gap");
    if (fields.overlap) return no_policy("/overlap");
    base::check(now_ || !is_relative(fields));
    const auto instant = parse_moment(*fields.utc, now_.value_or(Instant{}));
    if (!instant) return refused(at_utc, instant.error());

    const auto suffix = suffix_of(*fields.utc);
    if (suffix && fields.zone && *suffix != *fields.zone) {
        return invalid(at_zone, "bad_request", "must equal the zone in the brackets of the time");
    }
    Target target{.intent = Intent{}, .due = *instant};
    if (!suffix && !fields.zone) return within_horizon(std::move(target));

    target.intent.zone = suffix ? *suffix : *fields.zone;
    const auto zone = zones_.find(target.intent.zone);
    if (!zone) return refused(suffix ? at_utc : at_zone, zone.error());
    if (suffix) {
        if (auto defect = offset_defect(*parse_instant(*fields.utc), **zone)) {
            return refused(at_utc, *defect);
        }
    }
    return within_horizon(std::move(target));
}

EventResult<Target> TargetReader::read_local(const TargetFields& fields,
                                             const std::optional<std::string>& user_zone) const {
    const auto text = parse_local(*fields.local);
    if (!text) {
        auto failed = refused(at_local, text.error());
        if (fields.zone) {  // reports both defects together
            const auto zone = zones_.find(*fields.zone);
            if (!zone) failed.errors.push_back(refused(at_zone, zone.error()).errors.front());
        }
        return failed;
    }
    const auto given_zone = fields.zone || text->zone ? fields.zone : user_zone;
    if (!given_zone && !text->zone) {
        return invalid(at_zone, "required",
                       "a local time needs its zone: give targetTimezone, a user, or the zone in "
                       "brackets");
    }
    const auto request = read_local_request(*fields.local, given_zone);
    if (!request) return refused(at_local, request.error());
    return resolve_wall({.wall = request->wall,
                         .zone = request->zone,
                         .gap = fields.gap.value_or(GapPolicy::compatible),
                         .overlap = fields.overlap.value_or(OverlapPolicy::compatible)},
                        request->offset, text->zone ? at_local : at_zone);
}

EventResult<Target> TargetReader::resolve_wall(Intent intent,
                                               std::optional<std::chrono::seconds> offset,
                                               const char* zone_pointer) const {
    const auto zone = zones_.find(intent.zone);
    if (!zone) return refused(zone_pointer, zone.error());
    const auto resolved = resolve(*intent.wall, **zone, intent.gap, intent.overlap, offset);
    if (!resolved) {
        const bool policy = resolved.error().code == TimeErrorCode::not_allowed;
        return refused(policy ? "/overlap" : at_local, resolved.error());
    }
    if (!resolved->instant) {
        const bool gap = resolved->kind == LocalLookup::Kind::gap;
        return invalid(at_local, gap ? "nonexistent_time" : "ambiguous_time",
                       gap ? "does not exist in " + intent.zone + ", and gap is skip"
                           : "occurs twice in " + intent.zone + ", and overlap is skip");
    }
    if (offset && resolved->kind == LocalLookup::Kind::overlap) {
        // The offset chose the pass. Store the choice as a policy, because the offset itself is not
        // stored.
        const auto later = resolve(*intent.wall, **zone, intent.gap, OverlapPolicy::later);
        const bool second = later && later->instant == resolved->instant;
        intent.overlap = second ? OverlapPolicy::later : OverlapPolicy::earlier;
    }
    return within_horizon({std::move(intent), *resolved->instant});
}

EventResult<Target> TargetReader::within_horizon(Target target) const {
    if (!now_ || target.due <= *now_ + horizon) return target;
    return invalid(target.intent.wall ? at_local : at_utc, "out_of_range",
                   "must be at most 50 years from now");
}

}  // namespace sundial
