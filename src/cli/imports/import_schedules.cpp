#include "cli/imports/import_schedules.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "cli/imports/old_runs.hpp"
#include "cli/json_text.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t shown_runs = 3;         // of a dry run, per entry
constexpr std::size_t shown_differences = 3;  // at one clock change
constexpr std::size_t max_entry_text = 100;   // shown of an entry

std::string_view name_of(ImportFormat format) {
    switch (format) {
        case ImportFormat::crontab:
            return "crontab";
        case ImportFormat::pgcron:
            return "pgcron";
        case ImportFormat::quartz:
            return "quartz";
        case ImportFormat::eventbridge:
            return "eventbridge";
        case ImportFormat::ics:
            return "ics";
    }
    return "";
}

ImportedFile read_file(const ScheduleImport& file) {
    switch (file.format) {
        case ImportFormat::crontab:
            return read_crontab(file.text, file.read);
        case ImportFormat::pgcron:
            return read_pgcron(file.text, file.read);
        case ImportFormat::quartz:
            return read_quartz(file.text, file.read);
        case ImportFormat::eventbridge:
            return read_eventbridge(file.text, file.read);
        case ImportFormat::ics:
            return read_ics(file.text, file.read);
    }
    return {};
}

struct CheckedEntry {
    ImportedEntry entry;
    EntryRule rule;
};

std::string shown_instant(Instant instant, const EntryRule& rule) {
    return rule.zone ? format_zoned(instant, *rule.zone) : format_instant(instant);
}

std::string list_instants(const std::vector<Instant>& runs, const EntryRule& rule,
                          std::size_t max_shown) {
    std::string text;
    for (std::size_t i = 0; i < std::min(runs.size(), max_shown); ++i)
        text += (i == 0 ? "" : ", ") + shown_instant(runs[i], rule);
    if (runs.size() > max_shown)
        text += " and " + std::to_string(runs.size() - max_shown) + " more";
    return runs.empty() ? "never" : text;
}

void write_instants(base::JsonWriter& writer, std::string_view name,
                    const std::vector<Instant>& runs, std::size_t max_shown) {
    writer.key(name).begin_array();
    for (std::size_t i = 0; i < std::min(runs.size(), max_shown); ++i)
        writer.value(format_instant(runs[i]));
    writer.end_array();
}

std::string trigger_json(const ImportedEntry& entry) {
    base::JsonWriter writer;
    writer.begin_object().member(entry.trigger, entry.rule).end_object();
    return writer.text();
}

class ScheduleImporter {
public:
    ScheduleImporter(const HttpClient& client, const ScheduleImport& file, const TzData& zones,
                     Instant now, const Output& output)
        : client_(client),
          file_(file),
          zones_(zones),
          now_(std::chrono::floor<std::chrono::seconds>(now)),
          output_(output) {}

    int run() {
        check_entries(read_file(file_));
        if (file_.dry_run) return show_all();
        if (!refused_.empty() && !file_.skip_invalid) {
            report_refused();
            output_.err << "sundial: nothing was imported; --skip-invalid imports the other "
                        << entries_.size() << '\n';
            return exit_code::usage;
        }
        report_refused();
        for (const CheckedEntry& checked : entries_) {
            if (const auto code = store(checked)) return *code;
        }
        show_counts();
        return refused_.empty() && different_ == 0 && failed_ == 0 ? exit_code::ok
                                                                   : exit_code::partly_failed;
    }

private:
    /// Refuses entries whose rule or zone Sundial does not know.
    void check_entries(ImportedFile file) {
        refused_ = std::move(file.refused);
        for (ImportedEntry& entry : file.entries) {
            auto rule = rule_of_entry(entry, zones_, now_);
            if (!rule) {
                refused_.push_back({entry.line, entry.text, rule.error().message});
                continue;
            }
            entries_.push_back({std::move(entry), *std::move(rule)});
        }
        std::ranges::sort(refused_, {}, &RefusedEntry::line);
        for (const std::string& note : file.notes) output_.err << "sundial: " << note << '\n';
    }

