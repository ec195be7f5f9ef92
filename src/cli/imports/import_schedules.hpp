#pragma once

#include <string>

#include "application/ports/time_zones.hpp"
#include "cli/http_client.hpp"
#include "cli/imports/imported_file.hpp"
#include "cli/output.hpp"
#include "domain/time/types.hpp"

/// `sundial import`: schedules from the file of another scheduler.
namespace sundial::cli {

struct ScheduleImport {
    ImportFormat format = ImportFormat::crontab;
    std::string name{};        // of the file, for messages
    std::string text{};        // its content
    std::string endpoint{};    // of the schedules; empty: their events wait
    std::string event_type{};  // empty: named after the format
    ReadOptions read{};
    bool dry_run = false;       // shows the entries, and sends nothing
    bool skip_invalid = false;  // imports the other entries
};

/// Creates a schedule for each entry. Its external id is derived from the entry, so a second import
/// finds it and changes nothing. Returns 0; 2 if an entry cannot be expressed and `skip_invalid` is
/// not set, with no schedule created; 7 if some entries were refused or stored with another rule;
/// the API's code if it refused the request itself.
[[nodiscard]] int import_schedules(const HttpClient& client, const ScheduleImport& file,
                                   const TzData& zones, Instant now, const Output& output);

}  // namespace sundial::cli
