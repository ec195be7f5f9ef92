#include "application/ports/stats_repository.hpp"

#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<4> bys{"ALL", "TYPE", "ENDPOINT", "ZONE"};
constexpr EnumNames<6> measures{"STARTED", "COMPLETED", "FAILED", "RETRIED", "CLAIMED", "DUE"};

}  // namespace

std::string_view to_string(StatsBy by) { return name_in(bys, by); }
std::optional<StatsBy> parse_stats_by(std::string_view text) { return find_in<StatsBy>(bys, text); }

std::string_view to_string(StatsMeasure measure) { return name_in(measures, measure); }
std::optional<StatsMeasure> parse_stats_measure(std::string_view text) {
    return find_in<StatsMeasure>(measures, text);
}

}  // namespace sundial
