#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <stdexcept>

#include "base/json.hpp"
#include "cli/imports/apply_schedules.hpp"

namespace sundial::cli {
namespace {

constexpr std::array<std::string_view, 4> trigger_kinds{"cron", "every", "rrule", "yearly"};
constexpr std::size_t max_set = 40, max_schedule_name = 80;  // an external id has 128 characters

/// The place of an error, and the error.
class BadScheduleFile : public std::runtime_error {
public:
    BadScheduleFile(const toml::source_region& where, const std::string& what)
        : std::runtime_error(std::to_string(where.begin.line) + ": " + what) {}
};

void write_toml(base::JsonWriter& writer, const toml::node& node) {
    if (const auto* text = node.as_string()) {
        writer.value(text->get());
    } else if (const auto* integer = node.as_integer()) {
        writer.value(integer->get());
    } else if (const auto* number = node.as_floating_point()) {
        writer.value(number->get());
    } else if (const auto* truth = node.as_boolean()) {
        writer.value(truth->get());
    } else if (const auto* list = node.as_array()) {
        writer.begin_array();
        for (const toml::node& each : *list) write_toml(writer, each);
        writer.end_array();
    } else if (const auto* table = node.as_table()) {
        writer.begin_object();
        for (const auto& [key, value] : *table) {
            writer.key(key.str());
            write_toml(writer, value);
        }
        writer.end_object();
    } else {
        std::ostringstream spelled;  // a date or a time
        if (const auto* date_time = node.as_date_time()) spelled << date_time->get();
        if (const auto* date = node.as_date()) spelled << date->get();
        if (const auto* time = node.as_time()) spelled << time->get();
        writer.value(spelled.str());
    }
}

std::string toml_as_json(const toml::node& node) {
    base::JsonWriter writer;
    write_toml(writer, node);
    return writer.text();
}

const toml::table& table_of(const toml::node& node, const std::string& name) {
    const toml::table* const table = node.as_table();
    if (table == nullptr) throw BadScheduleFile(node.source(), "'" + name + "' must be a table");
    return *table;
}

bool is_trigger(std::string_view member) {
    return std::ranges::find(trigger_kinds, member) != trigger_kinds.end();
}

/// The schedule's own members, and those of `defaults` that it does not have.
WantedSchedule wanted_schedule(const std::string& name, const toml::table& table,
                               const toml::table& defaults) {
    WantedSchedule wanted{.name = name};
    std::string trigger;
    for (const auto& [key, value] : table) {
        const std::string member(key.str());
        if (member == "externalId" || member == "trigger")
            throw BadScheduleFile(value.source(),
                                  member == "trigger"
                                      ? "write cron, every, rrule or yearly instead of 'trigger'"
                                      : "the external id is made of the set and the name");
        if (!is_trigger(member)) {
            wanted.members.emplace_back(member, toml_as_json(value));
            continue;
        }
        if (!trigger.empty())
            throw BadScheduleFile(value.source(), "schedule '" + name + "' has two rules");
        base::JsonWriter writer;
        trigger = writer.begin_object().key(member).raw(toml_as_json(value)).end_object().text();
    }
    if (trigger.empty())
        throw BadScheduleFile(table.source(),
                              "schedule '" + name + "' has no rule: cron, every, rrule or yearly");
    wanted.members.emplace_back("trigger", trigger);
    for (const auto& [key, value] : defaults) {
        if (!table.contains(key.str()))
            wanted.members.emplace_back(std::string(key.str()), toml_as_json(value));
    }
    if (!table.contains("eventType") && !defaults.contains("eventType")) {
        base::JsonWriter writer;
        wanted.members.emplace_back("eventType", writer.value(name).text());
    }
    std::ranges::sort(wanted.members);
    return wanted;
}

ScheduleFile read_tables(const toml::table& root) {
    ScheduleFile file;
    const toml::table nothing;
    const toml::table* defaults = &nothing;
    const toml::table* schedules = &nothing;
    for (const auto& [key, value] : root) {
        const std::string name(key.str());
        if (name == "set") {
            file.set = value.value_or(std::string{});
        } else if (name == "defaults") {
            defaults = &table_of(value, name);
        } else if (name == "schedules") {
            schedules = &table_of(value, name);
        } else {
            throw BadScheduleFile(value.source(), "'" + name +
                                                      "' is unknown: a file has set, defaults and "
                                                      "schedules");
        }
    }
    if (file.set.empty() || file.set.size() > max_set || file.set.find(':') != std::string::npos)
        throw BadScheduleFile(root.source(),
                              "`set = \"NAME\"` is required: 1 to 40 characters without ':', the "
                              "name under which this file owns its schedules");
    for (const auto& [key, value] : *defaults) {
        if (is_trigger(key.str()))
            throw BadScheduleFile(value.source(), "a rule belongs to a schedule, not to defaults");
    }
    for (const auto& [key, value] : *schedules) {
        const std::string name(key.str());
        if (name.empty() || name.size() > max_schedule_name)
            throw BadScheduleFile(value.source(), "a name has 1 to 80 characters");
        file.schedules.push_back(wanted_schedule(name, table_of(value, name), *defaults));
    }
    return file;
}

}  // namespace

ScheduleFile read_schedule_file(const std::string& text, const std::string& name) {
    ScheduleFile invalid;
    try {
        const toml::table root = toml::parse(text);
        return read_tables(root);
    } catch (const toml::parse_error& error) {
        invalid.error = name + ':' + std::to_string(error.source().begin.line) + ": " +
                        std::string(error.description());
    } catch (const BadScheduleFile& error) {
        invalid.error = name + ':' + error.what();
    }
    return invalid;
}

}  // namespace sundial::cli
