#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "cli/http_client.hpp"
#include "cli/output.hpp"
#include "cli/shadow/run_log.hpp"
#include "domain/time/types.hpp"

/// `sundial shadow compare`: the log of the old scheduler beside what Sundial would have delivered.
namespace sundial::cli {

struct ShadowComparison {
    RunLogOptions log{};
    std::string name{};      // of the log, for messages
    std::string text{};      // its content
    std::string endpoint{};  // id or ext:…; empty: all of type SHADOW
    std::string zone = "UTC";
    std::vector<std::pair<std::string, std::string>> names{};  // name in the log, schedule
    std::string from{}, to{};                                  // empty: as far as the log goes
    std::string tolerance = "PT1M";
    std::string window = "PT1H";
};

/// Reads the completed events of the endpoint and compares them with the log, job by job. Returns
/// 0; 1 if the two differ, or if a line cannot be read; 2 if the log has no run; the API's code if
/// it refused a request. Throws BadArgument.
[[nodiscard]] int compare_shadow(const HttpClient& client, const ShadowComparison& order,
                                 const TzData& zones, Instant now, const Output& output);

}  // namespace sundial::cli
