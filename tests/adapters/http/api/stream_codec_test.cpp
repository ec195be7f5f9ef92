#include <gtest/gtest.h>

#include "adapters/http/api/codecs.hpp"
#include "application/audit/recorded_changes.hpp"
#include "support/builders.hpp"
#include "support/fake_ids.hpp"

namespace sundial::http {
namespace {

TEST(RecordedEvents, ShowNamesOfKeysToAdminOnly) {
    FakeIds ids;
    ApiKey key = an_api_key();
    key.name = "Ada's laptop";
    key.role = Role::write;
    const RecordedEvent made = api_key_created(key, {ids.fresh(), "req-1"});
    EXPECT_EQ(readable_by(Role::admin, made).data, made.data);
    for (const Role role : {Role::read, Role::write}) {
        const RecordedEvent seen = readable_by(role, made);
        EXPECT_EQ(seen.data, R"({"role":"WRITE","expiresAt":null})");
        EXPECT_EQ(seen.event_id, made.event_id);
    }
}

TEST(RecordedEvents, OfOtherStreamsAreUnchanged) {
    RecordedEvent event{.stream = {"Order", "1"},
                        .version = Version{1},
                        .event_id = {},
                        .event_type = "Placed",
                        .data = R"({ "name" : "kept" })"};
    EXPECT_EQ(readable_by(Role::read, event).data, event.data);
    event.stream.aggregate_type = "ApiKey";
    event.data = "";  // erased
    EXPECT_EQ(readable_by(Role::read, event).data, "");
}

}  // namespace
}  // namespace sundial::http
