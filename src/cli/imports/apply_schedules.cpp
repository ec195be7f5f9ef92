#include "cli/imports/apply_schedules.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <optional>
#include <ostream>
#include <string_view>

#include "base/json.hpp"
#include "cli/json_text.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t max_shown_value = 80;

/// The values of members that a file leaves out, as the API sets them. `enabled`, `note` and
/// `tags` are missing: a schedule that is paused or tagged by hand stays so.
constexpr std::pair<std::string_view, std::string_view> default_values[]{
    {"priority", R"("NORMAL")"}, {"payload", "{}"},
    {"perUser", "false"},        {"pingUrl", "null"},
    {"timezone", "null"},        {"endpointId", "null"},
    {"leap", R"("feb28")"},      {"window", "null"},
    {"grace", R"("PT1M")"},      {"limit", "100"},
    {"jitter", R"("PT0S")"},     {"concurrency", R"("allow")"},
    {"startsAt", "null"},        {"endsAt", "null"},
};

/// The defaults that depend on the kind of the rule.
std::vector<std::pair<std::string, std::string>> defaults_of(std::string_view trigger) {
    const bool cron = !value_at(trigger, "cron").empty();
    const bool yearly = !value_at(trigger, "yearly").empty();
    return {{"gap", cron ? R"("boundary")" : R"("compatible")"},
            {"overlap", cron ? R"("earlier")" : R"("compatible")"},
            {"misfire", yearly ? R"("all")" : R"("once")"}};
}

bool same_value(std::string_view wanted, std::string_view current);

/// Every member of `wanted` is in `current`, which may have more: the API fills in defaults.
bool has_members(std::string_view wanted, std::string_view current) {
    const auto present = members_of(current);
    return std::ranges::all_of(members_of(wanted), [&](const auto& member) {
        const auto found = std::ranges::find(present, member.first,
                                             &std::pair<std::string, std::string_view>::first);
        return found != present.end() && same_value(member.second, found->second);
    });
}

/// Equal as JSON, or the same instant or duration in another spelling.
bool same_value(std::string_view wanted, std::string_view current) {
    if (base::canonical_json(wanted) == base::canonical_json(current)) return true;
    if (!wanted.starts_with('"') || !current.starts_with('"')) return false;
    const std::string one = plain_text(wanted), other = plain_text(current);
    const auto length = parse_duration(one), other_length = parse_duration(other);
    if (length && other_length) return *length == *other_length;
    const auto instant = parse_instant(one), other_instant = parse_instant(other);
    return instant && other_instant && instant->instant == other_instant->instant;
}

std::string short_text(std::string_view value) {
    if (value.empty()) return "nothing";
    if (value.size() <= max_shown_value) return std::string(value);
    return std::string(value.substr(0, max_shown_value)) + "...";
}

/// A schedule of the server.
struct PresentSchedule {
    std::string id{}, version{}, body{};
};

struct ScheduleChange {
    enum class Kind : std::uint8_t { create, change, remove };
    Kind kind = Kind::create;
    std::string name{};
    std::vector<std::string> lines{};  // the differences
    std::string body{};                // of the request
    std::string id{}, version{};       // of a present schedule
};

class ScheduleApplier {
public:
    ScheduleApplier(const HttpClient& client, const ScheduleApply& order, const Person& person,
                    const Output& output)
        : client_(client), order_(order), person_(person), output_(output) {}

    int run() {
        const ScheduleFile file = read_schedule_file(order_.text, order_.name);
        if (!file.error.empty()) {
            output_.err << "sundial: " << file.error << '\n';
            return exit_code::usage;
        }
        prefix_ = "apply:" + file.set + ':';
        if (const auto code = list_present()) return *code;
        for (const WantedSchedule& wanted : file.schedules) {
            if (const auto code = compare(wanted)) return *code;
        }
        for (const auto& [name, schedule] : present_) {
            const bool wanted = std::ranges::find(file.schedules, name, &WantedSchedule::name) !=
                                file.schedules.end();
            if (wanted) continue;
            if (!order_.prune) {
                kept_.push_back(name);
            } else {
                changes_.push_back({.kind = ScheduleChange::Kind::remove,
                                    .name = name,
                                    .id = schedule.id,
                                    .version = schedule.version});
            }
        }
        return decide();
    }

private:
    /// Reads the schedules of the set. The exit code if the server refuses.
    std::optional<int> list_present() {
        std::string cursor;
        do {
            std::string path = "/v1/schedules?limit=100&q=" + query_text(prefix_);
            if (!cursor.empty()) path += "&cursor=" + query_text(cursor);
            const Answer answer = client_.call("GET", path);
            if (answer.status != 200) return print_refusal(answer);
            for (const std::string_view each : elements_of(value_at(answer.body, "data"))) {
                const std::string id = plain_text(value_at(each, "externalId"));
                if (!id.starts_with(prefix_)) continue;  // `q` ignores case
                present_[id.substr(prefix_.size())] = {plain_text(value_at(each, "id")),
                                                       plain_text(value_at(each, "version")),
                                                       std::string(each)};
            }
            cursor = plain_text(value_at(answer.body, "nextCursor"));
        } while (!cursor.empty());
        return std::nullopt;
    }

