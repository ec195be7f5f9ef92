#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/system/ids.hpp"
#include "adapters/system/json_log.hpp"
#include "adapters/system/monotonic_clock.hpp"
#include "application/ports/time_zones.hpp"
#include "bench/bench.hpp"
#include "bench/measurement.hpp"
#include "bench/progress.hpp"
#include "bench/scratch_database.hpp"
#include "domain/event.hpp"
#include "server/database.hpp"
#include "server/settings.hpp"

namespace sundial::bench {

/// Where a run takes place, and what it needs.
struct Site {
    const Work& work;
    const Options& options;
    const server::Settings& settings;  // they lead to the scratch database
    ScratchDatabase& scratch;
    const TimeZones& zones;
    system::SystemIds& ids;
    system::JsonLog& log;
    const system::BootClock& clock;
    Progress& progress;
    std::size_t run;  // number of this one, from 1

    /// The scratch database, with the product's adapters.
    [[nodiscard]] std::unique_ptr<server::Database> open() const;
    /// Runs `work`, which does something with `events`, and tells what that has used.
    [[nodiscard]] Measured measure(std::size_t events, const std::function<void()>& measured) const;
    /// The key of the i-th event of this run.
    [[nodiscard]] IdempotencyKey key(std::size_t i) const;
};

inline constexpr std::string_view event_type = "BENCH";

/// One that is PENDING, as the product would store it.
[[nodiscard]] Event an_event(Ids& ids, IdempotencyKey key, Instant due, Instant now);
/// Stores `count` events, a thousand in each transaction. `make` gives the i-th, at the database's
/// time.
void store_events(const Site& site, Store& store, std::size_t count, std::string_view what,
                  const std::function<Event(std::size_t i, Instant now)>& make);
/// As many that are due at once.
void store_due(const Site& site, Store& store, std::size_t count);
/// What --future-rows and --finished-rows ask for.
void fill(const Site& site);
/// Claims all that is due and settles it as done, by `claimers` threads of `batch` rows; tells how
/// long each claim took, and how many events were settled.
struct Claims {
    std::vector<microseconds> durations;
    std::size_t settled = 0;
};
[[nodiscard]] Claims claim_all(const Site& site, EventQueue& queue, std::size_t claimers,
                               std::size_t batch, std::size_t expected);

/// Each of `count` events is to be seen once. Thread-safe.
class RollCall {
public:
    explicit RollCall(std::size_t count);
    ~RollCall();
    /// By its key.
    void seen(std::string_view key);
    [[nodiscard]] std::size_t times() const;
    /// What is missing, what came twice.
    void tell(std::vector<std::string>& faults) const;

private:
    struct Marks;
    std::unique_ptr<Marks> marks_;
};
/// The number at the end of a key of this run.
[[nodiscard]] std::optional<std::size_t> index_of(std::string_view key);

/// Beyond what there was `before`, there are `completed` and `live` events, and no other.
void expect_stock(const Stock& before, const Stock& after, std::uint64_t completed,
                  std::uint64_t live, std::vector<std::string>& faults);

/// `work(0)` to `work(count - 1)`, each on a thread of its own. Throws what one of them threw.
void in_threads(std::size_t count, const std::function<void(std::size_t)>& work);
/// Waits for `done`; tells how many by `so_far`. Returns false, with a fault, once nothing has come
/// for a minute.
[[nodiscard]] bool wait_for(const Site& site, std::size_t count,
                            const std::function<std::size_t()>& so_far,
                            std::vector<std::string>& faults);

// The works.
[[nodiscard]] Measured drain(const Site& site);
[[nodiscard]] Measured create(const Site& site);
[[nodiscard]] Measured lateness(const Site& site);
[[nodiscard]] Measured peak(const Site& site);
[[nodiscard]] Measured claim(const Site& site);
[[nodiscard]] Measured append(const Site& site);
[[nodiscard]] Measured time_rules(const Site& site);

}  // namespace sundial::bench
