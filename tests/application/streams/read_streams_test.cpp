#include "application/streams/read_streams.hpp"

#include <gmock/gmock.h>

#include "adapters/memory/store.hpp"
#include "application/streams/append_to_stream.hpp"
#include "support/builders.hpp"
#include "support/fake_digest.hpp"

namespace sundial {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class ReadStreamsTest : public testing::Test {
protected:
    void create(std::string id) {
        const auto appended = append_.run(
            {.stream = {"Order", std::move(id)},
             .events = {
                 {.event_id = uuid_of(next_number()), .event_type = "OrderPlaced", .data = "1"}}});
        ASSERT_TRUE(appended);
    }
    ReadStreams& streams() { return read_; }

private:
    memory::ManualClock clock_{noon};
    memory::MemoryStore store_{clock_};
    FakeDigest digest_;
    AppendToStream append_{store_, digest_};
    ReadStreams read_{store_, store_.feed()};
};

/// Every caller, not only the API, gets the bound.
TEST_F(ReadStreamsTest, APageOfAPrefixIsBoundedUnlessAsked) {
    StreamQuery query{.aggregate_type = std::nullopt, .prefix = "rare-", .after = std::nullopt};
    for (std::size_t i = 0; i < query.max_passed; ++i) create("a-" + std::to_string(i));
    create("rare-1");

    const Page<ListedStream> first = streams().list(query);
    EXPECT_THAT(first.items, IsEmpty());
    EXPECT_TRUE(first.has_more);
    ASSERT_TRUE(first.passed);

    query.after = StreamId{"Order", first.passed->value.substr(std::string{"Order/"}.size())};
    const Page<ListedStream> second = streams().list(query);
    EXPECT_THAT(second.items, SizeIs(1));
    EXPECT_FALSE(second.has_more);

    query.prefix.reset();  // each stream that is read is an item
    query.after.reset();
    query.limit = query.max_passed + 1;
    EXPECT_THAT(streams().list(query).items, SizeIs(query.max_passed + 1));
}

}  // namespace
}  // namespace sundial
