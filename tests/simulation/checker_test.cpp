#include "simulation/checker.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "support/builders.hpp"

namespace sundial::simulation {
namespace {

constexpr std::uint32_t one = 1, two = 2, three = 3;  // instances

/// The step-by-step history of one event that is due at noon. At its end the event is in the state
/// that its steps have left, and waits for a retry unless they finished it.
class Story {
public:
    Step& add(Op op, std::uint32_t source, Time when, std::uint64_t version = 0,
              std::uint32_t attempt = 0) {
        Step step;
        step.at = noon + when;
        step.mono = 1h + when;
        step.source = source;
        step.op = op;
        step.id = event.id;
        step.version = version;
        step.attempt = attempt;
        history.steps.push_back(std::move(step));
        return history.steps.back();
    }
    Step& claim(std::uint32_t source, Time when, std::uint64_t version, std::uint32_t attempt) {
        Step& step = add(Op::claim, source, when, version, attempt);
        step.target = noon;
        step.until = step.at + 30s;
        event.attempt = Attempt{attempt};
        return step;
    }
    Step& request(std::uint32_t source, Time when, std::uint64_t version, std::uint32_t attempt) {
        Step& step = add(Op::request, source, when, version, attempt);
        step.target = noon;
        step.until = step.at;
        step.key = "key";
        step.what = "body";
        return step;
    }
    Step& answer(std::uint32_t source, Time when, std::uint64_t version, std::uint32_t attempt,
                 int status) {
        Step& step = add(Op::answer, source, when, version, attempt);
        step.status = status;
        return step;
    }
    void completed(std::uint32_t source, Time when, std::uint64_t version, std::uint32_t attempt) {
        add(Op::settle, source, when, version, attempt).what = "completed";
        event.state = Completed{noon + when};
        event.claimable_at = never;
    }
    void refused(std::uint32_t source, Time when, std::uint64_t version, std::uint32_t attempt) {
        add(Op::settle, source, when, version, attempt).what = "failed";
        event.state = Failed{noon + when, "HTTP_STATUS 404"};
        event.claimable_at = never;
        tried(attempt, AttemptOutcome::permanent);
    }
    void waits(std::uint32_t source, Time when, std::uint64_t version, std::uint32_t attempt,
               Time until) {
        Step& step = add(Op::settle, source, when, version, attempt);
        step.what = "retry";
        step.until = event.claimable_at = noon + until;
        ++event.retry_count;
        tried(attempt, AttemptOutcome::retryable);
    }
    /// Claimed by the first instance, sent and answered, in the first 90 ms.
    void first_attempt(int status) {
        claim(one, 1ms, 2, 1);
        request(one, 5ms, 2, 1);
        answer(one, 90ms, 2, 1, status);
    }
    /// Claimed by the second instance, after the first one's lease.
    void second_attempt() {
        claim(two, 31s, 3, 2);
        request(two, 31s, 3, 2);
    }
    /// Heartbeats of `source`, one a second.
    void beats(std::uint32_t source, Time begin, Time end) {
        for (Time when = begin; when <= end; when += 1s) {
            add(Op::beat, source, when).id.reset();
        }
    }
    void stopped(std::uint32_t source, Time when) { add(Op::stop, source, when).id.reset(); }
    void gone(std::uint32_t source, Time when) { add(Op::gone, source, when).id.reset(); }
    void fault(const char* kind, std::uint32_t source, Time begin, Time end) {
        history.faults.push_back({kind, source, 1h + begin, 1h + end});
    }
    void tried(std::uint32_t number, AttemptOutcome outcome) {
        attempts.push_back({.event = event.id,
                            .number = Attempt{number},
                            .outcome = outcome,
                            .endpoint = std::nullopt,
                            .started_at = std::nullopt,
                            .status_code = std::nullopt,
                            .error_code = {},
                            .error_text = {},
                            .response_body = {},
                            .instance = instance_a});
    }
    [[nodiscard]] History recorded() const {
        History all = history;
        all.ended_at = noon + 10min;
        if (there) all.events.push_back({event, attempts, true});
        return all;
    }

