#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/zoneinfo.hpp"
#include "domain/time/local_request.hpp"
#include "domain/time/policies.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"
#include "domain/time/yearly.hpp"

/// Sends the public vectors (tests/vectors/README.md) of the kinds that exist through our
/// functions.
namespace sundial::zones {
namespace {

namespace json = boost::json;

/// A request of the vectors, its fields by name.
class Request {
public:
    explicit Request(const json::object& fields) : fields_(fields) {}

    [[nodiscard]] std::optional<std::string_view> text(std::string_view field) const {
        const json::value* value = fields_.if_contains(field);
        if (value == nullptr) return std::nullopt;
        return std::string_view(value->as_string());
    }
    [[nodiscard]] std::size_t count() const {
        const json::value* value = fields_.if_contains("count");
        return value == nullptr ? 1 : value->to_number<std::size_t>();
    }
    [[nodiscard]] bool has_only(std::initializer_list<std::string_view> known) const {
        return std::ranges::all_of(fields_, [&](const auto& field) {
            return std::ranges::find(known, std::string_view(field.key())) != known.end();
        });
    }

private:
    const json::object& fields_;
};

json::object failure(const TimeError& error) {
    EXPECT_FALSE(error.message.empty());
    return {{"error", {{"code", to_string(error.code)}, {"message", error.message}}}};
}

json::object bad_request(std::string message) {
    return failure({TimeErrorCode::bad_request, std::move(message)});
}

/// The policy of that name, `compatible` where the field is missing; empty for an unknown name.
template <class Policy>
std::optional<Policy> policy(const Request& request, std::string_view field,
                             std::optional<Policy> (*by_name)(std::string_view)) {
    const auto name = request.text(field);
    return name ? by_name(*name) : Policy{};
}

json::object answer_instant(const Request& request, const TimeZones& zones) {
    if (!request.has_only({"id", "kind", "instant"})) return bad_request("unknown field");
    const auto read = parse_instant(request.text("instant").value());
    if (!read) return failure(read.error());
    if (read->zone) {
        const auto zone = zones.find(*read->zone);
        if (!zone) return failure(zone.error());
        if (const auto defect = offset_defect(*read, **zone)) return failure(*defect);
    }
    return {{"utc", format_instant(read->instant)}};
}

std::string_view resolution(LocalLookup::Kind kind) {
    switch (kind) {
        case LocalLookup::Kind::unique:
            return "exact";
        case LocalLookup::Kind::gap:
            return "gap";
        case LocalLookup::Kind::overlap:
            return "overlap";
    }
    return "";
}

json::object answer_local(const Request& request, const TimeZones& zones) {
    if (!request.has_only({"id", "kind", "local", "zone", "gap", "overlap"}))
        return bad_request("unknown field");
    const auto gap = policy(request, "gap", gap_policy);
    const auto overlap = policy(request, "overlap", overlap_policy);
    if (!gap || !overlap) return bad_request("unknown policy");
    const auto local = read_local_request(request.text("local").value(), request.text("zone"));
    if (!local) return failure(local.error());
    const auto zone = zones.find(local->zone);
    if (!zone) return failure(zone.error());
    const auto resolved = resolve(local->wall, **zone, *gap, *overlap, local->offset);
    if (!resolved) return failure(resolved.error());
    json::value utc = nullptr;
    if (resolved->instant) utc = format_instant(*resolved->instant);
    return {{"utc", utc}, {"resolution", resolution(resolved->kind)}};
}

json::object answer_yearly(const Request& request, const TimeZones& zones) {
    if (!request.has_only(
            {"id", "kind", "date", "time", "zone", "leap", "gap", "overlap", "after", "count"}))
        return bad_request("unknown field");
    const auto leap = policy(request, "leap", leap_policy);
    const auto gap = policy(request, "gap", gap_policy);
    const auto overlap = policy(request, "overlap", overlap_policy);
    if (!leap || !gap || !overlap) return bad_request("unknown policy");
    const auto date = parse_yearly_date(request.text("date").value());
    if (!date) return failure(date.error());
    const auto time = parse_time_of_day(request.text("time").value_or("09:00"));
    if (!time) return failure(time.error());
    const auto after = parse_instant(request.text("after").value());
    if (!after) return failure(after.error());
    const auto zone = zones.find(request.text("zone").value());
    if (!zone) return failure(zone.error());

    const YearlyRule rule{date->day, date->from, *time, *leap, *gap, *overlap};
    json::array utc;
    for (auto next = next_yearly(rule, **zone, after->instant);
         next && utc.size() < request.count(); next = next_yearly(rule, **zone, next->instant)) {
        utc.emplace_back(format_instant(next->instant));
    }
    return {{"utc", utc}};
}

/// Whether `got` has every field of `want` but the id, which only the batch command echoes.
bool satisfies(const json::object& want, const json::object& got) {
    for (const auto& [field, value] : want) {
        if (field == "id") continue;
        const json::value* ours = got.if_contains(field);
        if (ours == nullptr) return false;
        if (field != "error") {
            if (*ours != value) return false;
            continue;
        }
        const json::value& code = value.at("code");
        const json::value& our_code = ours->at("code");
        const bool one_of = code.is_array() &&
                            std::ranges::find(code.get_array(), our_code) != code.get_array().end();
        if (!one_of && code != our_code) return false;
    }
    return true;
}

TEST(Vectors, AreAnsweredAsWanted) {
    const CctzTimeZones zones(zoneinfo_directory());
    std::ifstream file(SUNDIAL_VECTORS "/time-sample.jsonl");
    std::string line;
    ASSERT_TRUE(std::getline(file, line));
    ASSERT_TRUE(json::parse(line).at("header").as_object().contains("tzdata"));

    using Answerer = json::object (*)(const Request&, const TimeZones&);
    const std::map<std::string_view, Answerer> kinds{
        {"instant", answer_instant}, {"local", answer_local}, {"yearly", answer_yearly}};
    std::map<std::string_view, int> seen;
    while (std::getline(file, line)) {
        const json::value vector = json::parse(line);
        const json::object& fields = vector.at("req").as_object();
        const auto kind = kinds.find(std::string_view(fields.at("kind").as_string()));
        if (kind == kinds.end()) continue;
        ++seen[kind->first];
        const json::object got = kind->second(Request(fields), zones);
        EXPECT_TRUE(satisfies(vector.at("want").as_object(), got))
            << line << "\nbut got " << json::serialize(got);
    }
    EXPECT_GE(seen["instant"], 4);
    EXPECT_GE(seen["local"], 26);
    EXPECT_GE(seen["yearly"], 11);
}

}  // namespace
}  // namespace sundial::zones
