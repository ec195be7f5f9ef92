#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "application/streams/append_to_stream.hpp"
#include "application/streams/keep_stream.hpp"
#include "contract/storage.hpp"
#include "support/fake_digest.hpp"

namespace sundial {

/// A new recorded event with a fresh id.
[[nodiscard]] inline NewRecordedEvent a_fact(std::string data = R"({"n":1})") {
    return {.event_id = uuid_of(next_number()),
            .event_type = "OrderShipped",
            .data = std::move(data),
            .metadata = {.correlation_id = "c-1"}};
}
[[nodiscard]] inline std::vector<NewRecordedEvent> facts(std::size_t count) {
    std::vector<NewRecordedEvent> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(a_fact(R"({"n":)" + std::to_string(i) + "}"));
    }
    return all;
}

/// The table ES of the specification (concurrency 2), as far as it concerns streams themselves.
class EventStoreContract : public StorageTest {
protected:
    static constexpr auto any = ExpectedVersion::any();
    static constexpr auto no_stream = ExpectedVersion::no_stream();
    static constexpr auto stream_exists = ExpectedVersion::stream_exists();
    static constexpr auto exactly = ExpectedVersion::exactly;

    StreamId a_stream() { return {"Order", "order-" + std::to_string(next_number())}; }
    Result<Appended> append(const StreamId& stream, ExpectedVersion expected,
                            std::vector<NewRecordedEvent> events) {
        return append_.run({stream, expected, std::move(events)});
    }
    /// A stream at version `count`.
    StreamId a_stream_of(std::size_t count) {
        StreamId stream = a_stream();
        EXPECT_TRUE(append(stream, ExpectedVersion::no_stream(), facts(count)).has_value());
        return stream;
    }
    std::vector<RecordedEvent> events_of(const StreamId& stream, const StreamRange& range = {}) {
        return read([&](Transaction& tx) { return tx.streams().read(stream, range); });
    }
    static std::vector<std::uint64_t> versions_in(const std::vector<RecordedEvent>& events) {
        std::vector<std::uint64_t> versions;
        for (const RecordedEvent& event : events) versions.push_back(event.version.value);
        return versions;
    }
    StreamHead head_of(const StreamId& stream) {
        return read([&](Transaction& tx) { return tx.streams().find(stream); });
    }
    std::uint64_t version_of(const StreamId& stream) { return head_of(stream).version; }

    FakeDigest digest_;
    AppendToStream append_{store(), digest_};
    KeepStream keep_{store()};
};

}  // namespace sundial