    [[nodiscard]] int print_refusal(const Answer& answer) const {
        const Output plain{output_.out, output_.err, false};
        const int code = print(answer, plain, [](const json::object&) {});
        return code == 0 ? exit_code::failure : code;
    }

    /// The endpoint's own id in place of `ext:crm`, as the API shows it. The exit code if there is
    /// no such endpoint.
    std::optional<int> resolve_endpoint(std::string& value) {
        const std::string name = plain_text(value);
        if (!name.starts_with("ext:")) return std::nullopt;
        std::string& id = endpoints_[name];
        if (id.empty()) {
            const Answer answer = client_.call("GET", "/v1/endpoints/" + path_text(name));
            if (answer.status != 200) {
                output_.err << "sundial: endpoint '" << name << "' of " << order_.name << ":\n";
                return print_refusal(answer);
            }
            id = std::string(value_at(answer.body, "id"));
        }
        value = id;
        return std::nullopt;
    }

    /// All members that a schedule of the file has, with those that the API fills in.
    static std::vector<std::pair<std::string, std::string>> with_defaults(
        const WantedSchedule& wanted) {
        auto members = wanted.members;
        const auto add = [&members](std::string_view name, std::string_view value) {
            const bool there =
                std::ranges::any_of(members, [&](const auto& each) { return each.first == name; });
            if (!there) members.emplace_back(name, value);
        };
        for (const auto& [name, value] : default_values) add(name, value);
        const auto trigger =
            std::ranges::find(members, "trigger", &std::pair<std::string, std::string>::first);
        for (const auto& [name, value] : defaults_of(trigger->second)) add(name, value);
        return members;
    }

    static std::string body_of(const std::vector<std::pair<std::string, std::string>>& members) {
        base::JsonWriter body;
        body.begin_object();
        for (const auto& [name, value] : members) body.key(name).raw(value);
        return body.end_object().text();
    }

    std::optional<int> compare(const WantedSchedule& wanted) {
        const auto found = present_.find(wanted.name);
        if (found == present_.end()) {
            ScheduleChange create{.name = wanted.name};
            auto members = wanted.members;
            for (const auto& [name, value] : members)
                create.lines.push_back(name + "  " + short_text(value));
            base::JsonWriter id;
            members.emplace_back("externalId", id.value(prefix_ + wanted.name).text());
            create.body = body_of(members);
            changes_.push_back(std::move(create));
            return std::nullopt;
        }
        const PresentSchedule& present = found->second;
        ScheduleChange change{.kind = ScheduleChange::Kind::change,
                              .name = wanted.name,
                              .id = present.id,
                              .version = present.version};
        auto members = with_defaults(wanted);
        for (auto& [name, value] : members) {
            if (name == "endpointId") {
                if (const auto code = resolve_endpoint(value)) return code;
            }
            const std::string_view current = value_at(present.body, name);
            const bool same =
                name == "trigger" ? same_trigger(value, current) : same_value(value, current);
            if (!same)
                change.lines.push_back(name + "  " + short_text(current) + " -> " +
                                       short_text(value));
        }
        if (change.lines.empty()) {
            ++unchanged_;
            return std::nullopt;
        }
        for (const char* kept : {"enabled", "note"}) {
            const bool given =
                std::ranges::any_of(members, [&](const auto& each) { return each.first == kept; });
            if (!given) members.emplace_back(kept, value_at(present.body, kept));
        }
        change.body = body_of(members);
        changes_.push_back(std::move(change));
        return std::nullopt;
    }

