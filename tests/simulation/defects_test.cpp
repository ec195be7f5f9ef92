#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "simulation/simulation.hpp"

namespace sundial::simulation {
namespace {

/// A defect, and invariants; the defect must violate at least one of them.
struct DefectCase {
    std::string name;
    Defect defect;
    std::set<std::string> breaks;
    Profile faults = Profile::pause;
};
void PrintTo(const DefectCase& one, std::ostream* out) { *out << one.name; }

class SeededDefect : public testing::TestWithParam<DefectCase> {};

/// Within a few seeds: a checker that needs many would miss rarer defects.
TEST_P(SeededDefect, IsFound) {
    constexpr std::uint64_t max_seeds = 20;
    std::set<std::string> found;
    for (std::uint64_t seed = 1; seed <= max_seeds && found.empty(); ++seed) {
        const auto run = simulate({.seed = seed,
                                   .years = 0.06,
                                   .faults = GetParam().faults,
                                   .defect = GetParam().defect});
        for (const Breach& breach : run.verdict.breaches) found.insert(breach.invariant);
    }
    const auto expected = [](const std::string& one) { return GetParam().breaks.contains(one); };
    EXPECT_TRUE(std::ranges::any_of(found, expected)) << testing::PrintToString(found);
}

INSTANTIATE_TEST_SUITE_P(
    Each, SeededDefect,
    testing::Values(
        DefectCase{"acked_before_commit", Defect::acked_before_commit, {"I1"}, Profile::none},
        DefectCase{"no_version_check", Defect::no_version_check, {"I6"}, Profile::mixed},
        DefectCase{"claims_early", Defect::claims_early, {"I10"}, Profile::none},
        DefectCase{"takes_over_early", Defect::takes_over_early, {"I6", "I7"}},
        DefectCase{"lease_never_ends", Defect::lease_never_ends, {"I17"}, Profile::crash},
        DefectCase{"retry_forgotten", Defect::retry_forgotten, {"I17"}, Profile::none},
        DefectCase{"successor_forgotten", Defect::successor_forgotten, {"I1"}, Profile::none},
        DefectCase{"hidden_resend", Defect::hidden_resend, {"I8"}, Profile::none},
        DefectCase{"new_key_on_retry", Defect::new_key_on_retry, {"I8"}, Profile::none},
        DefectCase{"body_changes_on_retry", Defect::body_changes_on_retry, {"I8"}, Profile::none},
        DefectCase{"unknown_is_success", Defect::unknown_is_success, {"I5"}, Profile::none},
        DefectCase{"settles_before_sending", Defect::settles_before_sending, {"I5"}, Profile::none},
        DefectCase{"retry_after_ignored", Defect::retry_after_ignored, {"I13"}, Profile::none},
        DefectCase{"cancel_ignored", Defect::cancel_ignored, {"I13"}, Profile::none},
        DefectCase{"keys_not_unique", Defect::keys_not_unique, {"I3"}, Profile::replies},
        DefectCase{"wrong_zone", Defect::wrong_zone, {"I11"}, Profile::none},
        DefectCase{"silence_counts", Defect::silence_counts, {"I6"}, Profile::replies},
        DefectCase{"dead_are_not_found", Defect::dead_are_not_found, {"I12"}, Profile::crash},
        DefectCase{
            "sends_unclaimed_numbers", Defect::sends_unclaimed_numbers, {"I15"}, Profile::none}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace sundial::simulation
