#include "simulation/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace sundial::simulation {
namespace {

constexpr double three_weeks = 0.06;  // in years
constexpr std::uint64_t some_seeds = 8;

TEST(Simulation, IsTheSameForTheSameSeedAndAnotherForAnother) {
    Settings settings{.seed = 1, .years = three_weeks, .faults = Profile::mixed};
    const auto hash = simulate(settings).hash;
    EXPECT_EQ(simulate(settings).hash, hash);
    ++settings.seed;
    EXPECT_NE(simulate(settings).hash, hash);
}

struct FaultsCase {
    Profile profile;
    std::set<std::string> happen;  // only these may happen
};
void PrintTo(const FaultsCase& one, std::ostream* out) { *out << to_string(one.profile); }

class Faults : public testing::TestWithParam<FaultsCase> {};

/// A profile without its faults would prove nothing; neither would one without deliveries.
TEST_P(Faults, OfTheProfileHappenAndNoOthers) {
    Counts counts;
    for (std::uint64_t seed = 1; seed <= some_seeds; ++seed) {
        const auto run =
            simulate({.seed = seed, .years = three_weeks, .faults = GetParam().profile});
        for (const auto& [kind, count] : run.counts.faults) counts.faults[kind] += count;
        counts.accepted += run.counts.accepted;
        counts.requests += run.counts.requests;
    }
    std::set<std::string> happened;
    for (const auto& [kind, count] : counts.faults) {
        if (count > 0) happened.insert(kind);
    }
    EXPECT_EQ(happened, GetParam().happen);
    EXPECT_GT(counts.accepted, 25 * some_seeds);
    EXPECT_GT(counts.requests, counts.accepted);
}

const std::set<std::string> of_crash{"crash before a call", "crash after a call", "kill", "stop",
                                     "nobody is there"};
const std::set<std::string> of_replies{"lost request", "lost reply",  "late request",
                                       "late reply",   "lost answer", "database away"};

std::set<std::string> of_all() {
    std::set<std::string> all{"freeze", "clock step"};
    all.insert(of_crash.begin(), of_crash.end());
    all.insert(of_replies.begin(), of_replies.end());
    return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Faults,
                         testing::Values(FaultsCase{Profile::none, {}},
                                         FaultsCase{Profile::crash, of_crash},
                                         FaultsCase{Profile::replies, of_replies},
                                         FaultsCase{Profile::pause, {"freeze"}},
                                         FaultsCase{Profile::clock, {"clock step"}},
                                         FaultsCase{Profile::mixed, of_all()}),
                         [](const auto& param_info) {
                             return std::string{to_string(param_info.param.profile)};
                         });

}  // namespace
}  // namespace sundial::simulation
