#include "adapters/system/claim_log_file.hpp"

#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "application/ports/failures.hpp"
#include "support/builders.hpp"
#include "support/recorded_log.hpp"
#include "support/temporary_folder.hpp"

namespace sundial::system {
namespace {

using testing::HasSubstr;

std::string content_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
}

class ClaimLogFiles : public testing::Test {
protected:
    TemporaryFolder folder;
    std::filesystem::path file = folder.file("claims");
    RecordedLog log;
};

TEST_F(ClaimLogFiles, HasALineForEachStepBeforeTheCallReturns) {
    const Event event = EventBuilder{}.with_key("k-1").build();
    ClaimLogFile claims(file, instance_a, log);
    const std::array steps{ClaimStep{.op = ClaimStep::Op::claim,
                                     .answer = ClaimStep::Answer::done,
                                     .id = event.id,
                                     .version = Version{2},
                                     .attempt = Attempt{1},
                                     .event = &event,
                                     .previous_lost = true},
                           ClaimStep{.op = ClaimStep::Op::settle,
                                     .answer = ClaimStep::Answer::refused,
                                     .id = event.id,
                                     .version = Version{2},
                                     .attempt = Attempt{1}},
                           ClaimStep{.op = ClaimStep::Op::update,
                                     .answer = ClaimStep::Answer::unknown,
                                     .id = event.id,
                                     .version = Version{4}}};
    claims.write(steps);

    const std::string text = content_of(file);
    EXPECT_EQ(std::ranges::count(text, '\n'), 4);
    EXPECT_THAT(text, HasSubstr(R"("op":"start","pid":)"));
    EXPECT_THAT(text, HasSubstr(R"("type":"ok","op":"claim","took":0,"id":")" +
                                base::to_string(event.id.value) +
                                R"(","key":"k-1","target":"2027-01-05T12:00:00Z",)"
                                R"("attempt":1,"version":2,"rescued":true})"));
    EXPECT_THAT(text, HasSubstr(R"("type":"fail","op":"settle")"));
    EXPECT_THAT(text, HasSubstr(R"("type":"info","op":"update","took":0,"id":")" +
                                base::to_string(event.id.value) + R"(","version":4})"));
}

TEST_F(ClaimLogFiles, RefusesToStartWithoutItsFile) {
    EXPECT_THROW(ClaimLogFile("/nowhere/claims", instance_a, log), CannotStart);
}

TEST_F(ClaimLogFiles, ReportsAWriteFailureOnce) {
    ClaimLogFile claims("/dev/full", instance_a, log);
    const ClaimStep step{.op = ClaimStep::Op::claim, .answer = ClaimStep::Answer::unknown};
    claims.write({&step, 1});
    claims.write({&step, 1});
    ASSERT_EQ(log.lines().size(), 1U);
    EXPECT_EQ(log.lines().front().level, base::LogLevel::warn);
}

}  // namespace
}  // namespace sundial::system
