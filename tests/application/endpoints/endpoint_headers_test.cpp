#include "application/endpoints/endpoint_headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "application/endpoints/signing_secrets.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string token = "Bearer 0123456789abcdef";
const std::string nekot{token.rbegin(), token.rend()};  // as FakeSecrets seals it

/// An endpoint with a credential in a header, and edits of it.
class EndpointHeaders : public ControlPlane {
protected:
    static NewEndpoint crm(std::vector<HeaderText> headers) {
        NewEndpoint requested{.type = webhook_type};
        requested.name = "CRM";
        requested.url = "https://crm.example/hook";
        requested.headers = std::move(headers);
        return requested;
    }
    Endpoint created(std::vector<HeaderText> headers = {{"Authorization", token}}) {
        return create_endpoint.run(crm(std::move(headers)), "req-1").value().endpoint;
    }
    Result<Endpoint> edit(const Endpoint& endpoint, const EndpointEdit& changes) {
        return edit_endpoint.run(to_string(endpoint.id), changes, std::nullopt, "req-2");
    }
    static EndpointEdit moved_to(std::string url) {
        EndpointEdit changes;
        changes.url = std::move(url);
        return changes;
    }
    static EndpointEdit with(std::string name, std::optional<std::string> value) {
        EndpointEdit changes;
        changes.headers.members.emplace_back(std::move(name), std::move(value));
        return changes;
    }
    /// As a version that stored values readable left it.
    Endpoint an_old_endpoint(std::vector<EndpointHeader> headers) {
        return an_existing_endpoint(an_endpoint().with_headers(std::move(headers)));
    }

    CreateEndpoint create_endpoint{store, secrets, kinds, ids};
    EditEndpoint edit_endpoint{store, secrets, kinds, ids, unpark_events, log};
    ResealSecrets reseal{store, secrets};
};

TEST_F(EndpointHeaders, AreSealedAndKeepAHint) {
    EXPECT_THAT(created().headers, ElementsAre(EndpointHeader{"Authorization", nekot, "…def"}));
}

TEST_F(EndpointHeaders, AreRefusedWithoutAKeyToSealThem) {
    secrets.has_key = false;
    const auto refused = create_endpoint.run(crm({{"Authorization", token}}), "req-1");
    EXPECT_THAT(defects_of(refused), ElementsAre("/headers not_allowed"));
    EXPECT_THAT(error_of<ValidationFailed>(refused).errors[0].message,
                HasSubstr("security.encryption_key"));
    EXPECT_TRUE(create_endpoint.run(crm({}), "req-1"));
}

TEST_F(EndpointHeaders, AreRefusedIfTheyAreHints) {
    const Endpoint endpoint = created();
    EXPECT_THAT(defects_of(edit(endpoint, with("Authorization", endpoint.headers[0].hint))),
                ElementsAre("/headers/Authorization bad_format"));
}

TEST_F(EndpointHeaders, ThatAreGivenAsTheyAreMakeNoVersion) {
    const Endpoint endpoint = created();
    EXPECT_EQ(edit(endpoint, with("Authorization", token)).value(), endpoint);
    EXPECT_THAT(store.recorded(), SizeIs(1));
}

TEST_F(EndpointHeaders, AreSetAndRemovedOneByOne) {
    const Endpoint endpoint = created({{"A", "1"}, {"B", "2"}});
    const Endpoint after = edit(endpoint, with("A", std::nullopt)).value();
    EXPECT_THAT(after.headers, ElementsAre(endpoint.headers[1]));
    EXPECT_THAT(edit(after, with("C", "3")).value().headers,
                ElementsAre(endpoint.headers[1], EndpointHeader{"C", "3", "…"}));
    EndpointEdit none;
    none.headers.clear = true;
    EXPECT_THAT(edit(after, none).value().headers, IsEmpty());
}

TEST_F(EndpointHeaders, AreBoundedTogetherWithThoseThatStay) {
    const Endpoint endpoint = created({{"X-Big", std::string(4000, 'v')}});
    EXPECT_THAT(defects_of(edit(endpoint, with("X-More", std::string(100, 'v')))),
                ElementsAre("/headers too_long"));
    EXPECT_THAT(defects_of(edit(endpoint, with("x-big", "v"))),
                ElementsAre("/headers/x-big not_allowed"));
}

// A URL of another origin.

