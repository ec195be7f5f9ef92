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
    std::string found;   // what, and why it matters
    std::string remedy;  // empty: nothing to do
};

/// Looks at everything that a server with these settings needs. Changes nothing but a file of one
/// page, which it deletes again. Throws nothing: what cannot be looked at is a diagnosis.
[[nodiscard]] std::vector<Diagnosis> diagnose(const LoadedSettings& loaded, base::Log& log);

}  // namespace sundial::server
