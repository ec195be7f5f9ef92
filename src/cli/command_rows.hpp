#pragma once

#include <string>
#include <vector>

#include "cli/command_table.hpp"

/// The parts that rows of the command table are made of.
namespace sundial::cli {

/// The rows of one group of nouns.
void add_rows_of_events(std::vector<ApiCommand>& rows);     // event, attempt
void add_rows_of_calendars(std::vector<ApiCommand>& rows);  // calendar
void add_rows_of_setup(std::vector<ApiCommand>& rows);      // user, endpoint, inbox, schedule
void add_rows_of_server(std::vector<ApiCommand>& rows);     // stream, lock, op, clock, docs, …

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

[[nodiscard]] inline std::vector<std::string> priorities() {
    return {"CRITICAL", "HIGH", "NORMAL", "LOW"};
}
[[nodiscard]] inline std::vector<std::string> event_statuses() {
    return {"PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"};
}
[[nodiscard]] std::vector<Column> event_columns();

inline const std::string an_instant = "RFC 3339, now, now-1h30m, now+7d";

}  // namespace sundial::cli