    /// The API adds the time of day to yearly rules and spells durations in its own way.
    static bool same_trigger(std::string_view wanted, std::string_view current) {
        if (value_at(wanted, "yearly").empty()) return has_members(wanted, current);
        const auto at = value_at(wanted, "yearly.at");
        return same_value(value_at(wanted, "yearly.on"), value_at(current, "yearly.on")) &&
               same_value(at.empty() ? R"("09:00")" : at, value_at(current, "yearly.at"));
    }

    int decide() {
        show_changes();
        if (changes_.empty()) return exit_code::ok;
        if (order_.dry_run) return exit_code::usage;  // for scripts: there are differences
        if (!order_.yes) {
            const auto refused = refuse_unconfirmed(
                "apply " + std::to_string(changes_.size()) + " changes to the server", person_,
                "give -y", output_);
            if (refused) return *refused;
        }
        std::size_t done = 0;
        for (const ScheduleChange& change : changes_) {
            if (perform(change)) ++done;
        }
        if (!output_.json)
            output_.out << done << " applied, " << changes_.size() - done << " refused\n";
        return done == changes_.size() ? exit_code::ok : exit_code::partly_failed;
    }

    void show_changes() const {
        if (output_.json) return write_changes();
        for (const ScheduleChange& change : changes_) {
            output_.out << sign_of(change.kind) << ' ' << change.name << '\n';
            for (const std::string& line : change.lines) output_.out << "    " << line << '\n';
        }
        for (const std::string& name : kept_)
            output_.out << "  " << name << " is no longer in the file; --prune deletes it\n";
        output_.out << count_of(ScheduleChange::Kind::create) << " to create, "
                    << count_of(ScheduleChange::Kind::change) << " to change, "
                    << count_of(ScheduleChange::Kind::remove) << " to delete, " << unchanged_
                    << " unchanged\n"
                    << std::flush;
    }

    void write_changes() const {
        base::JsonWriter result;
        result.begin_object();
        const auto list = [&](std::string_view name, ScheduleChange::Kind kind) {
            result.key(name).begin_array();
            for (const ScheduleChange& change : changes_) {
                if (change.kind == kind) result.value(change.name);
            }
            result.end_array();
        };
        list("create", ScheduleChange::Kind::create);
        list("change", ScheduleChange::Kind::change);
        list("delete", ScheduleChange::Kind::remove);
        result.key("kept").begin_array();
        for (const std::string& name : kept_) result.value(name);
        result.end_array().member("unchanged", unchanged_).end_object();
        output_.out << result.text() << '\n';
    }

    static char sign_of(ScheduleChange::Kind kind) {
        switch (kind) {
            case ScheduleChange::Kind::create:
                return '+';
            case ScheduleChange::Kind::change:
                return '~';
            case ScheduleChange::Kind::remove:
                return '-';
        }
        return ' ';
    }
    [[nodiscard]] std::ptrdiff_t count_of(ScheduleChange::Kind kind) const {
        return std::ranges::count(changes_, kind, &ScheduleChange::kind);
    }

    /// Whether the server did it; else prints the problem.
    [[nodiscard]] bool perform(const ScheduleChange& change) const {
        const std::string path = "/v1/schedules/" + change.id;
        const CallOptions if_version{.headers = {"If-Match: \"" + change.version + '"'}};
        Answer answer;
        switch (change.kind) {
            case ScheduleChange::Kind::create:
                answer = client_.call("POST", "/v1/schedules", change.body);
                break;
            case ScheduleChange::Kind::change:
                answer = client_.call("PUT", path, change.body, if_version);
                break;
            case ScheduleChange::Kind::remove:
                answer = client_.call("DELETE", path, {}, if_version);
                break;
        }
        if (answer.status < 300) return true;
        output_.err << "sundial: schedule '" << change.name << "' of " << order_.name << ":\n";
        (void)print_refusal(answer);
        return false;
    }

    const HttpClient& client_;
    const ScheduleApply& order_;
    const Person& person_;
    const Output& output_;
    std::string prefix_{};
    std::map<std::string, PresentSchedule> present_{};
    std::map<std::string, std::string> endpoints_{};  // ids as JSON, by name
    std::vector<ScheduleChange> changes_{};
    std::vector<std::string> kept_{};
    std::size_t unchanged_ = 0;
};

}  // namespace

int apply_schedules(const HttpClient& client, const ScheduleApply& file, const Person& person,
                    const Output& output) {
    return ScheduleApplier(client, file, person, output).run();
}

}  // namespace sundial::cli
