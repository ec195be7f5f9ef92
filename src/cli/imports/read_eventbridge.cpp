#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "base/text.hpp"
#include "cli/imports/imported_file.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

/// The text between the parentheses of `cron(…)`; empty if `expression` is another function.
std::optional<std::string> argument_of(std::string_view expression, std::string_view function) {
    if (!expression.starts_with(function) || !expression.ends_with(')')) return std::nullopt;
    expression.remove_prefix(function.size());
    if (expression.empty() || expression.front() != '(') return std::nullopt;
    return std::string(expression.substr(1, expression.size() - 2));
}

/// `5 minutes` as PT5M; empty if it is not a rate.
std::string duration_of_rate(const std::string& rate) {
    const std::vector<std::string> words = split_words(rate);
    if (words.size() != 2) return "";
    int number = 0;
    const std::string& digits = words[0];
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || number < 1 ||
        number > 36'500)
        return "";
    const std::string unit =
        words[1].ends_with('s') ? words[1].substr(0, words[1].size() - 1) : words[1];
    if (unit == "minute") return "PT" + digits + 'M';
    if (unit == "hour") return "PT" + digits + 'H';
    if (unit == "day") return "PT" + std::to_string(number * 24) + 'H';
    return "";
}

class EventBridgeReader {
public:
    EventBridgeReader(std::string_view text, const ReadOptions& options)
        : text_(text), options_(options) {}

    ImportedFile read() {
        json::error_code wrong;
        const json::value whole = json::parse(text_, wrong);
        if (wrong) {
            file_.refused.push_back({1, "", "the file is not JSON: " + wrong.message()});
        } else {
            read_value(whole);
        }
        if (used_utc_)
            file_.notes.emplace_back(
                "Rules without ScheduleExpressionTimezone are in UTC, as in EventBridge.");
        number_equal_ids(file_);
        return std::move(file_);
    }

private:
    void read_value(const json::value& value) {
        if (value.is_array()) {
            for (const json::value& each : value.get_array()) read_value(each);
            return;
        }
        if (!value.is_object()) {
            file_.refused.push_back({1, "", "is not an object of JSON"});
            return;
        }
        const json::object& object = value.get_object();
        for (const char* list : {"Rules", "Schedules"}) {
            if (const json::value* rules = object.if_contains(list); rules && rules->is_array())
                return read_value(*rules);
        }
        read_rule(object);
    }

    void read_rule(const json::object& rule) {
        const std::string name = text_of(rule, "Name");
        const std::string expression = text_of(rule, "ScheduleExpression");
        ImportedEntry entry{.line = line_of(name), .text = name + ": " + expression};
        if (expression.empty()) {
            const bool pattern = rule.contains("EventPattern");
            return refuse(entry, pattern
                                     ? "the rule '" + name + "' matches events and has no schedule"
                                     : "'" + name +
                                           "' has no ScheduleExpression: list-schedules omits it, "
                                           "get-schedule has it");
        }
        if (const auto fields = argument_of(expression, "cron")) {
            if (!set_cron(entry, *fields)) return;
        } else if (const auto rate = argument_of(expression, "rate")) {
            entry.trigger = "every";
            entry.rule = duration_of_rate(*rate);
            entry.clock = OldClock::elapsed;
            if (entry.rule.empty())
                return refuse(entry,
                              "'" + expression + "' is not a rate of minutes, hours or days");
        } else {
            return refuse(entry, "'" + expression +
                                     "' is not a recurring rule: `sundial event add` schedules a "
                                     "single event");
        }
        entry.zone = zone_of(rule);
        entry.external_id = derived_id(
            "eventbridge", name, {text_of(rule, "GroupName"), text_of(rule, "EventBusName"), name});
        entry.enabled = text_of(rule, "State") != "DISABLED";
        set_target(entry, rule, name);
        file_.entries.push_back(std::move(entry));
    }

    /// False if it is refused.
    bool set_cron(ImportedEntry& entry, const std::string& text) {
        std::vector<std::string> fields = split_words(text);
        if (fields.size() != 6) {
            refuse(entry, "'cron(" + text + ")' has " + std::to_string(fields.size()) +
                              " fields instead of 6");
            return false;
        }
        fields.insert(fields.begin(), "0");  // EventBridge has no seconds
        TranslatedCron cron = translate_quartz_cron(fields);
        if (!cron.error.empty()) {
            refuse(entry, "'cron(" + text + ")' " + cron.error);
            return false;
        }
        entry.rule = std::move(cron.rule);
        entry.starts_at = std::move(cron.starts_at);
        entry.ends_at = std::move(cron.ends_at);
        entry.gap = "skip";
        entry.overlap = "earlier";
        entry.clock = OldClock::eventbridge;
        return true;
    }

    static void set_target(ImportedEntry& entry, const json::object& rule,
                           const std::string& name) {
        std::string arn, input;
        const json::value* target = rule.if_contains("Target");
        if (target != nullptr && target->is_object()) {
            arn = text_of(target->get_object(), "Arn");
            input = text_of(target->get_object(), "Input");
        }
        entry.payload = payload_of({{"rule", name},
                                    {"description", text_of(rule, "Description")},
                                    {"target", arn},
                                    {"input", input}});
    }

    std::string zone_of(const json::object& rule) {
        if (!options_.zone.empty()) return options_.zone;
        const std::string zone = text_of(rule, "ScheduleExpressionTimezone");
        if (zone.empty()) used_utc_ = true;
        return zone.empty() ? "UTC" : zone;
    }

    /// Where the file names the rule.
    [[nodiscard]] std::size_t line_of(const std::string& name) const {
        const auto at = std::min(text_.find('"' + name + '"'), text_.size());
        const auto end = text_.begin() + static_cast<std::ptrdiff_t>(at);
        return 1 + static_cast<std::size_t>(std::count(text_.begin(), end, '\n'));
    }

    void refuse(const ImportedEntry& entry, std::string reason) {
        file_.refused.push_back({entry.line, entry.text, std::move(reason)});
    }

    const std::string_view text_;
    const ReadOptions& options_;
    ImportedFile file_{};
    bool used_utc_ = false;
};

}  // namespace

ImportedFile read_eventbridge(std::string_view text, const ReadOptions& options) {
    return EventBridgeReader(text, options).read();
}

}  // namespace sundial::cli