    void report_refused() const {
        for (const RefusedEntry& refused : refused_)
            output_.err << file_.name << ':' << refused.line << ": " << refused.reason << '\n';
    }

    [[nodiscard]] std::string body_of(const CheckedEntry& checked) const {
        const auto& [entry, rule] = checked;
        base::JsonWriter body;
        body.begin_object().member("externalId", entry.external_id);
        body.member("eventType", file_.event_type.empty() ? std::string(name_of(file_.format))
                                                          : file_.event_type);
        body.key("trigger").raw(trigger_json(entry));
        if (!entry.zone.empty()) body.member("timezone", entry.zone);
        if (!file_.endpoint.empty()) body.member("endpointId", file_.endpoint);
        if (!entry.gap.empty()) body.member("gap", entry.gap);
        if (!entry.overlap.empty()) body.member("overlap", entry.overlap);
        if (rule.starts_at) body.member("startsAt", format_instant(*rule.starts_at));
        if (rule.ends_at) body.member("endsAt", format_instant(*rule.ends_at));
        if (!entry.enabled) body.member("enabled", false);
        body.key("payload").raw(entry.payload).end_object();
        return body.text();
    }

    /// Empty to go on; else the exit code, for a response that concerns every entry.
    std::optional<int> store(const CheckedEntry& checked) {
        const ImportedEntry& entry = checked.entry;
        const Answer answer = client_.call("POST", "/v1/schedules", body_of(checked));
        if (answer.status == 201) {
            ++created_;
            return std::nullopt;
        }
        json::error_code wrong;
        const json::value parsed = json::parse(answer.body, wrong);
        const std::string code =
            wrong || !parsed.is_object() ? "" : text_of(parsed.get_object(), "code");
        if (code == "DUPLICATE_EXTERNAL_ID") return compare(entry);
        if (code.empty() || answer.status == 401 || answer.status == 403 || answer.status >= 429) {
            show_counts();
            return std::max(
                print(answer, {output_.out, output_.err, false}, [](const json::object&) {}), 1);
        }
        ++failed_;
        output_.err << file_.name << ':' << entry.line << ": ";
        print_problem(parsed.get_object(), output_.err);
        return std::nullopt;
    }

    /// Compares the entry with the schedule of the same external id.
    std::optional<int> compare(const ImportedEntry& entry) {
        const std::string id = "ext:" + entry.external_id;
        const Answer answer = client_.call("GET", "/v1/schedules/" + path_text(id));
        const auto same = [&](std::string_view member, std::string_view wanted) {
            const std::string_view value = value_at(answer.body, member);
            return base::canonical_json(value) == base::canonical_json(wanted);
        };
        base::JsonWriter zone;
        zone.value(entry.zone);
        const bool interval = entry.trigger == "every";
        const bool equal = answer.status == 200 && same("trigger", trigger_json(entry)) &&
                           (interval || same("timezone", zone.text()));
        if (equal) {
            ++existing_;
        } else {
            ++different_;
            output_.err << file_.name << ':' << entry.line << ": schedule " << id
                        << " exists with another rule or zone, and keeps it: change it with "
                           "`sundial schedule set`, or delete it and import again\n";
        }
        return std::nullopt;
    }

    void show_counts() const {
        if (output_.json) {
            base::JsonWriter result;
            result.begin_object().member("created", created_).member("existing", existing_);
            result.member("different", different_).member("refused", refused_.size() + failed_);
            output_.out << result.end_object().text() << '\n';
            return;
        }
        output_.out << created_ << " created, " << existing_ << " there already, ";
        if (different_ > 0) output_.out << different_ << " there with another rule, ";
        output_.out << refused_.size() + failed_ << " refused\n";
    }

    int show_all() const {
        if (output_.json) {
            write_all();
        } else {
            for (const CheckedEntry& checked : entries_) show(checked);
            output_.out << entries_.size() << " would be imported, " << refused_.size()
                        << " refused\n";
        }
        report_refused();
        return refused_.empty() || file_.skip_invalid ? exit_code::ok : exit_code::usage;
    }

