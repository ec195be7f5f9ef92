#include "domain/occurrence.hpp"

#include "base/check.hpp"
#include "domain/enum_names.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

constexpr EnumNames<4> kinds{"yearly", "cron", "rrule", "every"};

}  // namespace

TriggerKind kind_of(const Trigger& trigger) { return static_cast<TriggerKind>(trigger.index()); }

std::string_view to_string(TriggerKind kind) { return name_in(kinds, kind); }

std::optional<TriggerKind> parse_trigger_kind(std::string_view name) {
    return find_in<TriggerKind>(kinds, name);
}

namespace {

constexpr EnumNames<3> origins{"rule", "trigger", "backfill"};

}  // namespace

Nominal nominal_of(WallTime wall, bool second_pass) {
    const auto day = std::chrono::floor<std::chrono::days>(wall);
    return {Date{day}, wall - day, second_pass};
}

WallTime wall_of(const Nominal& nominal) {
    return std::chrono::local_days{nominal.date} + nominal.time;
}

std::string identity_text(TriggerKind kind, const Nominal& nominal) {
    switch (kind) {
        case TriggerKind::yearly: {
            const std::chrono::sys_days day{nominal.date};
            return std::to_string(day.time_since_epoch().count());
        }
        case TriggerKind::cron:
        case TriggerKind::rrule:
            return format_wall(wall_of(nominal)) + (nominal.second_pass ? " second pass" : "");
        case TriggerKind::every:
            return format_wall(wall_of(nominal)) + "Z";
    }
    base::check(false);
    return {};
}

std::string_view to_string(Origin origin) { return name_in(origins, origin); }

std::optional<Origin> parse_origin(std::string_view name) { return find_in<Origin>(origins, name); }

}  // namespace sundial
