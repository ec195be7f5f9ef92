#include "adapters/system/json_log.hpp"

#include <gtest/gtest.h>

namespace sundial::system {
namespace {

TEST(JsonLog, WritesEveryFixedMemberAndEscapesTheRest) {
    const LogSettings settings{
        .service = "sundial", .environment = "test", .version = "1.2.3", .start_id = "abc"};
    const base::LogLine line{.level = base::LogLevel::warn,
                             .event_name = "event.retrying",
                             .message = "try \"2\"",
                             .correlation_id = "evt-1",
                             .fields = {{"attempt", std::int64_t{2}},
                                        {"lateExecution", true},
                                        {"failureReason", std::string("TIMEOUT")}}};
    EXPECT_EQ(
        format_json(settings, line, "2027-01-01T00:00:00.000Z"),
        R"({"time":"2027-01-01T00:00:00.000Z","level":"warn","msg":"try \"2\"",)"
        R"("correlationId":"evt-1","serviceName":"sundial","environment":"test","version":"1.2.3",)"
        R"("eventName":"event.retrying","attempt":2,"lateExecution":true,"failureReason":"TIMEOUT"})");
}

TEST(JsonLog, GivesALineWithoutACorrelationTheOneOfItsProcess) {
    LogSettings settings;
    settings.start_id = "abc";
    base::LogLine line;
    line.message = "ready";
    EXPECT_NE(format_json(settings, line, "t").find(R"("correlationId":"sys-abc")"),
              std::string::npos);
}

TEST(JsonLog, WritesToStandardErrorOnlyWhatItsLevelLetsPass) {
    testing::internal::CaptureStderr();
    {
        LogSettings settings;
        settings.level = base::LogLevel::warn;
        JsonLog log(settings);
        base::LogLine line;
        line.message = "quiet";
        log.write(line);
        line.level = base::LogLevel::error;
        line.message = "loud";
        log.write(line);
    }
    const std::string written = testing::internal::GetCapturedStderr();
    EXPECT_EQ(written.find("quiet"), std::string::npos);
    EXPECT_NE(written.find("\"loud\""), std::string::npos);
}

TEST(JsonLog, DeclinesLinesBelowItsLevel) {
    LogSettings settings;
    settings.level = base::LogLevel::warn;
    const JsonLog log(settings);
    EXPECT_FALSE(log.wants(base::LogLevel::info));
    EXPECT_TRUE(log.wants(base::LogLevel::warn));
}

TEST(JsonLog, WritesAllLinesBeforeAFlushReturns) {
    testing::internal::CaptureStderr();
    JsonLog log({});
    base::LogLine line;
    for (int i = 0; i < 1'000; ++i) {
        line.message = "line " + std::to_string(i);
        log.write(line);
    }
    log.flush();
    EXPECT_NE(testing::internal::GetCapturedStderr().find("\"line 999\""), std::string::npos);
}

}  // namespace
}  // namespace sundial::system
