#include "adapters/http/rate_limits.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sundial::http {
namespace {

using namespace std::chrono_literals;

// Bound on names in memory. Beyond it, expired entries are removed first.
constexpr std::size_t max_names = 10'000;
constexpr Mono window = 60s;

/// Whole seconds, rounded up.
std::chrono::seconds whole(Mono duration) {
    return std::max(1s, std::chrono::ceil<std::chrono::seconds>(duration));
}

/// Makes room for one more entry: removes all expired ones, or a tenth of all if none has expired.
/// Removing a tenth at once keeps a client with ever new names from causing a full scan for each.
template <class Map, class Spent>
void make_room(Map& map, Spent spent) {
    if (map.size() < max_names) return;
    std::erase_if(map, [&](const auto& entry) { return spent(entry.second); });
    if (map.size() >= max_names) map.erase(map.begin(), std::next(map.begin(), max_names / 10));
}

}  // namespace

TokenBuckets::Take TokenBuckets::take(const std::string& name, Mono now) {
    const std::lock_guard lock(mutex_);
    auto found = buckets_.find(name);
    if (found == buckets_.end()) {
        make_room(buckets_, [&](const Bucket& bucket) { return now - bucket.filled_at >= 1s; });
        found = buckets_.emplace(name, Bucket{static_cast<double>(per_second_), now}).first;
    }
    Bucket& bucket = found->second;
    const double earned =
        std::chrono::duration<double>(now - bucket.filled_at).count() * per_second_;
    bucket.tokens = std::min(bucket.tokens + earned, static_cast<double>(per_second_));
    bucket.filled_at = now;
    const bool taken = bucket.tokens >= 1;
    if (taken) bucket.tokens -= 1;
    return {taken, static_cast<std::uint32_t>(std::floor(bucket.tokens))};
}

std::chrono::seconds FailureLimit::count(const std::string& name, Mono now) {
    const auto old = [&](Mono failure) { return now - failure >= window; };
    const std::lock_guard lock(mutex_);
    if (!failures_.contains(name)) {
        make_room(failures_, [&](const auto& failures) { return old(failures.back()); });
    }
    auto& failures = failures_[name];
    while (!failures.empty() && old(failures.front())) failures.pop_front();
    if (failures.size() >= max_failures_) return whole(window - (now - failures.front()));
    failures.push_back(now);
    return 0s;
}

}  // namespace sundial::http
