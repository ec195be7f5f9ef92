#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "adapters/http/server.hpp"
#include "adapters/system/json_log.hpp"
#include "server/database.hpp"
#include "server/engine.hpp"
#include "server/health.hpp"

namespace sundial::server {

/// Waits for SIGTERM, SIGINT and SIGHUP. Construct it before any thread starts, because threads
/// inherit the mask.
class Signals {
public:
    Signals();
    /// The signal that arrives within `duration`; empty if none does.
    [[nodiscard]] std::optional<int> wait_for(std::chrono::milliseconds duration) const;
    /// Waits for a signal to stop. SIGHUP means that files may have changed: `reload` reads them
    /// again. It ends the wait if the terminal that started the process was closed.
    void wait_for_stop(const std::function<void()>& reload) const;
    /// From now on, another signal ends the process at once, with exit code 130. The other
    /// functions ignore SIGHUP.
    void exit_on_next() const;
    /// The same for a signal that arrives within `duration`.
    void exit_if_within(std::chrono::milliseconds duration) const;
};

/// The parts of a process that serves.
struct ServingParts {
    Engine& engine;
    http::HttpServer& server;
    Gate& gate;
    std::optional<HealthListener>& health;
    system::JsonLog& log;
};
/// Stops them in an order in which no work is lost or repeated. After the return no handler runs or
/// starts.
void shut_down(const ServingParts& parts, const Signals& signals);

/// Ends the process with exit code 1 and without destructors, after flushing `log`. `log` must
/// outlive the database.
[[nodiscard]] OnFatal end_at_once(system::JsonLog& log);

}  // namespace sundial::server