    History history;
    Event event = waiting();
    std::vector<AttemptRecord> attempts;
    bool there = true;

private:
    static Event waiting() {
        Event event = an_event().due(noon);
        event.state = Processing{};
        event.claimable_at = noon + 1h;
        return event;
    }
};

struct StoryCase {
    std::string name;
    std::function<void(Story&)> arrange;
    std::set<std::string> breaks{};
};
void PrintTo(const StoryCase& story, std::ostream* out) { *out << story.name; }

class CheckerOf : public testing::TestWithParam<StoryCase> {};

TEST_P(CheckerOf, FindsOnlyTheBrokenGuarantee) {
    Story story;
    GetParam().arrange(story);
    const History history = story.recorded();
    std::set<std::string> found;
    for (const Breach& breach : check(history).breaches) found.insert(breach.invariant);
    EXPECT_EQ(found, GetParam().breaks) << trace(history, std::nullopt, 100);
}

const auto name_of = [](const auto& param_info) { return param_info.param.name; };

INSTANTIATE_TEST_SUITE_P(Good, CheckerOf,
                         testing::Values(StoryCase{"accepted",
                                                   [](Story& story) {
                                                       story.first_attempt(204);
                                                       story.completed(one, 95ms, 2, 1);
                                                   }},
                                         StoryCase{"accepted_at_the_second_try",
                                                   [](Story& story) {
                                                       story.first_attempt(500);
                                                       story.waits(one, 95ms, 2, 1, 2s);
                                                       story.claim(two, 2s, 4, 2);
                                                       story.request(two, 2s, 4, 2);
                                                       story.answer(two, 3s, 4, 2, 204);
                                                       story.completed(two, 3s, 4, 2);
                                                   }},
                                         StoryCase{"refused",
                                                   [](Story& story) {
                                                       story.first_attempt(404);
                                                       story.refused(one, 95ms, 2, 1);
                                                   }},
                                         StoryCase{"settled_twice_since_the_reply_was_lost",
                                                   [](Story& story) {
                                                       story.first_attempt(204);
                                                       story.completed(one, 95ms, 2, 1);
                                                       story.completed(one, 1s, 2, 1);
                                                   }},
                                         StoryCase{"two_at_once_since_one_was_frozen",
                                                   [](Story& story) {
                                                       story.claim(one, 1ms, 2, 1);
                                                       story.request(one, 5ms, 2, 1);
                                                       story.fault("freeze", one, 1s, 60s);
                                                       story.second_attempt();
                                                   }},
                                         StoryCase{"sent_again_since_its_sender_died",
                                                   [](Story& story) {
                                                       story.first_attempt(204);
                                                       story.fault("kill", one, 91ms, 91ms);
                                                       story.second_attempt();
                                                   }},
                                         StoryCase{"sent_again_since_the_answer_was_lost",
                                                   [](Story& story) {
                                                       story.claim(one, 1ms, 2, 1);
                                                       story.request(one, 5ms, 2, 1);
                                                       story.answer(one, 90ms, 2, 1, 204).how =
                                                           How::unknown;
                                                       story.second_attempt();
                                                   }},
                                         StoryCase{"late_since_nobody_was_there",
                                                   [](Story& story) {
                                                       story.fault("nobody is there", 0, -1h, 1min);
                                                       story.claim(one, 1min, 2, 1);
                                                   }},
                                         StoryCase{"left_behind_since_its_reply_was_lost",
                                                   [](Story& story) {
                                                       story.beats(one, 0s, 0s);
                                                       story.claim(one, 1ms, 2, 1);
                                                       story.fault("lost reply", one, 1ms, 1s);
                                                       story.beats(one, 1s, 1s);
                                                       story.stopped(one, 2s);
                                                       story.beats(two, 3s, 30s);
                                                       story.second_attempt();
                                                   }},
                                         StoryCase{"taken_over_from_a_silent_instance",
                                                   [](Story& story) {
                                                       story.beats(one, 0s, 0s);
                                                       story.beats(two, 0s, 1s);
                                                       story.claim(one, 1ms, 2, 1);
                                                       story.beats(two, 1s, 5s);
                                                       story.claim(two, 5s, 3, 2);
                                                       story.tried(1, AttemptOutcome::lost);
                                                       ++story.event.retry_count;
                                                   }},
                                         StoryCase{"taken_over_from_an_ended_process",
                                                   [](Story& story) {
                                                       story.beats(one, 0s, 0s);
                                                       story.beats(two, 0s, 0s);
                                                       story.claim(one, 1ms, 2, 1);
                                                       story.gone(one, 500ms);
                                                       story.beats(two, 1s, 1s);
                                                       story.claim(two, 1s, 3, 2);
                                                       story.tried(1, AttemptOutcome::lost);
                                                       ++story.event.retry_count;
                                                   }},
                                         StoryCase{"gone_with_its_user",
                                                   [](Story& story) {
                                                       const auto user = an_id<UserId>();
                                                       story.claim(one, 1ms, 2, 1).user = user;
                                                       story.request(one, 5ms, 2, 1);
                                                       Step& erased = story.add(Op::erase, 0, 1min);
                                                       erased.id.reset();
                                                       erased.user = user;
                                                       erased.how = How::unknown;
                                                       story.there = false;
                                                   }}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(
    Bad, CheckerOf,
    testing::Values(
        StoryCase{"I1_acknowledged_and_gone",
                  [](Story& story) {
                      story.add(Op::create, 0, -1h);
                      story.there = false;
                  },
                  {"I1"}},
        StoryCase{"I1_a_schedule_that_ended",
                  [](Story& story) {
                      story.history.chains.push_back({"every day", std::nullopt, false});
                  },
                  {"I1"}},
        StoryCase{"I2_a_request_without_an_event",
                  [](Story& story) {
                      story.first_attempt(204);
                      story.there = false;
                  },
                  {"I2"}},
        StoryCase{"I2_gone_with_somebody_elses_user",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1).user = an_id<UserId>();
                      story.request(one, 5ms, 2, 1);
                      story.add(Op::erase, 0, 1min).user = an_id<UserId>();
                      story.there = false;
                  },
                  {"I2"}},
        StoryCase{"I3_two_events_of_one_request",
                  [](Story& story) {
                      Event twin = story.event;
                      twin.id = an_id<EventId>();
                      twin.key.value += "-again";
                      story.history.events.push_back({twin, {}});
                  },
                  {"I3"}},
        StoryCase{"I4_two_live_events_with_one_key",
                  [](Story& story) {
                      Event twin = story.event;
                      twin.id = an_id<EventId>();
                      twin.payload += " ";
                      story.history.events.push_back({twin, {}});
                  },
                  {"I4"}},
        StoryCase{"I4_claimed_though_it_is_over",
                  [](Story& story) {
                      story.first_attempt(204);
                      story.completed(one, 95ms, 2, 1);
                      story.claim(two, 1s, 4, 2);
                  },
                  {"I4"}},
        StoryCase{"I4_not_over_any_more",
                  [](Story& story) {
                      const Event before = story.event;
                      story.first_attempt(204);
                      story.completed(one, 95ms, 2, 1);
                      story.event = before;
                  },
                  {"I4"}},
        StoryCase{"I5_accepted_by_nobody",
                  [](Story& story) {
                      story.first_attempt(500);
                      story.completed(one, 95ms, 2, 1);
                  },
                  {"I5"}},
        StoryCase{"I6_claimed_during_anothers_lease",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1);
                      story.claim(two, 30s, 3, 2);
                  },
                  {"I6"}},
        StoryCase{"I6_written_by_a_stale_holder",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1);
                      story.claim(two, 31s, 3, 2);
                      story.add(Op::release, one, 32s, 2, 1);
                  },
                  {"I6"}},
        StoryCase{"I6_taken_over_from_an_instance_that_sends_heartbeats",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1);
                      for (Time when = 0s; when <= 5s; when += 1s) {
                          story.beats(one, when, when);
                          story.beats(two, when, when);
                      }
                      story.claim(two, 5s, 3, 2);
                  },
                  {"I6"}},
        StoryCase{"I6_taken_over_because_another_process_has_ended",
                  [](Story& story) {
                      story.beats(one, 0s, 0s);
                      story.beats(two, 0s, 0s);
                      story.claim(one, 1ms, 2, 1);
                      story.gone(3, 500ms);
                      story.claim(two, 1s, 3, 2);
                  },
                  {"I6"}},
        StoryCase{"I6_taken_over_after_the_database_was_away",
                  [](Story& story) {
                      story.beats(one, 0s, 0s);
                      story.beats(two, 0s, 0s);
                      story.claim(one, 1ms, 2, 1);
                      story.beats(two, 6s, 6s);
                      story.claim(two, 6s, 3, 2);
                  },
                  {"I6"}},
        StoryCase{"I6_taken_over_what_was_claimed_later",
                  [](Story& story) {
                      story.beats(one, 0s, 0s);
                      story.beats(two, 0s, 5s);
                      story.beats(one, 5100ms, 5100ms);
                      story.claim(one, 5200ms, 2, 1);
                      story.claim(two, 5300ms, 3, 2);
                  },
                  {"I6"}},
        StoryCase{"I7_a_lost_reply_excuses_nothing",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1);
                      story.request(one, 5ms, 2, 1);
                      story.fault("lost reply", one, 1s, 10s);
                      story.second_attempt();
                  },
                  {"I7"}},
        StoryCase{
            "I6_a_number_left_out", [](Story& story) { story.claim(one, 1ms, 2, 2); }, {"I6"}},
        StoryCase{"I7_two_requests_at_once",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1);
                      story.request(one, 5ms, 2, 1);
                      story.second_attempt();
                  },
                  {"I7"}},
        StoryCase{"I7_a_fault_of_somebody_else_excuses_nothing",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1);
                      story.request(one, 5ms, 2, 1);
                      story.fault("freeze", three, 1s, 60s);
                      story.second_attempt();
                  },
                  {"I7"}},
        StoryCase{"I8_a_number_sent_twice",
                  [](Story& story) {
                      story.first_attempt(500);
                      story.request(one, 1s, 2, 1);
                  },
                  {"I8"}},
        StoryCase{"I8_another_key",
                  [](Story& story) {
                      story.first_attempt(500);
                      story.claim(two, 31s, 3, 2);
                      story.request(two, 31s, 3, 2).key = "other";
                  },
                  {"I8"}},
        StoryCase{"I8_another_body",
                  [](Story& story) {
                      story.first_attempt(500);
                      story.claim(two, 31s, 3, 2);
                      story.request(two, 31s, 3, 2).what = "other";
                  },
                  {"I8"}},
        StoryCase{"I9_sent_again_though_it_was_accepted",
                  [](Story& story) {
                      story.first_attempt(204);
                      story.second_attempt();
                  },
                  {"I9"}},
        StoryCase{"I10_early",
                  [](Story& story) {
                      story.claim(one, -1us, 2, 1);
                      story.request(one, -1us, 2, 1);
                  },
                  {"I10"}},
        StoryCase{"I11_another_local_time",
                  [](Story& story) { story.claim(one, 1ms, 2, 1).sound = false; },
                  {"I11"}},
        StoryCase{"I12_late", [](Story& story) { story.claim(one, 7001ms, 2, 1); }, {"I12"}},
        StoryCase{"late_from_a_line",
                  [](Story& story) { story.claim(one, 7001ms, 2, 1).from_line = true; }},
        StoryCase{"I12_left_behind",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1);
                      story.stopped(one, 1s);
                      story.second_attempt();
                  },
                  {"I12"}},
        StoryCase{"I13_a_try_before_its_time",
                  [](Story& story) {
                      story.first_attempt(500);
                      story.waits(one, 1s, 2, 1, 1h);
                      story.claim(one, 5min, 4, 2);
                  },
                  {"I13"}},
        StoryCase{"I13_sooner_than_the_receiver_asked",
                  [](Story& story) {
                      story.first_attempt(503);
                      story.history.steps.back().retry_after = 2h;
                      story.waits(one, 1s, 2, 1, 1h);
                  },
                  {"I13"}},
        StoryCase{"I13_claimed_though_it_was_cancelled",
                  [](Story& story) {
                      story.add(Op::cancel, 0, -1h);
                      story.event.state = Cancelled{noon - 1h, "no"};
                      story.claim(one, 1ms, 2, 1);
                  },
                  {"I13"}},
        StoryCase{"I14_a_wrong_timestamp",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1);
                      story.request(one, 5ms, 2, 1).until = noon - 6s;
                  },
                  {"I14"}},
        StoryCase{"I15_a_number_that_nobody_claimed",
                  [](Story& story) {
                      story.claim(one, 1ms, 2, 1);
                      story.request(one, 5ms, 2, 2);
                  },
                  {"I15"}},
        StoryCase{"I16_tries_that_do_not_add_up",
                  [](Story& story) {
                      story.first_attempt(204);
                      story.completed(one, 95ms, 2, 1);
                      ++story.event.retry_count;
                  },
                  {"I16"}},
        StoryCase{"I16_completed_after_a_refusal",
                  [](Story& story) {
                      story.first_attempt(204);
                      story.completed(one, 95ms, 2, 1);
                      story.tried(1, AttemptOutcome::permanent);
                  },
                  {"I16"}},
        StoryCase{"I17_due_and_nobody_takes_it",
                  [](Story& story) { story.event.claimable_at = noon + 9min; },
                  {"I17"}},
        StoryCase{"I17_a_lease_without_an_end",
                  [](Story& story) {
                      story.event.state = Processing{instance_a};
                      story.event.claimable_at = noon + 1h;
                  },
                  {"I17"}},
        StoryCase{"I17_waits_for_nothing",
                  [](Story& story) { story.event.claimable_at = never; },
                  {"I17"}}),
    name_of);

}  // namespace
}  // namespace sundial::simulation
