#include "cli/command_table.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "cli/command_rows.hpp"

namespace sundial::cli {
namespace {

/// `targetTimezone` as `--target-timezone`; of a path the last part counts.
std::string flag_of(std::string_view member) {
    const auto dot = member.rfind('.');
    if (dot != member.npos) member.remove_prefix(dot + 1);
    std::string flag = "--";
    for (const char c : member) {
        if (base::is_upper(c) && !flag.ends_with('-')) flag += '-';
        flag += base::lower(c);
    }
    return flag;
}

}  // namespace

Argument Argument::named(std::string other) && {
    name = std::move(other);
    return std::move(*this);
}
Argument Argument::as(ValueKind other) && {
    kind = other;
    return std::move(*this);
}
Argument Argument::of(std::vector<std::string> words) && {
    choices = std::move(words);
    return std::move(*this);
}
Argument Argument::needed() && {
    required = true;
    return std::move(*this);
}
Argument Argument::otherwise(std::string text) && {
    fallback = std::move(text);
    return std::move(*this);
}
Argument Argument::sending(std::string text) && {
    sends = std::move(text);
    return std::move(*this);
}
Argument Argument::showing(std::vector<Column> added) && {
    columns = std::move(added);
    return std::move(*this);
}

Argument filter(std::string member, std::string help) {
    std::string flag = flag_of(member);
    return {.name = std::move(flag),
            .place = Place::query,
            .member = std::move(member),
            .help = std::move(help)};
}

Argument member(std::string path, std::string help) {
    std::string flag = flag_of(path);
    return {.name = std::move(flag),
            .place = Place::body,
            .member = std::move(path),
            .help = std::move(help)};
}

const std::vector<ApiCommand>& command_table() {
    static const std::vector<ApiCommand> table = [] {
        std::vector<ApiCommand> rows;
        add_rows_of_users(rows);
        add_rows_of_schedules(rows);
        add_rows_of_endpoints(rows);
        add_rows_of_calendars(rows);
        add_rows_of_events(rows);
        add_rows_of_streams(rows);
        add_rows_of_locks(rows);
        add_rows_of_server(rows);
        return rows;
    }();
    return table;
}

const std::vector<Noun>& nouns() {
    static const std::vector<Noun> all{
        {"user", "people, with their time zones and dates"},
        {"schedule", "rules that yield events"},
        {"calendar", "iCalendar feeds of schedules and users"},
        {"endpoint", "where events go"},
        {"inbox", "requests that an endpoint of type INBOX has received"},
        {"event", "scheduled and finished events"},
        {"dlq", "dead letters: FAILED events that have not been dismissed"},
        {"attempt", "attempts to deliver an event"},
        {"stream", "streams of recorded events"},
        {"feed", "the recorded events of all streams, in one order"},
        {"checkpoint", "positions that readers of the feed have reached"},
        {"lock", "locks: names that only one holder has at a time"},
        {"instance", "processes that serve this database"},
        {"stats", "counters of what all instances did"},
        {"intake", "outboxes of applications that the server follows"},
        {"op", "long-running operations, such as edits of schedules"},
        {"key", "API keys; uses a server, or with --db the database"},
        {"clock", "the clock that decides which events are due"},
        {"zone", "time zones and their clock changes"},
        {"docs", "the documents that a server has about itself"},
    };
    return all;
}

bool only_reads(const ApiCommand& command) {
    return command.method == "GET" || command.operation == "previewSchedule";
}

bool asks_server_to_try(const ApiCommand& command) {
    return std::ranges::find(command.arguments, "--dry-run", &Argument::name) !=
           command.arguments.end();
}

std::vector<Argument> common_flags(const ApiCommand& command) {
    std::vector<Argument> flags;
    const auto add = [&](std::string name, std::string help, ValueKind kind = ValueKind::text) {
        flags.push_back({.name = std::move(name),
                         .place = Place::header,
                         .member = "",
                         .help = std::move(help),
                         .kind = kind});
        return flags.size() - 1;
    };
    if (command.whole_body) {
        add("--data", "the request body, a JSON object, @FILE or -; flags replace its members",
            ValueKind::json);
    }
    if (command.method == "PATCH" && command.whole_body)
        add("--unset", "flags whose members become null, such as external-id", ValueKind::words);
    if (command.versioned)
        add("--if-match", "only if it is at this version; else exit code 4", ValueKind::number);
    if (command.shape == Shape::pages) {
        const auto limit = add("--limit", "at most this number of rows", ValueKind::number);
        flags[limit].fallback = "50";
        add("--all", "all rows", ValueKind::flag);
        add("--watch", "follow: redraw the list on a terminal, else print new and changed rows",
            ValueKind::flag);
        flags[add("--interval", "seconds between two polls of --watch", ValueKind::number)]
            .fallback = "2";
    }
    if (!command.sorts.empty()) {
        const auto sort = add("--sort", "order; with a minus before it, descending");
        for (const std::string& field : command.sorts) {
            flags[sort].choices.push_back(field);
            flags[sort].choices.push_back('-' + field);
        }
        flags[sort].fallback = command.default_sort;
    }
    if (!command.columns.empty()) add("--csv", "print CSV", ValueKind::flag);
    if (!only_reads(command)) {
        if (!asks_server_to_try(command))
            add("--dry-run", "show the request and the current state, and change nothing",
                ValueKind::flag);
        add("--request-key", "Idempotency-Key: the same request under it is done only once");
    }
    if (!command.question.empty()) add("--yes,-y", "do not ask for confirmation", ValueKind::flag);
    return flags;
}

}  // namespace sundial::cli
