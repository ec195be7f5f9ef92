#include "cli/shadow/shadow_compare.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/shadow/compare_runs.hpp"
#include "cli/shadow/shadow_jobs.hpp"
#include "cli/text_table.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t max_shown_unread = 20;

/// The API has refused a request, and that is reported.
struct RefusedByServer {
    int code;
};

Instant instant_argument(const std::string& flag, const std::string& text) {
    const auto read = parse_instant(text);
    if (!read) throw BadArgument(flag + ": " + read.error().message);
    return read->instant;
}

std::chrono::microseconds duration_argument(const std::string& flag, const std::string& text) {
    const auto read = parse_duration(text);
    if (!read) throw BadArgument(flag + ": " + read.error().message);
    return *read;
}

/// Text of the log for JSON, which must be UTF-8.
std::string as_utf8(const std::string& text) {
    return base::count_code_points(text) ? text : harmless(text);
}

std::string time_text(std::chrono::microseconds time) {
    constexpr std::chrono::seconds shown_exactly{1};
    if (time >= shown_exactly)
        return format_duration(std::chrono::floor<std::chrono::seconds>(time));
    return std::to_string(std::chrono::floor<std::chrono::milliseconds>(time).count()) + " ms";
}

class ShadowComparer {
public:
    ShadowComparer(const HttpClient& client, const ShadowComparison& order, const Zone& zone,
                   Instant now, const Output& output)
        : client_(client),
          order_(order),
          zone_(zone),
          output_(output),
          log_(read_run_log(order.text, order.log, zone, now)),
          limits_{.tolerance = duration_argument("--tolerance", order.tolerance),
                  .window = duration_argument("--window", order.window)} {}

    int run() {
        report_unread();
        if (log_.runs.empty()) {
            output_.err << "sundial: the log has no run"
                        << (order_.log.user.empty() ? "" : " of user " + order_.log.user) << '\n';
            return exit_code::usage;
        }
        set_period();
        try {
            read_schedules();
            read_events();
        } catch (const RefusedByServer& refused) {
            return refused.code;
        }
        name_schedules();
        compare();
        output_.json ? write_all() : show_all();
        return same_ && log_.unread.empty() ? exit_code::ok : exit_code::failure;
    }

private:
    struct ComparedJob {
        ShadowJob job;
        RunComparison runs;
    };

    void report_unread() const {
        for (std::size_t i = 0; i < std::min(log_.unread.size(), max_shown_unread); ++i) {
            output_.err << order_.name << ':' << log_.unread[i].line << ": "
                        << harmless(log_.unread[i].reason) << '\n';
        }
        if (log_.unread.size() > max_shown_unread)
            output_.err << log_.unread.size() << " lines in all cannot be read\n";
    }

    void set_period() {
        const auto [first, last] = std::ranges::minmax(log_.runs, {}, &LoggedRun::at);
        limits_.from = order_.from.empty() ? first.at : instant_argument("--from", order_.from);
        limits_.to = order_.to.empty() ? last.at : instant_argument("--to", order_.to);
        if (limits_.to < limits_.from) throw BadArgument("--to: must not be before --from");
    }

    /// Calls `take` for one object.
    void read_one(const Answer& answer, const std::function<void(const json::object&)>& take) {
        const int code = print(answer, {output_.out, output_.err, false}, take);
        if (code != exit_code::ok) throw RefusedByServer{code};
    }

    /// Calls `take` for each row of all pages.
    void read_all(const std::string& path, const std::function<void(const json::object&)>& take) {
        std::string cursor;
        do {
            const Answer answer =
                client_.call("GET", cursor.empty() ? path : path + "&cursor=" + query_text(cursor));
            const auto read = [&](const json::object& page) {
                for (const json::value& row : page.at("data").as_array()) take(row.as_object());
                cursor = text_of(page, "nextCursor");
            };
            read_one(answer, read);
        } while (!cursor.empty());
    }

    [[nodiscard]] std::vector<std::string> endpoints() {
        if (!order_.endpoint.empty()) {
            // A list does not tell an unknown endpoint from one without schedules.
            std::string id;
            read_one(client_.call("GET", "/v1/endpoints/" + path_text(order_.endpoint)),
                     [&](const json::object& endpoint) { id = text_of(endpoint, "id"); });
            return {id};
        }
        std::vector<std::string> found;
        read_all("/v1/endpoints?type=SHADOW&limit=100",
                 [&](const json::object& endpoint) { found.push_back(text_of(endpoint, "id")); });
        if (found.empty())
            throw BadArgument("--endpoint: there is no endpoint of type SHADOW; name one");
        return found;
    }

