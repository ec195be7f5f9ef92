#include "server/bench/site.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <thread>
#include <utility>

#include "server/shutdown.hpp"

namespace sundial::bench {

using namespace std::chrono_literals;

std::unique_ptr<server::Database> Site::open() const {
    return server::open_database(settings, false, log, server::end_at_once(log), {});
}

Measured Site::measure(std::size_t events, const std::function<void()>& measured) const {
    const auto usage = [this] {
        Usage now = scratch.usage();
        now.process = own_cpu();
        return now;
    };
    Measured result{.events = events};
    const Usage before = usage();
    const auto begin = clock.now();
    measured();
    result.took = clock.now() - begin;
    result.used = usage() - before;
    return result;
}

IdempotencyKey Site::key(std::size_t i) const {
    return IdempotencyKey{std::string(work.name) + "-" + std::to_string(run) + "-" +
                          std::to_string(i)};
}

Event an_event(Ids& ids, IdempotencyKey key, Instant due, Instant now) {
    const EventId id = ids.event_id(key);
    return {.id = id,
            .key = std::move(key),
            .type = std::string(event_type),
            .user = {},
            .endpoint = {},
            .occurrence = {},
            .intent = {},
            .due = due,
            .tz_release = {},
            .payload = "{}",
            .claimable_at = due,
            .retry_of = {},
            .first_attempt_at = {},
            .dismissed_at = {},
            .created_at = now,
            .updated_at = now};
}

void store_events(const Site& site, Store& store, std::size_t count, std::string_view what,
                  const std::function<Event(std::size_t i, Instant now)>& make) {
    constexpr std::size_t at_once = 1000;
    for (std::size_t made = 0; made < count; made += at_once) {
        store.transact([&](Transaction& tx) {
            std::vector<Event> events;
            for (std::size_t i = made; i < std::min(count, made + at_once); ++i)
                events.push_back(make(i, tx.now()));
            return tx.events().add_new(events) == events.size();
        });
        site.progress.at(what, made, count);
    }
}

void store_due(const Site& site, Store& store, std::size_t count) {
    store_events(site, store, count, "storing events", [&site](std::size_t i, Instant now) {
        return an_event(site.ids, site.key(i), now, now);
    });
}

void fill(const Site& site) {
    const auto database = site.open();
    const auto key = [](const char* kind, std::size_t i) {
        return IdempotencyKey{std::string(kind) + "-0-" + std::to_string(i)};
    };
    if (const std::size_t finished = site.options.finished_rows; finished > 0) {
        store_events(site, database->store(), finished, "storing finished rows",
                     [&](std::size_t i, Instant now) {
                         return an_event(site.ids, key("finished", i), now, now);
                     });
        constexpr std::size_t claimers = 2, batch = 500;
        (void)claim_all(site, database->queue(), claimers, batch, finished);
    }
    store_events(site, database->store(), site.options.future_rows, "storing future rows",
                 [&](std::size_t i, Instant now) {
                     // Two years ahead, one per second.
                     const Instant due = now + std::chrono::days(730) +
                                         std::chrono::seconds(static_cast<std::int64_t>(i));
                     return an_event(site.ids, key("future", i), due, now);
                 });
    // Otherwise the kernel writes them during the run, and commits wait for it.
    site.scratch.tidy();
}

namespace {

Settlement done(const ClaimedEvent& claimed, InstanceId by, Instant now) {
    return {.id = claimed.event.id,
            .held = claimed.event.version,
            .number = claimed.event.attempt,
            .by = by,
            .result = Accepted{},
            .started_at = now,
            .status_code = {},
            .attempt = {}};
}

}  // namespace

Claims claim_all(const Site& site, EventQueue& queue, std::size_t claimers, std::size_t batch,
                 std::size_t expected) {
    std::mutex mutex;
    Claims all;
    std::atomic<std::size_t> settled{0};
    in_threads(claimers, [&](std::size_t number) {
        const InstanceId by{site.ids.fresh()};
        ClaimRequest request{.by = by, .lease = 30s, .lane = Lane{std::string(event_type)}};
        request.shares[static_cast<std::size_t>(Priority::normal)] =
            static_cast<std::uint32_t>(batch);
        std::vector<microseconds> durations;
        // Ends after one empty claim of each shard: remaining events are claimed by the other
        // threads.
        std::uint32_t empty = 0;
        for (auto shard = static_cast<std::uint32_t>(number); empty < queue.shards(); ++shard) {
            request.shard = shard % queue.shards();
            const auto begin = site.clock.now();
            const Claimed claimed = queue.claim_ready(request);
            if (claimed.events.empty()) {
                ++empty;
                continue;
            }
            empty = 0;
            durations.push_back(site.clock.now() - begin);
            std::vector<Settlement> settlements;
            settlements.reserve(claimed.events.size());
            for (const ClaimedEvent& each : claimed.events)
                settlements.push_back(done(each, by, claimed.now));
            const auto results = queue.settle(settlements);
            settled += static_cast<std::size_t>(std::ranges::count_if(
                results, [](const Result<void>& result) { return result.has_value(); }));
            site.progress.at("settled", settled, expected);
        }
        const std::lock_guard lock(mutex);
        all.durations.insert(all.durations.end(), durations.begin(), durations.end());
    });
    all.settled = settled;
    return all;
}

struct ArrivalCheck::Marks {
    explicit Marks(std::size_t count) : of(count) {}
    std::vector<std::atomic<std::uint8_t>> of;
    std::atomic<std::size_t> times{0};
    std::atomic<std::size_t> strangers{0};
};

ArrivalCheck::ArrivalCheck(std::size_t count) : marks_(std::make_unique<Marks>(count)) {}
ArrivalCheck::~ArrivalCheck() = default;

void ArrivalCheck::seen(std::string_view key) {
    const auto index = index_of(key);
    if (!index || *index >= marks_->of.size()) {
        ++marks_->strangers;
        return;
    }
    auto& mark = marks_->of[*index];
    if (mark < 2) ++mark;
    ++marks_->times;
}

std::size_t ArrivalCheck::times() const { return marks_->times; }

void ArrivalCheck::report(std::vector<std::string>& faults) const {
    const auto marked = [this](std::uint8_t times) {
        return std::ranges::count_if(marks_->of,
                                     [times](const auto& mark) { return mark == times; });
    };
    if (const auto missing = marked(0); missing > 0)
        faults.push_back(std::to_string(missing) + " events were not delivered");
    if (const auto doubled = marked(2); doubled > 0)
        faults.push_back(std::to_string(doubled) + " events were delivered more than once");
    if (marks_->strangers > 0)
        faults.push_back(std::to_string(marks_->strangers) + " deliveries of unknown events");
}

std::optional<std::size_t> index_of(std::string_view key) {
    const std::string_view digits = key.substr(std::min(key.rfind('-') + 1, key.size()));
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return index;
}

void expect_stock(const Stock& before, const Stock& after, std::uint64_t completed,
                  std::uint64_t live, std::vector<std::string>& faults) {
    const auto expect = [&faults](const char* what, std::uint64_t was, std::uint64_t is,
                                  std::uint64_t more) {
        if (is == was + more) return;
        faults.push_back(std::to_string(is) + " " + what + " events are stored, expected " +
                         std::to_string(was + more));
    };
    expect("completed", before.completed, after.completed, completed);
    expect("live", before.live, after.live, live);
    expect("failed or cancelled", before.other, after.other, 0);
}

void in_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::mutex mutex;
    std::exception_ptr failure;
    {
        std::vector<std::jthread> threads;
        threads.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            threads.emplace_back([&, i] {
                try {
                    work(i);
                } catch (...) {
                    const std::lock_guard lock(mutex);
                    failure = std::current_exception();
                }
            });
        }
    }
    if (failure) std::rethrow_exception(failure);
}

bool wait_for(const Site& site, std::size_t count, const std::function<std::size_t()>& so_far,
              std::vector<std::string>& faults) {
    // Twice the longest lease in the product's own tests: after that nothing more will come.
    constexpr auto stall_timeout = 60s;
    std::size_t last = 0;
    auto moved = site.clock.now();
    for (;;) {
        const std::size_t done = so_far();
        if (done >= count) return true;
        if (done != last) {
            last = done;
            moved = site.clock.now();
        } else if (site.clock.now() - moved > stall_timeout) {
            faults.push_back("no progress for a minute: " + std::to_string(done) + " of " +
                             std::to_string(count) + " are done");
            return false;
        }
        site.progress.at(site.work.name, done, count);
        std::this_thread::sleep_for(1ms);
    }
}

}  // namespace sundial::bench
