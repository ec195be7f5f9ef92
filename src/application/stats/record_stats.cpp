#include "application/stats/record_stats.hpp"

#include <utility>

namespace sundial {
namespace {

/// The backlog changes slowly, and counting it costs some milliseconds.
constexpr std::chrono::seconds sample_every{10};
constexpr std::size_t forgotten_at_once = 2'000;

}  // namespace

void RecordStats::run() {
    const Mono now = monotonic_.now();
    if (!sampled_ || now - *sampled_ >= sample_every) {
        sampled_ = now;
        const auto [counts, at] = in_read(store_, [](Transaction& tx) {
            return std::pair{tx.stats().live_counts(max_counted), tx.now()};
        });
        collected_.due(counts, at);
    }
    if (collected_.has_rows()) write(false);
}

void RecordStats::finish() { write(true); }

void RecordStats::write(bool last) {
    store_.transact([&](Transaction& tx) {
        const auto rows = collected_.rows_at(tx.now(), last);
        last = false;  // the work may run again
        if (!rows.empty()) tx.stats().write(rows);
        return !rows.empty();
    });
    collected_.stored();
}

bool forget_stats(Store& store) {
    bool more = false;
    store.transact([&](Transaction& tx) {
        more = tx.stats().forget(StatsStep::minute, tx.now() - minutes_kept_for, forgotten_at_once);
        more = tx.stats().forget(StatsStep::hour, tx.now() - hours_kept_for, forgotten_at_once) ||
               more;
        return true;
    });
    return more;
}

}  // namespace sundial