    void add_schedule(const json::object& schedule) {
        const auto created = parse_instant(text_of(schedule, "createdAt"));
        if (!created) throw BadArgument("the server's response has no createdAt");
        places_.emplace(text_of(schedule, "id"), schedules_.size());
        schedules_.push_back(shadow_schedule(json::serialize(schedule), created->instant));
    }

    void read_schedules() {
        endpoints_ = endpoints();
        for (const std::string& endpoint : endpoints_) {
            read_all("/v1/schedules?limit=100&endpointId=" + query_text(endpoint),
                     [this](const json::object& schedule) { add_schedule(schedule); });
        }
    }

    /// Of a schedule that has another endpoint by now. Null if it is deleted.
    ShadowSchedule* find_schedule(const std::string& id) {
        const auto known = places_.find(id);
        if (known != places_.end()) return &schedules_[known->second];
        if (deleted_.contains(id)) return nullptr;
        const Answer answer = client_.call("GET", "/v1/schedules/" + path_text(id));
        if (answer.status == 404) {
            deleted_.insert(id);
            return nullptr;
        }
        read_one(answer, [this](const json::object& schedule) { add_schedule(schedule); });
        return &schedules_.back();
    }

    void read_events() {
        for (const std::string& endpoint : endpoints_) {
            const std::string path =
                "/v1/events?status=COMPLETED&sort=executedAt&limit=500&endpointId=" +
                query_text(endpoint) +
                "&executedFrom=" + query_text(format_instant_millis(limits_.from - margin())) +
                "&executedTo=" + query_text(format_instant_millis(limits_.to + margin()));
            read_all(path, [this](const json::object& event) {
                const std::string id = text_of(event, "scheduleId");
                const auto executed = parse_instant(text_of(event, "executedAt"));
                if (id.empty() || !executed) return;  // not of a schedule
                if (ShadowSchedule* schedule = find_schedule(id))
                    schedule->runs.push_back(executed->instant);
            });
        }
    }
    /// Runs outside of the period may match one inside.
    [[nodiscard]] std::chrono::microseconds margin() const {
        return std::max(limits_.tolerance, limits_.window) + std::chrono::milliseconds(1);
    }

    void name_schedules() {
        for (const auto& [name, reference] : order_.names) {
            const auto found =
                std::ranges::find_if(schedules_, [&](const ShadowSchedule& schedule) {
                    return std::ranges::find(schedule.names, reference) != schedule.names.end();
                });
            if (found == schedules_.end())
                throw BadArgument("--name: no schedule of the endpoint is '" + reference + "'");
            found->names.push_back(name);
        }
    }

    void compare() {
        ShadowJobs matched = match_jobs(log_.runs, schedules_);
        unknown_ = std::move(matched.unknown);
        same_ = unknown_.empty();
        for (ShadowJob& job : matched.jobs) {
            ComparisonLimits limits = limits_;
            // Its first run may have been due before it was created.
            limits.old_from = job.created + limits.tolerance;
            ComparedJob compared{std::move(job), {}};
            compared.runs = compare_runs(compared.job.old, compared.job.current, limits);
            same_ = same_ && compared.runs.same();
            jobs_.push_back(std::move(compared));
        }
        std::ranges::sort(jobs_, {}, [](const ComparedJob& each) { return each.job.name; });
    }

    void show_all() const {
        std::ostream& out = output_.out;
        out << "compared from " << format_zoned(limits_.from, zone_) << " to "
            << format_zoned(limits_.to, zone_) << '\n';
        RunComparison all;
        for (const auto& [job, runs] : jobs_) {
            show(job, runs);
            all.matched += runs.matched;
            all.early.insert(all.early.end(), runs.early.begin(), runs.early.end());
            all.late.insert(all.late.end(), runs.late.begin(), runs.late.end());
            all.missing.insert(all.missing.end(), runs.missing.begin(), runs.missing.end());
            all.extra.insert(all.extra.end(), runs.extra.begin(), runs.extra.end());
        }
        for (const auto& [name, runs] : unknown_) {
            out << harmless(name) << ": no schedule has this name; " << runs
                << (runs == 1 ? " run" : " runs") << " in the log\n";
        }
        if (!deleted_.empty())
            out << "events of " << deleted_.size()
                << (deleted_.size() == 1 ? " deleted schedule" : " deleted schedules")
                << " are left out\n";
        out << "in all: " << counts(all) << '\n';
    }

    static std::string counts(const RunComparison& runs) {
        return std::to_string(runs.matched) + " matched, " + std::to_string(runs.early.size()) +
               " early, " + std::to_string(runs.late.size()) + " late, " +
               std::to_string(runs.missing.size()) + " missing, " +
               std::to_string(runs.extra.size()) + " extra";
    }

