#include "domain/trigger.hpp"

#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<4> kinds{"yearly", "cron", "rrule", "every"};

}  // namespace

TriggerKind kind_of(const Trigger& trigger) { return static_cast<TriggerKind>(trigger.index()); }

std::string_view to_string(TriggerKind kind) { return name_in(kinds, kind); }

std::optional<TriggerKind> parse_trigger_kind(std::string_view name) {
    return find_in<TriggerKind>(kinds, name);
}

}  // namespace sundial
