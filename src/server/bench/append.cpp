#include <algorithm>
#include <mutex>

#include "adapters/system/secrets.hpp"
#include "application/streams/append_to_stream.hpp"
#include "server/bench/site.hpp"

namespace sundial::bench {
namespace {

StreamId stream_of(const Site& site, std::size_t writer) {
    return {"Bench", std::to_string(site.run) + "-" + std::to_string(writer)};
}

NewRecordedEvent a_fact(const Site& site, std::size_t number) {
    return {.event_id = site.ids.fresh(),
            .event_type = "Measured",
            .data = R"({"number":)" + std::to_string(number) +
                    R"(,"text":"about a hundred bytes that an application keeps for ten years"})"};
}

/// One writer, which appends batch after batch, each at the version that the previous one left.
class Writer {
public:
    Writer(const Site& site, AppendToStream& appending, std::size_t number, std::size_t events)
        : site_(site), appending_(appending), stream_(stream_of(site, number)), events_(events) {}

    [[nodiscard]] std::vector<microseconds> run() {
        std::vector<microseconds> durations;
        for (std::size_t written = 0; written < events_; written += site_.options.batch) {
            Append requested{
                .stream = stream_, .expected = ExpectedVersion::exactly(written), .events = {}};
            for (std::size_t i = written; i < std::min(events_, written + site_.options.batch); ++i)
                requested.events.push_back(a_fact(site_, i));
            const auto begin = site_.clock.now();
            if (!appending_.run(requested))
                return durations;  // the final version shows the failure
            durations.push_back(site_.clock.now() - begin);
            site_.progress.at("events of one writer", written, events_);
        }
        return durations;
    }

private:
    const Site& site_;
    AppendToStream& appending_;
    StreamId stream_;
    std::size_t events_;
};

}  // namespace

/// Appends events to streams, one per writer.
Measured append(const Site& site) {
    const std::size_t writers = site.options.in_flight;
    const std::size_t each = std::max<std::size_t>(1, site.options.events / writers);
    const auto database = site.open();
    const system::OpensslDigest digest;
    AppendToStream appending(database->store(), digest);
    std::mutex mutex;
    std::vector<microseconds> durations;
    site.scratch.tidy();

    Measured measured = site.measure(writers * each, [&] {
        in_threads(writers, [&](std::size_t number) {
            const auto own = Writer(site, appending, number, each).run();
            const std::lock_guard lock(mutex);
            durations.insert(durations.end(), own.begin(), own.end());
        });
    });
    measured.latency = spread_of(std::move(durations));
    database->store().read([&](Transaction& tx) {
        for (std::size_t number = 0; number < writers; ++number) {
            const std::uint64_t version = tx.streams().find(stream_of(site, number)).version;
            if (version == each) continue;
            measured.faults.push_back("a stream has " + std::to_string(version) + " events, not " +
                                      std::to_string(each));
        }
    });
    return measured;
}

}  // namespace sundial::bench
