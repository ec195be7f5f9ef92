#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sundial::server {

/// The parts of the work that a process does (`scheduler.roles`).
struct Roles {
    bool api = true;        // serves the API on http.listen
    bool scheduler = true;  // long operations, requests by SQL, outboxes, zone changes, retention
    bool worker = true;     // claims events, plans their successors and delivers
    bool ui = true;         // serves the console

    /// The roles that the processes on a database must have together. The console is optional.
    [[nodiscard]] bool does_all_work() const { return api && scheduler && worker; }
    friend bool operator==(const Roles&, const Roles&) = default;
};

/// The names of `roles`, in a fixed order: api, scheduler, worker, ui.
[[nodiscard]] std::vector<std::string> names_of(const Roles& roles);
/// "api,ui".
[[nodiscard]] std::string to_text(const Roles& roles);
/// Empty if a name is unknown, or none is given.
[[nodiscard]] std::optional<Roles> roles_in(const std::vector<std::string>& names);

/// The roles that a database needs and none of its processes has, separated by commas. `found`: the
/// roles of each process.
[[nodiscard]] std::string missing_roles(const std::vector<std::vector<std::string>>& found);

}  // namespace sundial::server
