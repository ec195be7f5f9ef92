#include "sundial/cache.hpp"

#include <cmath>

#include "base/saturate.hpp"

namespace sundial {

std::optional<std::string> defect_of(const CacheRules& rules) {
    constexpr std::chrono::microseconds none{0};
    if (rules.ttl <= none) return "ttl is longer than nothing";
    if (!(0.0 <= rules.ttl_jitter && rules.ttl_jitter < 1.0)) return "ttl_jitter is in [0, 1)";
    if (rules.stale_while_revalidate < none || rules.stale_if_error < none ||
        rules.negative_ttl < none) {
        return "no duration is negative";
    }
    if (!(rules.early_refresh >= 0.0)) return "early_refresh is at least 0";
    if (rules.max_entries == 0) return "max_entries is at least 1";
    return std::nullopt;
}

namespace detail {

Timing::Moment later(Timing::Moment at, std::chrono::microseconds time) {
    const auto sum = base::later(
        std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()), time);
    constexpr auto last =
        std::chrono::floor<std::chrono::microseconds>(Timing::Moment::max().time_since_epoch());
    return sum >= last ? Timing::Moment::max() : at + time;
}

Timing::Moment end_of_ttl(const CacheRules& rules, Timing::Moment now, double random) {
    const double factor = 1.0 - rules.ttl_jitter + 2.0 * rules.ttl_jitter * random;
    const std::chrono::duration<double, std::micro> ttl = rules.ttl * factor;
    if (ttl >= std::chrono::microseconds::max()) return Timing::Moment::max();
    return later(now, std::chrono::duration_cast<std::chrono::microseconds>(ttl));
}

bool refreshes_early(const CacheRules& rules, Timing::Moment::duration took,
                     Timing::Moment::duration remaining, Timing& timing) {
    const auto gap = rules.early_refresh * std::chrono::duration<double>{took};
    constexpr double longest = 37.0;  // −ln(u) of the smallest u that 53 random bits yield
    if (remaining > gap * longest) return false;
    return -gap * std::log(1.0 - timing.unit()) >= remaining;
}

}  // namespace detail
}  // namespace sundial