    [[nodiscard]] std::vector<Instant> old_runs(const CheckedEntry& checked) const {
        return list_old_runs(checked.rule, checked.entry.clock, now_, latest_instant, shown_runs);
    }
    [[nodiscard]] std::vector<Instant> new_runs(const CheckedEntry& checked) const {
        return list_new_runs(checked.rule, now_, latest_instant, shown_runs);
    }

    void show(const CheckedEntry& checked) const {
        const auto& [entry, rule] = checked;
        std::ostream& out = output_.out;
        std::string text = entry.text.substr(0, max_entry_text);
        std::ranges::replace(text, '\n', ' ');
        out << file_.name << ':' << entry.line << ": " << harmless(text) << '\n';
        out << "  schedule  " << entry.external_id << (entry.enabled ? "" : " (paused)") << '\n';
        out << "  rule      " << rule.words;
        if (rule.zone) out << ", " << entry.zone;
        out << '\n';
        if (entry.starts_at) out << "  from      " << *entry.starts_at << '\n';
        if (entry.ends_at) out << "  until     " << *entry.ends_at << '\n';
        const auto old = old_runs(checked), current = new_runs(checked);
        out << "  old       " << list_instants(old, rule, shown_runs) << '\n';
        out << "  Sundial   "
            << (old == current ? "the same" : list_instants(current, rule, shown_runs)) << '\n';
        if (!rule.zone) {
            out << "  note      counts from the creation of the schedule\n";
            return;
        }
        for (const ChangeDifference& at : compare_at_changes(rule, entry.clock, now_)) {
            out << "  clocks    " << format_zoned(at.change.at, *rule.zone) << ": ";
            if (at.only_old.empty() && at.only_new.empty()) out << "the same";
            if (!at.only_old.empty())
                out << "only old " << list_instants(at.only_old, rule, shown_differences);
            if (!at.only_old.empty() && !at.only_new.empty()) out << "; ";
            if (!at.only_new.empty())
                out << "only Sundial " << list_instants(at.only_new, rule, shown_differences);
            out << '\n';
        }
    }

    /// The text without control characters.
    static std::string harmless(std::string text) {
        std::ranges::replace_if(
            text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
        return text;
    }

    void write_all() const {
        base::JsonWriter result;
        result.begin_object().key("entries").begin_array();
        for (const CheckedEntry& checked : entries_) {
            const auto& [entry, rule] = checked;
            result.begin_object().member("line", entry.line);
            result.member("description", rule.words).key("schedule").raw(body_of(checked));
            write_instants(result, "old", old_runs(checked), shown_runs);
            write_instants(result, "sundial", new_runs(checked), shown_runs);
            result.key("clockChanges").begin_array();
            for (const ChangeDifference& at : compare_at_changes(rule, entry.clock, now_)) {
                result.begin_object().member("at", format_instant(at.change.at));
                write_instants(result, "onlyOld", at.only_old, at.only_old.size());
                write_instants(result, "onlySundial", at.only_new, at.only_new.size());
                result.end_object();
            }
            result.end_array().end_object();
        }
        result.end_array().key("refused").begin_array();
        for (const RefusedEntry& refused : refused_) {
            result.begin_object().member("line", refused.line).member("reason", refused.reason);
            result.end_object();
        }
        output_.out << result.end_array().end_object().text() << '\n';
    }

    const HttpClient& client_;
    const ScheduleImport& file_;
    const TzData& zones_;
    const Instant now_;
    const Output& output_;
    std::vector<CheckedEntry> entries_{};
    std::vector<RefusedEntry> refused_{};
    std::size_t created_ = 0, existing_ = 0, different_ = 0, failed_ = 0;
};

}  // namespace

int import_schedules(const HttpClient& client, const ScheduleImport& file, const TzData& zones,
                     Instant now, const Output& output) {
    return ScheduleImporter(client, file, zones, now, output).run();
}

}  // namespace sundial::cli
