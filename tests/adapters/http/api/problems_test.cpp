#include "adapters/http/api/problems.hpp"

#include <gtest/gtest.h>

#include <string>

#include "application/requests/refusal.hpp"

namespace sundial::http {
namespace {

TEST(ProblemOfNotFound, HasTheCodeOfEachNoun) {
    for (int number = 0; number <= static_cast<int>(Noun::calendar); ++number) {
        const auto noun = static_cast<Noun>(number);
        const Problem problem = problem_of(NotFound{noun, "x"});
        const ProblemKind& kind = kind_of(problem.code);
        EXPECT_EQ(kind.name, not_found_code(noun));
        EXPECT_EQ(kind.status, 404) << kind.name;
        EXPECT_EQ(problem.detail, absence_in_words({noun, "x"}));
    }
    EXPECT_EQ(problem_of(NotFound{Noun::api_key, "x"}).code, Code::api_key_not_found);
}

}  // namespace
}  // namespace sundial::http
