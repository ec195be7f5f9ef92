#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// One check of `sundial doctor`.
struct Diagnosis {
    enum class State { ok, warn, fail };
    std::string check;  // "disk"
    State state = State::ok;
    std::string found;   // the fact, and why it matters
    std::string remedy;  // empty: nothing to do
};

/// Checks everything that a server with these settings needs. Writes only a file of one page, which
/// it deletes again. Never throws: a check that cannot run is a finding.
[[nodiscard]] std::vector<Diagnosis> diagnose(const LoadedSettings& loaded, base::Log& log);

}  // namespace sundial::server
