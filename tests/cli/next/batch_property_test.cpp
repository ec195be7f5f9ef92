#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "cli/next/batch.hpp"
#include "domain/time/text.hpp"
#include "next_support.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

json::object answer(const json::object& request) {
    return json::parse(answer_line(json::serialize(request), installed_zones())).as_object();
}

std::string gen_instant() {
    const auto moment = *rc::gen::inRange<std::int64_t>(1'600'000'000, 2'400'000'000);
    return format_instant(Instant{std::chrono::seconds{moment}});
}

std::string two_digits(int value) { return (value < 10 ? "0" : "") + std::to_string(value); }

const char* gen_zone() {
    return *rc::gen::element("UTC", "America/New_York", "Europe/Dublin", "Australia/Lord_Howe",
                             "Africa/Cairo", "Pacific/Apia", "Asia/Kathmandu");
}

json::object gen_yearly() {
    return {{"kind", "yearly"},
            {"date", "--" + two_digits(*rc::gen::inRange(1, 13)) + "-" +
                         two_digits(*rc::gen::inRange(1, 29))},
            {"time", two_digits(*rc::gen::inRange(0, 24)) + ":30"},
            {"zone", gen_zone()},
            {"gap", *rc::gen::element("compatible", "earlier", "later", "boundary", "skip")},
            {"overlap", *rc::gen::element("compatible", "earlier", "later", "both", "skip")}};
}

json::object gen_interval() {
    return {{"kind", "interval"},
            {"start", gen_instant()},
            {"every", "PT" + std::to_string(*rc::gen::inRange(60, 100'000)) + "S"}};
}

std::string gen_cron_field(int min, int max) {
    const auto value = std::to_string(*rc::gen::inRange(min, max));
    const auto end = std::to_string(*rc::gen::inRange(min, max));
    return *rc::gen::element<std::string>("*", "*/7", value, value + "-" + end, value + "," + end);
}

json::object gen_cron() {
    return {{"kind", "cron"},
            {"expr", gen_cron_field(0, 60) + " " + gen_cron_field(0, 24) + " " +
                         gen_cron_field(1, 29) + " * " + gen_cron_field(0, 7)},
            {"zone", gen_zone()},
            {"gap", *rc::gen::element("compatible", "earlier", "later", "boundary", "skip")},
            {"overlap", *rc::gen::element("compatible", "earlier", "later", "both", "skip")}};
}

json::object gen_rrule() {
    const std::string rule = *rc::gen::element<std::string>(
        "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,SA", "FREQ=MONTHLY;BYMONTHDAY=-1",
        "FREQ=HOURLY;INTERVAL=5", "FREQ=MINUTELY;INTERVAL=50;BYHOUR=1,2", "FREQ=YEARLY;COUNT=20");
    return {{"kind", "rrule"},
            {"dtstart", "20210131T0" + std::to_string(*rc::gen::inRange(0, 4)) + "3000"},
            {"rrule", rule},
            {"zone", gen_zone()},
            {"gap", *rc::gen::element("compatible", "earlier", "later", "boundary", "skip")},
            {"overlap", *rc::gen::element("compatible", "earlier", "later", "both", "skip")}};
}

json::object gen_rule() {
    switch (*rc::gen::inRange(0, 4)) {
        case 0:
            return gen_yearly();
        case 1:
            return gen_cron();
        case 2:
            return gen_rrule();
        default:
            return gen_interval();
    }
}

RC_GTEST_PROP(BatchProperty, PagingEqualsOneLongList, ()) {
    json::object request = gen_rule();
    request["after"] = gen_instant();
    request["count"] = 6;
    const json::object whole = answer(request);
    const json::array& all = whole.at("utc").as_array();
    json::array paged;
    request["count"] = 2;
    for (int page = 0; page < 3; ++page) {
        const json::object found = answer(request);
        for (const json::value& each : found.at("utc").as_array()) paged.push_back(each);
        if (!paged.empty()) request["after"] = paged.back();
    }
    RC_ASSERT(paged == all);
}

RC_GTEST_PROP(BatchProperty, AscendsStrictlyAfter, ()) {
    json::object request = gen_rule();
    const std::string after = gen_instant();
    request["after"] = after;
    request["count"] = 10;
    Instant before = parse_instant(after)->instant;
    const json::object found = answer(request);
    for (const json::value& each : found.at("utc").as_array()) {
        const Instant instant = parse_instant(each.as_string())->instant;
        RC_ASSERT(instant > before);
        before = instant;
    }
}

RC_GTEST_PROP(BatchProperty, CatchingUpWithAllFiresTheListedOccurrences, ()) {
    json::object rule = gen_rule();
    const std::string last = gen_instant();
    const Instant now =
        parse_instant(last)->instant + std::chrono::seconds{*rc::gen::inRange(0, 3 * 86'400)};
    const json::object caught_up = answer({{"kind", "misfire"},
                                           {"schedule", rule},
                                           {"last", last},
                                           {"now", format_instant(now)},
                                           {"policy", "all"},
                                           {"limit", 50}});
    rule["after"] = last;
    rule["count"] = 10'000;  // one a minute for more than three days
    json::array missed;
    json::value next = nullptr;
    const json::object list = answer(rule);
    for (const json::value& each : list.at("utc").as_array()) {
        if (parse_instant(each.as_string())->instant > now) {
            next = each;
            break;
        }
        missed.push_back(each);
    }
    const std::size_t dropped = missed.size() > 50 ? missed.size() - 50 : 0;
    missed.erase(missed.begin(), missed.begin() + static_cast<std::ptrdiff_t>(dropped));
    RC_ASSERT(caught_up.at("fire") == missed);
    RC_ASSERT(caught_up.at("dropped").to_number<std::size_t>() == dropped);
    RC_ASSERT(caught_up.at("next") == next);
}

RC_GTEST_PROP(BatchProperty, AnswersAnyBytesWithOneJsonObject, (const std::string& line)) {
    const std::string reply = answer_line(line, installed_zones());
    RC_ASSERT(reply.find('\n') == std::string::npos);
    RC_ASSERT(json::parse(reply).as_object().contains("error"));
}

RC_GTEST_PROP(BatchProperty, AnswersARequestWithAnyTextInItsFields, (const std::string& text)) {
    json::object request = gen_rule();
    const auto at = *rc::gen::inRange<std::size_t>(0, request.size());
    request.begin()[static_cast<std::ptrdiff_t>(at)].value() = text;
    request["after"] = gen_instant();
    const std::string reply = answer_line(json::serialize(request), installed_zones());
    RC_ASSERT(reply.find('\n') == std::string::npos);
    RC_ASSERT(json::parse(reply).is_object());
}

}  // namespace
}  // namespace sundial::cli
