#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "base/text.hpp"
#include "cli/imports/imported_file.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view pgcron_blanks = " \t\r\n";

/// A row of cron.job, by the names of its columns.
struct CronJob {
    std::size_t line = 0;
    std::map<std::string, std::string> columns{};

    [[nodiscard]] std::string get(const std::string& name) const {
        const auto found = columns.find(name);
        return found == columns.end() ? "" : found->second;
    }
};

std::size_t line_of_text(std::string_view text, std::string_view part) {
    const auto at = text.find(part);
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
    return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

/// An array of objects, one object for each line, or one object.
std::vector<CronJob> jobs_of_json(std::string_view text, std::vector<RefusedEntry>& refused) {
    std::vector<CronJob> jobs;
    const auto add = [&](const json::value& value, std::size_t line) {
        if (!value.is_object()) {
            refused.push_back({line, "", "is not an object of JSON"});
            return;
        }
        CronJob job{.line = line};
        for (const auto& member : value.get_object())
            job.columns[std::string(member.key())] = text_of(value.get_object(), member.key());
        jobs.push_back(std::move(job));
    };
    json::error_code wrong;
    const json::value whole = json::parse(text, wrong);
    if (!wrong && whole.is_array()) {
        for (const json::value& each : whole.get_array()) {
            const std::string id = each.is_object() ? text_of(each.get_object(), "schedule") : "";
            add(each, line_of_text(text, '"' + id + '"'));
        }
        return jobs;
    }
    std::size_t line = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view row = base::trimmed(text.substr(0, end), pgcron_blanks);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (row.empty()) continue;
        const json::value value = json::parse(row, wrong);
        if (wrong) {
            refused.push_back({line, std::string(row), "is not JSON: " + wrong.message()});
        } else {
            add(value, line);
        }
    }
    return jobs;
}

std::vector<CronJob> jobs_of_csv(std::string_view text) {
    std::vector<CronJob> jobs;
    const std::vector<CsvRow> rows = read_csv_rows(text);
    if (rows.empty()) return jobs;
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
        CronJob job{.line = row->line};
        for (std::size_t i = 0; i < std::min(row->fields.size(), rows.front().fields.size()); ++i)
            job.columns[base::lowered(rows.front().fields[i])] = row->fields[i];
        jobs.push_back(std::move(job));
    }
    return jobs;
}

/// `30 seconds` as PT30S; `$` is the last day of the month.
void set_pgcron_rule(ImportedEntry& entry, const std::string& schedule) {
    std::vector<std::string> words = split_words(schedule);
    const bool seconds = words.size() == 2 && (words[1] == "second" || words[1] == "seconds");
    if (seconds) {
        entry.trigger = "every";
        entry.rule = "PT" + words[0] + "S";
        entry.clock = OldClock::elapsed;
        return;
    }
    if (words.size() == 5 && words[2] == "$") words[2] = "L";
    for (const std::string& word : words) entry.rule += (entry.rule.empty() ? "" : " ") + word;
}

bool is_false(const std::string& text) { return text == "f" || text == "false" || text == "0"; }

}  // namespace

ImportedFile read_pgcron(std::string_view text, const ReadOptions& options) {
    ImportedFile file;
    const std::string_view content = base::trimmed(text, pgcron_blanks);
    const bool is_json = content.starts_with('[') || content.starts_with('{');
    const std::vector<CronJob> jobs =
        is_json ? jobs_of_json(text, file.refused) : jobs_of_csv(text);
    for (const CronJob& job : jobs) {
        const std::string schedule = job.get("schedule");
        const std::string name = job.get("jobname");
        ImportedEntry entry{.line = job.line, .text = schedule + ' ' + job.get("command")};
        if (schedule.empty()) {
            file.refused.push_back({job.line, entry.text, "the column schedule is missing"});
            continue;
        }
        if (schedule.find('@') == 0 && base::lowered(schedule) == "@reboot") {
            file.refused.push_back(
                {job.line, entry.text, "@reboot runs when a server starts, not at a time"});
            continue;
        }
        entry.zone = options.zone.empty() ? "UTC" : options.zone;
        set_pgcron_rule(entry, schedule);
        entry.gap = entry.trigger == "every" ? "" : "boundary";
        entry.overlap = entry.trigger == "every" ? "" : "earlier";
        entry.enabled = !is_false(job.get("active"));
        // A named job keeps its id when its schedule changes; pg_cron names are unique by user.
        entry.external_id =
            name.empty()
                ? derived_id("pgcron", "", {job.get("database"), schedule, job.get("command")})
                : derived_id("pgcron", name, {job.get("database"), job.get("username"), name});
        entry.payload = payload_of({{"jobname", name},
                                    {"command", job.get("command")},
                                    {"database", job.get("database")},
                                    {"username", job.get("username")}});
        file.entries.push_back(std::move(entry));
    }
    if (options.zone.empty() && !jobs.empty())
        file.notes.emplace_back(
            "pg_cron uses UTC, unless its setting cron.timezone says otherwise: give --timezone "
            "then.");
    number_equal_ids(file);
    return file;
}

}  // namespace sundial::cli
