#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "cli/imports/imported_file.hpp"

namespace sundial::cli {
namespace {

constexpr std::string_view xml_blanks = " \t\r\n";

/// The file with blanks in place of its comments, so that lines keep their numbers.
std::string without_comments(std::string_view text) {
    std::string plain(text);
    for (std::size_t at = plain.find("<!--"); at != std::string::npos;
         at = plain.find("<!--", at)) {
        const auto found = plain.find("-->", at);
        const std::size_t end = found == std::string::npos ? plain.size() : found + 3;
        for (; at < end; ++at) {
            if (plain[at] != '\n') plain[at] = ' ';
        }
    }
    return plain;
}

std::string without_entities(std::string_view text) {
    constexpr std::pair<std::string_view, char> entities[]{
        {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
    std::string plain;
    while (!text.empty()) {
        const auto* const found = std::ranges::find_if(
            entities, [&](const auto& entity) { return text.starts_with(entity.first); });
        const bool entity = found != std::end(entities);
        plain += entity ? found->second : text.front();
        text.remove_prefix(entity ? found->first.size() : 1);
    }
    return plain;
}

/// The content of the first element `name` in `text`; empty if there is none. An element of Quartz
/// never contains another of its name.
std::string_view element_in(std::string_view text, std::string_view name) {
    const std::string open = '<' + std::string(name), close = "</" + std::string(name) + '>';
    for (auto at = text.find(open); at != std::string_view::npos; at = text.find(open, at + 1)) {
        const char after = at + open.size() < text.size() ? text[at + open.size()] : '>';
        if (after != '>' && xml_blanks.find(after) == std::string_view::npos) continue;
        const auto begin = text.find('>', at);
        const auto end = text.find(close, at);
        if (begin == std::string_view::npos || end == std::string_view::npos) return {};
        return text.substr(begin + 1, end - begin - 1);
    }
    return {};
}

std::string text_in(std::string_view text, std::string_view name) {
    return without_entities(base::trimmed(element_in(text, name), xml_blanks));
}

/// A trigger of Quartz.
struct QuartzTrigger {
    std::size_t line = 0;
    std::string group{}, name{}, job{}, job_group{}, expression{}, zone{};
};

class QuartzReader {
public:
    explicit QuartzReader(const ReadOptions& options) : options_(options) {}

    ImportedFile read(std::string_view text) {
        if (base::trimmed(text, xml_blanks).starts_with('<')) {
            read_xml(without_comments(text));
        } else {
            read_csv(text);
        }
        if (used_default_)
            file_.notes.emplace_back(
                "Triggers without a time zone are read in UTC. Quartz used the zone of its JVM: "
                "give --timezone.");
        number_equal_ids(file_);
        return std::move(file_);
    }

private:
    void read_xml(const std::string& plain) {
        const std::string_view text = plain;
        constexpr std::string_view close = "</trigger>";
        for (auto at = text.find("<trigger>"); at != std::string_view::npos;
             at = text.find("<trigger>", at)) {
            const auto end = std::min(text.find(close, at), text.size());
            const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
            const auto line = 1 + static_cast<std::size_t>(std::count(text.begin(), begin, '\n'));
            const std::string_view trigger = text.substr(at, end - at);
            const std::string_view cron = element_in(trigger, "cron");
            at = end;
            if (cron.empty()) {
                const std::string name = text_in(trigger, "group") + '.' + text_in(trigger, "name");
                refuse(line, name,
                       "trigger " + name + " is not a cron trigger: make a schedule with --every");
                continue;
            }
            add({.line = line,
                 .group = text_in(cron, "group"),
                 .name = text_in(cron, "name"),
                 .job = text_in(cron, "job-name"),
                 .job_group = text_in(cron, "job-group"),
                 .expression = text_in(cron, "cron-expression"),
                 .zone = text_in(cron, "time-zone")});
        }
    }

    void read_csv(std::string_view text) {
        const std::vector<CsvRow> rows = read_csv_rows(text);
        for (std::size_t i = 1; i < rows.size(); ++i) {
            std::map<std::string, std::string> columns;
            for (std::size_t field = 0;
                 field < std::min(rows[i].fields.size(), rows[0].fields.size()); ++field)
                columns[base::lowered(rows[0].fields[field])] = rows[i].fields[field];
            add({.line = rows[i].line,
                 .group = columns["trigger_group"],
                 .name = columns["trigger_name"],
                 .job = columns["job_name"],
                 .job_group = columns["job_group"],
                 .expression = columns["cron_expression"],
                 .zone = columns["time_zone_id"]});
        }
    }

    void add(const QuartzTrigger& trigger) {
        const std::string name =
            trigger.group.empty() ? trigger.name : trigger.group + '.' + trigger.name;
        ImportedEntry entry{.line = trigger.line, .text = name + ": " + trigger.expression};
        const TranslatedCron cron = translate_quartz_cron(split_words(trigger.expression));
        if (!cron.error.empty()) {
            refuse(trigger.line, entry.text,
                   "the cron expression '" + trigger.expression + "' " + cron.error);
            return;
        }
        entry.rule = cron.rule;
        entry.starts_at = cron.starts_at;
        entry.ends_at = cron.ends_at;
        entry.zone = zone_of(trigger);
        entry.external_id = derived_id("quartz", name, {trigger.group, trigger.name});
        entry.gap = "skip";
        entry.overlap = "later";
        entry.clock = OldClock::quartz;
        entry.payload =
            payload_of({{"trigger", name}, {"job", trigger.job}, {"jobGroup", trigger.job_group}});
        file_.entries.push_back(std::move(entry));
    }

    std::string zone_of(const QuartzTrigger& trigger) {
        if (!options_.zone.empty()) return options_.zone;
        if (!trigger.zone.empty()) return trigger.zone;
        used_default_ = true;
        return "UTC";
    }

    void refuse(std::size_t line, const std::string& text, std::string reason) {
        file_.refused.push_back({line, text, std::move(reason)});
    }

    const ReadOptions& options_;
    ImportedFile file_{};
    bool used_default_ = false;
};

}  // namespace

ImportedFile read_quartz(std::string_view text, const ReadOptions& options) {
    return QuartzReader(options).read(text);
}

}  // namespace sundial::cli