TEST_F(EndpointHeaders, AreAskedForAgainWhenTheUrlMovesToAnotherOrigin) {
    const Endpoint endpoint = created({{"Authorization", token}, {"X-Team", "crm"}});
    const auto refused = edit(endpoint, moved_to("https://evil.example/hook"));
    EXPECT_THAT(defects_of(refused),
                ElementsAre("/headers/Authorization required", "/headers/X-Team required"));
    EXPECT_THAT(error_of<ValidationFailed>(refused).errors[0].message,
                HasSubstr("https://evil.example"));
    EXPECT_EQ(queries.endpoint(to_string(endpoint.id)).value(), endpoint);

    EndpointEdit changes = moved_to("https://evil.example/hook");
    changes.headers.members = {{"Authorization", token}};
    EXPECT_THAT(defects_of(edit(endpoint, changes)), ElementsAre("/headers/X-Team required"));
    changes.headers.members = {{"Authorization", token}, {"X-Team", std::nullopt}};
    EXPECT_THAT(edit(endpoint, changes).value().headers, ElementsAre(endpoint.headers[0]));
}

TEST_F(EndpointHeaders, StayWhenTheUrlMovesWithinItsOrigin) {
    const Endpoint endpoint = created();
    EXPECT_EQ(edit(endpoint, moved_to("https://crm.example/other?x=1")).value().headers,
              endpoint.headers);
}

TEST_F(EndpointHeaders, AreNotRequiredAgainIfThereAreNone) {
    const Endpoint endpoint = created({});
    EXPECT_EQ(edit(endpoint, moved_to("https://erp.example/hook"))->url,
              "https://erp.example/hook");
    EndpointEdit changes = moved_to("https://crm.example/hook");
    changes.headers.clear = true;
    EXPECT_TRUE(edit(created(), changes));
}

// Headers in the form that earlier versions stored.

TEST_F(EndpointHeaders, ThatAreReadableAreSealedAtTheStart) {
    const Endpoint old = an_old_endpoint({{"Authorization", token, ""}, {"X-Team", "crm", ""}});
    const auto done = reseal.run();
    EXPECT_EQ(done.resealed, 1U);
    EXPECT_EQ(done.unsealed, 0U);
    const Endpoint after = queries.endpoint(to_string(old.id)).value();
    EXPECT_THAT(after.headers, ElementsAre(EndpointHeader{"Authorization", nekot, "…def"},
                                           EndpointHeader{"X-Team", "mrc", "…"}));
    EXPECT_EQ(after.version, old.version);
    EXPECT_THAT(store.recorded(), IsEmpty());
    EXPECT_EQ(reseal.run().resealed, 0U);
}

TEST_F(EndpointHeaders, ThatAreReadableStayWithoutAKeyAndAreCounted) {
    const Endpoint old = an_old_endpoint({{"Authorization", token, ""}});
    secrets.has_key = false;
    const auto done = reseal.run();
    EXPECT_EQ(done.resealed, 0U);
    EXPECT_EQ(done.unsealed, 1U);
    EXPECT_EQ(queries.endpoint(to_string(old.id)).value(), old);
    // All else about it can be changed.
    EndpointEdit changes;
    changes.name = "another";
    EXPECT_EQ(edit(old, changes)->headers, old.headers);
}

TEST_F(EndpointHeaders, OfEveryTypeOfEndpointAreSealedAtTheStart) {
    const Endpoint inbox =
        an_existing_endpoint(an_endpoint().inbox().with_headers({{"Authorization", token, ""}}));
    EXPECT_EQ(reseal.run().resealed, 1U);
    EXPECT_EQ(queries.endpoint(to_string(inbox.id))->headers[0].hint, "…def");
}

TEST_F(EndpointHeaders, AreResealedWhenTheEncryptionKeyHasChanged) {
    const Endpoint old = an_old_endpoint({{"Authorization", "old:" + nekot, "…def"}});
    EXPECT_EQ(reseal.run().resealed, 1U);
    EXPECT_EQ(queries.endpoint(to_string(old.id))->headers[0].sealed, nekot);
}

TEST_F(EndpointHeaders, CanBeGivenAgainWhereTheyCannotBeOpened) {
    const Endpoint lost = an_old_endpoint({{"Authorization", "lost:key", "…def"}});
    EXPECT_EQ(reseal.run().unreadable, 1U);
    EXPECT_EQ(edit(lost, with("Authorization", token))->headers[0].sealed, nekot);
}

TEST_F(EndpointHeaders, AreRecordedByTheirNamesAlone) {
    const Endpoint endpoint = created();
    EXPECT_TRUE(edit(endpoint, with("Authorization", "Bearer fedcba9876543210")));
    for (const RecordedEvent& recorded : store.recorded()) {
        EXPECT_THAT(recorded.data, HasSubstr(R"("headers":["Authorization"])"));
        for (const char* part : {"Bearer", "reraeB", "0123", "3210", "def", "…"}) {
            EXPECT_THAT(recorded.data, Not(HasSubstr(part)));
        }
    }
}

}  // namespace
}  // namespace sundial
