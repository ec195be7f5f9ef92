#include "adapters/webhook/signature.hpp"

#include <gtest/gtest.h>

#include "base/base64.hpp"

namespace sundial::webhook {
namespace {

TEST(Signature, AgreesWithTheVectorOfStandardWebhooks) {
    const std::string key = *base::from_base64("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    EXPECT_EQ(
        sign(OpenKey{.bytes = key}, "msg_p5jXN8AQM9LWM0D4loKWxJek",
             std::chrono::sys_seconds(std::chrono::seconds(1614265330)), R"({"test": 2432232314})"),
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

}  // namespace
}  // namespace sundial::webhook
