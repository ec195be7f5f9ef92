#include "adapters/sqs/queue.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace sundial::sqs {
namespace {

Endpoint endpoint_of(const std::string& url, std::map<std::string, std::string> options = {}) {
    Endpoint endpoint = an_endpoint().with_url(url);
    endpoint.type = sqs_type;
    endpoint.options = std::move(options);
    return endpoint;
}

TEST(SqsQueue, FindsTheRegionInHostsOfAws) {
    const std::vector<std::pair<const char*, std::optional<std::string>>> cases{
        {"https://sqs.eu-west-1.amazonaws.com/123456789012/q", "eu-west-1"},
        {"https://sqs.cn-north-1.amazonaws.com.cn/123456789012/q", "cn-north-1"},
        {"https://sqs-fips.us-gov-west-1.amazonaws.com/123456789012/q", "us-gov-west-1"},
        {"https://sqs.eu-west-1.api.aws/123456789012/q", "eu-west-1"},
        {"https://vpce-1a2b.sqs.eu-west-1.vpce.amazonaws.com/1/q", "eu-west-1"},
        {"http://sqs.us-east-1.localhost.localstack.cloud:4566/000000000000/q", "us-east-1"},
        {"https://eu-west-1.queue.amazonaws.com/123456789012/q", "eu-west-1"},
        {"https://queue.amazonaws.com/123456789012/q", "us-east-1"},
        {"https://SQS.EU-WEST-1.amazonaws.com/123456789012/q", "eu-west-1"},
        {"http://127.0.0.1:9324/000000000000/q", std::nullopt},
        {"https://sqs.example/1/q", std::nullopt},
        {"https://queue.example/sqs.eu-west-1/q", std::nullopt}};
    for (const auto& [url, region] : cases) EXPECT_EQ(region_in(url), region) << url;
}

TEST(SqsQueue, RefusesUrlsThatDoNotEndWithTheNameOfAQueue) {
    for (const char* url :
         {"https://sqs.eu-west-1.amazonaws.com/1/q",
          "https://sqs.eu-west-1.amazonaws.com/1/My_queue-1.fifo", "http://127.0.0.1:9324/q"}) {
        EXPECT_EQ(refuse_queue_url(url), std::nullopt) << url;
    }
    for (const char* url :
         {"https://sqs.eu-west-1.amazonaws.com", "https://sqs.eu-west-1.amazonaws.com/",
          "https://sqs.eu-west-1.amazonaws.com/1/.fifo", "queue", "queues/q", "/1/q",
          "https://sqs.eu-west-1.amazonaws.com/1/q?Action=SendMessage",
          "https://sqs.eu-west-1.amazonaws.com/1/q.fifa"}) {
        EXPECT_NE(refuse_queue_url(url), std::nullopt) << url;
    }
    EXPECT_NE(refuse_queue_url("https://sqs.eu-west-1.amazonaws.com/1/" + std::string(81, 'q')),
              std::nullopt);
}

TEST(SqsQueue, RefusesValuesOfOptions) {
    EXPECT_EQ(refuse_option("region", "eu-west-1"), std::nullopt);
    EXPECT_NE(refuse_option("region", "EU West"), std::nullopt);
    EXPECT_NE(refuse_option("region", "eu/west"), std::nullopt);
    EXPECT_EQ(refuse_option("messageGroup", "user"), std::nullopt);
    EXPECT_EQ(refuse_option("messageGroup", "endpoint"), std::nullopt);
    EXPECT_NE(refuse_option("messageGroup", "event"), std::nullopt);
    EXPECT_EQ(refuse_option("endpointUrl", "https://vpce.example"), std::nullopt);
    EXPECT_EQ(refuse_option("endpointUrl", "https://vpce.example/"), std::nullopt);
    EXPECT_NE(refuse_option("endpointUrl", "https://vpce.example/path"), std::nullopt);
    EXPECT_NE(refuse_option("endpointUrl", "vpce.example"), std::nullopt);
}

TEST(SqsQueue, SendsToTheOriginOfItsUrl) {
    const Queue queue = queue_of(endpoint_of("https://sqs.eu-west-1.amazonaws.com/1/q"));
    EXPECT_EQ(queue.url, "https://sqs.eu-west-1.amazonaws.com/1/q");
    EXPECT_EQ(queue.request_url, "https://sqs.eu-west-1.amazonaws.com/");
    EXPECT_EQ(queue.host, "sqs.eu-west-1.amazonaws.com");
    EXPECT_EQ(queue.region, "eu-west-1");
    EXPECT_FALSE(queue.fifo);
}

TEST(SqsQueue, SendsToItsEndpointUrlAndKeepsTheQueuesUrlAsName) {
    const Queue queue =
        queue_of(endpoint_of("https://sqs.eu-west-1.amazonaws.com/1/q.fifo",
                             {{"endpointUrl", "http://127.0.0.1:4566"}, {"region", "us-east-2"}}));
    EXPECT_EQ(queue.url, "https://sqs.eu-west-1.amazonaws.com/1/q.fifo");
    EXPECT_EQ(queue.request_url, "http://127.0.0.1:4566/");
    EXPECT_EQ(queue.host, "127.0.0.1:4566");
    EXPECT_EQ(queue.region, "us-east-2");
    EXPECT_TRUE(queue.fifo);
    EXPECT_FALSE(queue.grouped_by_endpoint);
}

TEST(SqsQueue, SignsHostsWithoutThePortThatTheirSchemeHas) {
    EXPECT_EQ(queue_of(endpoint_of("https://q.example:443/1/q")).host, "q.example");
    EXPECT_EQ(queue_of(endpoint_of("http://q.example:80/1/q")).host, "q.example");
    EXPECT_EQ(queue_of(endpoint_of("http://q.example:443/1/q")).host, "q.example:443");
}

}  // namespace
}  // namespace sundial::sqs