    void show(const ShadowJob& job, const RunComparison& runs) const {
        std::ostream& out = output_.out;
        out << harmless(job.name) << ": " << counts(runs) << '\n';
        for (const std::string& schedule : job.schedules)
            out << "  schedule  " << harmless(schedule) << '\n';
        if (runs.matched > 0) out << "  matched   within " << time_text(runs.largest) << '\n';
        for (const RunPair& pair : runs.early) show_pair("early", pair, " earlier");
        for (const RunPair& pair : runs.late) show_pair("late", pair, " later");
        for (const Instant at : runs.missing)
            out << "  missing   " << format_zoned(at, zone_) << ": only in the log\n";
        for (const Instant at : runs.extra)
            out << "  extra     " << format_zoned(at, zone_) << ": only in Sundial\n";
        if (runs.before > 0)
            out << "  before    " << runs.before << (runs.before == 1 ? " run" : " runs")
                << " in the log from before the schedule was created\n";
    }

    void show_pair(std::string_view word, const RunPair& pair, std::string_view direction) const {
        constexpr std::size_t column = 10;
        output_.out << "  " << word << std::string(column - word.size(), ' ')
                    << format_zoned(pair.old, zone_) << " in the log, "
                    << time_text(std::chrono::abs(pair.current - pair.old)) << direction
                    << " in Sundial\n";
    }

    static void write_instants(base::JsonWriter& to, std::string_view name,
                               const std::vector<Instant>& instants) {
        to.key(name).begin_array();
        for (const Instant at : instants) to.value(std::string_view(format_instant_millis(at)));
        to.end_array();
    }
    static void write_pairs(base::JsonWriter& to, std::string_view name,
                            const std::vector<RunPair>& pairs) {
        to.key(name).begin_array();
        for (const RunPair& pair : pairs) {
            to.begin_object().member("old", std::string_view(format_instant_millis(pair.old)));
            to.member("sundial", std::string_view(format_instant_millis(pair.current)));
            to.end_object();
        }
        to.end_array();
    }

    void write_all() const {
        base::JsonWriter result;
        result.begin_object();
        result.member("from", std::string_view(format_instant_millis(limits_.from)));
        result.member("to", std::string_view(format_instant_millis(limits_.to)));
        result.member("same", same_ && log_.unread.empty()).key("jobs").begin_array();
        for (const auto& [job, runs] : jobs_) {
            result.begin_object().member("name", std::string_view(as_utf8(job.name)));
            result.key("schedules").begin_array();
            for (const std::string& schedule : job.schedules)
                result.value(std::string_view(schedule));
            result.end_array().member("matched", runs.matched);
            result.member("largestDifferenceMs",
                          std::chrono::floor<std::chrono::milliseconds>(runs.largest).count());
            write_pairs(result, "early", runs.early);
            write_pairs(result, "late", runs.late);
            write_instants(result, "missing", runs.missing);
            write_instants(result, "extra", runs.extra);
            result.member("beforeCreation", runs.before).end_object();
        }
        result.end_array().key("unknown").begin_array();
        for (const auto& [name, runs] : unknown_) {
            result.begin_object()
                .member("name", std::string_view(as_utf8(name)))
                .member("runs", runs);
            result.end_object();
        }
        result.end_array().member("deletedSchedules", deleted_.size());
        result.key("unread").begin_array();
        for (const UnreadRun& unread : log_.unread) {
            result.begin_object().member("line", unread.line);
            result.member("reason", std::string_view(as_utf8(unread.reason))).end_object();
        }
        output_.out << result.end_array().end_object().text() << '\n';
    }

    const HttpClient& client_;
    const ShadowComparison& order_;
    const Zone& zone_;
    const Output& output_;
    const RunLog log_;
    ComparisonLimits limits_;
    std::vector<std::string> endpoints_{};
    std::vector<ShadowSchedule> schedules_{};
    std::unordered_map<std::string, std::size_t> places_{};  // in schedules_, by id
    std::unordered_set<std::string> deleted_{};              // ids of schedules
    std::vector<ComparedJob> jobs_{};
    std::map<std::string, std::size_t> unknown_{};
    bool same_ = true;
};

}  // namespace

int compare_shadow(const HttpClient& client, const ShadowComparison& order, const TzData& zones,
                   Instant now, const Output& output) {
    const auto zone = zones.find(order.zone);
    if (!zone) throw BadArgument("--timezone: " + zone.error().message);
    return ShadowComparer(client, order, **zone, now, output).run();
}

}  // namespace sundial::cli
