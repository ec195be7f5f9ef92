#pragma once

#include <string>
#include <vector>

#include "cli/command_table.hpp"

/// The parts that rows of the command table are made of.
namespace sundial::cli {

/// The rows of one group of nouns.
void add_rows_of_users(std::vector<ApiCommand>& rows);
void add_rows_of_schedules(std::vector<ApiCommand>& rows);
void add_rows_of_endpoints(std::vector<ApiCommand>& rows);  // endpoint, inbox
void add_rows_of_calendars(std::vector<ApiCommand>& rows);
void add_rows_of_events(std::vector<ApiCommand>& rows);  // event, attempt
void add_rows_of_streams(std::vector<ApiCommand>& rows);
void add_rows_of_locks(std::vector<ApiCommand>& rows);
void add_rows_of_server(std::vector<ApiCommand>& rows);  // op, instance, stats, clock, docs, …

using Arguments = std::vector<Argument>;

[[nodiscard]] inline Arguments with(Arguments first, const Arguments& then) {
    first.insert(first.end(), then.begin(), then.end());
    return first;
}
/// A positional argument in the path.
[[nodiscard]] inline Argument in_path(std::string name, std::string member, std::string help) {
    return {.name = std::move(name),
            .place = Place::path,
            .member = std::move(member),
            .help = std::move(help),
            .required = true};
}
[[nodiscard]] inline Argument id_of(const std::string& what) {
    return in_path("id", "id", "the " + what + "; id or ext:…");
}
/// A parameter of the query; its flag has the same name with dashes, unless it is `named`.
[[nodiscard]] Argument filter(std::string member, std::string help);
/// A member of the body; its flag has the same name with dashes, unless it is `named`.
[[nodiscard]] Argument member(std::string path, std::string help);
[[nodiscard]] inline Argument prefix_of(const std::string& what) {
    return filter("q", "prefix of " + what);
}
[[nodiscard]] inline Argument file_of_settings() {
    return {.name = "file",
            .place = Place::body,
            .member = "",
            .help = "a JSON object with all settings; -: standard input",
            .kind = ValueKind::file,
            .fallback = "-"};
}

[[nodiscard]] inline std::vector<std::string> priorities() {
    return {"CRITICAL", "HIGH", "NORMAL", "LOW"};
}
[[nodiscard]] inline std::vector<std::string> event_statuses() {
    return {"PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"};
}
[[nodiscard]] std::vector<Column> event_columns();

inline const std::string an_instant = "RFC 3339, now, now-1h30m, now+7d";

}  // namespace sundial::cli
