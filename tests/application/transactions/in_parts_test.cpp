#include "application/transactions/in_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/builders.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StoreInParts final : public Store {
public:
    void transact(const std::function<bool(Transaction&)>& /*work*/) override {}
    void read(const std::function<void(Transaction&)>& /*work*/) override {}
    [[nodiscard]] bool open_here() override { return open; }
    [[nodiscard]] std::uint32_t parts() const override { return count; }

    std::uint32_t count = 4;
    bool open = false;
};

class InParts : public testing::Test {
protected:
    std::vector<std::vector<std::size_t>> indices() {
        return indices_by_part(store, std::span<const Event>{events}, &Event::id);
    }
    /// Shards 3, 1, 3 + 4, 0.
    const std::vector<Event> events{an_event().in_shard(3), an_event().in_shard(1),
                                    an_event().in_shard(7), an_event().in_shard(0)};
    StoreInParts store;
};

TEST_F(InParts, ItemsKeepTheirOrder) {
    EXPECT_THAT(indices(), ElementsAre(ElementsAre(3), ElementsAre(1), ElementsAre(0, 2)));
}

TEST_F(InParts, AllItemsOfAStorageInOnePlaceAreTogether) {
    store.count = 1;
    EXPECT_THAT(indices(), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST_F(InParts, AllItemsOfAnOpenTransactionAreTogether) {
    store.open = true;
    EXPECT_THAT(indices(), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST_F(InParts, NoItemsHaveNoPart) {
    EXPECT_THAT(indices_by_part(store, std::span<const Event>{}, &Event::id), IsEmpty());
}

TEST_F(InParts, OthersAreDoneIfOneFails) {
    std::vector<std::uint32_t> done;
    const auto work = [&](std::span<const Event> part) {
        const auto number = store.part_of(part.front().id);
        if (number < 3) throw Unavailable{"part " + std::to_string(number)};
        done.push_back(number);
    };
    try {
        for_each_part(store, std::span<const Event>{events}, &Event::id, work);
        FAIL() << "two parts have failed";
    } catch (const Unavailable& first) {
        EXPECT_STREQ(first.what(), "part 0");
    }
    EXPECT_THAT(done, ElementsAre(3));
}

}  // namespace
}  // namespace sundial
