#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "adapters/http/api/api_fixture.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// The product's document, with one more type of endpoint.
const ApiSchema& api_with_queues() {
    static const ApiSchema schema = [] {
        std::ostringstream file;
        file << std::ifstream{SUNDIAL_OPENAPI}.rdbuf();
        std::string text = file.str();
        const std::string before = R"("WEBHOOK", "INBOX", "PULL")";
        const std::string after = before + R"(, "QUEUE")";
        for (auto at = text.find(before); at != text.npos; at = text.find(before, at)) {
            text.replace(at, before.size(), after);
            at += after.size();
        }
        return ApiSchema{text};
    }();
    return schema;
}

class EndpointTypes : public ApiTest {
protected:
    EndpointTypes() {
        kinds.add(std::make_unique<FakeKind>(EndpointType{"QUEUE"}, to_queues));
        add_endpoint_routes(with_queues, {endpoints_module, queries, std::chrono::seconds{10}});
    }

    FakeDelivery to_queues;
    Router with_queues{api_with_queues(), open_guard, log, false, &keyed};
};

TEST_F(EndpointTypes, OfARegisteredKindPassThroughTheApi) {
    const auto ask = [this](const char* method, const std::string& target, std::string body = {}) {
        Request request;
        request.method = method;
        request.target = target;
        EXPECT_TRUE(read_target(target, request));
        request.correlation_id = "req-1";
        if (!body.empty()) request.headers.add("Content-Type", "application/json");
        request.body = std::move(body);
        return with_queues.handle(std::move(request));
    };
    const auto made = ask("POST", "/v1/endpoints", R"({"name":"orders","type":"QUEUE"})");
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_THAT(made.body, HasSubstr(R"("type":"QUEUE")"));

    const std::string id = text_member(made.body, "id");
    EXPECT_THAT(ask("GET", "/v1/endpoints?type=QUEUE").body, HasSubstr(id));
    EXPECT_THAT(ask("GET", "/v1/endpoints?type=INBOX").body, Not(HasSubstr(id)));
    EXPECT_THAT(ask("POST", "/v1/endpoints/" + id + "/test").body, HasSubstr("SUCCEEDED"));
    EXPECT_THAT(to_queues.requests, SizeIs(1));
}

}  // namespace
}  // namespace sundial::http
